//! What was confirmed for `contacts` jobs: written once with its job, and kept.

use std::time::Duration;

use contract::{ApplicationId, KeyId, RequestId};
use job::{Command, Ending};
use store::{Acceptance, Creation, IdempotencyKey, NewAcceptance, NewJob};

use crate::bench::{Bench, NOW, new_contacts_job, new_job, random};
use crate::on_both;

on_both!(
    an_acceptance_is_written_with_its_job,
    an_answer_that_is_given_again_accepts_nothing_twice,
    what_is_refused_is_not_accepted,
    acceptances_outlive_their_jobs,
    they_are_read_in_order_and_by_account,
);

async fn all(bench: &Bench) -> Vec<Acceptance> {
    bench.store.acceptances(None, None).await.expect("it answers")
}

async fn an_acceptance_is_written_with_its_job(bench: Bench) {
    let account = bench.account("ada@x.org", 100).await;
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
    let job = bench.create(&new).await.accepted.job_id;
    let expected = Acceptance {
        account,
        email: "ada@x.org".to_owned(),
        key: Some(key),
        application: Some(application),
        request: Some(request),
        terms: "5.7".to_owned(),
        job,
        domains: 2,
        accepted_at: NOW,
    };
    assert_eq!(all(&bench).await, [expected]);
}

async fn an_answer_that_is_given_again_accepts_nothing_twice(bench: Bench) {
    let account = bench.account("ada@x.org", 100).await;
    let key = IdempotencyKey { key: "k1".to_owned(), body_hash: "b".to_owned() };
    for replayed in [false, true, true] {
        let new =
            NewJob { idempotency: Some(key.clone()), ..new_contacts_job(&account, &["a.example"]) };
        assert_eq!(bench.create(&new).await.replayed, replayed);
    }
    assert_eq!(all(&bench).await.len(), 1);
}

async fn what_is_refused_is_not_accepted(bench: Bench) {
    let account = bench.account("ada@x.org", 15).await;
    let dear = new_contacts_job(&account, &["a.example", "b.example"]);
    let refused = bench.store.create_job(&dear, NOW).await.expect("it answers");
    assert!(matches!(refused, Creation::Refused(_)), "{refused:?}");
    bench.create(&new_job(&account, "a.example")).await;
    let mut busy = new_contacts_job(&account, &["a.example"]);
    busy.draft.site_key = Some("a.example".to_owned());
    let refused = bench.store.create_job(&busy, NOW).await.expect("it answers");
    assert!(matches!(refused, Creation::SiteBusy { .. }), "{refused:?}");
    assert!(all(&bench).await.is_empty());
}

async fn acceptances_outlive_their_jobs(bench: Bench) {
    let account = bench.account("ada@x.org", 100).await;
    let (job, lease) = bench.visiting(&account, &["a.example"]).await;
    let done = Command::Finish(Ending::Complete);
    bench.store.report(&lease, &done, NOW).await.expect("it ends");
    let month = Duration::from_secs(30 * 24 * 3_600);
    bench.store.purge(month, NOW.plus(month)).await.expect("it answers");
    assert!(bench.store.job(&job.id).await.expect("it answers").is_none());
    assert_eq!(all(&bench).await[0].job, job.id);
}

async fn they_are_read_in_order_and_by_account(bench: Bench) {
    let (ada, bob) = (bench.account("a@x.org", 9_000).await, bench.account("b@x.org", 50).await);
    let mut jobs = Vec::new();
    for _ in 0..300 {
        jobs.push(bench.create(&new_contacts_job(&ada, &["a.example"])).await.accepted.job_id);
    }
    let of_bob = bench.create(&new_contacts_job(&bob, &["a.example"])).await.accepted.job_id;
    let mut read: Vec<Acceptance> = Vec::new();
    loop {
        let more = bench.store.acceptances(Some(&ada), read.last()).await.expect("it answers");
        if more.is_empty() {
            break;
        }
        read.extend(more);
    }
    jobs.sort();
    let read: Vec<_> = read.into_iter().map(|one| one.job).collect();
    assert_eq!(read, jobs, "all made in one instant, each told once");
    let bobs = bench.store.acceptances(Some(&bob), None).await.expect("it answers");
    assert_eq!(bobs.iter().map(|one| &one.job).collect::<Vec<_>>(), [&of_bob]);
}
