//! Events: when they are emitted, in which order they are read, and how long they are kept.

use std::time::Duration;

use contract::{Event, EventData, EventId, EventKind};
use job::{JobCommand, RunEnding};
use journal::Commit;

use crate::harness::{Harness, NOW, pages_commit, random};
use crate::on_both;

on_both!(
    progress_is_emitted_only_when_counts_changed,
    credits_running_out_defers_progress_until_twelve_seconds_have_passed,
    deferred_progress_of_a_resumed_job_without_changes_is_dropped,
    events_of_an_account_are_read_without_gaps,
    concurrent_events_have_a_total_order,
    account_event_names_its_account,
    events_and_deliveries_are_purged_with_the_results,
);

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

async fn progress_is_emitted_only_when_counts_changed(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.append(&mut lease, 0..1).await;
    let at = |seconds| NOW.plus(Duration::from_secs(seconds));
    let nothing = Commit { steps: Vec::new() };
    for seconds in [12, 24, 36] {
        let appended = harness.store.append(&mut lease, &nothing, &[], &[], at(seconds)).await;
        appended.expect("it answers");
    }
    let emitted = harness.store.events(&job.id).await.expect("it answers");
    assert_eq!(emitted.len(), 1, "nothing has moved since");
    let (commit, items) = pages_commit(1..2);
    harness.store.append(&mut lease, &commit, &items, &[], at(37)).await.expect("it answers");
    let emitted = harness.store.events(&job.id).await.expect("it answers");
    assert_eq!(emitted.len(), 2, "and now it has");

    let all = harness.store.events(&job.id).await.expect("it answers");
    let latest = harness.store.latest_events(&job.id, 1).await.expect("it answers");
    assert_eq!(latest, all[all.len() - 1..], "the latest of them, in their order");
}

/// Parks the job for credits and resumes it, like a client that tops up at once.
async fn pause_and_resume(harness: &Harness, account: &contract::AccountId, at: contract::Millis) {
    let lease = harness.claim().await.expect("free again");
    harness.store.report(&lease, &JobCommand::Start, at).await.expect("it starts");
    harness.store.report(&lease, &JobCommand::ExhaustCredits, at).await.expect("it parks");
    let answer = contract::Confirm::default();
    harness.store.confirm(account, &lease.job, answer, at).await.expect("it goes on");
}

async fn credits_running_out_defers_progress_until_twelve_seconds_have_passed(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let at = |seconds| NOW.plus(Duration::from_secs(seconds));
    harness.append(&mut lease, 0..1).await;
    harness.store.release_lease(&harness.node, &lease).await.expect("it is given back");
    for seconds in [1, 2, 4] {
        pause_and_resume(&harness, &account, at(seconds)).await;
    }
    let mut lease = harness.claim().await.expect("free again");
    harness.store.report(&lease, &JobCommand::Start, at(5)).await.expect("it starts");
    let (commit, items) = pages_commit(1..2);
    harness.store.append(&mut lease, &commit, &items, &[], at(6)).await.expect("it answers");
    harness.store.report(&lease, &JobCommand::ExhaustCredits, at(7)).await.expect("it parks");
    let emitted = async || harness.store.events(&job.id).await.expect("it answers");
    assert_eq!(emitted().await.len(), 1, "one progress in the first seven seconds");
    // Deferred events are stored: another node emits them, once.
    let other = harness.other_node().await;
    assert_eq!(other.send_due_progress(at(11)).await.expect("it answers"), 0, "not due yet");
    let (here, there) =
        tokio::join!(harness.store.send_due_progress(at(12)), other.send_due_progress(at(12)));
    assert_eq!(here.expect("it answers") + there.expect("it answers"), 1);
    let events = emitted().await;
    assert_eq!(kinds(&events), ["job.progress", "job.progress"]);
    let EventData::Job { job: shown } = &events[1].data else { panic!("{events:?}") };
    assert_eq!((shown.status, shown.counts.results), (contract::Status::Paused, 2));
    assert_eq!(events[1].emitted_at, at(12));

    // A deferred event of a job that has ended is not emitted.
    let answer = contract::Confirm::default();
    harness.store.confirm(&account, &job.id, answer, at(13)).await.expect("it goes on");
    harness.store.release_lease(&harness.node, &lease).await.expect("it is given back");
    pause_and_resume(&harness, &account, at(14)).await;
    harness.store.abort(&account, &job.id, at(15)).await.expect("it is aborted");
    assert_eq!(harness.store.send_due_progress(at(60)).await.expect("it answers"), 0);
    assert_eq!(kinds(&emitted().await), ["job.progress", "job.progress", "job.aborted"]);
}

async fn deferred_progress_of_a_resumed_job_without_changes_is_dropped(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let at = |seconds| NOW.plus(Duration::from_secs(seconds));
    harness.append(&mut lease, 0..1).await;
    harness.store.release_lease(&harness.node, &lease).await.expect("it is given back");
    pause_and_resume(&harness, &account, at(1)).await;
    assert_eq!(harness.store.send_due_progress(at(12)).await.expect("it answers"), 0);
    assert_eq!(harness.store.send_due_progress(at(13)).await.expect("it answers"), 0);
    assert_eq!(harness.store.events(&job.id).await.expect("it answers").len(), 1);
}

async fn events_of_an_account_are_read_without_gaps(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 10).await, harness.account("b@x.org", 10).await);
    for host in ["a.example", "b.example", "c.example"] {
        let (_, mut lease) = harness.running(&ada, host).await;
        harness.append(&mut lease, 0..1).await;
        let done = JobCommand::Finish(RunEnding::Complete);
        harness.store.report(&lease, &done, NOW).await.expect("it ends");
    }
    harness.store.emit_recharge_failed(&bob, "no card", NOW).await.expect("it answers");
    let read = async |after: Option<&EventId>, most| {
        let read = harness.store.events_after(&ada, after, most).await.expect("it answers");
        read.expect("a place to begin")
    };
    let (all, more) = read(None, 100).await;
    assert_eq!((kinds(&all), more), (["job.progress", "job.completed"].repeat(3), false));
    let mut seen = Vec::new();
    loop {
        let (events, more) = read(seen.last().map(|event: &Event| &event.id), 4).await;
        seen.extend(events);
        if !more {
            break;
        }
    }
    assert_eq!(seen, all);
    assert_eq!(read(all.last().map(|event| &event.id), 4).await, (Vec::new(), false));
    let unknown = EventId::new(NOW, random());
    let theirs = harness.store.events_after(&bob, None, 9).await.expect("it answers");
    let theirs = theirs.expect("from the oldest").0;
    for foreign in [&unknown, &theirs[0].id] {
        let read = harness.store.events_after(&ada, Some(foreign), 4).await.expect("it answers");
        assert_eq!(read, None, "there is no such place");
    }
}

async fn concurrent_events_have_a_total_order(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let tellings = (0..20).map(|n| {
        let (store, account) = (harness.store.clone(), account.clone());
        tokio::spawn(async move {
            // The clocks of several nodes differ.
            let now = NOW.plus(Duration::from_millis(1_000 - n * 50));
            store.emit_recharge_failed(&account, "no card", now).await.expect("it answers");
        })
    });
    let tellings: Vec<_> = tellings.collect();
    // A concurrent reader has missed nothing before its last event.
    let mut seen: Vec<Event> = Vec::new();
    while seen.len() < 20 {
        let after = seen.last().map(|event| &event.id);
        let read = harness.store.events_after(&account, after, 3).await.expect("it answers");
        seen.extend(read.expect("a place to go on from").0);
    }
    for telling in tellings {
        telling.await.expect("no panic");
    }
    let all = harness.store.events_after(&account, None, 100).await.expect("it answers");
    assert_eq!(all.expect("from the oldest").0, seen);
}

async fn account_event_names_its_account(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let emitted = harness.store.emit_recharge_failed(&account, "the card expired", NOW).await;
    let emitted = emitted.expect("it answers");
    assert_eq!(emitted.kind, EventKind::BillingRechargeFailed);
    let reason = "the card expired".to_owned();
    assert_eq!(emitted.data, EventData::Account { account: account.clone(), reason });
    let read = harness.store.events_after(&account, None, 9).await.expect("it answers");
    assert_eq!(read.expect("from the oldest").0, [emitted]);
}

async fn events_and_deliveries_are_purged_with_the_results(harness: Harness) {
    const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);
    let account = harness.account("a@x.org", 10).await;
    let webhook = harness.webhook(&account, None).await.details.id;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    harness.append(&mut lease, 0..1).await;
    harness.store.emit_recharge_failed(&account, "no card", NOW).await.expect("it answers");
    harness.store.test_webhook(&account, &webhook, NOW).await.expect("it answers");
    let later = NOW.plus(Duration::from_secs(60));
    harness
        .store
        .report(&lease, &JobCommand::Finish(RunEnding::Complete), later)
        .await
        .expect("it ends");
    let kept = async |at| {
        harness.store.purge(MONTH, at).await.expect("it answers");
        let events = harness.store.events_after(&account, None, 9).await.expect("it answers");
        let events = events.expect("from the oldest").0.len();
        (events, harness.deliveries(&webhook).await.len())
    };
    assert_eq!(kept(NOW.plus(MONTH - Duration::from_secs(1))).await, (3, 4));
    assert_eq!(kept(NOW.plus(MONTH)).await, (2, 2), "what no job is behind goes by its age");
    assert_eq!(kept(later.plus(MONTH)).await, (0, 0), "and the rest with the job");
}
