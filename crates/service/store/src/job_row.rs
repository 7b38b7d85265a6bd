//! Encodes a job as a row of `jobs`, and decodes it.

use contract::{
    Counts, Creator, Credits, ErrorCode, External, JobError, Millis, Mode, OnProtected, Options,
    Scope, Status, Units,
};
use job::{Job, WaitsFor};
use serde::{Deserialize, Serialize};
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, Row, Transaction};

use crate::columns::{count, flag, optional_millis, parsed, signed, word};
use crate::{Store, StoreError};

/// The columns that never change after the creation.
macro_rules! origin_columns {
    () => {
        "id, account_id, source, mode, url, site_key, request, on_protected, batch_size, \
         created_at"
    };
}

/// The columns that a command or a commit changes, in the order of `bind_state`.
macro_rules! state_columns {
    () => {
        "ceiling, status, waits_for, rate, protected, protected_marker, batch, pages, products, \
         results, units, credits_used, reserved, error_code, error_message, started_at, \
         parked_at, finished_at, protected_units"
    };
}

/// The columns of a job, read by every statement that returns one.
macro_rules! job_columns {
    () => {
        concat!(crate::job_row::origin_columns!(), ", ", crate::job_row::state_columns!())
    };
}
pub(crate) use {job_columns, origin_columns, state_columns};

const INSERT: &str = concat!(
    "INSERT INTO jobs (",
    origin_columns!(),
    ", ",
    state_columns!(),
    ", active, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, ",
    "$15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, 0)"
);

const UPDATE: &str = "UPDATE jobs SET ceiling = $2, status = $3, waits_for = $4, rate = $5, \
    protected = $6, protected_marker = $7, batch = $8, pages = $9, products = $10, \
    results = $11, units = $12, credits_used = $13, reserved = $14, error_code = $15, \
    error_message = $16, started_at = $17, parked_at = $18, finished_at = $19, protected_units = $20, \
    active = $21, \
    progress_due_at = CASE CAST($21 AS BIGINT) WHEN 0 THEN NULL ELSE progress_due_at END \
    WHERE id = $1";

/// Reads a job and locks its row until the transaction ends. An UPDATE, because SQLite has no
/// `FOR UPDATE`.
pub(crate) const LOCK: &str = concat!(
    "UPDATE jobs SET revision = revision + 1 WHERE id = $1 RETURNING ",
    job_columns!(),
    ", progress_at, progress_due_at"
);

/// Locks a job's row without changing it: commits and commands of the job wait.
pub(crate) const HOLD: &str = "UPDATE jobs SET revision = revision WHERE id = $1";

const INSERT_DOMAINS: &str =
    "INSERT INTO job_domains (job_id, domains, inputs) VALUES ($1, $2, $3)";
const DOMAINS: &str = "SELECT domains, inputs FROM job_domains WHERE job_id = $1";

/// The part of a job request that is stored as JSON in the column `request`.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRequest {
    /// Set by releases before schema step 15; later jobs have a row in `job_domains`.
    #[serde(default, skip_serializing)]
    domains: Vec<String>,
    #[serde(default, skip_serializing)]
    inputs: Vec<String>,
    scope: Scope,
    options: Options,
    external: Option<External>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    creator: Option<Creator>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    free: bool,
}

pub(crate) async fn insert(
    tx: &mut Transaction<'static, Any>,
    job: &Job,
) -> Result<(), StoreError> {
    let request = StoredRequest {
        domains: Vec::new(),
        inputs: Vec::new(),
        scope: job.scope,
        options: job.options.clone(),
        external: job.external.clone(),
        creator: job.creator.clone(),
        free: job.free,
    };
    let request = as_json(&request)?;
    let query = sqlx::query(INSERT)
        .bind(job.id.as_str())
        .bind(job.account.as_str())
        .bind(&job.source)
        .bind(job.mode.as_str())
        .bind(job.url.as_deref())
        .bind(job.site_key.as_deref())
        .bind(request)
        .bind(job.on_protected.as_str())
        .bind(signed(job.batch_size))
        .bind(job.created_at.0);
    bind_state(query, job).execute(&mut **tx).await?;
    if !job.domains.is_empty() || !job.inputs.is_empty() {
        sqlx::query(INSERT_DOMAINS)
            .bind(job.id.as_str())
            .bind(as_json(&job.domains)?)
            .bind(as_json(&job.inputs)?)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

fn as_json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|cause| StoreError::Damaged(cause.to_string()))
}

impl Store {
    /// Adds the domains of a `contacts` job and the client's spelling of each. All other methods
    /// return jobs without them.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn with_domains(&self, mut job: Job) -> Result<Job, StoreError> {
        if job.mode != Mode::Contacts {
            return Ok(job);
        }
        let query = sqlx::query(DOMAINS).bind(job.id.as_str());
        if let Some(row) = query.fetch_optional(self.reader()?).await? {
            (job.domains, job.inputs) = (texts(&row, "domains")?, texts(&row, "inputs")?);
        }
        Ok(job)
    }
}

/// A column that holds a JSON list of texts.
fn texts(row: &AnyRow, column: &str) -> Result<Vec<String>, StoreError> {
    serde_json::from_str(&row.try_get::<String, _>(column)?)
        .map_err(|cause| StoreError::Damaged(format!("{column} is invalid: {cause}")))
}

pub(crate) async fn update(
    tx: &mut Transaction<'static, Any>,
    job: &Job,
) -> Result<(), StoreError> {
    bind_state(sqlx::query(UPDATE).bind(job.id.as_str()), job).execute(&mut **tx).await?;
    Ok(())
}

fn bind_state<'q>(
    query: Query<'q, Any, AnyArguments>,
    job: &'q Job,
) -> Query<'q, Any, AnyArguments> {
    query
        .bind(job.ceiling.map(|ceiling| ceiling.0))
        .bind(job.status.as_str())
        .bind(job.waits_for.map(WaitsFor::as_str))
        .bind(job.rate.map(|rate| rate.0))
        .bind(i64::from(job.protected))
        .bind(job.protected_marker.as_deref())
        .bind(i64::from(job.batch))
        .bind(signed(job.counts.pages))
        .bind(signed(job.counts.products))
        .bind(signed(job.counts.results))
        .bind(signed(job.units.0))
        .bind(job.credits_used.0)
        .bind(job.reserved.0)
        .bind(job.error.as_ref().map(|error| error.code.as_str()))
        .bind(job.error.as_ref().map(|error| error.message.as_str()))
        .bind(job.started_at.map(|at| at.0))
        .bind(job.parked_at.map(|at| at.0))
        .bind(job.finished_at.map(|at| at.0))
        .bind(signed(job.protected_units.0))
        .bind(i64::from(!job.status.is_final()))
}

/// Decodes a job without its domains; [`Store::with_domains`] adds them.
pub(crate) fn read(row: &AnyRow) -> Result<Job, StoreError> {
    let request: StoredRequest = serde_json::from_str(&row.try_get::<String, _>("request")?)
        .map_err(|cause| StoreError::Damaged(format!("request is invalid: {cause}")))?;
    let error = error_of(row)?;
    Ok(Job {
        id: parsed(row, "id")?,
        account: parsed(row, "account_id")?,
        source: row.try_get("source")?,
        creator: request.creator,
        free: request.free,
        mode: word(row, "mode", |name| name.parse::<Mode>().ok())?,
        url: row.try_get("url")?,
        domains: request.domains,
        inputs: request.inputs,
        site_key: row.try_get("site_key")?,
        scope: request.scope,
        options: request.options,
        on_protected: word(row, "on_protected", |name| name.parse::<OnProtected>().ok())?,
        ceiling: row.try_get::<Option<i64>, _>("ceiling")?.map(Credits),
        external: request.external,
        batch_size: count(row, "batch_size")?,
        status: word(row, "status", |name| name.parse::<Status>().ok())?,
        waits_for: row
            .try_get::<Option<String>, _>("waits_for")?
            .and_then(|text| text.parse().ok()),
        rate: row.try_get::<Option<i64>, _>("rate")?.map(Credits),
        protected: flag(row, "protected")?,
        protected_marker: row.try_get("protected_marker")?,
        batch: u32::try_from(count(row, "batch")?).unwrap_or(u32::MAX),
        counts: Counts {
            pages: count(row, "pages")?,
            products: count(row, "products")?,
            results: count(row, "results")?,
        },
        units: Units(count(row, "units")?),
        protected_units: Units(count(row, "protected_units")?),
        credits_used: Credits(row.try_get("credits_used")?),
        reserved: Credits(row.try_get("reserved")?),
        error,
        created_at: Millis(row.try_get("created_at")?),
        started_at: optional_millis(row, "started_at")?,
        parked_at: optional_millis(row, "parked_at")?,
        finished_at: optional_millis(row, "finished_at")?,
    })
}

/// The `error` of a job that failed, stopped or is paused.
pub(crate) fn error_of(row: &AnyRow) -> Result<Option<JobError>, StoreError> {
    let Some(code) = row.try_get::<Option<String>, _>("error_code")? else { return Ok(None) };
    Ok(Some(JobError {
        code: code.parse::<ErrorCode>().unwrap_or(ErrorCode::Unknown),
        message: row.try_get::<Option<String>, _>("error_message")?.unwrap_or_default(),
    }))
}
