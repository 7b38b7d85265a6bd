//! Queries of single jobs and lists of jobs.

use contract::{AccountId, JobId, Millis, Mode, ScheduleId, Status};
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
    /// Jobs whose URL or name contains this text, in upper or lower case.
    pub text: Option<String>,
    /// Jobs whose owner gave them this tag.
    pub tag: Option<String>,
    /// Created at this time or later.
    pub from: Option<Millis>,
    /// Created before this time.
    pub to: Option<Millis>,
    pub order: JobOrder,
}

/// The order of a list of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JobOrder {
    #[default]
    NewestFirst,
    OldestFirst,
    MostResults,
    MostCredits,
}

impl JobFilter {
    /// The text as a pattern of `LIKE`, in which no character has a meaning.
    fn pattern(&self) -> Option<String> {
        Some(format!("%{}%", literal(&self.text.as_deref()?.to_lowercase())))
    }

    /// The pattern of the stored tags.
    fn tag_pattern(&self) -> Option<String> {
        Some(format!("%\n{}\n%", literal(self.tag.as_deref()?)))
    }
}

/// A text without characters that have a meaning in a pattern of `LIKE`.
fn literal(text: &str) -> String {
    text.replace('!', "!!").replace('%', "!%").replace('_', "!_")
}

const BY_ID: &str = concat!("SELECT ", job_columns!(), " FROM jobs WHERE id = $1");
/// Jobs by the filter of a list: the account in $1, then the other conditions.
macro_rules! filtered {
    ([$($columns:tt)+], $account:literal, [$($page:tt)+]) => {
        concat!(
            "SELECT ", $($columns)+, " FROM jobs WHERE ", $account,
            " AND (CAST($2 AS TEXT) IS NULL OR status = $2) \
             AND (CAST($3 AS TEXT) IS NULL OR mode = $3) \
             AND (CAST($4 AS TEXT) IS NULL OR source = $4) \
             AND (CAST($5 AS TEXT) IS NULL OR schedule_id = $5) \
             AND (CAST($6 AS TEXT) IS NULL OR LOWER(url) LIKE $6 ESCAPE '!' \
                OR EXISTS (SELECT 1 FROM job_labels l WHERE l.job_id = jobs.id \
                    AND LOWER(l.name) LIKE $6 ESCAPE '!')) \
             AND (CAST($9 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM job_labels l \
                WHERE l.job_id = jobs.id AND l.tags LIKE $9 ESCAPE '!')) \
             AND created_at >= $7 AND created_at < $8",
            $($page)+
        )
    };
}
/// The statements of a list: one for each [`JobOrder`], and the number of its jobs.
struct Listing {
    newest: &'static str,
    oldest: &'static str,
    results: &'static str,
    credits: &'static str,
    count: &'static str,
}

macro_rules! ordered {
    ($account:literal, $order:literal) => {
        filtered!([job_columns!()], $account, [" ORDER BY ", $order, " LIMIT $10 OFFSET $11"])
    };
}
macro_rules! listing {
    ($account:literal) => {
        Listing {
            newest: ordered!($account, "id DESC"),
            oldest: ordered!($account, "id"),
            results: ordered!($account, "results DESC, id DESC"),
            credits: ordered!($account, "credits_used DESC, id DESC"),
            count: filtered!(["COUNT(*)"], $account, [""]),
        }
    };
}
const OF_ACCOUNT: Listing = listing!("account_id = $1");
const OF_ALL: Listing = listing!("CAST($1 AS TEXT) IS NULL");

impl Store {
    /// The job with this id, of any account.
    pub async fn job(&self, id: &JobId) -> Result<Option<Job>> {
        self.fetch_optional(sql!(BY_ID; id), job_row::read).await
    }

    /// The job with this id, if it belongs to the account.
    pub async fn job_of(&self, account: &AccountId, id: &JobId) -> Result<Option<Job>> {
        Ok(self.job(id).await?.filter(|job| job.account == *account))
    }

    /// A page of jobs, and their total number.
    pub async fn jobs(&self, filter: &JobFilter, page: PageRequest) -> Result<(Vec<Job>, u64)> {
        let JobFilter { account, status, mode, source, schedule, from, to, order, .. } = filter;
        let listing = if account.is_some() { OF_ACCOUNT } else { OF_ALL };
        let list = match order {
            JobOrder::NewestFirst => listing.newest,
            JobOrder::OldestFirst => listing.oldest,
            JobOrder::MostResults => listing.results,
            JobOrder::MostCredits => listing.credits,
        };
        let (pattern, tag) = (filter.pattern(), filter.tag_pattern());
        let (from, to) = (from.unwrap_or(Millis(0)), to.unwrap_or(Millis(i64::MAX)));
        let reader = self.reader()?;
        let rows = sql!(
            list; account, status, mode, source, schedule, pattern, from, to, tag, page.size,
            page.offset()
        )
        .fetch_all(reader)
        .await?;
        let count = listing.count;
        let total: i64 =
            scalar!(count; account, status, mode, source, schedule, pattern, from, to, tag)
                .fetch_one(reader)
                .await?;
        let jobs = rows.iter().map(job_row::read).collect::<Result<_, _>>()?;
        Ok((jobs, u64::try_from(total).unwrap_or(0)))
    }
}
