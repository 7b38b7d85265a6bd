//! Acceptances of `contacts` jobs: stored once with the job, and kept.

use std::time::Duration;

use contract::{ApplicationId, KeyId, RequestId};
use job::{JobCommand, RunEnding};
use store::{Acceptance, Creation, IdempotencyKey, NewAcceptance, NewJob};

use crate::harness::{Harness, NOW, new_contacts_job, new_job, random};
use crate::on_both;

on_both!(
    acceptance_is_stored_with_its_job,
    replayed_creation_stores_no_second_acceptance,
    refused_creation_stores_no_acceptance,
    acceptances_are_kept_after_their_jobs_are_purged,
    acceptances_are_listed_in_order_and_by_account,
);

async fn all(harness: &Harness) -> Vec<Acceptance> {
    harness.store.acceptances(None, None).await.expect("it answers")
}

async fn acceptance_is_stored_with_its_job(harness: Harness) {
    let account = harness.account("ada@x.org", 100).await;
    let (key, request) = (KeyId::new(NOW, random()), RequestId::new(NOW, random()));
    let application = ApplicationId::new(NOW, random());
    let acceptance = NewAcceptance {
        key: Some(key.clone()),
        application: Some(application.clone()),
        request: Some(request.clone()),
        terms: "5.7".to_owned(),
    };
    let new = NewJob {
        acceptance: Some(acceptance),
        ..new_contacts_job(&account, &["a.example", "b.example"])
    };
    let job = harness.create(&new).await.accepted.job_id;
    let expected = Acceptance {
        account,
        email: "ada@x.org".to_owned(),
        key: Some(key),
        application: Some(application),
        request: Some(request),
        terms: "5.7".to_owned(),
        subject: job.to_string(),
        domains: 2,
        accepted_at: NOW,
    };
    assert_eq!(all(&harness).await, [expected]);
}

async fn replayed_creation_stores_no_second_acceptance(harness: Harness) {
    let account = harness.account("ada@x.org", 100).await;
    let key = IdempotencyKey { key: "k1".to_owned(), body_hash: "b".to_owned() };
    for replayed in [false, true, true] {
        let new =
            NewJob { idempotency: Some(key.clone()), ..new_contacts_job(&account, &["a.example"]) };
        assert_eq!(harness.create(&new).await.replayed, replayed);
    }
    assert_eq!(all(&harness).await.len(), 1);
}

async fn refused_creation_stores_no_acceptance(harness: Harness) {
    let account = harness.account("ada@x.org", 15).await;
    let dear = new_contacts_job(&account, &["a.example", "b.example"]);
    let refused = harness.store.create_job(&dear, NOW).await.expect("it answers");
    assert!(matches!(refused, Creation::Refused(_)), "{refused:?}");
    harness.create(&new_job(&account, "a.example")).await;
    let mut busy = new_contacts_job(&account, &["a.example"]);
    busy.draft.site_key = Some("a.example".to_owned());
    let refused = harness.store.create_job(&busy, NOW).await.expect("it answers");
    assert!(matches!(refused, Creation::SiteBusy { .. }), "{refused:?}");
    assert!(all(&harness).await.is_empty());
}

async fn acceptances_are_kept_after_their_jobs_are_purged(harness: Harness) {
    let account = harness.account("ada@x.org", 100).await;
    let (job, lease) = harness.visiting(&account, &["a.example"]).await;
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&lease, &done, NOW).await.expect("it ends");
    let month = Duration::from_secs(30 * 24 * 3_600);
    harness.store.purge(month, NOW.plus(month)).await.expect("it answers");
    assert!(harness.store.job(&job.id).await.expect("it answers").is_none());
    assert_eq!(all(&harness).await[0].subject, job.id.as_str());
}

async fn acceptances_are_listed_in_order_and_by_account(harness: Harness) {
    let (ada, bob) =
        (harness.account("a@x.org", 9_000).await, harness.account("b@x.org", 50).await);
    let mut jobs = Vec::new();
    for _ in 0..300 {
        let created = harness.create(&new_contacts_job(&ada, &["a.example"])).await;
        jobs.push(created.accepted.job_id.to_string());
    }
    let of_bob = harness.create(&new_contacts_job(&bob, &["a.example"])).await.accepted.job_id;
    let mut read: Vec<Acceptance> = Vec::new();
    loop {
        let more = harness.store.acceptances(Some(&ada), read.last()).await.expect("it answers");
        if more.is_empty() {
            break;
        }
        read.extend(more);
    }
    jobs.sort();
    let read: Vec<_> = read.into_iter().map(|one| one.subject).collect();
    assert_eq!(read, jobs, "all created at the same time, each listed once");
    let bobs = harness.store.acceptances(Some(&bob), None).await.expect("it answers");
    assert_eq!(bobs.iter().map(|one| &one.subject).collect::<Vec<_>>(), [of_bob.as_str()]);
}
