//! Which shards are blamed for the crashes of their nodes.

use contract::{ErrorCode, JobId, Millis, Status};
use job::{JobCommand, RunEnding};
use store::{Appended, CRASHES_BEFORE_ISOLATION, Lease, NodeName};

use super::slots::sql;
use crate::harness::{Harness, LEASE, NOW, new_job};
use crate::on_both;

on_both!(
    bystanders_of_killed_nodes_are_not_failed,
    suspect_is_probed_alone_until_its_first_commit,
    run_fails_after_five_deaths_of_the_nodes_that_probed_it,
    crash_after_a_probe_is_no_evidence,
    run_fails_after_five_panics_without_a_commit,
    run_fails_after_fifty_panics_in_spite_of_commits,
    stale_lease_cannot_be_blamed,
);

/// Before all clocks, so that shards that are queued again follow those that wait.
const EARLY: Millis = Millis(1_000_000_000_000);

async fn jobs(harness: &Harness, many: u32) -> Vec<JobId> {
    let account = harness.account("a@x.org", 1_000).await;
    let mut jobs = Vec::new();
    for number in 0..many {
        let new = new_job(&account, &format!("h{number}.org"));
        harness.store.create_job(&new, EARLY).await.expect("it answers");
        jobs.push(new.draft.id);
    }
    jobs
}

/// Claims what a node can claim, and starts it.
async fn claim_all(harness: &Harness) -> Vec<Lease> {
    let mut leases = Vec::new();
    while let Some(lease) = harness.claim().await {
        harness.start(&lease).await;
        leases.push(lease);
    }
    leases
}

/// The node dies with all its shards.
async fn kill(harness: &Harness) {
    harness.store.release_all_leases().await.expect("it answers");
}

async fn status(harness: &Harness, job: &JobId) -> (Status, Option<ErrorCode>) {
    let job = harness.job(job).await;
    (job.status, job.error.map(|error| error.code))
}

async fn bystanders_of_killed_nodes_are_not_failed(harness: Harness) {
    let jobs = jobs(&harness, 8).await;
    for death in 0..14 {
        let claimed = claim_all(&harness).await.len();
        let expected = if death < CRASHES_BEFORE_ISOLATION { 8 } else { 1 };
        assert_eq!(claimed, expected as usize, "death {death}");
        kill(&harness).await;
    }
    for job in &jobs {
        assert_eq!(status(&harness, job).await, (Status::Running, None));
    }
    // Each of them commits, which lets the node claim the next one.
    for _ in &jobs {
        let mut leases = claim_all(&harness).await;
        let lease = leases.first_mut().expect("a suspect");
        assert_eq!(harness.append(lease, 0..1).await, Appended::Stored);
        let end = JobCommand::Finish(RunEnding::Complete);
        harness.store.report(lease, &end, NOW).await.expect("it ends");
    }
    for job in &jobs {
        assert_eq!(status(&harness, job).await, (Status::Completed, None));
    }
}

async fn suspect_is_probed_alone_until_its_first_commit(harness: Harness) {
    jobs(&harness, 3).await;
    for _ in 0..CRASHES_BEFORE_ISOLATION {
        assert_eq!(claim_all(&harness).await.len(), 3);
        kill(&harness).await;
    }
    let mut first = harness.claim().await.expect("a suspect");
    assert_eq!(first.crashes, CRASHES_BEFORE_ISOLATION);
    assert_eq!(harness.claim().await, None, "one suspect at a time");
    let elsewhere = harness.store.claim(&NodeName::random(), LEASE, NOW).await;
    assert!(elsewhere.expect("it answers").is_some(), "another node probes another suspect");
    let account = harness.account("b@x.org", 1_000).await;
    harness.create(&new_job(&account, "new.org")).await;
    assert_eq!(harness.claim().await.expect("no suspect").host, "new.org");
    harness.start(&first).await;
    assert_eq!(harness.append(&mut first, 0..1).await, Appended::Stored);
    assert!(harness.claim().await.is_some(), "the third suspect");
}

async fn run_fails_after_five_deaths_of_the_nodes_that_probed_it(harness: Harness) {
    let jobs = jobs(&harness, 1).await;
    for death in 0..CRASHES_BEFORE_ISOLATION + 5 {
        let lease = harness.claim().await.unwrap_or_else(|| panic!("claim {death}"));
        harness.start(&lease).await;
        kill(&harness).await;
    }
    assert_eq!(harness.claim().await, None);
    let failed = (Status::Failed, Some(ErrorCode::ServerError));
    assert_eq!(status(&harness, &jobs[0]).await, failed);
    assert_eq!(harness.audit(&harness.job(&jobs[0]).await.account).await.reserved.0, 0);
}

async fn crash_after_a_probe_is_no_evidence(harness: Harness) {
    let jobs = jobs(&harness, 1).await;
    for death in 0..20 {
        let lease = harness.claim().await.unwrap_or_else(|| panic!("claim {death}"));
        harness.start(&lease).await;
        // The probe ended before the last renewal.
        sql(&harness, "UPDATE shards SET probe_until = 1 WHERE probe_until > 0").await;
        kill(&harness).await;
    }
    assert_eq!(status(&harness, &jobs[0]).await, (Status::Running, None));
}

async fn panic_once(harness: &Harness, lease: &Lease) {
    harness.store.blame(&harness.node, lease, NOW).await.expect("it answers");
}

async fn run_fails_after_five_panics_without_a_commit(harness: Harness) {
    let jobs = jobs(&harness, 1).await;
    for panics in 1..=5 {
        let lease = harness.claim().await.expect("claimable at once");
        harness.start(&lease).await;
        assert_eq!(lease.crashes, panics - 1);
        panic_once(&harness, &lease).await;
        let other = harness.store.enter_host(&NodeName::random(), "h0.org", LEASE / 1_000).await;
        assert!(other.expect("it answers"), "the host is released");
        sql(&harness, "DELETE FROM host_leases").await;
    }
    let failed = (Status::Failed, Some(ErrorCode::ServerError));
    assert_eq!(status(&harness, &jobs[0]).await, failed);
}

async fn run_fails_after_fifty_panics_in_spite_of_commits(harness: Harness) {
    let jobs = jobs(&harness, 1).await;
    for panics in 0..50 {
        let mut lease = harness.claim().await.unwrap_or_else(|| panic!("claim {panics}"));
        harness.start(&lease).await;
        assert_eq!(harness.append(&mut lease, panics..panics + 1).await, Appended::Stored);
        panic_once(&harness, &lease).await;
    }
    assert_eq!(harness.claim().await, None);
    let failed = (Status::Failed, Some(ErrorCode::ServerError));
    assert_eq!(status(&harness, &jobs[0]).await, failed);
    assert_eq!(harness.job(&jobs[0]).await.counts.results, 50, "what was paid for stays readable");
}

async fn stale_lease_cannot_be_blamed(harness: Harness) {
    jobs(&harness, 1).await;
    let stale = harness.claim().await.expect("a free shard");
    kill(&harness).await;
    let lease = harness.claim().await.expect("free again");
    panic_once(&harness, &stale).await;
    let held = harness.store.held(&[stale, lease]).await.expect("it answers");
    assert_eq!(held, [false, true]);
}
