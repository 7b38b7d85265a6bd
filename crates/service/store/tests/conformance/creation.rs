//! The creation of jobs: sites, queues, credits and idempotency.

use std::collections::HashSet;
use std::time::Duration;

use contract::{Confirm, Credits, Mode, Status};
use job::{Command, Refusal};
use privacy::OptOut;
use store::{
    CommandError, Creation, Erasing, IdempotencyKey, JobFilter, Page, Replay, Store, StoreSettings,
};

use crate::bench::{Bench, NOW, new_contacts_job, new_job};
use crate::on_both;

on_both!(
    a_site_has_one_run_of_an_account_at_a_time,
    fifty_twins_start_one_job,
    a_key_replays_for_a_day_and_for_its_body_only,
    parallel_creations_never_reserve_more_than_there_is,
    a_full_queue_refuses,
    jobs_are_listed_newest_first,
    a_refused_creation_leaves_nothing_behind,
    rows_of_jobs_hold_no_domains,
);

fn key(body: &str) -> IdempotencyKey {
    IdempotencyKey { key: "k1".to_owned(), body_hash: body.to_owned() }
}

async fn rows_of_jobs_hold_no_domains(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let mut new = new_contacts_job(&account, &["firm.test", "other.test"]);
    new.draft.inputs = vec!["https://firm.test/?to=ada@firm.test".into(), "other.test".into()];
    let id = bench.create(&new).await.accepted.job_id;
    let filter = JobFilter { account: Some(account.clone()), ..JobFilter::default() };
    let page = Page { number: 1, size: 10 };
    let (listed, _) = bench.store.jobs(&filter, page).await.expect("it answers");
    let lease = bench.claim().await.expect("a shard");
    let locked = bench.start(&lease).await;
    let watched = bench.store.progress(&id).await.expect("it answers").expect("a job").job;
    for job in listed.iter().chain([&locked, &watched, &bench.job(&id).await]) {
        assert_eq!((&job.id, job.domains.len(), job.inputs.len()), (&id, 0, 0));
    }
    let whole = bench.store.with_domains(locked).await.expect("it answers");
    assert_eq!((&whole.domains, &whole.inputs), (&new.draft.domains, &new.draft.inputs));

    let mailbox = OptOut::email("ada@firm.test").expect("a mailbox");
    let erased = bench.store.erase(&mailbox, Erasing::ForGood, NOW).await.expect("it answers");
    assert_eq!(erased.requests, 1, "{erased:?}");
    let whole = bench.store.with_domains(bench.job(&id).await).await.expect("it answers");
    assert!(!whole.inputs[0].contains("ada@"), "{:?}", whole.inputs);
    assert_eq!(whole.inputs[1], "other.test");
}

async fn a_site_has_one_run_of_an_account_at_a_time(bench: Bench) {
    let (ada, bob) = (bench.account("a@x.org", 10).await, bench.account("b@x.org", 10).await);
    let first = bench.create(&new_job(&ada, "example.com")).await;
    let second = bench.store.create_job(&new_job(&ada, "example.com"), NOW).await;
    let busy = Creation::SiteBusy { job: first.accepted.job_id.clone(), status: Status::Queued };
    assert_eq!(second.expect("it answers"), busy);
    bench.create(&new_job(&bob, "example.com")).await;
    bench.create(&new_job(&ada, "example.org")).await;
    bench.store.abort(&ada, &first.accepted.job_id, NOW).await.expect("it stops");
    bench.create(&new_job(&ada, "example.com")).await;
    bench.audit(&ada).await;
}

async fn fifty_twins_start_one_job(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let twins = (0..50).map(|_| {
        let new = store::NewJob { idempotency: Some(key("b")), ..new_job(&account, "example.com") };
        let store = bench.store.clone();
        tokio::spawn(async move { store.create_job(&new, NOW).await })
    });
    let twins: Vec<_> = twins.collect();
    let (mut answers, mut firsts) = (HashSet::new(), 0);
    for twin in twins {
        match twin.await.expect("no panic").expect("it answers") {
            Creation::Created(created) => {
                firsts += u32::from(!created.replayed);
                answers.insert(created.accepted.job_id);
            }
            other => panic!("a twin got {other:?}"),
        }
    }
    assert_eq!((answers.len(), firsts), (1, 1));
    assert_eq!(bench.audit(&account).await.reserved, Credits(1));
}

async fn a_key_replays_for_a_day_and_for_its_body_only(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let new = store::NewJob { idempotency: Some(key("b")), ..new_job(&account, "example.com") };
    let replay = async |body: &str, at| {
        bench.store.replay(&account, &key(body), at).await.expect("it answers")
    };
    assert_eq!(replay("b", NOW).await, Replay::New);
    let first = bench.create(&new).await;
    assert_eq!(replay("b", NOW).await, Replay::Answered(first.accepted.clone()));
    assert_eq!(replay("c", NOW).await, Replay::OtherBody);
    let other = store::NewJob { idempotency: Some(key("c")), ..new_job(&account, "example.org") };
    let other = bench.store.create_job(&other, NOW).await.expect("it answers");
    assert_eq!(other, Creation::OtherBody);

    let job = &first.accepted.job_id;
    bench.store.abort(&account, job, NOW).await.expect("it stops");
    let again = bench.create(&new).await;
    assert!(again.replayed, "the answer outlives the run");
    let day = NOW.plus(Duration::from_secs(24 * 3_600));
    assert_eq!(replay("c", day).await, Replay::New);
    let next_day =
        store::NewJob { idempotency: Some(key("c")), ..new_job(&account, "example.com") };
    let created = bench.store.create_job(&next_day, day).await.expect("it answers");
    assert!(matches!(created, Creation::Created(created) if !created.replayed));
}

async fn parallel_creations_never_reserve_more_than_there_is(bench: Bench) {
    let account = bench.account("a@x.org", 3).await;
    let attempts: Vec<_> = (0..12)
        .map(|n| {
            let (store, new) = (bench.store.clone(), new_job(&account, &format!("h{n}.org")));
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
    assert_eq!(bench.audit(&account).await.reserved, Credits(3));
}

async fn a_full_queue_refuses(bench: Bench) {
    let small = StoreSettings { running_jobs: 1, queued_jobs: 2, ..bench.settings.clone() };
    let store = Store::new(small).expect("an address");
    store.prepare().await.expect("the tables are there");
    let account = bench.account("a@x.org", 10).await;
    for n in 0..3 {
        let new = new_job(&account, &format!("h{n}.org"));
        assert!(matches!(store.create_job(&new, NOW).await, Ok(Creation::Created(_))));
    }
    let fourth = store.create_job(&new_job(&account, "h3.org"), NOW).await.expect("it answers");
    assert_eq!(fourth, Creation::QueueFull);
    let taken = store.claim(&bench.node, crate::bench::LEASE, NOW).await.expect("it answers");
    let lease = taken.expect("one may run");
    store.report(&lease, &Command::Start, NOW).await.expect("it starts");
    let second = store.claim(&bench.node, crate::bench::LEASE, NOW).await.expect("it answers");
    assert_eq!(second, None, "one of this account runs already");
}

async fn jobs_are_listed_newest_first(bench: Bench) {
    let (ada, bob) = (bench.account("a@x.org", 10).await, bench.account("b@x.org", 10).await);
    let mut ids = Vec::new();
    for n in 0..3_u8 {
        let mut new = new_job(&ada, &format!("h{n}.org"));
        new.draft.id = contract::JobId::new(NOW.plus(Duration::from_secs(n.into())), [n; 10]);
        new.draft.source = if n == 1 { "mcp".to_owned() } else { "direct".to_owned() };
        ids.push(bench.create(&new).await.accepted.job_id);
    }
    bench.create(&new_job(&bob, "h0.org")).await;
    bench.store.abort(&ada, &ids[0], NOW).await.expect("it stops");
    let list = async |filter: JobFilter, number, size| {
        let page = Page { number, size };
        let (jobs, total) = bench.store.jobs(&filter, page).await.expect("it answers");
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
    assert_eq!(bench.store.job_of(&bob, &ids[0]).await.expect("it answers"), None);
    let foreign = bench.store.abort(&bob, &ids[1], NOW).await;
    assert!(matches!(foreign, Err(CommandError::NotFound)));
    let foreign = bench.store.confirm(&bob, &ids[1], Confirm::default(), NOW).await;
    assert!(matches!(foreign, Err(CommandError::NotFound)));
}

async fn a_refused_creation_leaves_nothing_behind(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let new = store::NewJob { idempotency: Some(key("b")), ..new_job(&account, "example.com") };
    let refused = bench.store.create_job(&new, NOW).await.expect("it answers");
    assert!(matches!(refused, Creation::Refused(Refusal::InsufficientCredits { .. })));
    let replay = bench.store.replay(&account, &key("b"), NOW).await.expect("it answers");
    assert_eq!(replay, Replay::New, "an error leaves the key free");
    assert_eq!(bench.claim().await, None);
    bench.store.grant("a@x.org", Credits(1), NOW).await.expect("it answers");
    assert!(!bench.create(&new).await.replayed);
}
