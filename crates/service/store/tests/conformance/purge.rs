//! Purging of results and parked runs.

use std::time::Duration;

use contract::{Credits, ErrorCode, Status};
use job::{JobCommand, RunEnding, STALE_AFTER};

use crate::harness::{Harness, NOW};
use crate::on_both;

const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

on_both!(results_are_purged_after_a_month_and_the_ledger_is_kept, parked_run_fails_after_two_weeks);

async fn results_are_purged_after_a_month_and_the_ledger_is_kept(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.append(&mut lease, 0..4).await;
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&lease, &done, NOW).await.expect("it ends");
    let early = NOW.plus(MONTH - Duration::from_secs(1));
    harness.store.purge(MONTH, early).await.expect("it answers");
    assert!(harness.store.job(&job.id).await.expect("it answers").is_some());
    harness.store.purge(MONTH, NOW.plus(MONTH)).await.expect("it answers");
    assert!(harness.store.job(&job.id).await.expect("it answers").is_none());
    let slice = harness.store.results(&job.id, 0, 10).await.expect("it answers");
    assert!(slice.items.is_empty());
    let audit = harness.audit(&account).await;
    assert_eq!((audit.balance, audit.ledger), (Credits(6), Credits(6)));
}

async fn parked_run_fails_after_two_weeks(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, lease) = harness.running(&account, "example.com").await;
    harness.store.report(&lease, &JobCommand::ReachBoundary, NOW).await.expect("it parks");
    harness.store.purge(MONTH, NOW).await.expect("it answers");
    assert_eq!(harness.job(&job.id).await.status, Status::Paused);
    harness.store.purge(MONTH, NOW.plus(STALE_AFTER)).await.expect("it answers");
    let job = harness.job(&job.id).await;
    assert_eq!(job.status, Status::Failed);
    assert_eq!(job.error.expect("a reason").code, ErrorCode::StalePurged);
}
