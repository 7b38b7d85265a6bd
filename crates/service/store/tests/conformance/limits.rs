//! Limits and budgets of keys and applications.

use std::time::Duration;

use contract::{
    AccountId, ClientAuth, Confirm, Creator, Credits, ErrorCode, KeyId, KeyPrefix, Millis, Mode,
    OauthScope, Status, Units,
};
use job::{JobCommand, Refusal, RunEnding};
use store::{
    Appended, CommandError, Creation, KeyChange, Lease, LimitChange, NewKey, ScheduledJob,
    SlotOutcome,
};

use super::schedules::daily as every_morning;
use crate::harness::{Harness, NOW, new_contacts_job, new_job, pages_commit};
use crate::on_both;

on_both!(
    limits_are_stored_changed_and_removed,
    expired_key_is_rejected_and_does_not_count_as_valid,
    total_budget_stops_the_run_until_it_is_raised,
    daily_budget_starts_again_on_the_next_day,
    reservations_count_against_the_budget,
    two_runs_of_one_key_never_exceed_its_budget,
    lowered_budget_stops_reserved_runs_too,
    free_job_is_not_charged_to_the_budget,
    expired_grant_rejects_its_tokens_until_it_is_approved_again,
    changed_limits_apply_to_the_runs_of_a_schedule,
    oldest_unapproved_applications_are_dropped_first,
);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub async fn key(harness: &Harness, account: &AccountId, limits: LimitChange) -> (KeyId, String) {
    let new = NewKey {
        name: "ci".to_owned(),
        source: "direct".to_owned(),
        prefix: KeyPrefix::Live,
        limits,
    };
    let made = harness
        .store
        .create_key(account, new, NOW)
        .await
        .expect("it answers")
        .expect("below the limit");
    (made.details.id, made.key)
}

fn total(credits: i64) -> LimitChange {
    LimitChange { total_credits: Some(Some(Credits(credits))), ..LimitChange::default() }
}

fn daily(credits: i64) -> LimitChange {
    LimitChange { daily_credits: Some(Some(Credits(credits))), ..LimitChange::default() }
}

/// A started run of a key.
async fn running(harness: &Harness, account: &AccountId, key: &KeyId, host: &str) -> Lease {
    let mut new = new_job(account, host);
    new.draft.creator = Some(Creator::Key(key.clone()));
    harness.create(&new).await;
    let lease = harness.claim().await.expect("a free shard");
    harness.start(&lease).await;
    lease
}

async fn spent(harness: &Harness, account: &AccountId, key: &KeyId, now: Millis) -> (i64, i64) {
    let keys = harness.store.keys(account, now).await.expect("it answers");
    let limits = &keys.iter().find(|one| one.id == *key).expect("listed").limits;
    (limits.credits_today.0, limits.credits_used.0)
}

async fn limits_are_stored_changed_and_removed(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let limits = LimitChange {
        scopes: Some(vec![OauthScope::JobsRead, OauthScope::JobsWrite]),
        expires_at: Some(Some(NOW.plus(DAY))),
        networks: Some(vec!["192.0.2.0/24".to_owned(), "2001:db8::/32".to_owned()]),
        modes: Some(vec![Mode::Links]),
        daily_credits: Some(Some(Credits(10))),
        total_credits: Some(Some(Credits(100))),
    };
    let (id, secret) = key(&harness, &account, limits.clone()).await;
    let caller = harness.store.authenticate_key(&secret, NOW).await.expect("it answers");
    let found = caller.expect("known").key;
    assert_eq!(Some(&found.scopes), limits.scopes.as_ref());
    assert_eq!(Some(&found.limits.networks), limits.networks.as_ref());
    assert_eq!(found.limits.modes, [Mode::Links]);
    assert_eq!(found.limits.expires_at, Some(NOW.plus(DAY)));
    let budgets = (found.limits.daily_credits, found.limits.total_credits);
    assert_eq!(budgets, (Some(Credits(10)), Some(Credits(100))));

    let change = KeyChange {
        name: Some("nightly".to_owned()),
        limits: LimitChange {
            expires_at: Some(None),
            modes: Some(Vec::new()),
            ..LimitChange::default()
        },
    };
    let changed = harness.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
    let changed = changed.expect("it is there");
    assert_eq!((changed.name.as_str(), changed.limits.expires_at), ("nightly", None));
    assert!(changed.limits.modes.is_empty());
    assert_eq!(changed.limits.total_credits, Some(Credits(100)), "what is left out stays");
    let other = harness.account("b@x.org", 0).await;
    let foreign = harness.store.change_key(&other, &id, &change, NOW).await.expect("it answers");
    assert_eq!(foreign, None);
}

async fn expired_key_is_rejected_and_does_not_count_as_valid(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let expires_at = Some(Some(NOW.plus(DAY)));
    let limits = LimitChange { expires_at, ..LimitChange::default() };
    let (_, secret) = key(&harness, &account, limits).await;
    let found = async |now| {
        let caller = harness.store.authenticate_key(&secret, now).await.expect("it answers");
        (caller.is_some(), harness.store.live_keys(&account, now).await.expect("it answers"))
    };
    assert_eq!(found(NOW).await, (true, 1));
    assert_eq!(found(NOW.plus(DAY)).await, (false, 0));
}

async fn total_budget_stops_the_run_until_it_is_raised(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (id, _) = key(&harness, &account, total(5)).await;
    let mut lease = running(&harness, &account, &id, "example.com").await;
    let (mut commit, mut items) = pages_commit(0..8);
    let short = harness.store.append(&mut lease, &commit, &items, &[], NOW).await.expect("answers");
    assert_eq!(short, Appended::Short { covered: Units(5) });
    assert_eq!(harness.audit(&account).await.balance, Credits(100), "nothing was charged");
    items.truncate(commit.trim_to(5).items);
    let paid = harness.store.append(&mut lease, &commit, &items, &[], NOW).await.expect("answers");
    assert_eq!(paid, Appended::Stored);
    assert_eq!(spent(&harness, &account, &id, NOW).await, (5, 5));
    let parked =
        harness.store.report(&lease, &JobCommand::ExhaustCredits, NOW).await.expect("parks");
    let error = parked.error.clone().expect("a reason");
    assert_eq!((parked.status, error.code), (Status::Paused, ErrorCode::CreditsExhausted));
    assert!(error.message.contains("budget"), "{}", error.message);

    let confirm =
        async || harness.store.confirm(&account, &parked.id, Confirm::default(), NOW).await;
    let refused = confirm().await;
    let used_up = Refusal::BudgetExhausted { required: Credits(1), available: Credits(0) };
    assert!(matches!(refused, Err(CommandError::Refused(refusal)) if refusal == used_up));
    let change = KeyChange { limits: total(7), ..KeyChange::default() };
    harness.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
    assert_eq!(confirm().await.expect("it goes on").status, Status::Queued);
    let mut lease = harness.claim().await.expect("free again");
    harness.start(&lease).await;
    assert_eq!(harness.append(&mut lease, 5..7).await, Appended::Stored);
    assert_eq!(harness.append(&mut lease, 7..8).await, Appended::Short { covered: Units(0) });
    assert_eq!(harness.audit(&account).await.balance, Credits(93));
}

async fn daily_budget_starts_again_on_the_next_day(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (id, _) = key(&harness, &account, daily(3)).await;
    let mut lease = running(&harness, &account, &id, "example.com").await;
    assert_eq!(harness.append(&mut lease, 0..3).await, Appended::Stored);
    assert_eq!(harness.append(&mut lease, 3..4).await, Appended::Short { covered: Units(0) });
    let tomorrow = NOW.plus(DAY);
    let (commit, items) = pages_commit(3..6);
    let paid = harness.store.append(&mut lease, &commit, &items, &[], tomorrow).await;
    assert_eq!(paid.expect("it answers"), Appended::Stored);
    assert_eq!(spent(&harness, &account, &id, tomorrow).await, (3, 6));
    assert_eq!(spent(&harness, &account, &id, tomorrow.plus(DAY)).await, (0, 6));
}

async fn reservations_count_against_the_budget(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (id, _) = key(&harness, &account, total(25)).await;
    let contacts = |domains: &[&str]| {
        let mut new = new_contacts_job(&account, domains);
        new.draft.creator = Some(Creator::Key(id.clone()));
        new
    };
    harness.create(&contacts(&["a.org", "b.org"])).await;
    let second = contacts(&["c.org"]);
    let refused = harness.store.create_job(&second, NOW).await.expect("it answers");
    let used_up = Refusal::BudgetExhausted { required: Credits(10), available: Credits(5) };
    assert_eq!(refused, Creation::Refused(used_up));
    let lease = harness.claim().await.expect("a free shard");
    harness.start(&lease).await;
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&lease, &done, NOW).await.expect("it ends");
    harness.create(&second).await;
    assert_eq!(harness.audit(&account).await.reserved, Credits(10), "the first was released");
}

async fn two_runs_of_one_key_never_exceed_its_budget(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (id, _) = key(&harness, &account, total(41)).await;
    let mut runs = Vec::new();
    for host in ["one.org", "two.org"] {
        let mut lease = running(&harness, &account, &id, host).await;
        let store = harness.store.clone();
        runs.push(tokio::spawn(async move {
            let mut delivered = 0;
            for n in 0..40_u32 {
                let (mut commit, mut items) = pages_commit(n * 3..n * 3 + 3);
                loop {
                    let appended = store.append(&mut lease, &commit, &items, &[], NOW).await;
                    match appended.expect("it answers") {
                        Appended::Stored => {
                            delivered += items.len();
                            break;
                        }
                        Appended::Short { covered: Units(0) } => return delivered,
                        Appended::Short { covered } => {
                            items.truncate(commit.trim_to(covered.0).items);
                        }
                        Appended::Lost => panic!("the lease was lost"),
                    }
                }
            }
            delivered
        }));
    }
    let mut delivered = 0;
    for run in runs {
        delivered += run.await.expect("no panic");
    }
    assert_eq!(delivered, 41);
    assert_eq!(harness.audit(&account).await.balance, Credits(959));
    assert_eq!(spent(&harness, &account, &id, NOW).await, (41, 41));
}

async fn lowered_budget_stops_reserved_runs_too(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (id, _) = key(&harness, &account, total(10)).await;
    let mut first = running(&harness, &account, &id, "one.org").await;
    let mut second = running(&harness, &account, &id, "two.org").await;
    assert_eq!(harness.append(&mut first, 0..4).await, Appended::Stored);
    let change = KeyChange { limits: total(2), ..KeyChange::default() };
    harness.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
    assert_eq!(harness.append(&mut second, 0..1).await, Appended::Short { covered: Units(0) });
}

async fn free_job_is_not_charged_to_the_budget(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let (id, _) = key(&harness, &account, total(1)).await;
    let mut new = new_job(&account, "shop.lab.test");
    new.draft.creator = Some(Creator::Key(id.clone()));
    new.draft.free = true;
    let created = harness.create(&new).await;
    let mut lease = harness.claim().await.expect("a free shard");
    harness.start(&lease).await;
    assert_eq!(harness.append(&mut lease, 0..5).await, Appended::Stored);
    let job = harness.job(&created.accepted.job_id).await;
    assert_eq!((job.credits_used, job.units, job.free), (Credits(0), Units(5), true));
    assert_eq!(harness.audit(&account).await.used, Credits(0));
    assert_eq!(spent(&harness, &account, &id, NOW).await, (0, 0));
}

async fn expired_grant_rejects_its_tokens_until_it_is_approved_again(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await;
    let token = harness.access_token(&account, &application.id).await;
    let expires_at = Some(Some(NOW.plus(Duration::from_secs(60))));
    let change = LimitChange { expires_at, ..LimitChange::default() };
    let id = &application.id;
    assert!(store.change_application_limits(&account, id, &change).await.expect("it answers"));
    let found = store.authenticate_access_token(&token, NOW).await.expect("it answers");
    assert_eq!(found.expect("still good").limits.expires_at, expires_at.flatten());
    let later = NOW.plus(Duration::from_secs(60));
    assert_eq!(store.authenticate_access_token(&token, later).await.expect("it answers"), None);
    harness.code(&account, id).await;
    let still = store.authenticate_access_token(&token, later).await.expect("it answers");
    assert_eq!(still, None, "an approval before the expiry changes nothing about it");
    store.disconnect_application(&account, id).await.expect("it answers");
    let token = harness.access_token(&account, id).await;
    let found = store.authenticate_access_token(&token, later).await.expect("it answers");
    assert_eq!(found.expect("a new connection").limits.expires_at, None);
}

async fn changed_limits_apply_to_the_runs_of_a_schedule(harness: Harness) {
    let account = harness.account("a@x.org", 1_000).await;
    let (id, _) = key(&harness, &account, LimitChange::default()).await;
    let mut new = new_job(&account, "example.com");
    new.draft.creator = Some(Creator::Key(id.clone()));
    let mut job = ScheduledJob::of(new);
    job.address = Some([192, 0, 2, 7].into());
    let schedule = harness.store.create_schedule(&account, every_morning(job, NOW), NOW).await;
    let schedule = schedule.expect("it answers").expect("below the limit").id;
    let networks = |network: &str| Some(vec![network.to_owned()]);
    let unlimited = || LimitChange {
        scopes: Some(Vec::new()),
        expires_at: Some(None),
        networks: Some(Vec::new()),
        modes: Some(Vec::new()),
        daily_credits: Some(None),
        total_credits: Some(None),
    };
    let cases = [
        (LimitChange { modes: Some(vec![Mode::Markdown]), ..unlimited() }, "of mode links"),
        (LimitChange { expires_at: Some(Some(NOW)), ..unlimited() }, "expired at"),
        (LimitChange { networks: networks("198.51.100.0/24"), ..unlimited() }, "the address"),
        (LimitChange { scopes: Some(vec![OauthScope::JobsRead]), ..unlimited() }, "jobs:write"),
        (LimitChange { total_credits: Some(Some(Credits(0))), ..unlimited() }, "budget"),
    ];
    let rules = store::SlotRules { tolerance: Duration::from_secs(3_600), batch_size: 500 };
    let mut slot = NOW;
    for (limits, why) in cases {
        let change = KeyChange { name: None, limits };
        harness.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
        let outcome = harness.store.start_due(&schedule, rules, slot).await.expect("it answers");
        let Some(SlotOutcome::Failed { job, code }) = outcome else { panic!("{why}: {outcome:?}") };
        assert_eq!(code, ErrorCode::ScheduleStartFailed, "{why}");
        let error = harness.job(&job).await.public().error.expect("an error");
        assert!(error.message.contains(why), "{}", error.message);
        slot = slot.plus(DAY);
    }
    let fitting = LimitChange {
        scopes: Some(vec![OauthScope::JobsWrite]),
        expires_at: Some(Some(slot.plus(DAY))),
        networks: networks("192.0.2.0/24"),
        modes: Some(vec![Mode::Links]),
        ..unlimited()
    };
    let change = KeyChange { name: None, limits: fitting };
    harness.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
    let outcome = harness.store.start_due(&schedule, rules, slot).await.expect("it answers");
    assert!(matches!(outcome, Some(SlotOutcome::Started(_))), "{outcome:?}");
}

async fn oldest_unapproved_applications_are_dropped_first(harness: Harness) {
    let harness = harness.with(|settings| settings.unapproved_applications = 2).await;
    let account = harness.account("a@x.org", 0).await;
    let mut made = Vec::new();
    for n in 0..4 {
        let at = NOW.plus(Duration::from_secs(n));
        made.push(harness.application_at(ClientAuth::None, at).await.id);
        if n == 0 {
            harness.code(&account, &made[0]).await;
        }
    }
    let known = async |id| harness.store.application(id).await.expect("it answers").is_some();
    assert!(known(&made[0]).await, "a person has approved it");
    assert!(!known(&made[1]).await, "the oldest of three unapproved ones");
    assert!(known(&made[2]).await && known(&made[3]).await);
}
