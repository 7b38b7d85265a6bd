//! Schedules: limited in number, changed in part, removed without their runs.

use std::time::Duration;

use contract::{Millis, ScheduleId};
use store::{NewSchedule, PageRequest, ScheduleChange, ScheduledJob, Store, StoreSettings};

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

on_both!(
    schedule_is_stored_as_it_was_created,
    page_of_schedules_ends_at_sixteen_mebibytes,
    omitted_fields_of_a_change_stay,
    account_has_at_most_the_allowed_schedules,
    schedule_of_another_account_is_not_found,
);

const PAGE: PageRequest = PageRequest { number: 1, size: 100 };

pub fn daily(job: ScheduledJob, next_at: Millis) -> NewSchedule {
    NewSchedule {
        name: "Every morning".to_owned(),
        cron: "30 9 * * *".to_owned(),
        timezone: "UTC".to_owned(),
        job,
        paused: false,
        next_at,
        created_by: None,
    }
}

async fn schedule_is_stored_as_it_was_created(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let job = ScheduledJob::of(new_job(&account, "example.com"));
    let made = harness.store.create_schedule(&account, daily(job.clone(), NOW), NOW).await;
    let made = made.expect("it answers").expect("below the limit");
    assert_eq!((made.job.clone(), made.next_at, &made.last_run), (job, NOW, &None));
    let read = harness.store.schedule_of(&account, &made.id).await.expect("it answers");
    assert_eq!(read, Some(made.clone()));
    let (all, total) = harness.store.schedules(Some(&account), PAGE).await.expect("it answers");
    assert_eq!((all, total), (vec![made.clone()], 1));
    let (all, total) = harness.store.schedules(None, PAGE).await.expect("it answers");
    assert_eq!((all, total), (vec![made.clone()], 1), "the operator sees all");
    assert!(harness.store.remove_schedule(&account, &made.id).await.expect("it answers"));
    assert!(!harness.store.remove_schedule(&account, &made.id).await.expect("it answers"));
    assert_eq!(harness.store.schedule(&made.id).await.expect("it answers"), None);
}

async fn page_of_schedules_ends_at_sixteen_mebibytes(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let mut made = Vec::new();
    for n in 0..4 {
        let mut job = ScheduledJob::of(new_job(&account, "example.com"));
        // The newest one is small.
        let bytes = if n < 3 { 7 << 20 } else { 10 };
        job.inputs = vec!["x".repeat(bytes)];
        let at = NOW.plus(Duration::from_secs(n));
        let new = harness.store.create_schedule(&account, daily(job, NOW), at).await;
        made.push(new.expect("it answers").expect("below the limit").id);
    }
    made.reverse();
    let page = async |number: u64, size: u64| {
        let page = PageRequest { number, size };
        let found = harness.store.schedules_on_page(&account, page).await;
        let (schedules, numbers, total) = found.expect("it answers");
        assert_eq!(total, 4);
        (schedules.into_iter().map(|one| one.id).collect::<Vec<_>>(), numbers)
    };
    assert_eq!(page(1, 100).await, (made[..3].to_vec(), 0..3));
    assert_eq!(page(2, 100).await, (made[3..].to_vec(), 3..4));
    assert_eq!(page(3, 100).await, (vec![], 4..4));
    assert_eq!(page(2, 2).await, (made[2..].to_vec(), 2..4));
}

async fn omitted_fields_of_a_change_stay(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let job = ScheduledJob::of(new_job(&account, "example.com"));
    let made = harness.store.create_schedule(&account, daily(job, NOW), NOW).await;
    let made = made.expect("it answers").expect("below the limit");
    let change = async |change: ScheduleChange| {
        let changed = harness.store.change_schedule(&account, &made.id, &change).await;
        changed.expect("it answers").expect("it is there")
    };
    let same = change(ScheduleChange::default()).await;
    assert_eq!(same, made);
    let renamed = change(ScheduleChange { name: Some("N".into()), ..Default::default() }).await;
    assert_eq!((renamed.name.as_str(), renamed.next_at), ("N", NOW));
    let other = ScheduledJob::of(new_job(&account, "example.org"));
    let moved = change(ScheduleChange {
        cron: Some("@hourly".into()),
        timezone: Some("Europe/Berlin".into()),
        job: Some(other.clone()),
        paused: Some(true),
        next_at: Some(Millis(NOW.0 + 1)),
        ..Default::default()
    })
    .await;
    assert_eq!((moved.cron.as_str(), moved.timezone.as_str()), ("@hourly", "Europe/Berlin"));
    assert_eq!((moved.job, moved.paused, moved.next_at.0), (other, true, NOW.0 + 1));
    assert_eq!((moved.name.as_str(), moved.created_at), ("N", NOW));
}

async fn account_has_at_most_the_allowed_schedules(harness: Harness) {
    let few = StoreSettings { schedules: 3, ..harness.settings.clone() };
    let store = Store::new(few).expect("an address");
    store.prepare().await.expect("the tables are there");
    let account = harness.account("a@x.org", 10).await;
    let attempts: Vec<_> = (0..8)
        .map(|n| {
            let job = ScheduledJob::of(new_job(&account, &format!("h{n}.org")));
            let (store, account) = (store.clone(), account.clone());
            tokio::spawn(async move { store.create_schedule(&account, daily(job, NOW), NOW).await })
        })
        .collect();
    let mut made = 0;
    for attempt in attempts {
        made += u32::from(attempt.await.expect("no panic").expect("it answers").is_some());
    }
    assert_eq!(made, 3);
}

async fn schedule_of_another_account_is_not_found(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 10).await, harness.account("b@x.org", 10).await);
    let job = ScheduledJob::of(new_job(&ada, "example.com"));
    let made = harness.store.create_schedule(&ada, daily(job, NOW), NOW).await;
    let id: ScheduleId = made.expect("it answers").expect("below the limit").id;
    let store = &harness.store;
    assert_eq!(store.schedule_of(&bob, &id).await.expect("it answers"), None);
    let pause = ScheduleChange { paused: Some(true), ..Default::default() };
    assert_eq!(store.change_schedule(&bob, &id, &pause).await.expect("it answers"), None);
    assert!(!store.remove_schedule(&bob, &id).await.expect("it answers"));
    assert_eq!(store.run_schedule(&bob, &id, (100, None), NOW).await.expect("it answers"), None);
    assert_eq!(store.schedules(Some(&bob), PAGE).await.expect("it answers"), (vec![], 0));
}
