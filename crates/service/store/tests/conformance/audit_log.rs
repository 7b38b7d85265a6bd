//! The audit log: which changes are recorded, filters, retention.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use contract::{
    AccountId, AuditAction, AuditActorKind, AuditEntry, ClientAuth, Creator, Credits, ExportFormat,
    KeyPrefix, Millis, Mode, OauthScopes, RequestId,
};
use privacy::OptOut;
use serde_json::{Value, json};
use store::{
    Approval, AuditFilter, AuditOrigin, EraseMode, KeyChange, LimitChange, NewKey, PageRequest,
    ScheduleChange, ScheduledJob, TopUpChange,
};

use super::schedules::daily;
use crate::harness::{Harness, NOW, new_job, random};
use crate::on_both;

on_both!(
    changes_are_recorded_with_actor_address_and_request,
    changes_without_effect_are_not_recorded,
    changed_limits_are_recorded_with_their_values,
    changes_of_schedules_are_recorded,
    entries_are_filtered_and_paged_newest_first,
    entries_are_deleted_after_their_retention,
    erasure_is_recorded_without_the_person,
);

const FIRST: PageRequest = PageRequest { number: 1, size: 100 };

fn new_key(name: &str) -> NewKey {
    NewKey {
        name: name.to_owned(),
        source: "direct".to_owned(),
        prefix: KeyPrefix::Live,
        limits: store::LimitChange::default(),
    }
}

async fn entries(harness: &Harness, filter: &AuditFilter) -> Vec<AuditEntry> {
    harness.store.audit_entries(filter, FIRST).await.expect("it answers").0
}

fn of(account: &AccountId) -> AuditFilter {
    AuditFilter { account: Some(account.clone()), ..AuditFilter::default() }
}

async fn changes_are_recorded_with_actor_address_and_request(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let request = RequestId::new(NOW, random());
    let at = NOW.plus(Duration::from_secs(1));
    let origin = AuditOrigin {
        address: Some(IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7))),
        request: Some(request.clone()),
        at: Some(at),
        ..AuditOrigin::of(AuditActorKind::Session, Some(account.to_string()))
    };
    let store = harness.store.acting(origin);
    let key = store.create_key(&account, new_key("nightly"), at).await.expect("it answers");
    let key = key.expect("below the limit").details.id;
    let created = harness.create(&new_job(&account, "a.example")).await.accepted.job_id;
    store
        .create_export(&created, ExportFormat::Csv, store::ExportPart::default(), at, at)
        .await
        .expect("it answers");
    let change = TopUpChange { threshold: Some(Credits(5)), ..TopUpChange::default() };
    store.set_auto_top_up(&account, change).await.expect("it answers");
    let last = NOW.plus(Duration::from_secs(2));
    store.revoke_key(&account, &key, last).await.expect("it answers");
    harness.store.grant("a@x.org", Credits(7), last).await.expect("it answers");

    let all = entries(&harness, &of(&account)).await;
    let mut actions: Vec<_> = all.iter().map(|entry| entry.action.as_str()).collect();
    actions.sort_unstable();
    assert_eq!(
        actions,
        [
            "account.created",
            "credits.granted",
            "credits.granted",
            "export.created",
            "key.created",
            "key.revoked",
            "settings.changed",
        ]
    );
    let made = all.iter().find(|entry| entry.action == AuditAction::KeyCreated).expect("recorded");
    assert_eq!((made.at, made.actor.kind), (at, AuditActorKind::Session));
    assert_eq!(made.actor.id.as_deref(), Some(account.as_str()));
    assert_eq!(made.object.as_ref().map(|object| object.id.as_str()), Some(key.as_str()));
    assert_eq!(
        (made.address.as_deref(), made.request_id.as_ref()),
        (Some("203.0.113.7"), Some(&request))
    );
    assert_eq!(made.details["name"], "nightly");
    let granted = all.iter().find(|entry| entry.action == AuditAction::CreditsGranted);
    let granted = granted.expect("recorded");
    assert_eq!((granted.actor.kind, granted.address.as_ref()), (AuditActorKind::System, None));
    assert!(!format!("{all:?}").contains("key_live_"), "no secret is recorded");
}

async fn changes_without_effect_are_not_recorded(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 0).await, harness.account("b@x.org", 0).await);
    let store = &harness.store;
    let key = store.create_key(&ada, new_key("one"), NOW).await.expect("it answers");
    let key = key.expect("below the limit").details.id;
    assert!(store.revoke_key(&bob, &key, NOW).await.expect("it answers").is_none());
    let too_much = store.grant("b@x.org", Credits(i64::MAX), NOW).await.expect("it answers");
    assert!(too_much.is_none());
    store.revoke_key(&ada, &key, NOW).await.expect("it answers");
    let later = NOW.plus(Duration::from_secs(60));
    store.revoke_key(&ada, &key, later).await.expect("it answers");
    let revoked = AuditFilter { action: Some(AuditAction::KeyRevoked), ..AuditFilter::default() };
    assert_eq!(entries(&harness, &revoked).await.len(), 1, "revoking twice records once");
    let bobs: Vec<_> = entries(&harness, &of(&bob)).await;
    assert_eq!(bobs.len(), 1, "only the creation of the account: {bobs:?}");
}

async fn changed_limits_are_recorded_with_their_values(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let store = &harness.store;
    let budget = |credits| LimitChange {
        total_credits: Some(Some(Credits(credits))),
        modes: Some(vec![Mode::Links]),
        ..LimitChange::default()
    };
    let new = NewKey { limits: budget(10), ..new_key("nightly") };
    let key = store.create_key(&account, new, NOW).await.expect("it answers");
    let key = key.expect("below the limit").details.id;
    let application = harness.application(ClientAuth::None).await.id;
    let approval = Approval { limits: budget(10), ..harness.approval(&account, &application) };
    store.approve(&approval, NOW).await.expect("it answers");
    let hook = harness.webhook(&account, None).await.details.id;
    // Each twice: the second changes nothing.
    for _ in 0..2 {
        let change = KeyChange { limits: budget(10_000_000), ..KeyChange::default() };
        store.change_key(&account, &key, &change, NOW).await.expect("it answers");
        let more = budget(20);
        store.change_application_limits(&account, &application, &more).await.expect("it answers");
        store.change_webhook(&account, &hook, Some(false), None).await.expect("it answers");
        store.set_assistants_may_accept_legal_basis(&account, true).await.expect("it answers");
    }
    let mut recorded: Vec<_> = entries(&harness, &of(&account))
        .await
        .into_iter()
        .map(|entry| (entry.action.as_str(), Value::Object(entry.details)))
        .filter(|(action, _)| !matches!(*action, "account.created" | "webhook.created"))
        .collect();
    recorded.sort_by_key(|(action, _)| *action);
    let limits = json!({"total_credits": 10, "modes": ["links"]});
    let with = |name: &str, value: Value| {
        let mut limits = limits.clone();
        limits[name] = value;
        limits
    };
    assert_eq!(
        recorded,
        [
            ("grant.changed", json!({"total_credits": 20})),
            ("grant.created", with("scopes", json!(OauthScopes::all().to_string()))),
            ("key.changed", json!({"total_credits": 10_000_000})),
            ("key.created", with("name", json!("nightly"))),
            ("settings.changed", json!({"enabled": true})),
            ("webhook.changed", json!({"active": false})),
        ]
    );
}

async fn changes_of_schedules_are_recorded(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let store = &harness.store;
    let key = store.create_key(&account, new_key("one"), NOW).await.expect("it answers");
    let key = key.expect("below the limit").details.id;
    let mut new = daily(ScheduledJob::of(new_job(&account, "example.com")), NOW);
    new.created_by = Some(Creator::Key(key.clone()));
    let second = |n: u64| NOW.plus(Duration::from_secs(n));
    let at = |n: u64| {
        let mut origin = AuditOrigin::of(AuditActorKind::Session, None);
        origin.at = Some(second(n));
        store.acting(origin)
    };
    let id = at(1).create_schedule(&account, new, second(1)).await.expect("it answers");
    let id = id.expect("below the limit").id;
    let pause = ScheduleChange { paused: Some(true), ..ScheduleChange::default() };
    let resume = ScheduleChange { paused: Some(false), ..ScheduleChange::default() };
    let mut job = ScheduledJob::of(new_job(&account, "example.org"));
    job.creator = Some(Creator::Key(key.clone()));
    let job = Some(job);
    let other = ScheduleChange { cron: Some("@hourly".into()), job, ..Default::default() };
    for (n, change) in [(2, &pause), (3, &resume), (4, &other), (5, &ScheduleChange::default())] {
        at(n).change_schedule(&account, &id, change).await.expect("it answers").expect("there");
    }
    at(6).revoke_key_and_pause(&account, &key, second(6)).await.expect("it answers");
    assert!(at(7).remove_schedule(&account, &id).await.expect("it answers"));
    assert!(!at(8).remove_schedule(&account, &id).await.expect("it answers"));
    assert_eq!(at(8).change_schedule(&account, &id, &pause).await.expect("it answers"), None);

    let recorded: Vec<_> = entries(&harness, &of(&account))
        .await
        .into_iter()
        .rev()
        .filter(|entry| entry.action.as_str().starts_with("schedule."))
        .inspect(|entry| {
            let object = entry.object.as_ref().expect("an object");
            assert_eq!((object.kind.as_str(), object.id.as_str()), ("schedule", id.as_str()));
            assert_eq!(entry.actor.kind, AuditActorKind::Session);
        })
        .map(|entry| (entry.at, entry.action.as_str(), Value::Object(entry.details)))
        .collect();
    let created = json!({"name": "Every morning", "cron": "30 9 * * *", "mode": "links",
        "host": "example.com", "paused": false});
    let moved = json!({"cron": "@hourly", "mode": "links", "host": "example.org"});
    assert_eq!(
        recorded,
        [
            (second(1), "schedule.created", created),
            (second(2), "schedule.changed", json!({"paused": true})),
            (second(3), "schedule.changed", json!({"paused": false})),
            (second(4), "schedule.changed", moved),
            (second(6), "schedule.changed", json!({"paused": true})),
            (second(7), "schedule.removed", json!({})),
        ]
    );
}

async fn entries_are_filtered_and_paged_newest_first(harness: Harness) {
    let (ada, bob) = (harness.account("a@x.org", 0).await, harness.account("b@x.org", 0).await);
    for minute in 1..=4 {
        let at = NOW.plus(Duration::from_secs(60 * minute));
        harness.store.create_key(&ada, new_key(&minute.to_string()), at).await.expect("it answers");
    }
    harness.store.create_key(&bob, new_key("bob"), NOW).await.expect("it answers");
    let minute = |n: u64| NOW.plus(Duration::from_secs(60 * n));
    let filter = AuditFilter {
        action: Some(AuditAction::KeyCreated),
        from: Some(minute(2)),
        to: Some(minute(4)),
        ..of(&ada)
    };
    let times: Vec<Millis> =
        entries(&harness, &filter).await.iter().map(|entry| entry.at).collect();
    assert_eq!(times, [minute(3), minute(2)], "`to` is exclusive, newest first");

    let page = |number| PageRequest { number, size: 3 };
    let (first, more) = harness.store.audit_entries(&of(&ada), page(1)).await.expect("it answers");
    let (second, last) = harness.store.audit_entries(&of(&ada), page(2)).await.expect("it answers");
    assert_eq!((first.len(), more, second.len(), last), (3, true, 2, false));
    let everyone = entries(&harness, &AuditFilter::default()).await;
    assert_eq!(everyone.len(), 7, "the operator's list has both accounts");
}

async fn entries_are_deleted_after_their_retention(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let keep = harness.settings.keep_audit;
    let just_before = Millis(NOW.plus(keep).0 - 1);
    harness.store.purge(keep, just_before).await.expect("it answers");
    assert_eq!(entries(&harness, &of(&account)).await.len(), 1);
    harness.store.purge(keep, NOW.plus(keep)).await.expect("it answers");
    assert!(entries(&harness, &of(&account)).await.is_empty());
}

async fn erasure_is_recorded_without_the_person(harness: Harness) {
    let person = OptOut::list("ada@example.com").expect("an address").remove(0);
    let store = harness.store.acting(AuditOrigin::command_line());
    store.erase(&person, EraseMode::DryRun, NOW).await.expect("it answers");
    assert!(entries(&harness, &AuditFilter::default()).await.is_empty(), "nothing was changed");
    store.erase(&person, EraseMode::Apply, NOW).await.expect("it answers");
    let all = entries(&harness, &AuditFilter::default()).await;
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].action, &all[0].account_id), (AuditAction::ErasureRequested, &None));
    assert_eq!(all[0].actor.kind, AuditActorKind::Operator);
    assert!(!format!("{all:?}").contains("ada@"), "{all:?}");
}
