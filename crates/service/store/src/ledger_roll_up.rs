//! Rolls up old ledger lines: those of the commits of a finished job and a day become one line.
//!
//! Sums per account, job, day, mode and source stay the same, and with them balances, usage reports and
//! the audit of the ledger. Only the time within the day is lost. Lines of unfinished jobs stay, because
//! a node that continues a run asks for the line of a commit.

use contract::{AccountId, LedgerId, Millis};

use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::{Result, Store, random};

/// The next line of a commit after $2 and id $3 that is due at $1.
const NEXT: &str = "SELECT l.id, l.account_id, l.job_id, l.day, l.mode, l.source, l.at FROM ledger l \
    WHERE l.shard_id IS NOT NULL AND l.at <= $1 AND l.at >= $2 AND (l.at > $2 OR l.id > $3) \
    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = l.job_id AND j.finished_at IS NULL) \
    ORDER BY l.at, l.id LIMIT 1";

/// The lines of commits of job $2 on day $3. `at` is there for the index.
macro_rules! lines {
    () => {
        " FROM ledger WHERE account_id = $1 AND job_id = $2 AND day = $3 AND at >= $4 AND at <= $5 \
         AND shard_id IS NOT NULL AND kind = 'debit'"
    };
}
const SUMS: &str = concat!(
    "SELECT CAST(COUNT(*) AS BIGINT) AS lines, CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS amount, ",
    "CAST(COALESCE(SUM(units), 0) AS BIGINT) AS units, MAX(at) AS at",
    lines!()
);
const DELETE: &str = concat!("DELETE", lines!());
const INSERT: &str = "INSERT INTO ledger (id, account_id, kind, amount, units, job_id, mode, source, \
    day, at) VALUES ($1, $2, 'debit', $3, $4, $5, $6, $7, $8, $9)";

/// Milliseconds of two days: the lines of a day are less than a day apart.
const WINDOW: i64 = 2 * 24 * 60 * 60 * 1_000;

impl Store {
    /// Rolls up the lines of commits until `before`. Returns the number of lines that were replaced. One
    /// node at a time calls this.
    pub(crate) async fn roll_up_ledger(&self, before: Millis) -> Result<u64> {
        // A job of the last day before `before` is rolled up when all of its day is due.
        let before = Millis(before.0.saturating_sub(WINDOW / 2));
        let (mut at, mut id, mut replaced) = (i64::MIN, String::new(), 0);
        loop {
            let next = sql!(NEXT; before, at, id).fetch_optional(self.reader()?).await?;
            let Some(row) = next else { return Ok(replaced) };
            (at, id) = (row.read("at")?, row.read("id")?);
            let (account, job): (AccountId, String) =
                (row.read("account_id")?, row.read("job_id")?);
            let day: String = row.read("day")?;
            let (mode, source): (Option<String>, Option<String>) =
                (row.read("mode")?, row.read("source")?);
            let (from, to) = (at.saturating_sub(WINDOW), at.saturating_add(WINDOW));
            let mut tx = self.begin().await?;
            let sums = sql!(SUMS; account, job, day, from, to).fetch_one(&mut *tx).await?;
            if sums.read::<i64>("lines")? == 0 {
                tx.rollback().await?;
                continue;
            }
            let (amount, units): (i64, i64) = (sums.read("amount")?, sums.read("units")?);
            let last = Millis(sums.read("at")?);
            replaced += sql!(DELETE; account, job, day, from, to).run(&mut tx).await?;
            sql!(INSERT; LedgerId::new(last, random()), account, amount, units, job, mode, source,
                day, last)
            .run(&mut tx)
            .await?;
            tx.commit().await?;
        }
    }
}
