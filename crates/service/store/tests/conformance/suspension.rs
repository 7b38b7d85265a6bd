//! Suspended accounts, and accounts that are deleted.

use std::time::Duration;

use contract::{AccountId, ClientAuth, Credits, ExportFormat, JobId, KeyPrefix, Status};
use journal::Snapshot;
use sqlx::{AnyPool, Row};
use store::{
    AccountDeletion, AccountState, Appended, AuditFilter, CodeShown, Creation, Dialect,
    IdempotencyKey, NewKey, NewWebhook, Page, PaymentSource, RefreshShown, SlotOutcome, SlotRules,
    StandingOrder, StoreError, TokensRefused, TopUpChange,
};

use super::schedules::daily;
use crate::bench::{
    Bench, NOW, REDIRECT_URI, VERIFIER, contact_item, new_job, pages_commit, skipped_url,
};
use crate::on_both;

on_both!(
    a_suspended_accounts_run_stops_and_goes_on_where_it_was,
    a_suspended_account_starts_nothing,
    webhooks_of_a_suspended_account_wait,
    tokens_of_a_suspended_account_are_refused_and_not_used_up,
    a_deleted_account_leaves_nothing_but_books_and_proofs,
    late_requests_insert_nothing_for_a_deleted_account,
    writers_that_race_with_a_deletion_leave_no_rows,
    a_deletion_waits_for_an_open_purchase,
    a_deleted_accounts_email_is_free,
);

const RULES: SlotRules = SlotRules { tolerance: Duration::from_secs(3_600), batch_size: 500 };

async fn a_suspended_accounts_run_stops_and_goes_on_where_it_was(bench: Bench) {
    let store = &bench.store;
    let (ada, bob) = (bench.account("a@x.org", 100).await, bench.account("b@x.org", 100).await);
    let (job, mut lease) = bench.running(&ada, "a.example").await;
    let (_, mut others) = bench.running(&bob, "b.example").await;
    bench.append(&mut lease, 0..2).await;
    assert_eq!(store.account_state(&ada).await.expect("it answers"), AccountState::Active);
    let mut wakes = store.wakes();
    let suspended = store.suspend_account(&ada, NOW).await.expect("it answers").expect("known");
    assert_eq!(suspended.suspended_at, Some(NOW));
    assert_eq!(store.account_state(&ada).await.expect("it answers"), AccountState::Suspended);
    assert!(wakes.try_recv().is_ok(), "workers are woken");
    assert!(!store.holds(&lease).await.expect("it answers"), "the worker stops");
    assert_eq!(bench.append(&mut lease, 2..3).await, Appended::Lost);
    assert_eq!(bench.append(&mut others, 0..1).await, Appended::Stored, "bob's goes on");
    assert_eq!(bench.claim().await, None, "and no other takes it up");
    assert_eq!(bench.job(&job.id).await.counts.results, 2, "what was paid for stays");
    // The operator's confirm or another node's poll change nothing.
    let again = store.suspend_account(&ada, NOW.plus(Duration::from_secs(9))).await;
    assert_eq!(again.expect("it answers").expect("known").suspended_at, Some(NOW));
    assert_eq!(bench.claim().await, None);

    let resumed = store.resume_account(&ada, NOW).await.expect("it answers").expect("known");
    assert_eq!(resumed.suspended_at, None);
    let mut lease = bench.claim().await.expect("the run goes on");
    assert_eq!((&lease.job, lease.head), (&job.id, 1));
    assert_eq!(bench.append(&mut lease, 2..3).await, Appended::Stored);
    assert_eq!(bench.job(&job.id).await.status, Status::Running);
    bench.audit(&ada).await;
}

async fn a_suspended_account_starts_nothing(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("a@x.org", 100).await;
    let order = StandingOrder::of(new_job(&account, "s.example"));
    let schedule = store.create_schedule(&account, daily(order, NOW), NOW).await;
    let schedule = schedule.expect("it answers").expect("room").id;
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

async fn webhooks_of_a_suspended_account_wait(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("a@x.org", 100).await;
    let webhook = bench.webhook(&account, None).await.details.id;
    let (job, _) = bench.running(&account, "a.example").await;
    store.abort(&account, &job.id, NOW).await.expect("it is aborted");
    assert_eq!(bench.due(&webhook, NOW).await.len(), 1);
    store.suspend_account(&account, NOW).await.expect("it answers");
    let lanes = store.lanes(&bench.node, NOW).await.expect("it answers");
    assert!(lanes.free.is_empty() && lanes.ours.is_empty());
    assert!(bench.due(&webhook, NOW).await.is_empty(), "nor where a node holds it");
    store.resume_account(&account, NOW).await.expect("it answers");
    assert_eq!(bench.due(&webhook, NOW).await.len(), 1);
}

async fn tokens_of_a_suspended_account_are_refused_and_not_used_up(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("a@x.org", 0).await;
    let application = bench.application(ClientAuth::None).await.id;
    let code = bench.code(&account, &application).await;
    let shown = CodeShown {
        application: &application,
        code: &code,
        verifier: VERIFIER,
        redirect_uri: Some(REDIRECT_URI),
        mcp_only: None,
    };
    store.suspend_account(&account, NOW).await.expect("it answers");
    let refused = store.redeem_code(&shown, NOW).await.expect("it answers");
    assert_eq!(refused.map(drop), Err(TokensRefused::Suspended));
    store.resume_account(&account, NOW).await.expect("it answers");
    let tokens = store.redeem_code(&shown, NOW).await.expect("it answers").expect("not used up");
    store.suspend_account(&account, NOW).await.expect("it answers");
    let token = tokens.refresh.reveal();
    let shown = RefreshShown { application: &application, token, scopes: None, mcp_only: None };
    let refused = store.refresh(&shown, NOW).await.expect("it answers");
    assert_eq!(refused.map(drop), Err(TokensRefused::Suspended));
    store.resume_account(&account, NOW).await.expect("it answers");
    assert!(store.refresh(&shown, NOW).await.expect("it answers").is_ok(), "not used up");
}

/// Tables that may keep rows of a deleted account, and why.
const KEPT: &[&str] = &[
    // Books have to be kept.
    "ledger",
    "recharges",
    // They prove on what ground contact data was collected.
    "acceptances",
    // About the account itself and its credits, until their retention ends.
    "audit",
];

async fn a_deleted_account_leaves_nothing_but_books_and_proofs(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("ada@x.org", 1_000).await;
    let other = bench.account("b@x.org", 100).await;
    let (theirs, _) = bench.running(&other, "b.example").await;
    bench.webhook(&other, None).await;
    // Something in every table that can hold something of an account.
    let webhook = bench.webhook(&account, None).await.details.id;
    let new = NewKey {
        name: "k".into(),
        source: "direct".into(),
        prefix: KeyPrefix::Live,
        limits: store::LimitChange::default(),
    };
    let key = store.create_key(&account, new, NOW).await.expect("it answers").expect("room");
    let mut new = new_job(&account, "a.example");
    new.idempotency = Some(IdempotencyKey { key: "once".into(), body_hash: "hash".into() });
    bench.create(&new).await;
    let mut lease = bench.claim().await.expect("a shard");
    bench.start(&lease).await;
    bench.append_with(&mut lease, 0..3, 0..2).await;
    let job = lease.job.clone();
    store.create_export(&job, ExportFormat::Csv, None, NOW, NOW).await.expect("it answers");
    let (_, mut visit) = bench.visiting(&account, &["ada.example"]).await;
    bench.append_records(&mut visit, vec![contact_item("ada.example", &["Ada Lovelace"])]).await;
    let order = StandingOrder::of(new_job(&account, "s.example"));
    store.create_schedule(&account, daily(order, NOW), NOW).await.expect("it answers");
    let source = PaymentSource { customer: "cus_ada".into(), method: "pm_ada".into() };
    store.set_payment_source(&account, &source).await.expect("it answers");
    let application = bench.application(ClientAuth::None).await.id;
    let code = bench.code(&account, &application).await;
    let shown = CodeShown {
        application: &application,
        code: &code,
        verifier: VERIFIER,
        redirect_uri: Some(REDIRECT_URI),
        mcp_only: None,
    };
    store.redeem_code(&shown, NOW).await.expect("it answers").expect("tokens");
    let session = store.open_session(&account, NOW).await.expect("it answers");

    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let before = rows_of(&bench, &pool, "account_id", account.as_str()).await;
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
        for (table, rows) in rows_of(&bench, &pool, column, value).await {
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
    // No column of any table that is kept says who it was.
    for text in ["ada@x.org", "cus_ada", "pm_ada"] {
        let email: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM accounts WHERE email = $1")
            .bind(text)
            .fetch_one(&pool)
            .await
            .expect("it answers");
        assert_eq!(email, 0);
    }
    let filter = AuditFilter { account: Some(account.clone()), ..AuditFilter::default() };
    let (entries, _) =
        store.audit_entries(&filter, Page { number: 1, size: 100 }).await.expect("it answers");
    let mut actions: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
    actions.sort_unstable();
    let kept = ["account.created", "account.deleted", "account.suspended", "credits.granted"];
    assert_eq!(actions, kept);

    assert!(store.account(&account).await.expect("it answers").is_none());
    assert_eq!(store.account_state(&account).await.expect("it answers"), AccountState::Gone);
    assert_eq!(store.authenticate_key(&key.key, NOW).await.expect("it answers"), None);
    let who = store.authenticate_session(&session.token, NOW).await.expect("it answers");
    assert_eq!(who, None);
    assert_eq!(bench.append(&mut lease, 3..4).await, Appended::Lost, "a late worker");
    let again = store.delete_account(&account, NOW).await.expect("it answers");
    assert_eq!(again, AccountDeletion::NotFound);
    assert_eq!(store.accounts().await.expect("it answers").len(), 1, "bob stays");
    assert_eq!(bench.job(&theirs.id).await.status, Status::Running);
    bench.audit(&other).await;
}

async fn late_requests_insert_nothing_for_a_deleted_account(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("a@x.org", 1_000).await;
    let webhook = bench.webhook(&account, None).await.details.id;
    let application = bench.application(ClientAuth::None).await.id;
    let (job, mut lease) = bench.running(&account, "a.example").await;
    bench.append(&mut lease, 0..2).await;
    store.delete_account(&account, NOW).await.expect("it answers");

    // Requests that were authenticated before the deletion, and workers that had the run.
    let closed = |failed: Option<StoreError>, what: &str| {
        assert!(matches!(failed, Some(StoreError::AccountClosed)), "{what}: {failed:?}");
    };
    closed(store.create_key(&account, late_key(), NOW).await.err(), "a key");
    let new = NewWebhook { url: "https://h.example/".into(), events: None, created_by: None };
    closed(store.create_webhook(&account, new, NOW).await.err(), "a webhook");
    let order = StandingOrder::of(new_job(&account, "s.example"));
    closed(store.create_schedule(&account, daily(order, NOW), NOW).await.err(), "a schedule");
    closed(store.open_session(&account, NOW).await.err(), "a session");
    closed(store.create_job(&new_job(&account, "b.example"), NOW).await.err(), "a job");
    let on = TopUpChange { enabled: true, ..TopUpChange::default() };
    closed(store.set_auto_top_up(&account, on).await.err(), "auto top-up");
    let unchanged = TopUpChange::default();
    closed(store.set_auto_top_up(&account, unchanged).await.err(), "auto top-up as it is");
    let source = PaymentSource { customer: "cus_1".into(), method: "pm_1".into() };
    closed(store.set_payment_source(&account, &source).await.err(), "a payment method");
    closed(store.approve(&bench.approval(&account, &application), NOW).await.err(), "a grant");
    let ticket = store.create_export(&job.id, ExportFormat::Csv, None, NOW, NOW).await;
    assert_eq!(ticket.expect("it answers"), None);
    let test = store.test_webhook(&account, &webhook, NOW).await.expect("it answers");
    assert!(test.is_none(), "{test:?}");
    store.results_on_page(&job.id, 2, Page { number: 1, size: 10 }).await.expect("it answers");
    assert_eq!(bench.append(&mut lease, 2..3).await, Appended::Lost);
    let snapshot = Snapshot::of(&1_u64).expect("it encodes");
    assert!(!store.write_snapshot(&lease, &snapshot).await.expect("it answers"));
    nothing_is_left(&bench, &account, &[job.id]).await;
}

/// A key that is asked for too late.
fn late_key() -> NewKey {
    NewKey {
        name: "late".into(),
        source: "direct".into(),
        prefix: KeyPrefix::Live,
        limits: store::LimitChange::default(),
    }
}

async fn writers_that_race_with_a_deletion_leave_no_rows(bench: Bench) {
    let bench = bench.with(|settings| settings.keys = 10_000).await;
    for round in 0..4 {
        let account = bench.account(&format!("{round}@x.org"), 100_000).await;
        let hosts = [format!("a{round}.example"), format!("b{round}.example")];
        let (job, mut lease) = bench.running(&account, &hosts[0]).await;
        bench.append(&mut lease, 0..1).await;
        let order = StandingOrder::of(new_job(&account, &hosts[1]));
        let schedule = bench.store.create_schedule(&account, daily(order, NOW), NOW).await;
        let schedule = schedule.expect("it answers").expect("room").id;
        // Each of them goes on until the deletion stops it.
        let (store, run) = (bench.store.clone(), job.id.clone());
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
        let store = bench.store.clone();
        let exporting = tokio::spawn(async move {
            let ticket = || store.create_export(&run, ExportFormat::Csv, None, NOW, NOW);
            while ticket().await.expect("it answers").is_some() {}
        });
        let (store, owner) = (bench.store.clone(), account.clone());
        let creating = tokio::spawn(async move {
            while store.create_key(&owner, late_key(), NOW).await.is_ok() {}
        });
        let (store, mut slot) = (bench.store.clone(), NOW);
        let starting = tokio::spawn(async move {
            // The first run occupies the site: each further slot writes down a failed job.
            while store.start_due(&schedule, RULES, slot).await.expect("it answers").is_some() {
                slot = slot.plus(Duration::from_secs(24 * 3_600));
            }
        });
        let limit = Duration::from_secs(60);
        tokio::time::timeout(limit, async {
            while bench.job(&job.id).await.counts.results < 5 {
                tokio::task::yield_now().await;
            }
        })
        .await
        .expect("the run writes");
        let deleted = bench.store.delete_account(&account, NOW).await.expect("it answers");
        assert!(matches!(deleted, AccountDeletion::Deleted { .. }), "{deleted:?}");
        for writer in [appending, exporting, creating, starting] {
            tokio::time::timeout(limit, writer).await.expect("it ends").expect("no panic");
        }
        nothing_is_left(&bench, &account, &[job.id]).await;
    }
}

async fn nothing_is_left(bench: &Bench, account: &AccountId, jobs: &[JobId]) {
    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    let of_jobs = jobs.iter().map(|job| ("job_id", job.as_str()));
    for (column, value) in of_jobs.chain([("account_id", account.as_str())]) {
        for (table, rows) in rows_of(bench, &pool, column, value).await {
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

/// How many rows each table with this column has of a value.
async fn rows_of(bench: &Bench, pool: &AnyPool, column: &str, value: &str) -> Vec<(String, i64)> {
    let tables = match bench.store.dialect() {
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

async fn a_deletion_waits_for_an_open_purchase(bench: Bench) {
    let store = &bench.store;
    let account = bench.account("a@x.org", 1).await;
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

async fn a_deleted_accounts_email_is_free(bench: Bench) {
    let first = bench.account("a@x.org", 5).await;
    bench.store.delete_account(&first, NOW).await.expect("it answers");
    assert_eq!(bench.store.sign_in("a@x.org", "correct horse").await.expect("it answers"), None);
    let gone = format!("deleted {first}");
    assert_eq!(bench.store.sign_in(&gone, "").await.expect("it answers"), None);
    let second = bench.account("a@x.org", 0).await;
    assert_ne!(first, second);
    assert!(!bench.store.is_new().await.expect("it answers"));
}
