//! The ledger: every change of a balance, usage reports, and the check of its sums.

use contract::{AccountId, Credits, LedgerLine, Millis, Units, UsageGroup, UsageRow};
use sqlx::any::AnyRow;

use crate::columns::{ReadColumn, read_row, sql};
use crate::{PageRequest, Result, Store};

/// The sums of an account that must be equal: balance and ledger lines; credits used by its jobs
/// and their debits; reserved credits of the account and of its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerAudit {
    pub balance: Credits,
    pub ledger: Credits,
    pub used: Credits,
    pub debits: Credits,
    pub reserved: Credits,
    pub held: Credits,
}

impl LedgerAudit {
    /// Whether all three pairs of sums are equal.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        self.balance == self.ledger && self.used == self.debits && self.reserved == self.held
    }
}

const LINES: &str = "SELECT id, kind, amount, units, job_id, page_id, mode, source, at FROM ledger \
    WHERE account_id = $1 ORDER BY at DESC, id DESC LIMIT $2 OFFSET $3";
/// One line for each job, with the balance after it: jobs count at their last charge.
const BY_JOB: &str = "WITH grouped AS (\
    SELECT MAX(id) AS id, kind, SUM(amount) AS amount, SUM(units) AS units, job_id, page_id, \
        MAX(mode) AS mode, MAX(source) AS source, MAX(at) AS at, MIN(at) AS since FROM ledger \
    WHERE account_id = $1 GROUP BY kind, job_id, page_id, \
        CASE WHEN job_id IS NULL AND page_id IS NULL THEN id END), \
    summed AS (SELECT grouped.*, SUM(amount) OVER (ORDER BY at, id) AS balance FROM grouped) \
    SELECT s.id, s.kind, CAST(s.amount AS BIGINT) AS amount, CAST(s.units AS BIGINT) AS units, \
        s.job_id, s.page_id, s.mode, s.source, s.at, s.since, \
        CAST(s.balance AS BIGINT) AS balance, j.url \
    FROM summed s LEFT JOIN jobs j ON j.id = s.job_id \
    ORDER BY s.at DESC, s.id DESC LIMIT $2 OFFSET $3";
const AUDIT: &str = "SELECT a.balance, a.reserved, \
    CAST((SELECT COALESCE(SUM(amount), 0) FROM ledger WHERE account_id = $1) AS BIGINT) \
        AS total, \
    CAST((SELECT COALESCE(SUM(-amount), 0) FROM ledger \
        WHERE account_id = $1 AND kind = 'debit' \
        AND job_id IN (SELECT id FROM jobs WHERE account_id = $1)) AS BIGINT) AS debits, \
    CAST((SELECT COALESCE(SUM(credits_used), 0) FROM jobs WHERE account_id = $1) AS BIGINT) \
        AS used, \
    CAST((SELECT COALESCE(SUM(reserved), 0) FROM jobs WHERE account_id = $1) AS BIGINT) \
        AS held \
    FROM accounts a WHERE a.id = $1";

macro_rules! usage {
    ($group:literal) => {
        concat!(
            "SELECT ",
            $group,
            " AS grouped, COUNT(DISTINCT job_id) AS jobs, \
             COUNT(DISTINCT page_id) AS pages, \
             CAST(COALESCE(SUM(units), 0) AS BIGINT) AS units, \
             CAST(COALESCE(SUM(-amount), 0) AS BIGINT) AS credits \
             FROM ledger WHERE account_id = $1 AND kind = 'debit' AND at >= $2 AND at < $3 \
             GROUP BY 1 ORDER BY 1"
        )
    };
}
const BY_SOURCE: &str = usage!("source");
const BY_MODE: &str = usage!("mode");
const BY_DAY: &str = usage!("day");
const TOTAL: &str = usage!("''");

impl Store {
    /// Computes the sums of an account; `None` when there is no such account.
    pub async fn audit_ledger(&self, account: &AccountId) -> Result<Option<LedgerAudit>> {
        let read = |row: &AnyRow| {
            Ok(read_row!(row => LedgerAudit {
                balance, ledger = "total", used, debits, reserved, held,
            }))
        };
        self.fetch_optional(sql!(AUDIT; account), read).await
    }

    /// A page of the account's ledger, newest first, and whether another follows.
    pub async fn ledger_lines(
        &self,
        account: &AccountId,
        page: PageRequest,
    ) -> Result<(Vec<LedgerLine>, bool)> {
        let rows = sql!(LINES; account, page.size.saturating_add(1), page.offset())
            .fetch_all(self.reader()?)
            .await?;
        let shown = usize::try_from(page.size).unwrap_or(usize::MAX);
        let lines = rows.iter().take(shown).map(read_line).collect::<Result<_, _>>()?;
        Ok((lines, rows.len() > shown))
    }

    /// As [`Store::ledger_lines`], with one line for all charges of a job and the balance after it.
    pub async fn ledger_by_job(
        &self,
        account: &AccountId,
        page: PageRequest,
    ) -> Result<(Vec<LedgerLine>, bool)> {
        let rows = sql!(BY_JOB; account, page.size.saturating_add(1), page.offset())
            .fetch_all(self.reader()?)
            .await?;
        let shown = usize::try_from(page.size).unwrap_or(usize::MAX);
        let lines = rows.iter().take(shown).map(read_job).collect::<Result<_, _>>()?;
        Ok((lines, rows.len() > shown))
    }

    /// The account's usage from `from` (inclusive) to `to` (exclusive): one row per group, and the
    /// total.
    pub async fn usage(
        &self,
        account: &AccountId,
        from: Millis,
        to: Millis,
        group: UsageGroup,
    ) -> Result<(Vec<UsageRow>, UsageRow)> {
        let lines = match group {
            UsageGroup::Source => BY_SOURCE,
            UsageGroup::Mode => BY_MODE,
            UsageGroup::Day => BY_DAY,
        };
        let mut sums = Vec::with_capacity(2);
        for statement in [lines, TOTAL] {
            let rows = sql!(statement; account, from, to).fetch_all(self.reader()?).await?;
            sums.push(rows.iter().map(read).collect::<Result<Vec<_>, _>>()?);
        }
        let total = sums.pop().and_then(|mut rows| rows.pop());
        let total = total.map_or(
            UsageRow { group: None, jobs: 0, pages: 0, units: Units(0), credits: Credits::ZERO },
            |total| UsageRow { group: None, ..total },
        );
        Ok((sums.pop().unwrap_or_default(), total))
    }
}

fn read_line(row: &AnyRow) -> Result<LedgerLine> {
    Ok(read_row!(row => LedgerLine {
        id, kind, amount, units, job_id, page_id, mode, source, at;
        url: None,
        since: None,
        balance: None,
    }))
}

fn read_job(row: &AnyRow) -> Result<LedgerLine> {
    Ok(read_row!(row => LedgerLine {
        id, kind, amount, units, job_id, page_id, mode, source, at, url, since, balance,
    }))
}

fn read(row: &AnyRow) -> Result<UsageRow> {
    Ok(read_row!(row => UsageRow { group = "grouped", jobs, pages, units, credits }))
}
