//! The jobs of an account that may run, and those that wait for one of them to end.

use contract::{AccountId, Confirm, JobId, Status};
use job::{JobCommand, RunEnding};
use store::{Claimable, Lease};

use super::slots::sql;
use crate::harness::{Harness, LEASE, NOW, new_contacts_job, new_job};
use crate::on_both;

on_both!(
    end_of_a_job_admits_the_next_one_of_its_account,
    parked_job_makes_room_and_waits_for_room_when_it_continues,
    jobs_of_a_large_account_do_not_delay_those_of_another,
    all_shards_of_an_admitted_contacts_job_are_claimable,
    job_that_was_left_out_is_admitted_later,
    waiting_job_can_be_aborted,
);

async fn limited(harness: Harness, running_jobs: u32) -> Harness {
    harness.with(|settings| settings.running_jobs = running_jobs).await
}

async fn create_many(
    harness: &Harness,
    account: &AccountId,
    prefix: &str,
    many: u32,
) -> Vec<JobId> {
    let mut jobs = Vec::new();
    for number in 0..many {
        let created = harness.create(&new_job(account, &format!("{prefix}{number}.org"))).await;
        jobs.push(created.accepted.job_id);
    }
    jobs
}

/// Claims and starts all that can be claimed.
async fn claim_all(harness: &Harness) -> Vec<Lease> {
    let mut leases = Vec::new();
    while let Some(lease) = harness.claim().await {
        harness.start(&lease).await;
        leases.push(lease);
    }
    leases
}

async fn finish(harness: &Harness, lease: &Lease) {
    let end = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(lease, &end, NOW).await.expect("it ends");
}

async fn end_of_a_job_admits_the_next_one_of_its_account(harness: Harness) {
    let harness = limited(harness, 2).await;
    let account = harness.account("a@x.org", 100).await;
    let mut expected = create_many(&harness, &account, "h", 6).await;
    expected.sort();
    let mut ended = Vec::new();
    for _ in 0..3 {
        let leases = claim_all(&harness).await;
        assert_eq!(leases.len(), 2, "as many as may run");
        for lease in leases {
            finish(&harness, &lease).await;
            ended.push(lease.job);
        }
    }
    ended.sort();
    assert_eq!(ended, expected, "each of them once");
    assert_eq!(harness.claim().await, None);
}

async fn parked_job_makes_room_and_waits_for_room_when_it_continues(harness: Harness) {
    let harness = limited(harness, 1).await;
    let account = harness.account("a@x.org", 100).await;
    let jobs = create_many(&harness, &account, "h", 2).await;
    let first = claim_all(&harness).await.remove(0);
    harness.store.report(&first, &JobCommand::ReachBoundary, NOW).await.expect("it parks");
    let second = claim_all(&harness).await.remove(0);
    assert_ne!(first.job, second.job, "the other one has room");
    let confirm = Confirm { continue_batch: Some(true), ..Confirm::default() };
    let confirmed = harness.store.confirm(&account, &first.job, confirm, NOW).await;
    assert_eq!(confirmed.expect("it continues").status, Status::Queued);
    assert_eq!(harness.claim().await, None, "the account runs another one");
    finish(&harness, &second).await;
    assert_eq!(harness.claim().await.expect("there is room").job, first.job);
    assert!(jobs.contains(&first.job));
}

async fn jobs_of_a_large_account_do_not_delay_those_of_another(harness: Harness) {
    let harness = limited(harness, 3).await;
    let (large, small) =
        (harness.account("a@x.org", 100).await, harness.account("b@x.org", 100).await);
    create_many(&harness, &large, "large", 30).await;
    let own = create_many(&harness, &small, "small", 1).await;
    let claimed = claim_all(&harness).await;
    assert_eq!(claimed.len(), 4);
    assert!(claimed.iter().any(|lease| lease.job == own[0]), "served with the first ones");
    let waiting = harness.store.count_waiting_shards().await.expect("it answers");
    assert_eq!(waiting, 0, "jobs beyond the limit are not in the queue");
    let queue = harness.store.queue_overview().await.expect("it answers");
    assert_eq!(queue.jobs, [(Status::Queued, 27), (Status::Running, 4)]);
}

async fn all_shards_of_an_admitted_contacts_job_are_claimable(harness: Harness) {
    let harness = limited(harness, 1).await;
    let account = harness.account("a@x.org", 100_000).await;
    create_many(&harness, &account, "h", 1).await;
    let domains: Vec<_> = (0..1_300).map(|number| format!("d{number}.org")).collect();
    let domains: Vec<_> = domains.iter().map(String::as_str).collect();
    let contacts = harness.create(&new_contacts_job(&account, &domains)).await.accepted.job_id;
    let site = claim_all(&harness).await;
    assert_eq!(site.len(), 1);
    finish(&harness, &site[0]).await;
    let shards = claim_all(&harness).await;
    assert_eq!(shards.len(), 6, "250 domains each");
    assert!(shards.iter().all(|lease| lease.job == contacts));
}

async fn job_that_was_left_out_is_admitted_later(harness: Harness) {
    let harness = limited(harness, 1).await;
    let account = harness.account("a@x.org", 100).await;
    let jobs = create_many(&harness, &account, "h", 2).await;
    assert_eq!(harness.store.admit_waiting(NOW).await.expect("it answers"), 0, "no room");
    let lease = claim_all(&harness).await.remove(0);
    // It ends on a node of the release before.
    sql(&harness, "UPDATE shards SET state = 'closed', owner = NULL WHERE state = 'open'").await;
    sql(&harness, "UPDATE jobs SET active = 0, status = 'completed' WHERE status = 'running'")
        .await;
    assert_eq!(harness.claim().await, None);
    assert_eq!(harness.store.admit_waiting(NOW).await.expect("it answers"), 1);
    let next = harness.store.claim_among(Claimable::All, usize::MAX, &harness.node, LEASE, NOW);
    let next = next.await.expect("it answers").expect("it is admitted");
    assert_ne!(next.job, lease.job);
    assert!(jobs.contains(&next.job));
}

async fn waiting_job_can_be_aborted(harness: Harness) {
    let harness = limited(harness, 1).await;
    let account = harness.account("a@x.org", 100).await;
    let jobs = create_many(&harness, &account, "h", 3).await;
    let running = claim_all(&harness).await.remove(0);
    let waiting = jobs.iter().find(|job| **job != running.job).expect("one waits");
    let aborted = harness.store.abort(&account, waiting, NOW).await.expect("it stops");
    assert_eq!(aborted.status, Status::Aborted);
    assert_eq!(harness.claim().await, None, "the first one runs");
    finish(&harness, &running).await;
    assert!(harness.claim().await.is_some_and(|lease| lease.job != *waiting));
}
