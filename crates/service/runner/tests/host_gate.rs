//! The host gate: concurrency and delay per host over all runs. Only lower bounds of time are asserted,
//! so that a slow machine cannot break a test.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use runner::{HostGate, HostGateSettings};
use runtime::SystemClock;

fn gate(concurrency: usize, delay: u64) -> HostGate {
    let settings = HostGateSettings { concurrency, delay: Duration::from_millis(delay) };
    HostGate::new(settings, Arc::new(SystemClock))
}

#[tokio::test(flavor = "multi_thread")]
async fn delay_and_concurrency_apply_to_all_runs_together() {
    let gate = gate(2, 20);
    let in_flight = Arc::new(AtomicUsize::new(0));
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let (gate, in_flight) = (gate.clone(), Arc::clone(&in_flight));
            tokio::spawn(async move {
                let mut starts = Vec::new();
                for _ in 0..5 {
                    let permit = gate.enter("example.com", None).await;
                    starts.push(Instant::now());
                    assert!(in_flight.fetch_add(1, Ordering::SeqCst) < 2, "too many at a time");
                    tokio::time::sleep(Duration::from_millis(15)).await;
                    in_flight.fetch_sub(1, Ordering::SeqCst);
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
async fn slow_host_does_not_block_other_hosts() {
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
async fn crawl_delay_and_pause_of_a_host_are_respected() {
    let gate = gate(4, 0);
    let started = Instant::now();
    drop(gate.enter("example.com", Some(Duration::from_millis(80))).await);
    drop(gate.enter("example.com", None).await);
    assert!(started.elapsed() >= Duration::from_millis(79), "the delay of the host applies");
    gate.pause("example.com", Duration::from_millis(120));
    let paused = Instant::now();
    drop(gate.enter("example.com", None).await);
    assert!(paused.elapsed() >= Duration::from_millis(119));
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_wait_does_not_block_the_gate() {
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
async fn overloaded_host_is_slowed_down_for_all_runs() {
    let gate = gate(4, 0);
    let permit = gate.enter("example.com", None).await;
    permit.report_overload(contract::Clock::now(&SystemClock));
    drop(permit);
    let other_run = gate.clone();
    let started = Instant::now();
    for _ in 0..3 {
        drop(other_run.enter("example.com", None).await);
    }
    assert!(started.elapsed() >= Duration::from_millis(2 * 49), "{:?}", started.elapsed());
    let elsewhere = Instant::now();
    drop(gate.enter("example.org", None).await);
    assert!(elsewhere.elapsed() < Duration::from_secs(30), "other hosts are not slowed down");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiters_enter_in_the_order_of_their_arrival() {
    const WAITERS: usize = 30;
    let gate = gate(1, 0);
    let held = gate.enter("example.com", None).await;
    let entered = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let mut waiting: Vec<_> = (0..WAITERS)
        .map(|at| {
            let (gate, entered) = (gate.clone(), Arc::clone(&entered));
            Box::pin(async move {
                let permit = gate.enter("example.com", None).await;
                entered.lock().push(at);
                drop(permit);
            })
        })
        .collect();
    // The first poll of each is its arrival.
    for waiter in &mut waiting {
        let polled = std::future::poll_fn(|context| Poll::Ready(waiter.as_mut().poll(context)));
        assert!(polled.await.is_pending());
    }
    // Started in the opposite order, so that the order of the tasks does not decide.
    let tasks: Vec<_> = waiting.into_iter().rev().map(tokio::spawn).collect();
    drop(held);
    for task in tasks {
        let ended = tokio::time::timeout(Duration::from_secs(20), task).await;
        ended.expect("the gate opens").expect("no panic");
    }
    assert_eq!(*entered.lock(), (0..WAITERS).collect::<Vec<_>>());
}
