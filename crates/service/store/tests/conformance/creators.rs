//! Schedules and webhooks of keys and applications, and their end.

use std::time::Duration;

use contract::{AccountId, AuditAction, ClientAuth, Creator};
use sqlx::AnyPool;
use store::{
    AuditFilter, CodeExchange, CredentialId, LimitChange, NewSchedule, NewWebhook, ScheduleChange,
    ScheduledJob, StoreError,
};

use super::limits::key;
use super::schedules::daily as every_morning;
use crate::harness::{Harness, NOW, VERIFIER, new_job};
use crate::on_both;

on_both!(
    revoking_a_key_pauses_its_schedules_and_webhooks_on_request,
    revoked_credential_creates_nothing,
    credential_is_accepted_until_it_is_revoked_or_expires,
    revoked_credential_changes_no_schedule,
    disconnecting_an_application_pauses_what_it_created,
    end_of_the_last_authorization_pauses_what_the_application_created,
    concurrent_ends_of_authorizations_pause_what_the_application_created,
    lapsed_application_pauses_what_it_created,
);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Creates a schedule and a webhook as `creator`.
async fn belongings(harness: &Harness, account: &AccountId, creator: &Creator) {
    let created_by = Some(creator.clone());
    let new = NewSchedule {
        name: "nightly".to_owned(),
        cron: "0 3 * * *".to_owned(),
        timezone: "UTC".to_owned(),
        job: ScheduledJob::of(new_job(account, "example.com")),
        paused: false,
        next_at: NOW.plus(DAY),
        created_by: created_by.clone(),
    };
    harness
        .store
        .create_schedule(account, new, NOW)
        .await
        .expect("it answers")
        .expect("below the limit");
    let url = "https://hooks.example/trawl".to_owned();
    let new = NewWebhook { url, events: None, created_by };
    harness
        .store
        .create_webhook(account, new, NOW)
        .await
        .expect("it answers")
        .expect("below the limit");
}

/// The creator of each schedule and webhook of the account, and whether it is active.
async fn at_work(harness: &Harness, account: &AccountId) -> Vec<(Option<Creator>, bool)> {
    let page = store::PageRequest { number: 1, size: 10 };
    let (schedules, _) = harness.store.schedules(Some(account), page).await.expect("it answers");
    let webhooks = harness.store.webhooks(account).await.expect("it answers");
    let schedules = schedules.into_iter().map(|one| (one.created_by, !one.paused));
    schedules.chain(webhooks.into_iter().map(|one| (one.created_by, one.active))).collect()
}

async fn revoking_a_key_pauses_its_schedules_and_webhooks_on_request(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let (first, _) = key(&harness, &account, LimitChange::default()).await;
    let (second, _) = key(&harness, &account, LimitChange::default()).await;
    let (one, two) = (Creator::Key(first.clone()), Creator::Key(second.clone()));
    belongings(&harness, &account, &one).await;
    belongings(&harness, &account, &two).await;
    harness.store.revoke_key(&account, &first, NOW).await.expect("it answers");
    assert!(at_work(&harness, &account).await.iter().all(|(_, works)| *works));
    harness.store.revoke_key_and_pause(&account, &first, NOW).await.expect("it answers");
    for (creator, works) in at_work(&harness, &account).await {
        assert_eq!(works, creator == Some(two.clone()), "{creator:?}");
    }
}

async fn revoked_credential_creates_nothing(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let (key, _) = key(&harness, &account, LimitChange::default()).await;
    harness.store.revoke_key(&account, &key, NOW).await.expect("it answers");
    let application = harness.application(ClientAuth::None).await.id;
    harness.code(&account, &application).await;
    harness.store.disconnect_application(&account, &application).await.expect("it answers");
    for creator in [Creator::Key(key), Creator::Application(application)] {
        let job = ScheduledJob::of(new_job(&account, "example.com"));
        let mut new = every_morning(job, NOW);
        new.created_by = Some(creator.clone());
        let schedule = harness.store.create_schedule(&account, new, NOW).await.err();
        let url = "https://hooks.example/trawl".to_owned();
        let new = NewWebhook { url, events: None, created_by: Some(creator) };
        let webhook = harness.store.create_webhook(&account, new, NOW).await.err();
        for error in [schedule, webhook] {
            assert!(matches!(error, Some(StoreError::CredentialEnded)), "{error:?}");
        }
    }
}

async fn revoked_credential_changes_no_schedule(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    let (key, _) = key(&harness, &account, LimitChange::default()).await;
    let application = harness.application(ClientAuth::None).await.id;
    harness.code(&account, &application).await;
    let job = ScheduledJob::of(new_job(&account, "example.com"));
    let mut new = every_morning(job.clone(), NOW);
    new.paused = true;
    let created = store.create_schedule(&account, new, NOW).await.expect("it answers");
    let schedule = created.expect("below the limit");
    let creators = [Creator::Key(key.clone()), Creator::Application(application.clone())];
    let changes = creators.map(|creator| {
        let written = ScheduledJob { creator: Some(creator.clone()), ..job.clone() };
        let by = Some(creator);
        [
            ScheduleChange { paused: Some(false), by: by.clone(), ..ScheduleChange::default() },
            ScheduleChange { job: Some(written), by, ..ScheduleChange::default() },
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

async fn credential_is_accepted_until_it_is_revoked_or_expires(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    let other = harness.account("b@x.org", 0).await;
    let (revoked, _) = key(&harness, &account, LimitChange::default()).await;
    let expires = LimitChange { expires_at: Some(Some(NOW.plus(DAY))), ..LimitChange::default() };
    let (expiring, _) = key(&harness, &account, expires).await;
    let application = harness.application(ClientAuth::None).await.id;
    harness.code(&account, &application).await;
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
    assert_eq!(accepted(&account, NOW.plus(DAY)).await, [true, false, true, false]);
    store.suspend_account(&account, NOW).await.expect("it answers");
    assert_eq!(accepted(&account, NOW).await, [false; 4]);
    store.resume_account(&account, NOW).await.expect("it answers");
    assert_eq!(accepted(&account, NOW).await, [true; 4]);
    store.revoke_key(&account, &revoked, NOW).await.expect("it answers");
    store.disconnect_application(&account, &application).await.expect("it answers");
    store.end_session(&token).await.expect("it answers");
    assert_eq!(accepted(&account, NOW).await, [false, true, false, false]);
}

async fn disconnecting_an_application_pauses_what_it_created(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await;
    harness.code(&account, &application.id).await;
    belongings(&harness, &account, &Creator::Application(application.id.clone())).await;
    harness.store.disconnect_application(&account, &application.id).await.expect("it answers");
    assert!(at_work(&harness, &account).await.iter().all(|(_, works)| !*works));
}

/// The causes of ended grants in the audit log of an account.
async fn ended_grants(harness: &Harness, account: &AccountId) -> Vec<String> {
    let filter = AuditFilter {
        account: Some(account.clone()),
        action: Some(AuditAction::GrantRevoked),
        ..AuditFilter::default()
    };
    let page = store::PageRequest { number: 1, size: 10 };
    let (entries, _) = harness.store.audit_entries(&filter, page).await.expect("it answers");
    entries.iter().map(|entry| entry.details["cause"].to_string()).collect()
}

async fn end_of_the_last_authorization_pauses_what_the_application_created(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await.id;
    let mut refresh = Vec::new();
    for _ in 0..2 {
        let code = harness.code(&account, &application).await;
        let shown = CodeExchange {
            application: &application,
            code: &code,
            verifier: VERIFIER,
            redirect_uri: None,
            mcp_only: None,
        };
        let tokens = harness.store.redeem_code(&shown, NOW).await.expect("it answers");
        refresh.push(tokens.expect("tokens").refresh.reveal().to_owned());
    }
    belongings(&harness, &account, &Creator::Application(application.clone())).await;
    for (token, works) in refresh.iter().zip([true, false]) {
        harness.store.revoke_token(&application, token).await.expect("it answers");
        assert!(at_work(&harness, &account).await.iter().all(|(_, at_work)| *at_work == works));
    }
    assert_eq!(ended_grants(&harness, &account).await, ["\"the application revoked it\""]);
}

async fn concurrent_ends_of_authorizations_pause_what_the_application_created(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await.id;
    let code = harness.code(&account, &application).await;
    let shown = CodeExchange {
        application: &application,
        code: &code,
        verifier: VERIFIER,
        redirect_uri: None,
        mcp_only: None,
    };
    let tokens = harness.store.redeem_code(&shown, NOW).await.expect("it answers");
    let token = tokens.expect("tokens").refresh.reveal().to_owned();
    harness.code(&account, &application).await;
    belongings(&harness, &account, &Creator::Application(application.clone())).await;
    // Another node is about to end the authorization whose code was not redeemed.
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let mut other = pool.begin().await.expect("a transaction");
    for statement in [
        "UPDATE application_grants SET granted_at = granted_at WHERE account_id = $1",
        "DELETE FROM authorizations WHERE account_id = $1 AND shown = 0",
    ] {
        let query = sqlx::query(statement).bind(account.as_str());
        assert_eq!(query.execute(&mut *other).await.expect("it answers").rows_affected(), 1);
    }
    let store = harness.store.clone();
    let mut ending = tokio::spawn(async move { store.revoke_token(&application, &token).await });
    // It must wait for the other node; otherwise it ends within this time.
    let early = tokio::time::timeout(Duration::from_secs(1), &mut ending).await;
    other.commit().await.expect("it is committed");
    let ended = match early {
        Ok(ended) => ended,
        Err(_) => ending.await,
    };
    ended.expect("no panic").expect("it answers");
    assert!(at_work(&harness, &account).await.iter().all(|(_, works)| !*works));
    assert_eq!(ended_grants(&harness, &account).await.len(), 1);
}

async fn lapsed_application_pauses_what_it_created(harness: Harness) {
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await.id;
    harness.access_token(&account, &application).await;
    belongings(&harness, &account, &Creator::Application(application)).await;
    for (days, works) in [(29, true), (30, false)] {
        harness.store.purge(DAY, NOW.plus(DAY * days)).await.expect("it purges");
        let is_as_expected = |(_, at_work): &(Option<Creator>, bool)| *at_work == works;
        assert!(at_work(&harness, &account).await.iter().all(is_as_expected), "after {days} days");
    }
    assert_eq!(ended_grants(&harness, &account).await, ["\"it was not used for too long\""]);
}
