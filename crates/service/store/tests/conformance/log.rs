//! The run log: replay reads what was appended.

use std::time::Duration;

use contract::EventKind;
use journal::{PayloadType, Snapshot};
use store::Appended;

use crate::harness::{Harness, NOW, pages_commit};
use crate::on_both;

on_both!(
    log_is_read_as_it_was_appended,
    snapshot_replaces_the_commits_before_it,
    unknown_outcome_of_an_append_is_resolved,
    progress_is_emitted_with_the_first_commit_and_then_every_twelve_seconds,
);

async fn log_is_read_as_it_was_appended(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    let empty = harness.store.shard_log(&lease).await.expect("it answers");
    assert!(empty.snapshot.is_none() && empty.commits.is_empty());
    for n in 0..300 {
        assert_eq!(harness.append(&mut lease, n..n + 1).await, Appended::Stored);
    }
    let log = harness.store.shard_log(&lease).await.expect("it answers");
    let written: Vec<_> = (0..300).map(|n| pages_commit(n..n + 1).0).collect();
    assert_eq!(log.commits, written);
}

fn decoded<T: serde::de::DeserializeOwned>(snapshot: Option<Snapshot>) -> T {
    let snapshot = snapshot.expect("a snapshot");
    let stored = snapshot.open(PayloadType::SiteSnapshot).expect("a header");
    stored.decode().expect("whole")
}

async fn snapshot_replaces_the_commits_before_it(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    let wants = async |lease: &store::Lease, at_least| {
        harness.store.is_snapshot_due(lease, at_least).await.expect("it answers")
    };
    assert!(!wants(&lease, 0).await, "there is no log yet");
    harness.append(&mut lease, 0..2).await;
    assert!(wants(&lease, 0).await);
    assert!(!wants(&lease, 1 << 20).await, "not worth it yet");
    // Larger than the maximum row: it is stored in parts.
    let mut seed = 7_u64;
    let state: Vec<u64> = (0..300_000)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed
        })
        .collect();
    let snapshot = Snapshot::of(PayloadType::SiteSnapshot, &state).expect("it encodes");
    let stale = store::Lease { epoch: lease.epoch - 1, ..lease.clone() };
    assert!(!harness.store.write_snapshot(&stale, &snapshot).await.expect("it answers"));
    assert!(harness.store.write_snapshot(&lease, &snapshot).await.expect("it answers"));
    assert!(!wants(&lease, 0).await);
    harness.append(&mut lease, 2..3).await;
    assert!(!wants(&lease, 0).await, "the log is still smaller than the snapshot");
    let log = harness.store.shard_log(&lease).await.expect("it answers");
    assert_eq!(decoded::<Vec<u64>>(log.snapshot), state);
    assert_eq!(log.commits, [pages_commit(2..3).0], "replay never reaches behind it");
    let small = Snapshot::of(PayloadType::SiteSnapshot, &1_u64).expect("it encodes");
    assert!(harness.store.write_snapshot(&lease, &small).await.expect("it answers"));
    let log = harness.store.shard_log(&lease).await.expect("it answers");
    assert_eq!(decoded::<u64>(log.snapshot), 1);
    assert!(log.commits.is_empty());
}

async fn unknown_outcome_of_an_append_is_resolved(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    let mut before = lease.clone();
    assert_eq!(harness.store.was_appended(&mut before).await.expect("it answers"), Some(false));
    harness.append(&mut lease, 0..1).await;
    // As if the response to the commit had been lost.
    assert_eq!(harness.store.was_appended(&mut before).await.expect("it answers"), Some(true));
    assert_eq!(before, lease);
}

async fn progress_is_emitted_with_the_first_commit_and_then_every_twelve_seconds(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let mut counts = Vec::new();
    for (seconds, pages) in [(0, 0..1), (5, 1..2), (11, 2..3), (12, 3..4), (20, 4..5), (25, 5..6)] {
        let (commit, items) = pages_commit(pages);
        let at = NOW.plus(Duration::from_secs(seconds));
        harness.store.append(&mut lease, &commit, &items, &[], at).await.expect("it answers");
        let events = harness.store.events(&job.id).await.expect("it answers");
        assert!(events.iter().all(|event| event.kind == EventKind::JobProgress));
        counts.push(events.len());
    }
    assert_eq!(counts, [1, 1, 1, 2, 2, 3]);
    let events = harness.store.events(&job.id).await.expect("it answers");
    let contract::EventData::Job { job } = &events[1].data else { panic!("a job's event") };
    assert_eq!(job.counts.results, 4, "with the counts of that moment");
}
