//! Schema migrations.

use crate::{Dialect, Result, Store, StoreError};

/// All migrations in their order. A released migration never changes.
const STEPS: &[&str] = &[
    include_str!("schema/0001_spine.sql"),
    include_str!("schema/0002_skipped.sql"),
    include_str!("schema/0003_webhooks.sql"),
    include_str!("schema/0004_exports.sql"),
    include_str!("schema/0005_progress_and_top_up.sql"),
    include_str!("schema/0006_templates.sql"),
    include_str!("schema/0007_law.sql"),
    include_str!("schema/0008_schedules.sql"),
    include_str!("schema/0009_oauth.sql"),
    include_str!("schema/0010_audit.sql"),
    include_str!("schema/0011_accounts.sql"),
    include_str!("schema/0012_worker_safety.sql"),
    include_str!("schema/0013_contract.sql"),
    include_str!("schema/0014_credential_limits.sql"),
    include_str!("schema/0015_bounded_rows.sql"),
    include_str!("schema/0016_pages.sql"),
    include_str!("schema/0017_lists.sql"),
    include_str!("schema/0018_job_secrets.sql"),
    include_str!("schema/0019_url_lists.sql"),
    include_str!("schema/0020_run_pages.sql"),
    include_str!("schema/0021_error_cause.sql"),
    include_str!("schema/0022_webhook_formats.sql"),
    include_str!("schema/0023_nodes.sql"),
    include_str!("schema/0024_admission.sql"),
];

const CREATE_VERSION: &str = "CREATE TABLE IF NOT EXISTS schema_version (step BIGINT PRIMARY KEY)";
const READ_VERSION: &str = "SELECT COALESCE(MAX(step), 0) FROM schema_version";
const WRITE_VERSION: &str = "INSERT INTO schema_version (step) VALUES ($1)";

/// Several nodes may start at the same time; the first one migrates, the others wait.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7476130193)";
const BLOB: &str = "DO $$ BEGIN CREATE DOMAIN blob AS bytea; \
                    EXCEPTION WHEN duplicate_object THEN NULL; END $$";

/// The number of migrations of this release.
pub(crate) fn newest() -> usize {
    STEPS.len()
}

/// The number of migrations that have been applied. Fails on a database without a schema.
pub(crate) async fn applied(store: &Store) -> Result<usize> {
    let done: i64 = sqlx::query_scalar(READ_VERSION).fetch_one(&store.inner.reader).await?;
    Ok(usize::try_from(done).unwrap_or(0))
}

/// Fails unless the schema is that of this release.
pub(crate) async fn require_newest(store: &Store) -> Result<()> {
    let problem = match applied(store).await {
        Ok(done) if done == newest() => return Ok(()),
        Ok(done) if done > newest() => newer(done),
        Ok(done) => format!(
            "its schema has version {done} and this release needs {}; start the server, or run \
             `trawl migrate --apply`",
            newest()
        ),
        Err(StoreError::Sql(_)) => "it has no tables yet; the first start creates them".to_owned(),
        Err(error) => return Err(error),
    };
    Err(StoreError::Setup(problem))
}

/// Why a database of a newer release is refused.
fn newer(done: usize) -> String {
    format!(
        "it was written by a newer release; start that release, or use another database (schema \
         {done}; this release knows {})",
        newest()
    )
}

pub(crate) async fn migrate(store: &Store) -> Result<()> {
    let inner = &store.inner;
    let mut tx = inner.writer.begin_with(inner.begin).await?;
    if inner.dialect == Dialect::Postgres {
        sqlx::raw_sql(LOCK).execute(&mut *tx).await?;
        sqlx::raw_sql(BLOB).execute(&mut *tx).await?;
    }
    sqlx::raw_sql(CREATE_VERSION).execute(&mut *tx).await?;
    let done: i64 = sqlx::query_scalar(READ_VERSION).fetch_one(&mut *tx).await?;
    let done = usize::try_from(done).unwrap_or(0);
    if done > STEPS.len() {
        return Err(StoreError::Setup(newer(done)));
    }
    for (index, step) in STEPS.iter().enumerate().skip(done) {
        sqlx::raw_sql(*step).execute(&mut *tx).await?;
        let number = i64::try_from(index + 1).unwrap_or(i64::MAX);
        sqlx::query(WRITE_VERSION).bind(number).execute(&mut *tx).await?;
    }
    Ok(tx.commit().await?)
}
