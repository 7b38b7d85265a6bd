//! The limits of keys and applications, and the budgets that their jobs are charged to.

use std::time::Duration;

use contract::{
    AccountId, AuditAction, ClientAuth, Confirm, Creator, Credits, ErrorCode, KeyId, KeyPrefix,
    Millis, Mode, OauthScope, Status, Units,
};
use job::{Command, Ending, Refusal};
use sqlx::AnyPool;
use store::{
    Appended, AuditFilter, CodeShown, CommandError, Creation, CredentialId, KeyChange, Lease,
    LimitChange, NewKey, NewSchedule, NewWebhook, ScheduleChange, SlotOutcome, StandingOrder,
    StoreError,
};

use super::schedules::daily as every_morning;
use crate::bench::{Bench, NOW, VERIFIER, new_contacts_job, new_job, pages_commit};
use crate::on_both;

on_both!(
    limits_are_stored_changed_and_removed,
    expired_key_is_refused_and_does_not_count_as_live,
    total_budget_stops_the_run_until_it_is_raised,
    daily_budget_starts_again_on_the_next_day,
    reservations_count_against_the_budget,
    two_runs_of_one_key_never_exceed_its_budget,
    lowered_budget_stops_even_what_was_reserved,
    free_job_costs_nothing_and_is_not_booked,
    expired_grant_refuses_its_tokens_until_it_is_approved_again,
    changed_limits_hold_for_the_runs_of_a_schedule,
    revoking_a_key_pauses_what_it_made_on_request,
    revoked_credential_makes_nothing,
    credential_is_accepted_until_it_ends,
    revoked_credential_changes_no_schedule,
    disconnecting_an_application_pauses_what_it_made,
    last_authorization_of_an_application_pauses_what_it_made,
    authorizations_that_end_at_once_pause_what_the_application_made,
    application_that_lapses_pauses_what_it_made,
    oldest_unapproved_applications_are_dropped_first,
);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn key(bench: &Bench, account: &AccountId, limits: LimitChange) -> (KeyId, String) {
    let new = NewKey {
        name: "ci".to_owned(),
        source: "direct".to_owned(),
        prefix: KeyPrefix::Live,
        limits,
    };
    let made = bench.store.create_key(account, new, NOW).await.expect("it answers").expect("room");
    (made.details.id, made.key)
}

fn total(credits: i64) -> LimitChange {
    LimitChange { total_credits: Some(Some(Credits(credits))), ..LimitChange::default() }
}

fn daily(credits: i64) -> LimitChange {
    LimitChange { daily_credits: Some(Some(Credits(credits))), ..LimitChange::default() }
}

/// A run of a key that a worker has taken up.
async fn running(bench: &Bench, account: &AccountId, key: &KeyId, host: &str) -> Lease {
    let mut new = new_job(account, host);
    new.draft.creator = Some(Creator::Key(key.clone()));
    bench.create(&new).await;
    let lease = bench.claim().await.expect("a free shard");
    bench.start(&lease).await;
    lease
}

async fn spent(bench: &Bench, account: &AccountId, key: &KeyId, now: Millis) -> (i64, i64) {
    let keys = bench.store.keys(account, now).await.expect("it answers");
    let limits = &keys.iter().find(|one| one.id == *key).expect("listed").limits;
    (limits.credits_today.0, limits.credits_used.0)
}

async fn limits_are_stored_changed_and_removed(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let limits = LimitChange {
        scopes: Some(vec![OauthScope::JobsRead, OauthScope::JobsWrite]),
        expires_at: Some(Some(NOW.plus(DAY))),
        networks: Some(vec!["192.0.2.0/24".to_owned(), "2001:db8::/32".to_owned()]),
        modes: Some(vec![Mode::Links]),
        daily_credits: Some(Some(Credits(10))),
        total_credits: Some(Some(Credits(100))),
    };
    let (id, secret) = key(&bench, &account, limits.clone()).await;
    let caller = bench.store.authenticate_key(&secret, NOW).await.expect("it answers");
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
    let changed = bench.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
    let changed = changed.expect("it is there");
    assert_eq!((changed.name.as_str(), changed.limits.expires_at), ("nightly", None));
    assert!(changed.limits.modes.is_empty());
    assert_eq!(changed.limits.total_credits, Some(Credits(100)), "what is left out stays");
    let other = bench.account("b@x.org", 0).await;
    let foreign = bench.store.change_key(&other, &id, &change, NOW).await.expect("it answers");
    assert_eq!(foreign, None);
}

async fn expired_key_is_refused_and_does_not_count_as_live(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let expires_at = Some(Some(NOW.plus(DAY)));
    let limits = LimitChange { expires_at, ..LimitChange::default() };
    let (_, secret) = key(&bench, &account, limits).await;
    let found = async |now| {
        let caller = bench.store.authenticate_key(&secret, now).await.expect("it answers");
        (caller.is_some(), bench.store.live_keys(&account, now).await.expect("it answers"))
    };
    assert_eq!(found(NOW).await, (true, 1));
    assert_eq!(found(NOW.plus(DAY)).await, (false, 0));
}

async fn total_budget_stops_the_run_until_it_is_raised(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (id, _) = key(&bench, &account, total(5)).await;
    let mut lease = running(&bench, &account, &id, "example.com").await;
    let (mut commit, mut items) = pages_commit(0..8);
    let short = bench.store.append(&mut lease, &commit, &items, &[], NOW).await.expect("answers");
    assert_eq!(short, Appended::Short { covered: Units(5) });
    assert_eq!(bench.audit(&account).await.balance, Credits(100), "nothing was charged");
    items.truncate(commit.trim_to(5).items);
    let paid = bench.store.append(&mut lease, &commit, &items, &[], NOW).await.expect("answers");
    assert_eq!(paid, Appended::Stored);
    assert_eq!(spent(&bench, &account, &id, NOW).await, (5, 5));
    let parked = bench.store.report(&lease, &Command::ExhaustCredits, NOW).await.expect("parks");
    let error = parked.error.clone().expect("a reason");
    assert_eq!((parked.status, error.code), (Status::Paused, ErrorCode::CreditsExhausted));
    assert!(error.message.contains("budget"), "{}", error.message);

    let confirm = async || bench.store.confirm(&account, &parked.id, Confirm::default(), NOW).await;
    let refused = confirm().await;
    let used_up = Refusal::BudgetUsedUp { required: Credits(1), available: Credits(0) };
    assert!(matches!(refused, Err(CommandError::Refused(refusal)) if refusal == used_up));
    let change = KeyChange { limits: total(7), ..KeyChange::default() };
    bench.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
    assert_eq!(confirm().await.expect("it goes on").status, Status::Queued);
    let mut lease = bench.claim().await.expect("free again");
    bench.start(&lease).await;
    assert_eq!(bench.append(&mut lease, 5..7).await, Appended::Stored);
    assert_eq!(bench.append(&mut lease, 7..8).await, Appended::Short { covered: Units(0) });
    assert_eq!(bench.audit(&account).await.balance, Credits(93));
}

async fn daily_budget_starts_again_on_the_next_day(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (id, _) = key(&bench, &account, daily(3)).await;
    let mut lease = running(&bench, &account, &id, "example.com").await;
    assert_eq!(bench.append(&mut lease, 0..3).await, Appended::Stored);
    assert_eq!(bench.append(&mut lease, 3..4).await, Appended::Short { covered: Units(0) });
    let tomorrow = NOW.plus(DAY);
    let (commit, items) = pages_commit(3..6);
    let paid = bench.store.append(&mut lease, &commit, &items, &[], tomorrow).await;
    assert_eq!(paid.expect("it answers"), Appended::Stored);
    assert_eq!(spent(&bench, &account, &id, tomorrow).await, (3, 6));
    assert_eq!(spent(&bench, &account, &id, tomorrow.plus(DAY)).await, (0, 6));
}

async fn reservations_count_against_the_budget(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let (id, _) = key(&bench, &account, total(25)).await;
    let contacts = |domains: &[&str]| {
        let mut new = new_contacts_job(&account, domains);
        new.draft.creator = Some(Creator::Key(id.clone()));
        new
    };
    bench.create(&contacts(&["a.org", "b.org"])).await;
    let second = contacts(&["c.org"]);
    let refused = bench.store.create_job(&second, NOW).await.expect("it answers");
    let used_up = Refusal::BudgetUsedUp { required: Credits(10), available: Credits(5) };
    assert_eq!(refused, Creation::Refused(used_up));
    let lease = bench.claim().await.expect("a free shard");
    bench.start(&lease).await;
    let done = Command::Finish(Ending::Complete);
    bench.store.report(&lease, &done, NOW).await.expect("it ends");
    bench.create(&second).await;
    assert_eq!(bench.audit(&account).await.reserved, Credits(10), "the first was released");
}

async fn two_runs_of_one_key_never_exceed_its_budget(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let (id, _) = key(&bench, &account, total(41)).await;
    let mut runs = Vec::new();
    for host in ["one.org", "two.org"] {
        let mut lease = running(&bench, &account, &id, host).await;
        let store = bench.store.clone();
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
    assert_eq!(bench.audit(&account).await.balance, Credits(959));
    assert_eq!(spent(&bench, &account, &id, NOW).await, (41, 41));
}

async fn lowered_budget_stops_even_what_was_reserved(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (id, _) = key(&bench, &account, total(10)).await;
    let mut first = running(&bench, &account, &id, "one.org").await;
    let mut second = running(&bench, &account, &id, "two.org").await;
    assert_eq!(bench.append(&mut first, 0..4).await, Appended::Stored);
    let change = KeyChange { limits: total(2), ..KeyChange::default() };
    bench.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
    assert_eq!(bench.append(&mut second, 0..1).await, Appended::Short { covered: Units(0) });
}

async fn free_job_costs_nothing_and_is_not_booked(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let (id, _) = key(&bench, &account, total(1)).await;
    let mut new = new_job(&account, "shop.lab.test");
    new.draft.creator = Some(Creator::Key(id.clone()));
    new.draft.free = true;
    let created = bench.create(&new).await;
    let mut lease = bench.claim().await.expect("a free shard");
    bench.start(&lease).await;
    assert_eq!(bench.append(&mut lease, 0..5).await, Appended::Stored);
    let job = bench.job(&created.accepted.job_id).await;
    assert_eq!((job.credits_used, job.units, job.free), (Credits(0), Units(5), true));
    assert_eq!(bench.audit(&account).await.used, Credits(0));
    assert_eq!(spent(&bench, &account, &id, NOW).await, (0, 0));
}

async fn expired_grant_refuses_its_tokens_until_it_is_approved_again(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await;
    let token = bench.access_token(&account, &application.id).await;
    let expires_at = Some(Some(NOW.plus(Duration::from_secs(60))));
    let change = LimitChange { expires_at, ..LimitChange::default() };
    let id = &application.id;
    assert!(store.change_application_limits(&account, id, &change).await.expect("it answers"));
    let found = store.authenticate_access_token(&token, NOW).await.expect("it answers");
    assert_eq!(found.expect("still good").limits.expires_at, expires_at.flatten());
    let later = NOW.plus(Duration::from_secs(60));
    assert_eq!(store.authenticate_access_token(&token, later).await.expect("it answers"), None);
    bench.code(&account, id).await;
    let still = store.authenticate_access_token(&token, later).await.expect("it answers");
    assert_eq!(still, None, "an approval before the expiry changes nothing about it");
    store.disconnect_application(&account, id).await.expect("it answers");
    let token = bench.access_token(&account, id).await;
    let found = store.authenticate_access_token(&token, later).await.expect("it answers");
    assert_eq!(found.expect("a new connection").limits.expires_at, None);
}

/// A schedule and a webhook that `creator` made.
async fn belongings(bench: &Bench, account: &AccountId, creator: &Creator) {
    let created_by = Some(creator.clone());
    let new = NewSchedule {
        name: "nightly".to_owned(),
        cron: "0 3 * * *".to_owned(),
        timezone: "UTC".to_owned(),
        order: StandingOrder::of(new_job(account, "example.com")),
        paused: false,
        next_at: NOW.plus(DAY),
        created_by: created_by.clone(),
    };
    bench.store.create_schedule(account, new, NOW).await.expect("it answers").expect("room");
    let url = "https://hooks.example/trawl".to_owned();
    let new = NewWebhook { url, events: None, created_by };
    bench.store.create_webhook(account, new, NOW).await.expect("it answers").expect("room");
}

/// By whom each schedule and webhook of the account was made, and whether it is at work.
async fn at_work(bench: &Bench, account: &AccountId) -> Vec<(Option<Creator>, bool)> {
    let page = store::Page { number: 1, size: 10 };
    let (schedules, _) = bench.store.schedules(Some(account), page).await.expect("it answers");
    let webhooks = bench.store.webhooks(account).await.expect("it answers");
    let schedules = schedules.into_iter().map(|one| (one.created_by, !one.paused));
    schedules.chain(webhooks.into_iter().map(|one| (one.created_by, one.active))).collect()
}

async fn changed_limits_hold_for_the_runs_of_a_schedule(bench: Bench) {
    let account = bench.account("a@x.org", 1_000).await;
    let (id, _) = key(&bench, &account, LimitChange::default()).await;
    let mut new = new_job(&account, "example.com");
    new.draft.creator = Some(Creator::Key(id.clone()));
    let mut order = StandingOrder::of(new);
    order.address = Some([192, 0, 2, 7].into());
    let schedule = bench.store.create_schedule(&account, every_morning(order, NOW), NOW).await;
    let schedule = schedule.expect("it answers").expect("room").id;
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
        bench.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
        let outcome = bench.store.start_due(&schedule, rules, slot).await.expect("it answers");
        let Some(SlotOutcome::Failed { job, code }) = outcome else { panic!("{why}: {outcome:?}") };
        assert_eq!(code, ErrorCode::ScheduleStartFailed, "{why}");
        let error = bench.job(&job).await.public().error.expect("an error");
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
    bench.store.change_key(&account, &id, &change, NOW).await.expect("it answers");
    let outcome = bench.store.start_due(&schedule, rules, slot).await.expect("it answers");
    assert!(matches!(outcome, Some(SlotOutcome::Started(_))), "{outcome:?}");
}

async fn revoking_a_key_pauses_what_it_made_on_request(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let (first, _) = key(&bench, &account, LimitChange::default()).await;
    let (second, _) = key(&bench, &account, LimitChange::default()).await;
    let (one, two) = (Creator::Key(first.clone()), Creator::Key(second.clone()));
    belongings(&bench, &account, &one).await;
    belongings(&bench, &account, &two).await;
    bench.store.revoke_key(&account, &first, NOW).await.expect("it answers");
    assert!(at_work(&bench, &account).await.iter().all(|(_, works)| *works));
    bench.store.revoke_key_and_pause(&account, &first, NOW).await.expect("it answers");
    for (creator, works) in at_work(&bench, &account).await {
        assert_eq!(works, creator == Some(two.clone()), "{creator:?}");
    }
}

async fn revoked_credential_makes_nothing(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let (key, _) = key(&bench, &account, LimitChange::default()).await;
    bench.store.revoke_key(&account, &key, NOW).await.expect("it answers");
    let application = bench.application(ClientAuth::None).await.id;
    bench.code(&account, &application).await;
    bench.store.disconnect_application(&account, &application).await.expect("it answers");
    for creator in [Creator::Key(key), Creator::Application(application)] {
        let order = StandingOrder::of(new_job(&account, "example.com"));
        let mut new = every_morning(order, NOW);
        new.created_by = Some(creator.clone());
        let schedule = bench.store.create_schedule(&account, new, NOW).await.err();
        let url = "https://hooks.example/trawl".to_owned();
        let new = NewWebhook { url, events: None, created_by: Some(creator) };
        let webhook = bench.store.create_webhook(&account, new, NOW).await.err();
        for error in [schedule, webhook] {
            assert!(matches!(error, Some(StoreError::CredentialEnded)), "{error:?}");
        }
    }
}

async fn revoked_credential_changes_no_schedule(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("a@x.org", 0).await;
    let (key, _) = key(&bench, &account, LimitChange::default()).await;
    let application = bench.application(ClientAuth::None).await.id;
    bench.code(&account, &application).await;
    let order = StandingOrder::of(new_job(&account, "example.com"));
    let mut new = every_morning(order.clone(), NOW);
    new.paused = true;
    let created = store.create_schedule(&account, new, NOW).await.expect("it answers");
    let schedule = created.expect("room");
    let creators = [Creator::Key(key.clone()), Creator::Application(application.clone())];
    let changes = creators.map(|creator| {
        let written = StandingOrder { creator: Some(creator.clone()), ..order.clone() };
        let by = Some(creator);
        [
            ScheduleChange { paused: Some(false), by: by.clone(), ..ScheduleChange::default() },
            ScheduleChange { order: Some(written), by, ..ScheduleChange::default() },
        ]
    });
    store.revoke_key(&account, &key, NOW).await.expect("it answers");
    store.disconnect_application(&account, &application).await.expect("it answers");
    for change in changes.iter().flatten() {
        let error = store.change_schedule(&account, &schedule.id, change).await.err();
        assert!(matches!(error, Some(StoreError::CredentialEnded)), "{error:?}");
    }
    let kept = store.schedule(&schedule.id).await.expect("it answers");
    assert_eq!(kept, Some(schedule), "nothing of it was kept");
}

async fn credential_is_accepted_until_it_ends(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("a@x.org", 0).await;
    let other = bench.account("b@x.org", 0).await;
    let (revoked, _) = key(&bench, &account, LimitChange::default()).await;
    let expires = LimitChange { expires_at: Some(Some(NOW.plus(DAY))), ..LimitChange::default() };
    let (expiring, _) = key(&bench, &account, expires).await;
    let application = bench.application(ClientAuth::None).await.id;
    bench.code(&account, &application).await;
    let token = store.open_session(&account, NOW).await.expect("it answers").token;
    let session = store.authenticate_session(&token, NOW).await.expect("it answers");
    let session = session.expect("a session").session;
    let credentials = [
        CredentialId::Key(revoked.clone()),
        CredentialId::Key(expiring),
        CredentialId::Application(application.clone()),
        CredentialId::Session(session),
    ];
    let accepted = async |account: &AccountId, now| {
        let mut accepted = Vec::new();
        for credential in &credentials {
            accepted.push(store.is_accepted(account, credential, now).await.expect("it answers"));
        }
        accepted
    };
    assert_eq!(accepted(&account, NOW).await, [true; 4]);
    assert_eq!(accepted(&other, NOW).await, [false; 4], "each belongs to its account");
    assert_eq!(accepted(&account, NOW.plus(DAY)).await, [true, false, true, true]);
    store.suspend_account(&account, NOW).await.expect("it answers");
    assert_eq!(accepted(&account, NOW).await, [false; 4]);
    store.resume_account(&account, NOW).await.expect("it answers");
    assert_eq!(accepted(&account, NOW).await, [true; 4]);
    store.revoke_key(&account, &revoked, NOW).await.expect("it answers");
    store.disconnect_application(&account, &application).await.expect("it answers");
    store.end_session(&token).await.expect("it answers");
    assert_eq!(accepted(&account, NOW).await, [false, true, false, false]);
}

async fn disconnecting_an_application_pauses_what_it_made(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await;
    bench.code(&account, &application.id).await;
    belongings(&bench, &account, &Creator::Application(application.id.clone())).await;
    bench.store.disconnect_application(&account, &application.id).await.expect("it answers");
    assert!(at_work(&bench, &account).await.iter().all(|(_, works)| !*works));
}

/// The entries of ended grants of an account, with their causes.
async fn ended_grants(bench: &Bench, account: &AccountId) -> Vec<String> {
    let filter = AuditFilter {
        account: Some(account.clone()),
        action: Some(AuditAction::GrantRevoked),
        ..AuditFilter::default()
    };
    let page = store::Page { number: 1, size: 10 };
    let (entries, _) = bench.store.audit_entries(&filter, page).await.expect("it answers");
    entries.iter().map(|entry| entry.details["cause"].to_string()).collect()
}

async fn last_authorization_of_an_application_pauses_what_it_made(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await.id;
    let mut refresh = Vec::new();
    for _ in 0..2 {
        let code = bench.code(&account, &application).await;
        let shown = CodeShown {
            application: &application,
            code: &code,
            verifier: VERIFIER,
            redirect_uri: None,
            mcp_only: None,
        };
        let tokens = bench.store.redeem_code(&shown, NOW).await.expect("it answers");
        refresh.push(tokens.expect("tokens").refresh.reveal().to_owned());
    }
    belongings(&bench, &account, &Creator::Application(application.clone())).await;
    for (token, works) in refresh.iter().zip([true, false]) {
        bench.store.give_back_token(&application, token).await.expect("it answers");
        assert!(at_work(&bench, &account).await.iter().all(|(_, at_work)| *at_work == works));
    }
    assert_eq!(ended_grants(&bench, &account).await, ["\"the application gave it back\""]);
}

async fn authorizations_that_end_at_once_pause_what_the_application_made(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await.id;
    let code = bench.code(&account, &application).await;
    let shown = CodeShown {
        application: &application,
        code: &code,
        verifier: VERIFIER,
        redirect_uri: None,
        mcp_only: None,
    };
    let tokens = bench.store.redeem_code(&shown, NOW).await.expect("it answers");
    let token = tokens.expect("tokens").refresh.reveal().to_owned();
    bench.code(&account, &application).await;
    belongings(&bench, &account, &Creator::Application(application.clone())).await;
    // Another node is about to end the authorization whose code nobody has shown.
    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let mut other = pool.begin().await.expect("a transaction");
    for statement in [
        "UPDATE application_grants SET granted_at = granted_at WHERE account_id = $1",
        "DELETE FROM authorizations WHERE account_id = $1 AND shown = 0",
    ] {
        let query = sqlx::query(statement).bind(account.as_str());
        assert_eq!(query.execute(&mut *other).await.expect("it answers").rows_affected(), 1);
    }
    let store = bench.store.clone();
    let mut ending = tokio::spawn(async move { store.give_back_token(&application, &token).await });
    // It waits for the other node; one that does not wait is done by then.
    let early = tokio::time::timeout(Duration::from_secs(1), &mut ending).await;
    other.commit().await.expect("it is committed");
    let ended = match early {
        Ok(ended) => ended,
        Err(_) => ending.await,
    };
    ended.expect("no panic").expect("it answers");
    assert!(at_work(&bench, &account).await.iter().all(|(_, works)| !*works));
    assert_eq!(ended_grants(&bench, &account).await.len(), 1);
}

async fn application_that_lapses_pauses_what_it_made(bench: Bench) {
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await.id;
    bench.access_token(&account, &application).await;
    belongings(&bench, &account, &Creator::Application(application)).await;
    for (days, works) in [(29, true), (30, false)] {
        bench.store.purge(DAY, NOW.plus(DAY * days)).await.expect("it purges");
        let is_as_expected = |(_, at_work): &(Option<Creator>, bool)| *at_work == works;
        assert!(at_work(&bench, &account).await.iter().all(is_as_expected), "after {days} days");
    }
    assert_eq!(ended_grants(&bench, &account).await, ["\"it was not used for too long\""]);
}

async fn oldest_unapproved_applications_are_dropped_first(bench: Bench) {
    let bench = bench.with(|settings| settings.unapproved_applications = 2).await;
    let account = bench.account("a@x.org", 0).await;
    let mut made = Vec::new();
    for n in 0..4 {
        let at = NOW.plus(Duration::from_secs(n));
        made.push(bench.application_at(ClientAuth::None, at).await.id);
        if n == 0 {
            bench.code(&account, &made[0]).await;
        }
    }
    let known = async |id| bench.store.application(id).await.expect("it answers").is_some();
    assert!(known(&made[0]).await, "a person has approved it");
    assert!(!known(&made[1]).await, "the oldest of three that nobody has approved");
    assert!(known(&made[2]).await && known(&made[3]).await);
}
