//! Encodes a job as a row of `jobs`, and decodes it.

use contract::{
    Counts, Creator, ErrorCode, External, FailureCause, JobError, JobWebhook, ListId, Options,
    Scope, SiteAccess,
};
use job::Job;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::Any;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;

use crate::columns::{ExecuteIn, ReadColumn, Tx, bind, read_row, sql, to_json};
use crate::{Result, Store, StoreError};

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
         parked_at, finished_at, protected_units, error_cause"
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
    "$15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, 0)"
);

const UPDATE: &str = "UPDATE jobs SET ceiling = $2, status = $3, waits_for = $4, rate = $5, \
    protected = $6, protected_marker = $7, batch = $8, pages = $9, products = $10, \
    results = $11, units = $12, credits_used = $13, reserved = $14, error_code = $15, \
    error_message = $16, started_at = $17, parked_at = $18, finished_at = $19, protected_units = $20, \
    error_cause = $21, active = $22, \
    progress_due_at = CASE CAST($22 AS BIGINT) WHEN 0 THEN NULL ELSE progress_due_at END \
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

const REQUEST: &str = "SELECT request FROM jobs WHERE id = $1";
const SET_REQUEST: &str = "UPDATE jobs SET request = $2 WHERE id = $1";

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
    #[serde(deserialize_with = "Scope::from_stored")]
    scope: Scope,
    #[serde(deserialize_with = "Options::from_stored")]
    options: Options,
    external: Option<External>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    creator: Option<Creator>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    free: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    listed_urls: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    list_id: Option<ListId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    webhook: Option<JobWebhook>,
    /// Without its secrets, which are in `job_secrets`.
    #[serde(default, skip_serializing_if = "SiteAccess::is_default")]
    access: SiteAccess,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

pub(crate) async fn insert(tx: &mut Tx, job: &Job) -> Result<()> {
    let request = StoredRequest {
        domains: Vec::new(),
        inputs: Vec::new(),
        scope: job.scope.clone(),
        options: job.options.clone(),
        external: job.external.clone(),
        creator: job.creator.clone(),
        free: job.free,
        listed_urls: job.listed_urls,
        list_id: job.list.clone(),
        webhook: job.webhook.clone(),
        access: job.access.clone(),
    };
    let request = to_json(&request)?;
    let query = sql!(INSERT; job.id, job.account, job.source, job.mode, job.url, job.site_key,
        request, job.on_protected, job.batch_size, job.created_at);
    bind_state(query, job).run(tx).await?;
    if !job.domains.is_empty() || !job.inputs.is_empty() {
        sql!(INSERT_DOMAINS; job.id, to_json(&job.domains)?, to_json(&job.inputs)?).run(tx).await?;
    }
    Ok(())
}

impl Store {
    /// Adds the domains of a `contacts` job and the client's spelling of each. All other methods
    /// return jobs without them.
    pub async fn with_domains(&self, mut job: Job) -> Result<Job> {
        if !job.mode.visits_domains() {
            return Ok(job);
        }
        if let Some(row) = sql!(DOMAINS; job.id).fetch_optional(self.reader()?).await? {
            (job.domains, job.inputs) = (row.read_json("domains")?, row.read_json("inputs")?);
        }
        Ok(job)
    }
}

pub(crate) async fn update(tx: &mut Tx, job: &Job) -> Result<()> {
    bind_state(sql!(UPDATE; job.id), job).run(tx).await.map(drop)
}

/// Stores changed options. The other members of the stored request stay as they are: that of an
/// earlier release may have members that this one does not write.
pub(crate) async fn update_options(tx: &mut Tx, job: &Job) -> Result<()> {
    let row = sql!(REQUEST; job.id).fetch_one(&mut **tx).await?;
    let mut request: Map<String, Value> = row.read_json("request")?;
    let options = serde_json::to_value(&job.options)
        .map_err(|cause| StoreError::Damaged(format!("the options of a job: {cause}")))?;
    request.insert("options".to_owned(), options);
    sql!(SET_REQUEST; job.id, to_json(&request)?).run(tx).await.map(drop)
}

fn bind_state<'q>(query: Query<'q, Any, AnyArguments>, job: &Job) -> Query<'q, Any, AnyArguments> {
    bind!(query; job.ceiling, job.status, job.waits_for, job.rate, job.protected,
        job.protected_marker, job.batch, job.counts.pages, job.counts.products, job.counts.results,
        job.units, job.credits_used, job.reserved,
        job.error.as_ref().map(|error| error.code.as_str()),
        job.error.as_ref().map(|error| error.message.as_str()), job.started_at, job.parked_at,
        job.finished_at, job.protected_units,
        job.error.as_ref().and_then(|error| error.cause).map(FailureCause::as_str),
        !job.status.is_final())
}

/// Decodes a job without its domains; [`Store::with_domains`] adds them.
pub(crate) fn read(row: &AnyRow) -> Result<Job> {
    let request: StoredRequest = row.read_json("request")?;
    let error = error_of(row)?;
    Ok(read_row!(row => Job {
        id, account = "account_id", source, mode, url, site_key, on_protected, ceiling, batch_size,
        status, rate, protected, protected_marker, batch, units, protected_units, credits_used,
        reserved, created_at, started_at, parked_at, finished_at;
        creator: request.creator,
        free: request.free,
        domains: request.domains,
        inputs: request.inputs,
        listed_urls: request.listed_urls,
        list: request.list_id,
        webhook: request.webhook,
        access: request.access,
        scope: request.scope,
        options: request.options,
        external: request.external,
        waits_for: row.read::<Option<String>>("waits_for")?.and_then(|text| text.parse().ok()),
        counts: read_row!(row => Counts { pages, products, results }),
        error,
    }))
}

/// The `error` of a job that failed, stopped or is paused.
pub(crate) fn error_of(row: &AnyRow) -> Result<Option<JobError>> {
    let Some(code) = row.read::<Option<String>>("error_code")? else { return Ok(None) };
    Ok(Some(JobError {
        code: code.parse::<ErrorCode>().unwrap_or(ErrorCode::Unknown),
        message: row.read::<Option<String>>("error_message")?.unwrap_or_default(),
        cause: row.read::<Option<String>>("error_cause")?.and_then(|cause| cause.parse().ok()),
    }))
}
