//! The tables of an older release come up to date, and what stands in them stays.

use sqlx::AnyPool;
use store::{Appended, Page, Store};

use crate::bench::{Bench, NOW, pages_commit, skipped_url};
use crate::on_both;

on_both!(a_run_of_the_first_release_goes_on);

/// Takes the database back to its first step.
const BACK: &str = "DROP TABLE credential_limits; DROP TABLE job_domains; \
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
    DELETE FROM schema_version WHERE step > 1;";

async fn a_run_of_the_first_release_goes_on(bench: Bench) {
    let account = bench.account("a@x.org", 10).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    bench.append(&mut lease, 0..2).await;
    bench.store.close().await;
    let pool = AnyPool::connect(&bench.settings.url).await.expect("it connects");
    sqlx::raw_sql(BACK).execute(&pool).await.expect("it goes back");
    pool.close().await;

    let store = Store::new(bench.settings.clone()).expect("an address of a database");
    store.prepare().await.expect("it comes up to date");
    let (commit, items) = pages_commit(2..3);
    let appended = store.append(&mut lease, &commit, &items, &[skipped_url(0)], NOW).await;
    assert_eq!(appended.expect("it answers"), Appended::Stored);
    assert_eq!(store.results(&job.id, 0, 10).await.expect("it answers").items.len(), 3);
    let (events, more) =
        store.events_after(&account, None, 1).await.expect("it answers").expect("from the oldest");
    assert_eq!((events.len(), more), (1, false), "events of the first release are numbered");
    let page = Page { number: 1, size: 10 };
    let skipped = store.skipped(&job.id, None, page).await.expect("it answers");
    assert_eq!(skipped.items, [skipped_url(0)]);
}
