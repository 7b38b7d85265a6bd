//! Queries of single jobs and lists of jobs.

use contract::{AccountId, JobId, Mode, ScheduleId, Status};
use job::Job;

use crate::columns::signed;
use crate::job_row::{self, job_columns};
use crate::{Store, StoreError};

/// A page of a list, by number and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// The first page has number 1.
    pub number: u64,
    pub size: u64,
}

impl PageRequest {
    /// Number of entries before the page.
    #[must_use]
    pub fn offset(self) -> u64 {
        self.number.saturating_sub(1).saturating_mul(self.size)
    }
}

/// Selects jobs of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFilter {
    /// `None` for the jobs of all accounts.
    pub account: Option<AccountId>,
    pub status: Option<Status>,
    pub mode: Option<Mode>,
    pub source: Option<String>,
    /// Runs of this schedule only.
    pub schedule: Option<ScheduleId>,
}

const BY_ID: &str = concat!("SELECT ", job_columns!(), " FROM jobs WHERE id = $1");
const LIST: &str = concat!(
    "SELECT ",
    job_columns!(),
    " FROM jobs WHERE account_id = $1 ",
    "AND (CAST($2 AS TEXT) IS NULL OR status = $2) ",
    "AND (CAST($3 AS TEXT) IS NULL OR mode = $3) ",
    "AND (CAST($4 AS TEXT) IS NULL OR source = $4) ",
    "AND (CAST($5 AS TEXT) IS NULL OR schedule_id = $5) ",
    "ORDER BY id DESC LIMIT $6 OFFSET $7"
);
const COUNT: &str = "SELECT COUNT(*) FROM jobs WHERE account_id = $1 \
    AND (CAST($2 AS TEXT) IS NULL OR status = $2) \
    AND (CAST($3 AS TEXT) IS NULL OR mode = $3) \
    AND (CAST($4 AS TEXT) IS NULL OR source = $4) \
    AND (CAST($5 AS TEXT) IS NULL OR schedule_id = $5)";
const LIST_ALL: &str = concat!(
    "SELECT ",
    job_columns!(),
    " FROM jobs WHERE (CAST($1 AS TEXT) IS NULL OR status = $1) ",
    "AND (CAST($2 AS TEXT) IS NULL OR mode = $2) ",
    "AND (CAST($3 AS TEXT) IS NULL OR source = $3) ",
    "AND (CAST($4 AS TEXT) IS NULL OR schedule_id = $4) ",
    "ORDER BY id DESC LIMIT $5 OFFSET $6"
);
const COUNT_ALL: &str = "SELECT COUNT(*) FROM jobs \
    WHERE (CAST($1 AS TEXT) IS NULL OR status = $1) \
    AND (CAST($2 AS TEXT) IS NULL OR mode = $2) \
    AND (CAST($3 AS TEXT) IS NULL OR source = $3) \
    AND (CAST($4 AS TEXT) IS NULL OR schedule_id = $4)";

impl Store {
    /// The job with this id, of any account.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn job(&self, id: &JobId) -> Result<Option<Job>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(self.reader()?).await?;
        row.as_ref().map(job_row::read).transpose()
    }

    /// The job with this id, if it belongs to the account.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn job_of(&self, account: &AccountId, id: &JobId) -> Result<Option<Job>, StoreError> {
        Ok(self.job(id).await?.filter(|job| job.account == *account))
    }

    /// A page of jobs, newest first, and their total number.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn jobs(
        &self,
        filter: &JobFilter,
        page: PageRequest,
    ) -> Result<(Vec<Job>, u64), StoreError> {
        let (status, mode) = (filter.status.map(Status::as_str), filter.mode.map(Mode::as_str));
        let source = filter.source.as_deref();
        let schedule = filter.schedule.as_ref().map(ScheduleId::as_str);
        let (size, offset) = (signed(page.size), signed(page.offset()));
        let reader = self.reader()?;
        let (rows, total): (_, i64) = match &filter.account {
            Some(account) => {
                let list = sqlx::query(LIST).bind(account.as_str());
                let count = sqlx::query_scalar(COUNT).bind(account.as_str());
                (
                    list.bind(status)
                        .bind(mode)
                        .bind(source)
                        .bind(schedule)
                        .bind(size)
                        .bind(offset)
                        .fetch_all(reader)
                        .await?,
                    count
                        .bind(status)
                        .bind(mode)
                        .bind(source)
                        .bind(schedule)
                        .fetch_one(reader)
                        .await?,
                )
            }
            None => (
                sqlx::query(LIST_ALL)
                    .bind(status)
                    .bind(mode)
                    .bind(source)
                    .bind(schedule)
                    .bind(size)
                    .bind(offset)
                    .fetch_all(reader)
                    .await?,
                sqlx::query_scalar(COUNT_ALL)
                    .bind(status)
                    .bind(mode)
                    .bind(source)
                    .bind(schedule)
                    .fetch_one(reader)
                    .await?,
            ),
        };
        let jobs = rows.iter().map(job_row::read).collect::<Result<_, _>>()?;
        Ok((jobs, u64::try_from(total).unwrap_or(0)))
    }
}
