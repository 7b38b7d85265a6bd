//! Schema migrations.
//!
//! A migration expands the schema, if nodes of the release before can work with it: it adds tables,
//! indexes, and columns that are nullable or have a default. Otherwise it contracts. A change that removes
//! something takes two releases: the first expands and no longer uses it, the second contracts. The
//! database stores how many migrations a release must know to work with it, so that an upgrade that only
//! expanded can be reverted to the release before.

use crate::{Dialect, Result, Store, StoreError};

/// A migration with its SQL, in one text for both databases.
#[derive(Debug)]
struct SchemaStep {
    name: &'static str,
    sql: &'static str,
    /// Whether a release that knows only the steps before can work with the result.
    expands: bool,
}

macro_rules! contract {
    ($name:literal) => {
        SchemaStep {
            name: $name,
            sql: include_str!(concat!("schema/", $name, ".sql")),
            expands: false,
        }
    };
}
macro_rules! expand {
    ($name:literal) => {
        SchemaStep { expands: true, ..contract!($name) }
    };
}

/// All migrations in their order. A released migration never changes. Releases before 0.2 refuse every
/// step that they do not know, so that their steps have no kind.
const STEPS: &[SchemaStep] = &[
    contract!("0001_spine"),
    contract!("0002_skipped"),
    contract!("0003_webhooks"),
    contract!("0004_exports"),
    contract!("0005_progress_and_top_up"),
    contract!("0006_templates"),
    contract!("0007_law"),
    contract!("0008_schedules"),
    contract!("0009_oauth"),
    contract!("0010_audit"),
    contract!("0011_accounts"),
    contract!("0012_worker_safety"),
    contract!("0013_contract"),
    contract!("0014_credential_limits"),
    contract!("0015_bounded_rows"),
    contract!("0016_pages"),
    contract!("0017_lists"),
    contract!("0018_job_secrets"),
    contract!("0019_url_lists"),
    contract!("0020_run_pages"),
    contract!("0021_error_cause"),
    contract!("0022_webhook_formats"),
    contract!("0023_nodes"),
    contract!("0024_admission"),
    contract!("0025_page_calls"),
    contract!("0026_downgrade"),
    expand!("0027_retention"),
    contract!("0028_site_queue"),
    expand!("0029_sign_in_links"),
    expand!("0030_console_lists"),
    expand!("0031_mail"),
    expand!("0032_storage"),
];

const CREATE_VERSION: &str = "CREATE TABLE IF NOT EXISTS schema_version (step BIGINT PRIMARY KEY)";
const READ_VERSION: &str = "SELECT COALESCE(MAX(step), 0) FROM schema_version";
const WRITE_VERSION: &str = "INSERT INTO schema_version (step) VALUES ($1)";

/// Several nodes may start at the same time; the first one migrates, the others wait.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7476130193)";
const BLOB: &str = "DO $$ BEGIN CREATE DOMAIN blob AS bytea; \
                    EXCEPTION WHEN duplicate_object THEN NULL; END $$";

/// The number of migrations that a release must know, 0 in the rows of earlier steps.
const READ_NEEDS: &str = "SELECT needs FROM schema_version ORDER BY step DESC LIMIT 1";
const WRITE_NEEDS: &str = "UPDATE schema_version SET needs = $2 WHERE step = $1";

/// A migration that the database lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingMigration {
    /// Its position among all migrations, from 1.
    pub step: usize,
    pub name: &'static str,
    /// Whether nodes of the release before can work with the result.
    pub expands: bool,
}

/// What a start of this release would do to the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationPlan {
    /// Migrations of the database; 0 before the first start.
    pub applied: usize,
    /// Migrations of this release.
    pub newest: usize,
    pub pending: Vec<PendingMigration>,
    /// Migrations that a release must know to start on the result.
    pub needs: usize,
    /// Why this release cannot use the database, which a newer release wrote.
    pub obstacle: Option<String>,
}

/// The number of migrations of this release.
pub(crate) fn newest() -> usize {
    STEPS.len()
}

/// The number of migrations that a release must know to work with the schema of this one.
fn needs_of(steps: &[SchemaStep]) -> usize {
    steps.iter().rposition(|step| !step.expands).map_or(0, |last| last + 1)
}

/// The number of migrations that have been applied. Fails on a database without a schema.
pub(crate) async fn applied(store: &Store) -> Result<usize> {
    let done: i64 = sqlx::query_scalar(READ_VERSION).fetch_one(&store.inner.reader).await?;
    Ok(usize::try_from(done).unwrap_or(0))
}

/// Fails unless the schema is that of this release, or one of a newer release that only expands it.
pub(crate) async fn require_usable(store: &Store) -> Result<()> {
    let plan = store.migration_plan().await?;
    let problem = match (plan.obstacle, plan.applied) {
        (Some(obstacle), _) => obstacle,
        (None, 0) => "it has no tables yet; the first start creates them".to_owned(),
        (None, done) if plan.pending.is_empty() || done > newest() => return Ok(()),
        (None, done) => format!(
            "its schema has version {done} and this release needs {}; start the server, or run \
             `trawl migrate --apply`",
            newest()
        ),
    };
    Err(StoreError::Setup(problem))
}

/// Why a database with more migrations than this release knows is refused; `None` if they only expand
/// the schema.
fn obstacle(done: usize, needs: i64) -> Option<String> {
    let needs = usize::try_from(needs).unwrap_or(0);
    let is_usable = needs > 0 && needs <= newest();
    (!is_usable).then(|| {
        format!(
            "it was written by a newer release; start that release, or use another database (schema \
             {done}; this release knows {}, and a release must know {})",
            newest(),
            if needs == 0 { done } else { needs }
        )
    })
}

impl Store {
    /// What a start of this release would do to the schema. Changes nothing, and needs no
    /// [`Store::prepare`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database does not answer.
    pub async fn migration_plan(&self) -> Result<MigrationPlan> {
        let applied = match applied(self).await {
            Ok(applied) => applied,
            // The table does not exist before the first start.
            Err(StoreError::Sql(_)) => 0,
            Err(error) => return Err(error),
        };
        let mut plan = MigrationPlan {
            applied,
            newest: newest(),
            pending: Vec::new(),
            needs: needs_of(STEPS),
            obstacle: None,
        };
        if applied > newest() {
            let needs: i64 = sqlx::query_scalar(READ_NEEDS).fetch_one(&self.inner.reader).await?;
            plan.obstacle = obstacle(applied, needs);
            plan.needs = usize::try_from(needs).unwrap_or(0);
        }
        let pending = STEPS.iter().enumerate().skip(applied);
        plan.pending = pending
            .map(|(index, step)| PendingMigration {
                step: index + 1,
                name: step.name,
                expands: step.expands,
            })
            .collect();
        Ok(plan)
    }
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
        let needs: i64 = sqlx::query_scalar(READ_NEEDS).fetch_one(&mut *tx).await?;
        return match obstacle(done, needs) {
            Some(problem) => Err(StoreError::Setup(problem)),
            None => Ok(tx.rollback().await?),
        };
    }
    for (index, step) in STEPS.iter().enumerate().skip(done) {
        sqlx::raw_sql(step.sql).execute(&mut *tx).await?;
        sqlx::query(WRITE_VERSION).bind(signed(index + 1)).execute(&mut *tx).await?;
    }
    if done < STEPS.len() {
        let (step, needs) = (signed(STEPS.len()), signed(needs_of(STEPS)));
        sqlx::query(WRITE_NEEDS).bind(step).bind(needs).execute(&mut *tx).await?;
    }
    Ok(tx.commit().await?)
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(expands: bool) -> SchemaStep {
        SchemaStep { name: "step", sql: "", expands }
    }

    #[test]
    fn release_must_know_all_steps_up_to_the_last_contraction() {
        let kinds = |kinds: &[bool]| kinds.iter().map(|kind| step(*kind)).collect::<Vec<_>>();
        assert_eq!(needs_of(&kinds(&[false, true, true])), 1);
        assert_eq!(needs_of(&kinds(&[false, true, false])), 3);
        assert_eq!(needs_of(&kinds(&[true])), 0);
        assert!(needs_of(STEPS) > 0);
    }

    #[test]
    fn newer_schema_is_refused_unless_it_only_expands() {
        let known = signed(newest());
        assert_eq!(obstacle(newest() + 3, known), None);
        for needs in [0, known + 1, -1] {
            let problem = obstacle(newest() + 3, needs).expect("refused");
            assert!(problem.contains("written by a newer release"), "{problem}");
        }
    }

    #[test]
    fn names_of_steps_are_in_order_and_expanding_steps_remove_nothing() {
        for pair in STEPS.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} {}", pair[0].name, pair[1].name);
        }
        for step in STEPS.iter().filter(|step| step.expands) {
            let sql = step.sql.to_uppercase();
            for word in ["DROP ", "RENAME ", "DELETE "] {
                assert!(!sql.contains(word), "{} is no expansion: {word}", step.name);
            }
        }
    }
}
