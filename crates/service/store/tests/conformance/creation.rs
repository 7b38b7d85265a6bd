//! The creation of jobs: sites, queues, credits and idempotency.

use std::collections::HashSet;
use std::time::Duration;

use contract::{Confirm, Credits, Mode, Status};
use job::{JobCommand, Refusal};
use privacy::OptOut;
use store::{
    CommandError, Creation, EraseMode, IdempotencyKey, JobFilter, PageRequest, Replay, Store,
    StoreSettings,
};

use crate::harness::{Harness, NOW, new_contacts_job, new_job};
use crate::on_both;

on_both!(
    second_run_of_an_account_for_a_site_is_refused,
    fifty_requests_with_one_idempotency_key_create_one_job,
    idempotency_key_replays_for_a_day_and_only_for_its_body,
    parallel_creations_never_reserve_more_than_the_balance,
    creation_is_refused_when_the_queue_is_full,
    jobs_are_listed_newest_first,
    refused_creation_stores_nothing,
    domains_are_stored_outside_the_job_row,
);

fn key(body: &str) -> IdempotencyKey {
    IdempotencyKey { key: "k1".to_owned(), body_hash: body.to_owned() }
}

async fn domains_are_stored_outside_the_job_row(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let mut new = new_contacts_job(&account, &["firm.test", "other.test"]);
    new.draft.inputs = vec!["https://firm.test/?to=ada@firm.test".into(), "other.test".into()];
    let id = harness.create(&new).await.accepted.job_id;
    let filter = JobFilter { account: Some(account.clone()), ..JobFilter::default() };
    let page = PageRequest { number: 1, size: 10 };
    let (listed, _) = harness.store.jobs(&filter, page).await.expect("it answers");
    let lease = harness.claim().await.expect("a shard");
    let locked = harness.start(&lease).await;
    let watched = harness.store.progress(&id).await.expect("it answers").expect("a job").job;
    for job in listed.iter().chain([&locked, &watched, &harness.job(&id).await]) {
        assert_eq!((&job.id, job.domains.len(), job.inputs.len()), (&id, 0, 0));
    }
    let whole = harness.store.with_domains(locked).await.expect("it answers");
    assert_eq!((&whole.domains, &whole.inputs), (&new.draft.domains, &new.draft.inputs));

    let mailbox = OptOut::email("ada@firm.test").expect("a mailbox");
    let erased = harness.store.erase(&mailbox, EraseMode::Apply, NOW).await.expect("it answers");
    assert_eq!(erased.requests, 1, "{erased:?}");
    let whole = harness.store.with_domains(harness.job(&id).await).await.expect("it answers");
    assert!(!whole.inputs[0].contains("ada@"), "{:?}", whole.inputs);
    assert_eq!(whole.inputs[1], "other.test");
}

async fn second_run_of_an_account_for_a_site_is_refused(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 10).await, harness.account("b@x.org", 10).await);
    let first = harness.create(&new_job(&ada, "example.com")).await;
    let second = harness.store.create_job(&new_job(&ada, "example.com"), NOW).await;
    let busy = Creation::SiteBusy { job: first.accepted.job_id.clone(), status: Status::Queued };
    assert_eq!(second.expect("it answers"), busy);
    harness.create(&new_job(&bob, "example.com")).await;
    harness.create(&new_job(&ada, "example.org")).await;
    harness.store.abort(&ada, &first.accepted.job_id, NOW).await.expect("it stops");
    harness.create(&new_job(&ada, "example.com")).await;
    harness.audit(&ada).await;
}

async fn fifty_requests_with_one_idempotency_key_create_one_job(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let requests = (0..50).map(|_| {
        let new = store::NewJob { idempotency: Some(key("b")), ..new_job(&account, "example.com") };
        let store = harness.store.clone();
        tokio::spawn(async move { store.create_job(&new, NOW).await })
    });
    let requests: Vec<_> = requests.collect();
    let (mut answers, mut firsts) = (HashSet::new(), 0);
    for request in requests {
        match request.await.expect("no panic").expect("it answers") {
            Creation::Created(created) => {
                firsts += u32::from(!created.replayed);
                answers.insert(created.accepted.job_id);
            }
            other => panic!("a repeated request got {other:?}"),
        }
    }
    assert_eq!((answers.len(), firsts), (1, 1));
    assert_eq!(harness.audit(&account).await.reserved, Credits(1));
}

async fn idempotency_key_replays_for_a_day_and_only_for_its_body(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let new = store::NewJob { idempotency: Some(key("b")), ..new_job(&account, "example.com") };
    let replay = async |body: &str, at| {
        harness.store.replay(&account, &key(body), at).await.expect("it answers")
    };
    assert_eq!(replay("b", NOW).await, Replay::New);
    let first = harness.create(&new).await;
    assert_eq!(replay("b", NOW).await, Replay::Answered(first.accepted.clone()));
    assert_eq!(replay("c", NOW).await, Replay::BodyMismatch);
    let other = store::NewJob { idempotency: Some(key("c")), ..new_job(&account, "example.org") };
    let other = harness.store.create_job(&other, NOW).await.expect("it answers");
    assert_eq!(other, Creation::BodyMismatch);

    let job = &first.accepted.job_id;
    harness.store.abort(&account, job, NOW).await.expect("it stops");
    let again = harness.create(&new).await;
    assert!(again.replayed, "the answer outlives the run");
    let day = NOW.plus(Duration::from_secs(24 * 3_600));
    assert_eq!(replay("c", day).await, Replay::New);
    let next_day =
        store::NewJob { idempotency: Some(key("c")), ..new_job(&account, "example.com") };
    let created = harness.store.create_job(&next_day, day).await.expect("it answers");
    assert!(matches!(created, Creation::Created(created) if !created.replayed));
}

async fn parallel_creations_never_reserve_more_than_the_balance(harness: Harness) {
    let account = harness.account("a@x.org", 3).await;
    let attempts: Vec<_> = (0..12)
        .map(|n| {
            let (store, new) = (harness.store.clone(), new_job(&account, &format!("h{n}.org")));
            tokio::spawn(async move { store.create_job(&new, NOW).await })
        })
        .collect();
    let mut created = 0;
    for attempt in attempts {
        match attempt.await.expect("no panic").expect("it answers") {
            Creation::Created(_) => created += 1,
            Creation::Refused(Refusal::InsufficientCredits { required, available }) => {
                assert_eq!((required, available), (Credits(1), Credits(0)));
            }
            other => panic!("unexpected: {other:?}"),
        }
    }
    assert_eq!(created, 3);
    assert_eq!(harness.audit(&account).await.reserved, Credits(3));
}

async fn creation_is_refused_when_the_queue_is_full(harness: Harness) {
    let small = StoreSettings { running_jobs: 1, queued_jobs: 2, ..harness.settings.clone() };
    let store = Store::new(small).expect("an address");
    store.prepare().await.expect("the tables are there");
    let account = harness.account("a@x.org", 10).await;
    for n in 0..3 {
        let new = new_job(&account, &format!("h{n}.org"));
        assert!(matches!(store.create_job(&new, NOW).await, Ok(Creation::Created(_))));
    }
    let fourth = store.create_job(&new_job(&account, "h3.org"), NOW).await.expect("it answers");
    assert_eq!(fourth, Creation::QueueFull);
    let taken = store.claim(&harness.node, crate::harness::LEASE, NOW).await.expect("it answers");
    let lease = taken.expect("one may run");
    store.report(&lease, &JobCommand::Start, NOW).await.expect("it starts");
    let second = store.claim(&harness.node, crate::harness::LEASE, NOW).await.expect("it answers");
    assert_eq!(second, None, "one of this account runs already");
}

async fn jobs_are_listed_newest_first(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 10).await, harness.account("b@x.org", 10).await);
    let mut ids = Vec::new();
    for n in 0..3_u8 {
        let mut new = new_job(&ada, &format!("h{n}.org"));
        new.draft.id = contract::JobId::new(NOW.plus(Duration::from_secs(n.into())), [n; 10]);
        new.draft.source = if n == 1 { "mcp".to_owned() } else { "direct".to_owned() };
        ids.push(harness.create(&new).await.accepted.job_id);
    }
    harness.create(&new_job(&bob, "h0.org")).await;
    harness.store.abort(&ada, &ids[0], NOW).await.expect("it stops");
    let list = async |filter: JobFilter, number, size| {
        let page = PageRequest { number, size };
        let (jobs, total) = harness.store.jobs(&filter, page).await.expect("it answers");
        (jobs.into_iter().map(|job| job.id).collect::<Vec<_>>(), total)
    };
    let hers = JobFilter { account: Some(ada.clone()), ..JobFilter::default() };
    let newest_first: Vec<_> = ids.iter().rev().cloned().collect();
    assert_eq!(list(hers.clone(), 1, 100).await, (newest_first.clone(), 3));
    assert_eq!(list(hers.clone(), 2, 2).await, (newest_first[2..].to_vec(), 3));
    assert_eq!(list(hers.clone(), 3, 2).await, (vec![], 3));
    let aborted = JobFilter { status: Some(Status::Aborted), ..hers.clone() };
    assert_eq!(list(aborted, 1, 100).await, (vec![ids[0].clone()], 1));
    let mcp = JobFilter { source: Some("mcp".to_owned()), ..hers.clone() };
    assert_eq!(list(mcp, 1, 100).await, (vec![ids[1].clone()], 1));
    let none = JobFilter { mode: Some(Mode::Markdown), ..hers };
    assert_eq!(list(none, 1, 100).await, (vec![], 0));
    assert_eq!(list(JobFilter::default(), 1, 100).await.1, 4);
    assert_eq!(harness.store.job_of(&bob, &ids[0]).await.expect("it answers"), None);
    let foreign = harness.store.abort(&bob, &ids[1], NOW).await;
    assert!(matches!(foreign, Err(CommandError::NotFound)));
    let foreign = harness.store.confirm(&bob, &ids[1], Confirm::default(), NOW).await;
    assert!(matches!(foreign, Err(CommandError::NotFound)));
}

async fn refused_creation_stores_nothing(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let new = store::NewJob { idempotency: Some(key("b")), ..new_job(&account, "example.com") };
    let refused = harness.store.create_job(&new, NOW).await.expect("it answers");
    assert!(matches!(refused, Creation::Refused(Refusal::InsufficientCredits { .. })));
    let replay = harness.store.replay(&account, &key("b"), NOW).await.expect("it answers");
    assert_eq!(replay, Replay::New, "an error leaves the key free");
    assert_eq!(harness.claim().await, None);
    harness.store.grant("a@x.org", Credits(1), NOW).await.expect("it answers");
    assert!(!harness.create(&new).await.replayed);
}
