//! Several runs of an account for one site: one is at work, the others wait in their order.

use contract::{AccountId, Confirm, IfBusy, JobId, Status};
use job::{JobCommand, RunEnding, Tier};
use store::{Creation, Lease, NewJob};

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

on_both!(
    queued_runs_of_a_site_start_in_order,
    run_without_credits_does_not_block_its_site,
    run_that_waits_for_an_answer_blocks_its_site,
    continued_run_waits_for_the_one_that_took_its_site,
    waiting_run_of_a_site_does_not_delay_other_sites,
    waiting_run_can_be_aborted_and_frees_its_place,
);

fn queueing(account: &AccountId, host: &str) -> NewJob {
    NewJob { if_busy: IfBusy::Queue, ..new_job(account, host) }
}

async fn create(harness: &Harness, account: &AccountId, host: &str) -> (JobId, Option<JobId>) {
    let accepted = harness.create(&queueing(account, host)).await.accepted;
    assert_eq!(accepted.status, Status::Queued);
    (accepted.job_id, accepted.waits_for_job)
}

async fn claimed(harness: &Harness) -> Option<Lease> {
    let lease = harness.claim().await?;
    harness.start(&lease).await;
    Some(lease)
}

async fn report(harness: &Harness, lease: &Lease, command: JobCommand) {
    harness.store.report(lease, &command, NOW).await.expect("it is applied");
}

async fn finish(harness: &Harness, lease: &Lease) {
    report(harness, lease, JobCommand::Finish(RunEnding::Complete)).await;
}

async fn queued_runs_of_a_site_start_in_order(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (first, ahead) = create(&harness, &account, "example.com").await;
    assert_eq!(ahead, None);
    let mut expected = vec![first.clone()];
    for _ in 0..3 {
        let (job, ahead) = create(&harness, &account, "example.com").await;
        assert_eq!(ahead.as_ref(), Some(&first));
        expected.push(job);
    }
    let refused = harness.store.create_job(&new_job(&account, "example.com"), NOW).await;
    let busy = Creation::SiteBusy { job: first.clone(), status: Status::Queued };
    assert_eq!(refused.expect("it answers"), busy, "reject is the default");
    // Ids of one millisecond have no order.
    expected[1..].sort();
    let mut started = Vec::new();
    while let Some(lease) = claimed(&harness).await {
        assert_eq!(harness.claim().await, None, "one at a time");
        finish(&harness, &lease).await;
        started.push(lease.job);
    }
    assert_eq!(started, expected);
    harness.audit(&account).await;
}

async fn run_without_credits_does_not_block_its_site(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    create(&harness, &account, "example.com").await;
    let first = claimed(&harness).await.expect("a run");
    let (second, _) = create(&harness, &account, "example.com").await;
    report(&harness, &first, JobCommand::ExhaustCredits).await;
    assert_eq!(harness.job(&first.job).await.status, Status::Paused);
    let lease = claimed(&harness).await.expect("the site is free");
    assert_eq!(lease.job, second);
    finish(&harness, &lease).await;
    // Without `queue`, too.
    harness.create(&new_job(&account, "example.com")).await;
}

async fn run_that_waits_for_an_answer_blocks_its_site(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let marker = || "cloudflare_challenge".to_owned();
    for (host, stop) in [
        ("a.org", JobCommand::ReachBoundary),
        ("b.org", JobCommand::LearnTier(Tier::Protected { marker: marker() })),
    ] {
        let (first, _) = create(&harness, &account, host).await;
        let lease = claimed(&harness).await.expect("a run");
        report(&harness, &lease, stop).await;
        let (second, ahead) = create(&harness, &account, host).await;
        assert_eq!(ahead.as_ref(), Some(&first));
        assert_eq!(harness.claim().await, None, "{host} waits for an answer");
        let refused = harness.store.create_job(&new_job(&account, host), NOW).await;
        assert!(matches!(refused, Ok(Creation::SiteBusy { job, .. }) if job == first));
        harness.store.abort(&account, &first, NOW).await.expect("it stops");
        let lease = claimed(&harness).await.expect("the site is free");
        assert_eq!(lease.job, second);
        finish(&harness, &lease).await;
    }
}

async fn continued_run_waits_for_the_one_that_took_its_site(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (first, _) = create(&harness, &account, "example.com").await;
    let lease = claimed(&harness).await.expect("a run");
    report(&harness, &lease, JobCommand::ExhaustCredits).await;
    let (second, _) = create(&harness, &account, "example.com").await;
    let other = claimed(&harness).await.expect("the site is free");
    assert_eq!(other.job, second);
    let confirmed = harness.store.confirm(&account, &first, Confirm::default(), NOW).await;
    assert_eq!(confirmed.expect("it continues").status, Status::Queued);
    assert_eq!(harness.claim().await, None, "the other run is at work");
    let (third, _) = create(&harness, &account, "example.com").await;
    // The run at work keeps its place although an older one waits.
    report(&harness, &other, JobCommand::ReachBoundary).await;
    assert_eq!(harness.claim().await, None, "it waits for an answer");
    let answer = Confirm { continue_batch: Some(true), ..Confirm::default() };
    harness.store.confirm(&account, &second, answer, NOW).await.expect("it continues");
    // Ids of one millisecond have no order.
    let mut waiting = [first, third];
    waiting.sort();
    let [earlier, later] = waiting;
    for expected in [second, earlier, later] {
        let lease = claimed(&harness).await.expect("a run");
        assert_eq!(lease.job, expected);
        assert_eq!(harness.claim().await, None, "one at a time");
        finish(&harness, &lease).await;
    }
}

async fn waiting_run_of_a_site_does_not_delay_other_sites(harness: Harness) {
    let harness = harness.with(|settings| settings.running_jobs = 2).await;
    let account = harness.account("a@x.org", 100).await;
    create(&harness, &account, "a.org").await;
    for _ in 0..3 {
        create(&harness, &account, "a.org").await;
    }
    let (other, ahead) = create(&harness, &account, "b.org").await;
    assert_eq!(ahead, None);
    let mut leases = Vec::new();
    while let Some(lease) = claimed(&harness).await {
        leases.push(lease);
    }
    assert_eq!(leases.len(), 2, "one for each site");
    assert!(leases.iter().any(|lease| lease.job == other));
    assert_eq!(harness.store.admit_waiting(NOW).await.expect("it answers"), 0);
}

async fn waiting_run_can_be_aborted_and_frees_its_place(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    create(&harness, &account, "example.com").await;
    let (second, _) = create(&harness, &account, "example.com").await;
    harness.store.abort(&account, &second, NOW).await.expect("it stops");
    let first = claimed(&harness).await.expect("a run");
    finish(&harness, &first).await;
    assert_eq!(harness.claim().await, None, "the other one is aborted");
    harness.audit(&account).await;
}
