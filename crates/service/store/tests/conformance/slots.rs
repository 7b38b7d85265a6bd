//! Slots: each starts once, or leaves a failed job with the reason.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use contract::{
    AccountId, Creator, Credits, ErrorCode, EventKind, JobId, KeyId, Millis, RequestId, ScheduleId,
    Status,
};
use job::{JobCommand, RunEnding};
use sqlx::AnyPool;
use store::{
    Creation, Dialect, JobFilter, LimitChange, NewAcceptance, NewJob, NewSchedule, PageRequest,
    ScheduleChange, ScheduleRecord, ScheduledJob, SlotOutcome, SlotRules, Store, StoreError,
    StoreSettings,
};
use tokio::sync::Barrier;

use super::limits::key;
use super::schedules::daily;
use crate::harness::{Harness, NOW, new_contacts_job, new_job, random};
use crate::on_both;

on_both!(
    slot_is_started_once_by_any_number_of_nodes,
    slot_of_a_locked_account_stays_due_without_waiting,
    schedule_and_job_with_options_of_a_newer_release_are_readable,
    crash_at_any_point_leaves_the_slot_or_its_run,
    future_or_paused_slot_starts_nothing,
    late_slots_start_once_and_missed_ones_are_reported,
    unfinished_run_blocks_the_next_slot,
    slot_that_cannot_start_leaves_a_failed_job_without_charge,
    schedule_of_a_deleted_account_starts_nothing,
    each_contacts_run_of_a_schedule_stores_an_acceptance,
    manual_run_does_not_change_the_slots,
    invalid_schedule_does_not_block_others,
    change_slot_revocation_and_deletion_do_not_deadlock,
);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const RULES: SlotRules = SlotRules { tolerance: HOUR, batch_size: 500 };

/// A schedule of this account with a due slot: `NOW` is half past nine.
async fn due(harness: &Harness, new: NewJob) -> ScheduleRecord {
    let account = new.draft.account.clone();
    let made =
        harness.store.create_schedule(&account, daily(ScheduledJob::of(new), NOW), NOW).await;
    made.expect("it answers").expect("below the limit")
}

async fn start(store: &Store, id: &ScheduleId, now: Millis) -> Option<SlotOutcome> {
    store.start_due(id, RULES, now).await.expect("it answers")
}

/// The runs of a schedule, oldest first.
async fn runs(harness: &Harness, schedule: &ScheduleRecord) -> Vec<job::Job> {
    let filter = JobFilter {
        account: Some(schedule.account.clone()),
        schedule: Some(schedule.id.clone()),
        ..JobFilter::default()
    };
    let page = PageRequest { number: 1, size: 100 };
    let (mut jobs, total) = harness.store.jobs(&filter, page).await.expect("it answers");
    assert_eq!(jobs.len() as u64, total);
    jobs.reverse();
    jobs
}

async fn failed(harness: &Harness, outcome: Option<SlotOutcome>) -> (ErrorCode, String) {
    let Some(SlotOutcome::Failed { job, code }) = outcome else { panic!("{outcome:?}") };
    let job = harness.job(&job).await;
    assert_eq!((job.status, job.finished_at.is_some()), (Status::Failed, true));
    assert_eq!((job.credits_used, job.reserved), (Credits::ZERO, Credits::ZERO));
    let error = job.error.expect("a reason");
    assert_eq!(error.code, code);
    let events = harness.store.events(&job.id).await.expect("it answers");
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::JobFailed], "the failed job emits an event");
    (code, error.message)
}

async fn slot_is_started_once_by_any_number_of_nodes(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let schedule = due(&harness, new_job(&account, "example.com")).await;
    let mut nodes = vec![harness.store.clone()];
    for _ in 0..3 {
        nodes.push(harness.other_node().await);
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
    let jobs = runs(&harness, &schedule).await;
    assert_eq!(jobs.iter().map(|job| job.id.clone()).collect::<Vec<_>>(), started);
    assert_eq!((jobs.len(), jobs[0].status, jobs[0].batch_size), (1, Status::Queued, 500));
    let after = harness.store.schedule(&schedule.id).await.expect("it answers").expect("kept");
    assert_eq!(after.next_at, NOW.plus(DAY));
    let last = after.last_run.expect("a run");
    assert_eq!((last.job_id, last.status, last.at), (started[0].clone(), Status::Queued, NOW));
    assert_eq!(harness.audit(&account).await.reserved, Credits(1));
    assert!(harness.claim().await.is_some(), "a worker can take it up");
}

async fn slot_of_a_locked_account_stays_due_without_waiting(harness: Harness) {
    // SQLite has a single writer, which waits for the other transaction.
    if harness.store.dialect() == Dialect::Sqlite {
        return;
    }
    let account = harness.account("a@x.org", 10).await;
    let schedule = due(&harness, new_job(&account, "example.com")).await;
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let mut other = pool.begin().await.expect("it answers");
    let lock = "UPDATE accounts SET balance = balance WHERE email = 'a@x.org'";
    sqlx::raw_sql(lock).execute(&mut *other).await.expect("it answers");
    // A wait would end with an error after the lock timeout of five seconds.
    assert_eq!(start(&harness.store, &schedule.id, NOW).await, None);
    other.rollback().await.expect("it answers");
    let outcome = start(&harness.store, &schedule.id, NOW).await;
    assert!(matches!(outcome, Some(SlotOutcome::Started(_))), "{outcome:?}");
}

async fn schedule_and_job_with_options_of_a_newer_release_are_readable(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let schedule = due(&harness, new_job(&account, "example.com")).await;
    let statement = r#"UPDATE schedules SET standing_order =
        REPLACE(standing_order, '"options":{', '"options":{"later":1,')"#;
    sql(&harness, statement).await;
    let outcome = start(&harness.store, &schedule.id, NOW).await;
    let Some(SlotOutcome::Started(job)) = outcome else { panic!("{outcome:?}") };
    let statement =
        r#"UPDATE jobs SET request = REPLACE(request, '"options":{', '"options":{"later":1,')"#;
    sql(&harness, statement).await;
    assert_eq!(harness.job(&job).await.options, schedule.job.request.options);
}

/// Polls a future `steps` times, then drops it, like a crash.
async fn broken_off<F: Future>(future: F, steps: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    for _ in 0..steps {
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        // Let the database answer.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    None
}

async fn crash_at_any_point_leaves_the_slot_or_its_run(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    for steps in 0..24 {
        let schedule = due(&harness, new_job(&account, &format!("h{steps}.org"))).await;
        let node = harness.other_node().await;
        drop(broken_off(node.start_due(&schedule.id, RULES, NOW), steps).await);
        node.close().await;
        // The next node starts it, unless it was started. Locks of the dropped transaction are
        // released when the database notices.
        while !harness.store.due_schedules(None, NOW).await.expect("it answers").is_empty() {
            start(&harness.store, &schedule.id, NOW).await;
        }
        assert_eq!(start(&harness.store, &schedule.id, NOW).await, None);
        assert_eq!(runs(&harness, &schedule).await.len(), 1, "after {steps} steps");
        let kept = harness.store.schedule(&schedule.id).await.expect("it answers");
        assert_eq!(kept.expect("it is there").next_at, NOW.plus(DAY), "after {steps} steps");
    }
    assert_eq!(harness.audit(&account).await.reserved, Credits(24));
}

async fn future_or_paused_slot_starts_nothing(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let schedule = due(&harness, new_job(&account, "example.com")).await;
    let early = Millis(NOW.0 - 1);
    let ids = async |now| harness.store.due_schedules(None, now).await.expect("it answers");
    assert_eq!(
        (ids(early).await, start(&harness.store, &schedule.id, early).await),
        (vec![], None)
    );
    assert_eq!(ids(NOW).await, std::slice::from_ref(&schedule.id));
    let pause = ScheduleChange { paused: Some(true), ..Default::default() };
    harness.store.change_schedule(&account, &schedule.id, &pause).await.expect("it answers");
    assert_eq!((ids(NOW).await, start(&harness.store, &schedule.id, NOW).await), (vec![], None));
    assert!(runs(&harness, &schedule).await.is_empty());
    let after = harness.store.due_schedules(Some(&schedule.id), NOW).await.expect("it answers");
    assert!(after.is_empty(), "the list goes on behind one");
}

async fn late_slots_start_once_and_missed_ones_are_reported(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let schedule = due(&harness, new_job(&account, "example.com")).await;
    // Two slots are too old; the third, an hour ago, is just within the tolerance.
    let now = NOW.plus(2 * DAY + HOUR);
    let (code, message) = failed(&harness, start(&harness.store, &schedule.id, now).await).await;
    assert_eq!(code, ErrorCode::ScheduleMissedWindow);
    assert!(message.contains("missed 2 starts from 2026-11-15T09:30:00.000Z on"), "{message}");
    let third = start(&harness.store, &schedule.id, now).await;
    assert!(matches!(third, Some(SlotOutcome::Started(_))), "{third:?}");
    assert_eq!(start(&harness.store, &schedule.id, now).await, None);
    let kept = harness.store.schedule(&schedule.id).await.expect("it answers");
    assert_eq!(kept.expect("it is there").next_at, NOW.plus(3 * DAY));

    let hourly = due(&harness, new_job(&account, "example.org")).await;
    let often = ScheduleChange { cron: Some("*/10 * * * *".to_owned()), ..Default::default() };
    harness.store.change_schedule(&account, &hourly.id, &often).await.expect("it answers");
    let late = NOW.plus(Duration::from_secs(45 * 60));
    let once = start(&harness.store, &hourly.id, late).await;
    assert!(matches!(once, Some(SlotOutcome::Started(_))), "{once:?}");
    assert_eq!(start(&harness.store, &hourly.id, late).await, None, "five slots, one run");
    assert_eq!(runs(&harness, &hourly).await.len(), 1);
}

async fn unfinished_run_blocks_the_next_slot(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    // A list of domains has no site key that prevents a second run.
    let schedule = due(&harness, new_contacts_job(&account, &["a.example", "b.example"])).await;
    let Some(SlotOutcome::Started(first)) = start(&harness.store, &schedule.id, NOW).await else {
        panic!("it is started")
    };
    let next = NOW.plus(DAY);
    let (code, message) = failed(&harness, start(&harness.store, &schedule.id, next).await).await;
    assert_eq!(code, ErrorCode::SchedulePreviousRunInProgress);
    assert!(message.contains(first.as_str()) && message.contains("queued"), "{message}");
    let busy = harness.store.run_schedule(&account, &schedule.id, (500, None), next).await;
    let expected = Creation::SiteBusy { job: first.clone(), status: Status::Queued };
    assert_eq!(busy.expect("it answers"), Some(expected));
    harness.store.abort(&account, &first, next).await.expect("it stops");
    let third = start(&harness.store, &schedule.id, NOW.plus(2 * DAY)).await;
    assert!(matches!(third, Some(SlotOutcome::Started(_))), "{third:?}");
    let statuses: Vec<_> = runs(&harness, &schedule).await.iter().map(|job| job.status).collect();
    assert_eq!(statuses, [Status::Aborted, Status::Failed, Status::Queued]);
    harness.audit(&account).await;
}

async fn slot_that_cannot_start_leaves_a_failed_job_without_charge(harness: Harness) {
    let poor = harness.account("poor@x.org", 0).await;
    let refused = async |schedule: ScheduleRecord, store: &Store| {
        let (code, message) = failed(&harness, start(store, &schedule.id, NOW).await).await;
        assert_eq!(code, ErrorCode::ScheduleStartFailed);
        let kept = harness.store.schedule(&schedule.id).await.expect("it answers");
        let kept = kept.expect("it stays");
        assert_eq!((kept.next_at, kept.paused), (NOW.plus(DAY), false), "and is tried again");
        message
    };
    let said = refused(due(&harness, new_job(&poor, "example.com")).await, &harness.store).await;
    assert_eq!(said, "1 credits are needed and 0 are available");

    let account = harness.account("a@x.org", 100).await;
    let taken = harness.create(&new_job(&account, "example.com")).await.accepted.job_id;
    let said = refused(due(&harness, new_job(&account, "example.com")).await, &harness.store).await;
    assert!(said.contains(taken.as_str()) && said.contains("this site"), "{said}");

    let mut dear = new_job(&account, "example.org");
    dear.draft.ceiling = Some(Credits(0));
    let said = refused(due(&harness, dear).await, &harness.store).await;
    assert!(said.starts_with("max_credit_per_unit: must be at least 1"), "{said}");

    let full = StoreSettings { running_jobs: 1, queued_jobs: 0, ..harness.settings.clone() };
    let full = Store::new(full).expect("an address");
    full.prepare().await.expect("the tables are there");
    let said = refused(due(&harness, new_job(&account, "example.net")).await, &full).await;
    assert!(said.contains("wait"), "{said}");
    assert_eq!(harness.audit(&account).await.reserved, Credits(1));
    assert!(harness.claim().await.is_some_and(|lease| lease.job == taken));
    assert_eq!(harness.claim().await, None, "what failed has no work");
}

pub(super) async fn sql(harness: &Harness, statement: &'static str) {
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    sqlx::raw_sql(statement).execute(&pool).await.expect("it is done");
    pool.close().await;
}

async fn schedule_of_a_deleted_account_starts_nothing(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let schedule = due(&harness, new_job(&account, "example.com")).await;
    sql(&harness, "DELETE FROM accounts WHERE email = 'a@x.org'").await;
    let dropped = start(&harness.store, &schedule.id, NOW).await;
    assert_eq!(dropped, Some(SlotOutcome::Dropped));
    assert_eq!(harness.store.schedule(&schedule.id).await.expect("it answers"), None);
    let (jobs, _) = harness
        .store
        .jobs(&JobFilter::default(), PageRequest { number: 1, size: 10 })
        .await
        .expect("it answers");
    assert!(jobs.is_empty());
}

async fn each_contacts_run_of_a_schedule_stores_an_acceptance(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
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
    let schedule = due(&harness, new).await;
    for day in 0..3 {
        let now = NOW.plus(day * DAY);
        let Some(SlotOutcome::Started(job)) = start(&harness.store, &schedule.id, now).await else {
            panic!("it is started")
        };
        harness.store.abort(&account, &job, now).await.expect("it stops");
    }
    let kept = harness.store.acceptances(Some(&account), None).await.expect("it answers");
    let starts: Vec<_> = (0..3).map(|day| NOW.plus(day * DAY)).collect();
    assert_eq!(kept.iter().map(|one| one.accepted_at).collect::<Vec<_>>(), starts);
    for one in kept {
        assert_eq!(
            (one.key, one.request, one.domains),
            (writer.key.clone(), writer.request.clone(), 2)
        );
    }
}

async fn manual_run_does_not_change_the_slots(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let schedule = due(&harness, new_job(&account, "example.com")).await;
    let pause = ScheduleChange { paused: Some(true), ..Default::default() };
    harness.store.change_schedule(&account, &schedule.id, &pause).await.expect("it answers");
    let run = harness.store.run_schedule(&account, &schedule.id, (500, None), NOW).await;
    let Some(Creation::Created(created)) = run.expect("it answers") else { panic!("it runs") };
    let job: JobId = created.accepted.job_id;
    assert_eq!(
        harness.store.schedule_of_run(&job).await.expect("it answers"),
        Some(schedule.id.clone())
    );
    let kept = harness.store.schedule(&schedule.id).await.expect("it answers").expect("kept");
    assert_eq!((kept.next_at, kept.paused), (NOW, true));
    let lease = harness.claim().await.expect("a worker takes it up");
    harness.start(&lease).await;
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&lease, &done, NOW).await.expect("it ends");
    let stranger: AccountId = harness.account("b@x.org", 10).await;
    let run = harness.store.run_schedule(&stranger, &schedule.id, (500, None), NOW).await;
    assert_eq!(run.expect("it answers"), None);
}

async fn invalid_schedule_does_not_block_others(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let first = due(&harness, new_job(&account, "example.com")).await;
    sql(&harness, "UPDATE schedules SET cron = 'whenever'").await;
    let second = due(&harness, new_job(&account, "example.org")).await;
    assert_eq!(start(&harness.store, &first.id, NOW).await, Some(SlotOutcome::Paused));
    assert!(matches!(start(&harness.store, &second.id, NOW).await, Some(SlotOutcome::Started(_))));
    assert!(harness.store.due_schedules(None, NOW).await.expect("it answers").is_empty());
    assert!(runs(&harness, &first).await.is_empty());
}

/// Starts the operation together with the others of a round. An ended account or credential is a
/// regular outcome, and so is a long wait on a loaded machine; every other error, above all a
/// deadlock, fails the test.
fn at_once<T, F>(round: &Arc<Barrier>, operation: F) -> tokio::task::JoinHandle<()>
where
    F: Future<Output = Result<T, StoreError>> + Send + 'static,
{
    let round = Arc::clone(round);
    tokio::spawn(async move {
        round.wait().await;
        match operation.await {
            Ok(_) | Err(StoreError::AccountClosed | StoreError::CredentialEnded) => {}
            Err(StoreError::Locked(cause)) if cause.contains("lock timeout") => {}
            Err(error) => panic!("{error}"),
        }
    })
}

async fn change_slot_revocation_and_deletion_do_not_deadlock(harness: Harness) {
    for n in 0..20 {
        let account = harness.account(&format!("a{n}@x.org"), 100).await;
        let (key, _) = key(&harness, &account, LimitChange::default()).await;
        let by = Some(Creator::Key(key.clone()));
        let new = |host: &str| NewSchedule {
            created_by: by.clone(),
            ..daily(ScheduledJob::of(new_job(&account, host)), NOW)
        };
        let mut ids = Vec::new();
        for host in ["a.example", "b.example", "c.example"] {
            let made = harness.store.create_schedule(&account, new(host), NOW).await;
            ids.push(made.expect("it answers").expect("below the limit").id);
        }
        let round = Arc::new(Barrier::new(3 * ids.len() + 3));
        let mut tasks = Vec::new();
        for id in ids {
            let (store, account, id) = (harness.store.clone(), account.clone(), id);
            let (other, of, same) = (store.clone(), account.clone(), id.clone());
            let change =
                ScheduleChange { paused: Some(false), by: by.clone(), ..ScheduleChange::default() };
            tasks.push(at_once(&round, async move {
                for _ in 0..5 {
                    other.change_schedule(&of, &same, &change).await?;
                }
                Ok(())
            }));
            let (other, due) = (store.clone(), id.clone());
            tasks.push(at_once(&round, async move { other.start_due(&due, RULES, NOW).await }));
            tasks.push(at_once(&round, async move {
                store.run_schedule(&account, &id, (500, None), NOW).await
            }));
        }
        let (store, of, late) = (harness.store.clone(), account.clone(), new("d.example"));
        tasks.push(at_once(&round, async move { store.create_schedule(&of, late, NOW).await }));
        let (store, of) = (harness.store.clone(), account.clone());
        tasks
            .push(at_once(&round, async move { store.revoke_key_and_pause(&of, &key, NOW).await }));
        let (store, of) = (harness.store.clone(), account.clone());
        tasks.push(at_once(&round, async move { store.delete_account(&of, NOW).await }));
        for task in tasks {
            task.await.expect("no deadlock and no other error");
        }
    }
}
