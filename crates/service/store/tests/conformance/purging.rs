//! What is kept only for a time.

use std::time::Duration;

use contract::{Credits, ErrorCode, Status};
use job::{Command, Ending, STALE_AFTER};

use crate::bench::{Bench, NOW};
use crate::on_both;

const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

on_both!(results_are_kept_for_a_month_and_money_for_longer, a_parked_run_is_ended_after_two_weeks);

async fn results_are_kept_for_a_month_and_money_for_longer(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    bench.append(&mut lease, 0..4).await;
    let done = Command::Finish(Ending::Complete);
    bench.store.report(&lease, &done, NOW).await.expect("it ends");
    let early = NOW.plus(MONTH - Duration::from_secs(1));
    bench.store.purge(MONTH, early).await.expect("it answers");
    assert!(bench.store.job(&job.id).await.expect("it answers").is_some());
    bench.store.purge(MONTH, NOW.plus(MONTH)).await.expect("it answers");
    assert!(bench.store.job(&job.id).await.expect("it answers").is_none());
    let slice = bench.store.results(&job.id, 0, 10).await.expect("it answers");
    assert!(slice.items.is_empty());
    let audit = bench.audit(&account).await;
    assert_eq!((audit.balance, audit.ledger), (Credits(6), Credits(6)));
}

async fn a_parked_run_is_ended_after_two_weeks(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let (job, lease) = bench.running(&account, "example.com").await;
    bench.store.report(&lease, &Command::ReachBoundary, NOW).await.expect("it parks");
    bench.store.purge(MONTH, NOW).await.expect("it answers");
    assert_eq!(bench.job(&job.id).await.status, Status::Paused);
    bench.store.purge(MONTH, NOW.plus(STALE_AFTER)).await.expect("it answers");
    let job = bench.job(&job.id).await;
    assert_eq!(job.status, Status::Failed);
    assert_eq!(job.error.expect("a reason").code, ErrorCode::StalePurged);
}
