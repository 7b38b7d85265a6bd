//! Migration of a database of the first release, with its rows.

use sqlx::AnyPool;
use store::{Appended, PageRequest, Store};

use crate::harness::{Harness, NOW, pages_commit, skipped_url};
use crate::on_both;

on_both!(
    database_of_the_first_release_is_migrated,
    newer_schema_that_only_expands_is_used_and_another_is_refused,
);

/// Reverts the schema to its first step.
const REVERT: &str = "DROP TABLE retention; DROP INDEX ledger_details; DROP INDEX jobs_files_due; \
    DROP INDEX jobs_log_due; ALTER TABLE jobs DROP COLUMN log_kept; \
    DROP TABLE credential_limits; DROP TABLE job_domains; \
    DROP TABLE skip_segments; DROP TABLE skip_counts; DROP TABLE skip_spans; \
    DROP TABLE exports; DROP TABLE result_sizes; DROP TABLE secret_key; DROP TABLE deliveries; DROP TABLE webhooks; \
    DROP INDEX outbox_by_account; CREATE INDEX outbox_by_account ON outbox (account_id, id); \
    ALTER TABLE outbox DROP COLUMN position; ALTER TABLE accounts DROP COLUMN events; \
    ALTER TABLE shards DROP COLUMN fetched; ALTER TABLE shards DROP COLUMN fetching; \
    DROP TABLE recharges; DROP TABLE auto_top_up; DROP TABLE templates; \
    DROP TABLE acceptances; DROP TABLE objections; DROP TABLE objection_list; \
    DROP TABLE blank_pages; \
    DROP TABLE application_grants; DROP TABLE applications; DROP TABLE authorizations; \
    DROP TABLE refresh_tokens; DROP TABLE access_tokens; \
    DROP TABLE schedules; DROP TABLE comparisons; DROP TABLE comparison_pairs; \
    DROP INDEX jobs_by_schedule; ALTER TABLE jobs DROP COLUMN schedule_id; \
    ALTER TABLE jobs DROP COLUMN slot_at; \
    DROP TABLE audit; DROP TABLE devices; DROP TABLE sign_in_attempts; \
    DROP INDEX sessions_by_id; DROP INDEX sessions_by_account; \
    ALTER TABLE sessions DROP COLUMN id; ALTER TABLE sessions DROP COLUMN last_used_at; \
    ALTER TABLE sessions DROP COLUMN address; ALTER TABLE sessions DROP COLUMN user_agent; \
    ALTER TABLE sessions DROP COLUMN device; \
    ALTER TABLE accounts DROP COLUMN suspended_at; ALTER TABLE accounts DROP COLUMN deleted_at; \
    DROP INDEX jobs_progress_due; ALTER TABLE jobs DROP COLUMN progress_due_at; \
    ALTER TABLE jobs DROP COLUMN protected_units; \
    ALTER TABLE accounts DROP COLUMN assistant_legal_basis; \
    ALTER TABLE shards DROP COLUMN crashes; ALTER TABLE shards DROP COLUMN memory_bytes; \
    ALTER TABLE ledger DROP COLUMN page_id; \
    DROP INDEX idempotency_answers; ALTER TABLE idempotency DROP COLUMN answer; \
    ALTER TABLE idempotency DROP COLUMN answer_bytes; \
    ALTER TABLE host_leases DROP COLUMN pages; DROP TABLE job_urls; DROP TABLE job_secrets; \
    ALTER TABLE shards DROP COLUMN outcome; \
    DROP TABLE list_urls; DROP TABLE url_lists; DROP INDEX jobs_by_list; \
    ALTER TABLE jobs DROP COLUMN list_id; ALTER TABLE jobs DROP COLUMN list_urls; \
    DROP TABLE page_files; DROP TABLE run_pages; DROP TABLE blobs; \
    ALTER TABLE jobs DROP COLUMN file_bytes; ALTER TABLE jobs DROP COLUMN files_not_kept; \
    ALTER TABLE jobs DROP COLUMN error_cause; \
    DROP TABLE sign_in_links; DROP INDEX jobs_of_site; \
    CREATE UNIQUE INDEX jobs_one_per_site ON jobs (account_id, site_key) WHERE active = 1; \
    DROP INDEX jobs_not_admitted; ALTER TABLE jobs DROP COLUMN admitted; \
    DROP TABLE nodes; DROP INDEX shards_ready; DROP INDEX shards_held; \
    ALTER TABLE shards DROP COLUMN probe_until; ALTER TABLE shards DROP COLUMN blames; \
    DROP TABLE installation; DROP TABLE storage_places; DROP TABLE pack_changes; \
    DROP TABLE blob_parts; DROP TABLE packs; \
    DROP TABLE page_calls; DROP TABLE request_log; DROP TABLE job_labels; \
    DROP TABLE mails; DROP TABLE password_resets; \
    ALTER TABLE schema_version DROP COLUMN needs; \
    DELETE FROM schema_version WHERE step > 1;";

async fn database_of_the_first_release_is_migrated(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.append(&mut lease, 0..2).await;
    harness.store.close().await;
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    sqlx::raw_sql(REVERT).execute(&pool).await.expect("it is reverted");
    pool.close().await;

    let store = Store::new(harness.settings.clone()).expect("an address of a database");
    let plan = store.migration_plan().await.expect("it answers");
    assert_eq!((plan.applied, plan.pending.len()), (1, plan.newest - 1));
    assert_eq!((plan.pending[0].step, plan.pending[0].name), (2, "0002_skipped"));
    store.open_unchanged().await.expect_err("it is not migrated by a command that only reads");
    assert_eq!(store.migration_plan().await.expect("it answers"), plan, "nothing was changed");
    store.prepare().await.expect("it migrates");
    let plan = store.migration_plan().await.expect("it answers");
    assert_eq!((plan.applied, plan.pending.len()), (plan.newest, 0));
    let (commit, items) = pages_commit(2..3);
    let appended = store.append(&mut lease, &commit, &items, &[skipped_url(0)], NOW).await;
    assert_eq!(appended.expect("it answers"), Appended::Stored);
    assert_eq!(store.results(&job.id, 0, 10).await.expect("it answers").items.len(), 3);
    let (events, more) =
        store.events_after(&account, None, 1).await.expect("it answers").expect("from the oldest");
    assert_eq!((events.len(), more), (1, false), "events of the first release are numbered");
    let page = PageRequest { number: 1, size: 10 };
    let skipped = store.skipped(&job.id, None, page).await.expect("it answers");
    assert_eq!(skipped.items, [skipped_url(0)]);
}

async fn newer_schema_that_only_expands_is_used_and_another_is_refused(harness: Harness) {
    let known = store::newest_schema();
    harness.account("a@x.org", 10).await;
    let pool = AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let newer = async |needs: usize| {
        let row = format!(
            "DELETE FROM schema_version WHERE step = 9999; \
             INSERT INTO schema_version (step, needs) VALUES (9999, {needs})"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(row)).execute(&pool).await.expect("a row");
        Store::new(harness.settings.clone()).expect("an address of a database")
    };
    let store = newer(known).await;
    store.prepare().await.expect("the release before can be started again");
    assert!(store.account_by_email("a@x.org").await.expect("it answers").is_some());
    store.close().await;
    for needs in [known + 1, 0] {
        let store = newer(needs).await;
        for refused in [store.prepare().await, store.open_unchanged().await] {
            let problem = refused.expect_err("refused").to_string();
            assert!(problem.contains("written by a newer release"), "{problem}");
        }
        let plan = store.migration_plan().await.expect("it answers");
        assert!(plan.obstacle.is_some() && plan.pending.is_empty());
        assert!(store.account_by_email("a@x.org").await.is_err(), "nothing can be done with it");
        store.close().await;
    }
    pool.close().await;
}
