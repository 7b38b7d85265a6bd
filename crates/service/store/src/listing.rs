//! Queries of single jobs and lists of jobs.

use contract::{AccountId, JobId, Mode, ScheduleId, Status};
use job::Job;

use crate::columns::{scalar, sql};
use crate::job_row::{self, job_columns};
use crate::{Result, Store};

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
/// Jobs by the filter of a list: the account in $1, then the other conditions.
macro_rules! filtered {
    ([$($columns:tt)+], $account:literal, $page:literal) => {
        concat!(
            "SELECT ", $($columns)+, " FROM jobs WHERE ", $account,
            " AND (CAST($2 AS TEXT) IS NULL OR status = $2) \
             AND (CAST($3 AS TEXT) IS NULL OR mode = $3) \
             AND (CAST($4 AS TEXT) IS NULL OR source = $4) \
             AND (CAST($5 AS TEXT) IS NULL OR schedule_id = $5)",
            $page
        )
    };
}
/// The list and the number of its jobs.
macro_rules! listing {
    ($account:literal) => {
        (
            filtered!([job_columns!()], $account, " ORDER BY id DESC LIMIT $6 OFFSET $7"),
            filtered!(["COUNT(*)"], $account, ""),
        )
    };
}
const OF_ACCOUNT: (&str, &str) = listing!("account_id = $1");
const OF_ALL: (&str, &str) = listing!("CAST($1 AS TEXT) IS NULL");

impl Store {
    /// The job with this id, of any account.
    pub async fn job(&self, id: &JobId) -> Result<Option<Job>> {
        self.fetch_optional(sql!(BY_ID; id), job_row::read).await
    }

    /// The job with this id, if it belongs to the account.
    pub async fn job_of(&self, account: &AccountId, id: &JobId) -> Result<Option<Job>> {
        Ok(self.job(id).await?.filter(|job| job.account == *account))
    }

    /// A page of jobs, newest first, and their total number.
    pub async fn jobs(&self, filter: &JobFilter, page: PageRequest) -> Result<(Vec<Job>, u64)> {
        let JobFilter { account, status, mode, source, schedule } = filter;
        let (list, count) = if account.is_some() { OF_ACCOUNT } else { OF_ALL };
        let reader = self.reader()?;
        let rows = sql!(list; account, status, mode, source, schedule, page.size, page.offset())
            .fetch_all(reader)
            .await?;
        let total: i64 =
            scalar!(count; account, status, mode, source, schedule).fetch_one(reader).await?;
        let jobs = rows.iter().map(job_row::read).collect::<Result<_, _>>()?;
        Ok((jobs, u64::try_from(total).unwrap_or(0)))
    }
}
