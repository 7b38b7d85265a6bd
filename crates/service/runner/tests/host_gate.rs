//! The gate: whatever runs ask, a host sees them one by one and not too many at a time.
//! Only lower bounds of time are asserted, so that a slow machine cannot break a test.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use runner::GateSettings;
use runner::HostGate;
use runtime::SystemClock;

fn gate(at_a_time: usize, delay: u64) -> HostGate {
    let settings = GateSettings { at_a_time, delay: Duration::from_millis(delay) };
    HostGate::new(settings, Arc::new(SystemClock))
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_all_runs_keep_their_distance() {
    let gate = gate(2, 20);
    let under_way = Arc::new(AtomicUsize::new(0));
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let (gate, under_way) = (gate.clone(), Arc::clone(&under_way));
            tokio::spawn(async move {
                let mut starts = Vec::new();
                for _ in 0..5 {
                    let permit = gate.enter("example.com", None).await;
                    starts.push(Instant::now());
                    assert!(under_way.fetch_add(1, Ordering::SeqCst) < 2, "too many at a time");
                    tokio::time::sleep(Duration::from_millis(15)).await;
                    under_way.fetch_sub(1, Ordering::SeqCst);
                    drop(permit);
                }
                starts
            })
        })
        .collect();
    let mut starts = Vec::new();
    for run in runs {
        starts.extend(run.await.expect("no panic"));
    }
    starts.sort();
    let first_to_last = starts[starts.len() - 1] - starts[0];
    // Twenty starts have nineteen gaps; the clock counts whole milliseconds.
    assert!(first_to_last >= Duration::from_millis(19 * 19), "{first_to_last:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_host_holds_up_no_other() {
    let gate = gate(1, 60_000);
    let held = gate.enter("slow.example", None).await;
    let waiting = {
        let gate = gate.clone();
        tokio::spawn(async move { gate.enter("slow.example", None).await })
    };
    for n in 0..100 {
        drop(gate.enter(&format!("host-{n}.example"), None).await);
    }
    assert!(!waiting.is_finished(), "the slow host still waits");
    waiting.abort();
    drop(held);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_can_ask_for_a_longer_gap_and_for_a_pause() {
    let gate = gate(4, 0);
    let started = Instant::now();
    drop(gate.enter("example.com", Some(Duration::from_millis(80))).await);
    drop(gate.enter("example.com", None).await);
    assert!(started.elapsed() >= Duration::from_millis(79), "its own wish counts");
    gate.pause("example.com", Duration::from_millis(120));
    let paused = Instant::now();
    drop(gate.enter("example.com", None).await);
    assert!(paused.elapsed() >= Duration::from_millis(119));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_gives_up_waiting_leaves_the_gate_in_order() {
    let gate = gate(1, 0);
    let held = gate.enter("example.com", None).await;
    for _ in 0..10 {
        let waiting = gate.enter("example.com", None);
        assert!(tokio::time::timeout(Duration::from_millis(5), waiting).await.is_err());
    }
    drop(held);
    for _ in 0..10 {
        let entered =
            tokio::time::timeout(Duration::from_secs(20), gate.enter("example.com", None));
        drop(entered.await.expect("the gate opens"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strained_host_is_given_room_by_every_run() {
    let gate = gate(4, 0);
    let permit = gate.enter("example.com", None).await;
    permit.record_failure(contract::Clock::now(&SystemClock));
    drop(permit);
    let other_run = gate.clone();
    let started = Instant::now();
    for _ in 0..3 {
        drop(other_run.enter("example.com", None).await);
    }
    assert!(started.elapsed() >= Duration::from_millis(2 * 49), "{:?}", started.elapsed());
    let elsewhere = Instant::now();
    drop(gate.enter("example.org", None).await);
    assert!(elsewhere.elapsed() < Duration::from_secs(30), "another host does not notice");
}
