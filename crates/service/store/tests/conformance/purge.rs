//! Purging of results and parked runs.

use std::time::Duration;

use contract::{AccountId, Credits, ErrorCode, JobId, Status};
use job::{JobCommand, RunEnding, STALE_AFTER};
use sqlx::{AnyConnection, Connection as _};
use store::Dialect;

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

on_both!(
    results_are_purged_after_a_month_and_the_ledger_is_kept,
    parked_run_fails_after_two_weeks,
    one_pass_purges_all_expired_jobs,
    nodes_purge_different_jobs,
    job_that_another_transaction_has_locked_is_purged_by_a_later_pass,
);

/// Jobs of an account that have ended, each on its own host.
async fn ended(harness: &Harness, account: &AccountId, many: usize) -> Vec<JobId> {
    let mut jobs = Vec::new();
    for number in 0..many {
        let created = harness.create(&new_job(account, &format!("h{number}.org"))).await;
        let job = created.accepted.job_id;
        harness.store.abort(account, &job, NOW).await.expect("it ends");
        jobs.push(job);
    }
    jobs
}

async fn count_left(harness: &Harness, jobs: &[JobId]) -> usize {
    let mut left = 0;
    for job in jobs {
        left += usize::from(harness.store.job(job).await.expect("it answers").is_some());
    }
    left
}

async fn one_pass_purges_all_expired_jobs(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let jobs = ended(&harness, &account, 130).await;
    let purged = harness.store.purge(MONTH, NOW.plus(MONTH)).await.expect("it answers");
    assert_eq!((purged, count_left(&harness, &jobs).await), (130, 0));
    assert_eq!(harness.store.purge(MONTH, NOW.plus(MONTH)).await.expect("it answers"), 0);
}

async fn nodes_purge_different_jobs(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let jobs = ended(&harness, &account, 40).await;
    let mut purges = Vec::new();
    for _ in 0..3 {
        let node = harness.other_node().await;
        purges.push(tokio::spawn(async move { node.purge(MONTH, NOW.plus(MONTH)).await }));
    }
    let mut purged = 0;
    for purge in purges {
        purged += purge.await.expect("no panic").expect("it answers");
    }
    assert_eq!((purged, count_left(&harness, &jobs).await), (40, 0), "each job once");
}

async fn job_that_another_transaction_has_locked_is_purged_by_a_later_pass(harness: Harness) {
    // SQLite has a single writer.
    if harness.store.dialect() == Dialect::Sqlite {
        return;
    }
    let account = harness.account("a@x.org", 10).await;
    let jobs = ended(&harness, &account, 3).await;
    let mut other = AnyConnection::connect(&harness.settings.url).await.expect("it connects");
    let mut tx = other.begin().await.expect("it begins");
    sqlx::query("SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE")
        .bind(jobs[0].as_str())
        .fetch_one(&mut *tx)
        .await
        .expect("it is locked");
    let purged = harness.store.purge(MONTH, NOW.plus(MONTH)).await.expect("it does not wait");
    assert_eq!((purged, count_left(&harness, &jobs).await), (2, 1));
    tx.rollback().await.expect("it is unlocked");
    assert_eq!(harness.store.purge(MONTH, NOW.plus(MONTH)).await.expect("it answers"), 1);
    assert_eq!(count_left(&harness, &jobs).await, 0);
}

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
