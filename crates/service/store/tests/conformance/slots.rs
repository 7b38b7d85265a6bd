//! Slots: each is started once, or leaves a failed job that tells why.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use contract::{
    AccountId, Credits, ErrorCode, EventKind, JobId, KeyId, Millis, RequestId, ScheduleId, Status,
};
use job::{Command, Ending};
use sqlx::AnyPool;
use store::{
    Creation, JobFilter, NewAcceptance, NewJob, Page, ScheduleChange, ScheduleRecord, SlotOutcome,
    SlotRules, StandingOrder, Store, StoreSettings,
};

use super::schedules::daily;
use crate::bench::{Bench, NOW, new_contacts_job, new_job, random};
use crate::on_both;

on_both!(
    a_slot_is_started_once_by_any_number_of_nodes,
    a_node_that_dies_at_any_point_leaves_a_slot_or_its_run,
    a_slot_that_has_not_come_or_is_paused_starts_nothing,
    late_slots_are_started_once_and_missed_ones_are_told,
    a_run_that_is_not_over_stands_in_the_way_of_the_next,
    what_cannot_be_started_leaves_a_failed_job_that_costs_nothing,
    a_schedule_of_an_account_that_is_gone_starts_nothing,
    each_run_over_contacts_is_accepted_by_the_writer,
    a_run_by_hand_leaves_the_slots_alone,
    one_that_cannot_be_read_does_not_stand_before_others,
);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const RULES: SlotRules = SlotRules { tolerance: HOUR, batch_size: 500 };

/// A schedule of this account whose slot has come: `NOW` is half past nine.
async fn due(bench: &Bench, new: NewJob) -> ScheduleRecord {
    let account = new.draft.account.clone();
    let made = bench.store.create_schedule(&account, daily(StandingOrder::of(new), NOW), NOW).await;
    made.expect("it answers").expect("room for one")
}

async fn start(store: &Store, id: &ScheduleId, now: Millis) -> Option<SlotOutcome> {
    store.start_due(id, RULES, now).await.expect("it answers")
}

/// The runs of a schedule, oldest first.
async fn runs(bench: &Bench, schedule: &ScheduleRecord) -> Vec<job::Job> {
    let filter = JobFilter {
        account: Some(schedule.account.clone()),
        schedule: Some(schedule.id.clone()),
        ..JobFilter::default()
    };
    let page = Page { number: 1, size: 100 };
    let (mut jobs, total) = bench.store.jobs(&filter, page).await.expect("it answers");
    assert_eq!(jobs.len() as u64, total);
    jobs.reverse();
    jobs
}

async fn failed(bench: &Bench, outcome: Option<SlotOutcome>) -> (ErrorCode, String) {
    let Some(SlotOutcome::Failed { job, code }) = outcome else { panic!("{outcome:?}") };
    let job = bench.job(&job).await;
    assert_eq!((job.status, job.finished_at.is_some()), (Status::Failed, true));
    assert_eq!((job.credits_used, job.reserved), (Credits::ZERO, Credits::ZERO));
    let error = job.error.expect("a reason");
    assert_eq!(error.code, code);
    let events = bench.store.events(&job.id).await.expect("it answers");
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::JobFailed], "it is told like any other");
    (code, error.message)
}

async fn a_slot_is_started_once_by_any_number_of_nodes(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let schedule = due(&bench, new_job(&account, "example.com")).await;
    let mut nodes = vec![bench.store.clone()];
    for _ in 0..3 {
        nodes.push(bench.other_node().await);
    }
    let claims: Vec<_> = (0..24)
        .map(|n| {
            let (store, id) = (nodes[n % nodes.len()].clone(), schedule.id.clone());
            tokio::spawn(async move { store.start_due(&id, RULES, NOW).await })
        })
        .collect();
    let mut started = Vec::new();
    for claim in claims {
        match claim.await.expect("no panic").expect("it answers") {
            Some(SlotOutcome::Started(job)) => started.push(job),
            None => {}
            other => panic!("{other:?}"),
        }
    }
    let jobs = runs(&bench, &schedule).await;
    assert_eq!(jobs.iter().map(|job| job.id.clone()).collect::<Vec<_>>(), started);
    assert_eq!((jobs.len(), jobs[0].status, jobs[0].batch_size), (1, Status::Queued, 500));
    let after = bench.store.schedule(&schedule.id).await.expect("it answers").expect("kept");
    assert_eq!(after.next_at, NOW.plus(DAY));
    let last = after.last_run.expect("a run");
    assert_eq!((last.job_id, last.status, last.at), (started[0].clone(), Status::Queued, NOW));
    assert_eq!(bench.audit(&account).await.reserved, Credits(1));
    assert!(bench.claim().await.is_some(), "a worker can take it up");
}

/// Lets a future come as far as `steps` of its own steps, then drops it as a crash would.
async fn broken_off<F: Future>(future: F, steps: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    for _ in 0..steps {
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        // Whoever it waits for gets the time to answer.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    None
}

async fn a_node_that_dies_at_any_point_leaves_a_slot_or_its_run(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    for steps in 0..24 {
        let schedule = due(&bench, new_job(&account, &format!("h{steps}.org"))).await;
        let node = bench.other_node().await;
        drop(broken_off(node.start_due(&schedule.id, RULES, NOW), steps).await);
        node.close().await;
        // Whoever comes next starts it, unless it is started. What the dead one held is free as
        // soon as the database has noticed.
        while !bench.store.due_schedules(None, NOW).await.expect("it answers").is_empty() {
            start(&bench.store, &schedule.id, NOW).await;
        }
        assert_eq!(start(&bench.store, &schedule.id, NOW).await, None);
        assert_eq!(runs(&bench, &schedule).await.len(), 1, "after {steps} steps");
        let kept = bench.store.schedule(&schedule.id).await.expect("it answers");
        assert_eq!(kept.expect("it is there").next_at, NOW.plus(DAY), "after {steps} steps");
    }
    assert_eq!(bench.audit(&account).await.reserved, Credits(24));
}

async fn a_slot_that_has_not_come_or_is_paused_starts_nothing(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let schedule = due(&bench, new_job(&account, "example.com")).await;
    let early = Millis(NOW.0 - 1);
    let ids = async |now| bench.store.due_schedules(None, now).await.expect("it answers");
    assert_eq!((ids(early).await, start(&bench.store, &schedule.id, early).await), (vec![], None));
    assert_eq!(ids(NOW).await, std::slice::from_ref(&schedule.id));
    let pause = ScheduleChange { paused: Some(true), ..Default::default() };
    bench.store.change_schedule(&account, &schedule.id, &pause).await.expect("it answers");
    assert_eq!((ids(NOW).await, start(&bench.store, &schedule.id, NOW).await), (vec![], None));
    assert!(runs(&bench, &schedule).await.is_empty());
    let after = bench.store.due_schedules(Some(&schedule.id), NOW).await.expect("it answers");
    assert!(after.is_empty(), "the list goes on behind one");
}

async fn late_slots_are_started_once_and_missed_ones_are_told(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let schedule = due(&bench, new_job(&account, "example.com")).await;
    // Two slots are too old; the third was an hour ago, which is just not too late.
    let now = NOW.plus(2 * DAY + HOUR);
    let (code, message) = failed(&bench, start(&bench.store, &schedule.id, now).await).await;
    assert_eq!(code, ErrorCode::ScheduleMissedWindow);
    assert!(message.contains("missed 2 starts from 2026-11-15T09:30:00.000Z on"), "{message}");
    let third = start(&bench.store, &schedule.id, now).await;
    assert!(matches!(third, Some(SlotOutcome::Started(_))), "{third:?}");
    assert_eq!(start(&bench.store, &schedule.id, now).await, None);
    let kept = bench.store.schedule(&schedule.id).await.expect("it answers");
    assert_eq!(kept.expect("it is there").next_at, NOW.plus(3 * DAY));

    let hourly = due(&bench, new_job(&account, "example.org")).await;
    let often = ScheduleChange { cron: Some("*/10 * * * *".to_owned()), ..Default::default() };
    bench.store.change_schedule(&account, &hourly.id, &often).await.expect("it answers");
    let late = NOW.plus(Duration::from_secs(45 * 60));
    let once = start(&bench.store, &hourly.id, late).await;
    assert!(matches!(once, Some(SlotOutcome::Started(_))), "{once:?}");
    assert_eq!(start(&bench.store, &hourly.id, late).await, None, "five slots, one run");
    assert_eq!(runs(&bench, &hourly).await.len(), 1);
}

async fn a_run_that_is_not_over_stands_in_the_way_of_the_next(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    // A list of domains: no site keeps it from being started twice.
    let schedule = due(&bench, new_contacts_job(&account, &["a.example", "b.example"])).await;
    let Some(SlotOutcome::Started(first)) = start(&bench.store, &schedule.id, NOW).await else {
        panic!("it is started")
    };
    let next = NOW.plus(DAY);
    let (code, message) = failed(&bench, start(&bench.store, &schedule.id, next).await).await;
    assert_eq!(code, ErrorCode::SchedulePreviousRunInProgress);
    assert!(message.contains(first.as_str()) && message.contains("queued"), "{message}");
    let busy = bench.store.run_schedule(&account, &schedule.id, (500, None), next).await;
    let expected = Creation::SiteBusy { job: first.clone(), status: Status::Queued };
    assert_eq!(busy.expect("it answers"), Some(expected));
    bench.store.abort(&account, &first, next).await.expect("it stops");
    let third = start(&bench.store, &schedule.id, NOW.plus(2 * DAY)).await;
    assert!(matches!(third, Some(SlotOutcome::Started(_))), "{third:?}");
    let statuses: Vec<_> = runs(&bench, &schedule).await.iter().map(|job| job.status).collect();
    assert_eq!(statuses, [Status::Aborted, Status::Failed, Status::Queued]);
    bench.audit(&account).await;
}

async fn what_cannot_be_started_leaves_a_failed_job_that_costs_nothing(bench: Bench) {
    let poor = bench.account("poor@x.org", 0).await;
    let refused = async |schedule: ScheduleRecord, store: &Store| {
        let (code, message) = failed(&bench, start(store, &schedule.id, NOW).await).await;
        assert_eq!(code, ErrorCode::ScheduleStartFailed);
        let kept = bench.store.schedule(&schedule.id).await.expect("it answers");
        let kept = kept.expect("it stays");
        assert_eq!((kept.next_at, kept.paused), (NOW.plus(DAY), false), "and is tried again");
        message
    };
    let said = refused(due(&bench, new_job(&poor, "example.com")).await, &bench.store).await;
    assert_eq!(said, "1 credits are needed and 0 are available");

    let account = bench.account("a@x.org", 100).await;
    let taken = bench.create(&new_job(&account, "example.com")).await.accepted.job_id;
    let said = refused(due(&bench, new_job(&account, "example.com")).await, &bench.store).await;
    assert!(said.contains(taken.as_str()) && said.contains("this site"), "{said}");

    let mut dear = new_job(&account, "example.org");
    dear.draft.ceiling = Some(Credits(0));
    let said = refused(due(&bench, dear).await, &bench.store).await;
    assert!(said.starts_with("max_credit_per_unit: must be at least 1"), "{said}");

    let full = StoreSettings { running_jobs: 1, queued_jobs: 0, ..bench.settings.clone() };
    let full = Store::new(full).expect("an address");
    full.prepare().await.expect("the tables are there");
    let said = refused(due(&bench, new_job(&account, "example.net")).await, &full).await;
    assert!(said.contains("wait"), "{said}");
    assert_eq!(bench.audit(&account).await.reserved, Credits(1));
    assert!(bench.claim().await.is_some_and(|lease| lease.job == taken));
    assert_eq!(bench.claim().await, None, "what failed has no work");
}

async fn sql(bench: &Bench, statement: &'static str) {
    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    sqlx::raw_sql(statement).execute(&pool).await.expect("it is done");
    pool.close().await;
}

async fn a_schedule_of_an_account_that_is_gone_starts_nothing(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let schedule = due(&bench, new_job(&account, "example.com")).await;
    sql(&bench, "DELETE FROM accounts WHERE email = 'a@x.org'").await;
    let dropped = start(&bench.store, &schedule.id, NOW).await;
    assert_eq!(dropped, Some(SlotOutcome::Dropped));
    assert_eq!(bench.store.schedule(&schedule.id).await.expect("it answers"), None);
    let (jobs, _) = bench
        .store
        .jobs(&JobFilter::default(), Page { number: 1, size: 10 })
        .await
        .expect("it answers");
    assert!(jobs.is_empty());
}

async fn each_run_over_contacts_is_accepted_by_the_writer(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let writer = NewAcceptance {
        key: Some(KeyId::new(NOW, random())),
        request: Some(RequestId::new(NOW, random())),
        terms: "5.7".to_owned(),
        application: None,
    };
    let new = NewJob {
        acceptance: Some(writer.clone()),
        ..new_contacts_job(&account, &["a.example", "b.example"])
    };
    let schedule = due(&bench, new).await;
    for day in 0..3 {
        let now = NOW.plus(day * DAY);
        let Some(SlotOutcome::Started(job)) = start(&bench.store, &schedule.id, now).await else {
            panic!("it is started")
        };
        bench.store.abort(&account, &job, now).await.expect("it stops");
    }
    let kept = bench.store.acceptances(Some(&account), None).await.expect("it answers");
    let starts: Vec<_> = (0..3).map(|day| NOW.plus(day * DAY)).collect();
    assert_eq!(kept.iter().map(|one| one.accepted_at).collect::<Vec<_>>(), starts);
    for one in kept {
        assert_eq!(
            (one.key, one.request, one.domains),
            (writer.key.clone(), writer.request.clone(), 2)
        );
    }
}

async fn a_run_by_hand_leaves_the_slots_alone(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let schedule = due(&bench, new_job(&account, "example.com")).await;
    let pause = ScheduleChange { paused: Some(true), ..Default::default() };
    bench.store.change_schedule(&account, &schedule.id, &pause).await.expect("it answers");
    let run = bench.store.run_schedule(&account, &schedule.id, (500, None), NOW).await;
    let Some(Creation::Created(created)) = run.expect("it answers") else { panic!("it runs") };
    let job: JobId = created.accepted.job_id;
    assert_eq!(
        bench.store.schedule_of_run(&job).await.expect("it answers"),
        Some(schedule.id.clone())
    );
    let kept = bench.store.schedule(&schedule.id).await.expect("it answers").expect("kept");
    assert_eq!((kept.next_at, kept.paused), (NOW, true));
    let lease = bench.claim().await.expect("a worker takes it up");
    bench.start(&lease).await;
    let done = Command::Finish(Ending::Complete);
    bench.store.report(&lease, &done, NOW).await.expect("it ends");
    let by_nobody: AccountId = bench.account("b@x.org", 10).await;
    let run = bench.store.run_schedule(&by_nobody, &schedule.id, (500, None), NOW).await;
    assert_eq!(run.expect("it answers"), None);
}

async fn one_that_cannot_be_read_does_not_stand_before_others(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let first = due(&bench, new_job(&account, "example.com")).await;
    sql(&bench, "UPDATE schedules SET cron = 'whenever'").await;
    let second = due(&bench, new_job(&account, "example.org")).await;
    assert_eq!(start(&bench.store, &first.id, NOW).await, Some(SlotOutcome::Paused));
    assert!(matches!(start(&bench.store, &second.id, NOW).await, Some(SlotOutcome::Started(_))));
    assert!(bench.store.due_schedules(None, NOW).await.expect("it answers").is_empty());
    assert!(runs(&bench, &first).await.is_empty());
}
