//! Suspension and deletion of accounts.

use std::time::Duration;

use contract::{AccountId, ClientAuth, Credits, ExportFormat, JobId, KeyPrefix, Status};
use journal::{PayloadType, Snapshot};
use sqlx::{AnyPool, Row};
use store::{
    AccountDeletion, AccountState, Appended, AuditFilter, CodeExchange, Creation, Dialect,
    IdempotencyKey, NewKey, NewWebhook, PageRequest, PaymentSource, RefreshExchange, ScheduledJob,
    SlotOutcome, SlotRules, StoreError, TokenRejection, TopUpChange,
};

use super::schedules::daily;
use crate::harness::{
    Harness, NOW, REDIRECT_URI, VERIFIER, contact_item, new_job, pages_commit, skipped_url,
};
use crate::on_both;

on_both!(
    run_of_a_suspended_account_stops_and_continues_after_resuming,
    suspended_account_starts_nothing,
    deliveries_of_a_suspended_account_wait,
    tokens_of_a_suspended_account_are_rejected_and_not_used_up,
    deleted_account_leaves_only_ledger_and_acceptances,
    late_requests_insert_nothing_for_a_deleted_account,
    writers_that_race_with_a_deletion_leave_no_rows,
    deletion_is_refused_while_a_recharge_is_open,
    email_of_a_deleted_account_can_be_used_again,
);

const RULES: SlotRules = SlotRules { tolerance: Duration::from_secs(3_600), batch_size: 500 };

async fn run_of_a_suspended_account_stops_and_continues_after_resuming(harness: Harness) {
    let store = &harness.store;
    let (ada, bob) = (harness.account("a@x.org", 100).await, harness.account("b@x.org", 100).await);
    let (job, mut lease) = harness.running(&ada, "a.example").await;
    let (_, mut others) = harness.running(&bob, "b.example").await;
    harness.append(&mut lease, 0..2).await;
    assert_eq!(store.account_state(&ada).await.expect("it answers"), AccountState::Active);
    let mut wakes = store.wakes();
    let suspended = store.suspend_account(&ada, NOW).await.expect("it answers").expect("known");
    assert_eq!(suspended.suspended_at, Some(NOW));
    assert_eq!(store.account_state(&ada).await.expect("it answers"), AccountState::Suspended);
    assert!(wakes.try_recv().is_ok(), "workers are woken");
    assert!(
        !store.held(std::slice::from_ref(&lease)).await.expect("it answers")[0],
        "the worker stops"
    );
    assert_eq!(harness.append(&mut lease, 2..3).await, Appended::Lost);
    assert_eq!(harness.append(&mut others, 0..1).await, Appended::Stored, "bob's goes on");
    assert_eq!(harness.claim().await, None, "and no other takes it up");
    assert_eq!(harness.job(&job.id).await.counts.results, 2, "what was paid for stays");
    // The operator's confirm or another node's poll change nothing.
    let again = store.suspend_account(&ada, NOW.plus(Duration::from_secs(9))).await;
    assert_eq!(again.expect("it answers").expect("known").suspended_at, Some(NOW));
    assert_eq!(harness.claim().await, None);

    let resumed = store.resume_account(&ada, NOW).await.expect("it answers").expect("known");
    assert_eq!(resumed.suspended_at, None);
    let mut lease = harness.claim().await.expect("the run goes on");
    assert_eq!((&lease.job, lease.head), (&job.id, 1));
    assert_eq!(harness.append(&mut lease, 2..3).await, Appended::Stored);
    assert_eq!(harness.job(&job.id).await.status, Status::Running);
    harness.audit(&ada).await;
}

async fn suspended_account_starts_nothing(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 100).await;
    let scheduled = ScheduledJob::of(new_job(&account, "s.example"));
    let schedule = store.create_schedule(&account, daily(scheduled, NOW), NOW).await;
    let schedule = schedule.expect("it answers").expect("below the limit").id;
    store.suspend_account(&account, NOW).await.expect("it answers");
    let created = store.create_job(&new_job(&account, "a.example"), NOW).await;
    assert_eq!(created.expect("it answers"), Creation::Suspended);
    assert_eq!(store.due_schedules(None, NOW).await.expect("it answers"), []);
    let started = store.start_due(&schedule, RULES, NOW).await.expect("it answers");
    assert_eq!(started, None, "a node that found it earlier");
    let by_hand =
        store.run_schedule(&account, &schedule, (10, None), NOW).await.expect("it answers");
    assert_eq!(by_hand, Some(Creation::Suspended));
    store.resume_account(&account, NOW).await.expect("it answers");
    let started = store.start_due(&schedule, RULES, NOW).await.expect("it answers");
    assert!(matches!(started, Some(SlotOutcome::Started(_))), "{started:?}");
}

async fn deliveries_of_a_suspended_account_wait(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 100).await;
    let webhook = harness.webhook(&account, None).await.details.id;
    let (job, _) = harness.running(&account, "a.example").await;
    store.abort(&account, &job.id, NOW).await.expect("it is aborted");
    assert_eq!(harness.due(&webhook, NOW).await.len(), 1);
    store.suspend_account(&account, NOW).await.expect("it answers");
    let due = store.due_endpoints(&harness.node, NOW).await.expect("it answers");
    assert!(due.free.is_empty() && due.held.is_empty());
    assert!(harness.due(&webhook, NOW).await.is_empty(), "nor where a node holds it");
    store.resume_account(&account, NOW).await.expect("it answers");
    assert_eq!(harness.due(&webhook, NOW).await.len(), 1);
}

async fn tokens_of_a_suspended_account_are_rejected_and_not_used_up(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    let application = harness.application(ClientAuth::None).await.id;
    let code = harness.code(&account, &application).await;
    let shown = CodeExchange {
        application: &application,
        code: &code,
        verifier: VERIFIER,
        redirect_uri: Some(REDIRECT_URI),
        mcp_only: None,
    };
    store.suspend_account(&account, NOW).await.expect("it answers");
    let refused = store.redeem_code(&shown, NOW).await.expect("it answers");
    assert_eq!(refused.map(drop), Err(TokenRejection::Suspended));
    store.resume_account(&account, NOW).await.expect("it answers");
    let tokens = store.redeem_code(&shown, NOW).await.expect("it answers").expect("not used up");
    store.suspend_account(&account, NOW).await.expect("it answers");
    let token = tokens.refresh.reveal();
    let shown = RefreshExchange { application: &application, token, scopes: None, mcp_only: None };
    let refused = store.refresh(&shown, NOW).await.expect("it answers");
    assert_eq!(refused.map(drop), Err(TokenRejection::Suspended));
    store.resume_account(&account, NOW).await.expect("it answers");
    assert!(store.refresh(&shown, NOW).await.expect("it answers").is_ok(), "not used up");
}

/// Tables that may keep rows of a deleted account, and why.
const KEPT: &[&str] = &[
    // The ledger has to be kept by law.
    "ledger",
    "recharges",
    // They prove the lawful basis of collected contact data.
    "acceptances",
    // About the account itself and its credits, until their retention ends.
    "audit",
];

async fn deleted_account_leaves_only_ledger_and_acceptances(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("ada@x.org", 1_000).await;
    let other = harness.account("b@x.org", 100).await;
    let (theirs, _) = harness.running(&other, "b.example").await;
    harness.webhook(&other, None).await;
    // Rows in every table that can hold rows of an account.
    let webhook = harness.webhook(&account, None).await.details.id;
    let new = NewKey {
        name: "k".into(),
        source: "direct".into(),
        prefix: KeyPrefix::Live,
        limits: store::LimitChange::default(),
    };
    let key =
        store.create_key(&account, new, NOW).await.expect("it answers").expect("below the limit");
    let mut new = new_job(&account, "a.example");
    new.idempotency = Some(IdempotencyKey { key: "once".into(), body_hash: "hash".into() });
    harness.create(&new).await;
    let mut lease = harness.claim().await.expect("a shard");
    harness.start(&lease).await;
    harness.append_with(&mut lease, 0..3, 0..2).await;
    let job = lease.job.clone();
    store
        .create_export(&job, ExportFormat::Csv, store::ExportPart::default(), NOW, NOW)
        .await
        .expect("it answers");
    let (_, mut visit) = harness.visiting(&account, &["ada.example"]).await;
    harness.append_records(&mut visit, vec![contact_item("ada.example", &["Ada Lovelace"])]).await;
    let scheduled = ScheduledJob::of(new_job(&account, "s.example"));
    store.create_schedule(&account, daily(scheduled, NOW), NOW).await.expect("it answers");
    let source = PaymentSource { customer: "cus_ada".into(), method: "pm_ada".into() };
    store.set_payment_source(&account, &source).await.expect("it answers");
    let application = harness.application(ClientAuth::None).await.id;
    let code = harness.code(&account, &application).await;
    let shown = CodeExchange {
        application: &application,
        code: &code,
        verifier: VERIFIER,
        redirect_uri: Some(REDIRECT_URI),
        mcp_only: None,
    };
    store.redeem_code(&shown, NOW).await.expect("it answers").expect("tokens");
    let session = store.open_session(&account, NOW).await.expect("it answers");

    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let before = rows_of(&harness, &pool, "account_id", account.as_str()).await;
    let filled: Vec<_> =
        before.iter().filter(|(_, rows)| *rows > 0).map(|(name, _)| name).collect();
    for table in [
        "sessions",
        "devices",
        "keys",
        "jobs",
        "outbox",
        "webhooks",
        "schedules",
        "idempotency",
        "auto_top_up",
        "application_grants",
        "authorizations",
        "ledger",
        "acceptances",
        "audit",
    ] {
        assert!(filled.iter().any(|name| *name == table), "{table} was never filled");
    }
    let deleted = store.delete_account(&account, NOW).await.expect("it answers");
    assert_eq!(deleted, AccountDeletion::Deleted { jobs: 2 });

    for (column, value) in [
        ("account_id", account.as_str()),
        ("job_id", job.as_str()),
        ("job_id", visit.job.as_str()),
        ("shard_id", lease.shard.as_str()),
        ("webhook_id", webhook.as_str()),
        ("key_id", key.details.id.as_str()),
    ] {
        for (table, rows) in rows_of(&harness, &pool, column, value).await {
            assert!(
                rows == 0 || KEPT.contains(&table.as_str()),
                "{rows} rows of {column} in {table}"
            );
        }
    }
    for table in ["access_tokens", "refresh_tokens", "commits", "snapshots"] {
        let left: i64 =
            sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}")))
                .fetch_one(&pool)
                .await
                .expect("it answers");
        assert_eq!(left, 0, "{table}: bob has none");
    }
    // No column of a kept table identifies the owner.
    for text in ["ada@x.org", "cus_ada", "pm_ada"] {
        let email: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM accounts WHERE email = $1")
            .bind(text)
            .fetch_one(&pool)
            .await
            .expect("it answers");
        assert_eq!(email, 0);
    }
    let filter = AuditFilter { account: Some(account.clone()), ..AuditFilter::default() };
    let (entries, _) = store
        .audit_entries(&filter, PageRequest { number: 1, size: 100 })
        .await
        .expect("it answers");
    let mut actions: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
    actions.sort_unstable();
    let kept = ["account.created", "account.deleted", "account.suspended", "credits.granted"];
    assert_eq!(actions, kept);

    assert!(store.account(&account).await.expect("it answers").is_none());
    assert_eq!(store.account_state(&account).await.expect("it answers"), AccountState::NotFound);
    assert_eq!(store.authenticate_key(&key.key, NOW).await.expect("it answers"), None);
    let who = store.authenticate_session(&session.token, NOW).await.expect("it answers");
    assert_eq!(who, None);
    assert_eq!(harness.append(&mut lease, 3..4).await, Appended::Lost, "a late worker");
    let again = store.delete_account(&account, NOW).await.expect("it answers");
    assert_eq!(again, AccountDeletion::NotFound);
    assert_eq!(store.accounts().await.expect("it answers").len(), 1, "bob stays");
    assert_eq!(harness.job(&theirs.id).await.status, Status::Running);
    harness.audit(&other).await;
}

async fn late_requests_insert_nothing_for_a_deleted_account(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 1_000).await;
    let webhook = harness.webhook(&account, None).await.details.id;
    let application = harness.application(ClientAuth::None).await.id;
    let (job, mut lease) = harness.running(&account, "a.example").await;
    harness.append(&mut lease, 0..2).await;
    store.delete_account(&account, NOW).await.expect("it answers");

    // Requests that were authenticated before the deletion, and workers with a lease.
    let closed = |failed: Option<StoreError>, what: &str| {
        assert!(matches!(failed, Some(StoreError::AccountClosed)), "{what}: {failed:?}");
    };
    closed(store.create_key(&account, late_key(), NOW).await.err(), "a key");
    let new = NewWebhook { url: "https://h.example/".into(), events: None, created_by: None };
    closed(store.create_webhook(&account, new, NOW).await.err(), "a webhook");
    let scheduled = ScheduledJob::of(new_job(&account, "s.example"));
    closed(store.create_schedule(&account, daily(scheduled, NOW), NOW).await.err(), "a schedule");
    closed(store.open_session(&account, NOW).await.err(), "a session");
    closed(store.create_job(&new_job(&account, "b.example"), NOW).await.err(), "a job");
    let on = TopUpChange { enabled: true, ..TopUpChange::default() };
    closed(store.set_auto_top_up(&account, on).await.err(), "auto top-up");
    let unchanged = TopUpChange::default();
    closed(store.set_auto_top_up(&account, unchanged).await.err(), "auto top-up as it is");
    let source = PaymentSource { customer: "cus_1".into(), method: "pm_1".into() };
    closed(store.set_payment_source(&account, &source).await.err(), "a payment method");
    closed(store.approve(&harness.approval(&account, &application), NOW).await.err(), "a grant");
    let ticket = store
        .create_export(&job.id, ExportFormat::Csv, store::ExportPart::default(), NOW, NOW)
        .await;
    assert_eq!(ticket.expect("it answers"), None);
    let test = store.test_webhook(&account, &webhook, NOW).await.expect("it answers");
    assert!(test.is_none(), "{test:?}");
    store
        .results_on_page(&job.id, 2, PageRequest { number: 1, size: 10 })
        .await
        .expect("it answers");
    assert_eq!(harness.append(&mut lease, 2..3).await, Appended::Lost);
    let snapshot = Snapshot::of(PayloadType::SiteSnapshot, &1_u64).expect("it encodes");
    assert!(!store.write_snapshot(&lease, &snapshot).await.expect("it answers"));
    nothing_is_left(&harness, &account, &[job.id]).await;
}

/// A key that is requested after the deletion.
fn late_key() -> NewKey {
    NewKey {
        name: "late".into(),
        source: "direct".into(),
        prefix: KeyPrefix::Live,
        limits: store::LimitChange::default(),
    }
}

async fn writers_that_race_with_a_deletion_leave_no_rows(harness: Harness) {
    let harness = harness.with(|settings| settings.keys = 10_000).await;
    for round in 0..4 {
        let account = harness.account(&format!("{round}@x.org"), 100_000).await;
        let hosts = [format!("a{round}.example"), format!("b{round}.example")];
        let (job, mut lease) = harness.running(&account, &hosts[0]).await;
        harness.append(&mut lease, 0..1).await;
        let scheduled = ScheduledJob::of(new_job(&account, &hosts[1]));
        let schedule = harness.store.create_schedule(&account, daily(scheduled, NOW), NOW).await;
        let schedule = schedule.expect("it answers").expect("below the limit").id;
        // Each writer runs until the deletion stops it.
        let (store, run) = (harness.store.clone(), job.id.clone());
        let appending = tokio::spawn(async move {
            for page in 1.. {
                let (commit, items) = pages_commit(page..page + 1);
                match store.append(&mut lease, &commit, &items, &[skipped_url(page)], NOW).await {
                    Ok(Appended::Stored) => {}
                    Ok(Appended::Lost) => break,
                    other => panic!("{other:?}"),
                }
            }
        });
        let store = harness.store.clone();
        let exporting = tokio::spawn(async move {
            let ticket = || {
                store.create_export(&run, ExportFormat::Csv, store::ExportPart::default(), NOW, NOW)
            };
            while ticket().await.expect("it answers").is_some() {}
        });
        let (store, owner) = (harness.store.clone(), account.clone());
        let creating = tokio::spawn(async move {
            while store.create_key(&owner, late_key(), NOW).await.is_ok() {}
        });
        let (store, mut slot) = (harness.store.clone(), NOW);
        let starting = tokio::spawn(async move {
            // The first run occupies the site: each further slot inserts a failed job.
            while store.start_due(&schedule, RULES, slot).await.expect("it answers").is_some() {
                slot = slot.plus(Duration::from_secs(24 * 3_600));
            }
        });
        let limit = Duration::from_secs(60);
        tokio::time::timeout(limit, async {
            while harness.job(&job.id).await.counts.results < 5 {
                tokio::task::yield_now().await;
            }
        })
        .await
        .expect("the run writes");
        let deleted = harness.store.delete_account(&account, NOW).await.expect("it answers");
        assert!(matches!(deleted, AccountDeletion::Deleted { .. }), "{deleted:?}");
        for writer in [appending, exporting, creating, starting] {
            tokio::time::timeout(limit, writer).await.expect("it ends").expect("no panic");
        }
        nothing_is_left(&harness, &account, &[job.id]).await;
    }
}

async fn nothing_is_left(harness: &Harness, account: &AccountId, jobs: &[JobId]) {
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let of_jobs = jobs.iter().map(|job| ("job_id", job.as_str()));
    for (column, value) in of_jobs.chain([("account_id", account.as_str())]) {
        for (table, rows) in rows_of(harness, &pool, column, value).await {
            let is_kept = KEPT.contains(&table.as_str());
            assert!(rows == 0 || is_kept, "{rows} rows of {column} in {table}");
        }
    }
    for table in ["commits", "snapshots", "access_tokens", "refresh_tokens", "deliveries"] {
        let left: i64 =
            sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}")))
                .fetch_one(&pool)
                .await
                .expect("it answers");
        assert_eq!(left, 0, "{table}");
    }
}

/// Number of rows with this value in each table that has the column.
async fn rows_of(
    harness: &Harness,
    pool: &AnyPool,
    column: &str,
    value: &str,
) -> Vec<(String, i64)> {
    let tables = match harness.store.dialect() {
        Dialect::Sqlite => {
            "SELECT m.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) p \
             WHERE m.type = 'table' AND p.name = $1"
        }
        Dialect::Postgres => {
            "SELECT CAST(table_name AS TEXT) AS name FROM information_schema.columns \
             WHERE table_schema = current_schema() AND column_name = $1"
        }
    };
    let rows = sqlx::query(tables).bind(column).fetch_all(pool).await.expect("it answers");
    let mut counts = Vec::new();
    for row in &rows {
        let table: String = row.try_get("name").expect("a name");
        let count = format!("SELECT COUNT(*) FROM {table} WHERE {column} = $1");
        let count = sqlx::query_scalar(sqlx::AssertSqlSafe(count)).bind(value.to_owned());
        counts.push((table, count.fetch_one(pool).await.expect("it answers")));
    }
    assert!(!counts.is_empty(), "no table has {column}");
    counts
}

async fn deletion_is_refused_while_a_recharge_is_open(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 1).await;
    let source = PaymentSource { customer: "cus_1".into(), method: "pm_1".into() };
    store.set_payment_source(&account, &source).await.expect("it answers");
    let (threshold, amount) = (Some(Credits(10)), Some(Credits(1_000)));
    let change = TopUpChange { enabled: true, threshold, amount, monthly: None };
    store.set_auto_top_up(&account, change).await.expect("it answers");
    let price = contract::CreditPrice { per_thousand: 100, currency: "eur".to_owned() };
    assert_eq!(store.open_recharges(&price, NOW).await.expect("it answers"), 1);
    let refused = store.delete_account(&account, NOW).await.expect("it answers");
    assert_eq!(refused, AccountDeletion::PurchaseOpen);
    assert_eq!(store.account_state(&account).await.expect("it answers"), AccountState::Suspended);
}

async fn email_of_a_deleted_account_can_be_used_again(harness: Harness) {
    let first = harness.account("a@x.org", 5).await;
    harness.store.delete_account(&first, NOW).await.expect("it answers");
    assert_eq!(harness.store.sign_in("a@x.org", "correct horse").await.expect("it answers"), None);
    let gone = format!("deleted {first}");
    assert_eq!(harness.store.sign_in(&gone, "").await.expect("it answers"), None);
    let second = harness.account("a@x.org", 0).await;
    assert_ne!(first, second);
    assert!(!harness.store.is_new().await.expect("it answers"));
}
