//! Redaction of text columns: requests, URLs being fetched, events, deliveries and idempotent
//! responses.

use super::Erasure;
use crate::Result;
use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::redacted_commit::damaged;

/// The statements for a column. Keys of one and of two columns need different texts, so that both
/// use their index.
macro_rules! column {
    ($table:literal, $key:literal, $column:literal) => {
        (
            concat!(
                "SELECT ",
                $key,
                " AS first, '' AS second, ",
                $column,
                " AS body FROM ",
                $table,
                " WHERE ",
                $key,
                " > $1 AND CAST($2 AS TEXT) = '' AND ",
                $column,
                " IS NOT NULL ORDER BY ",
                $key,
                " LIMIT 256"
            ),
            concat!(
                "UPDATE ",
                $table,
                " SET ",
                $column,
                " = $3 WHERE ",
                $key,
                " = $1 AND CAST($2 AS TEXT) = '' AND ",
                $column,
                " = $4"
            ),
        )
    };
    ($table:literal, $first:literal, $second:literal, $column:literal) => {
        (
            concat!(
                "SELECT ",
                $first,
                " AS first, ",
                $second,
                " AS second, ",
                $column,
                " AS body FROM ",
                $table,
                " WHERE (",
                $first,
                ", ",
                $second,
                ") > ($1, $2) AND ",
                $column,
                " IS NOT NULL ORDER BY ",
                $first,
                ", ",
                $second,
                " LIMIT 256"
            ),
            concat!(
                "UPDATE ",
                $table,
                " SET ",
                $column,
                " = $3 WHERE ",
                $first,
                " = $1 AND ",
                $second,
                " = $2 AND ",
                $column,
                " = $4"
            ),
        )
    };
}

/// The content of a column, which decides how it is redacted and where that is counted.
#[derive(Debug, Clone, Copy)]
enum TextKind {
    Request,
    /// Part of a request, in plain text.
    PlainRequest,
    /// URLs that a run is fetching, in plain text.
    Fetching,
    Event,
}

/// Statements that select up to 256 rows after a key, and update one of them if it still has the
/// value that was read: a row that has changed meanwhile was written by a redacting version.
type TextColumn = (&'static str, &'static str);

/// Requests come before events, because events are made from them.
const COLUMNS: &[(TextColumn, TextKind)] = &[
    (column!("jobs", "id", "request"), TextKind::Request),
    (column!("jobs", "id", "url"), TextKind::PlainRequest),
    (column!("jobs", "id", "error_message"), TextKind::PlainRequest),
    (column!("job_domains", "job_id", "domains"), TextKind::Request),
    (column!("job_domains", "job_id", "inputs"), TextKind::Request),
    (column!("schedules", "id", "standing_order"), TextKind::Request),
    (column!("schedules", "id", "name"), TextKind::PlainRequest),
    (column!("shards", "id", "fetching"), TextKind::Fetching),
    (column!("idempotency", "account_id", "key", "response"), TextKind::Request),
    (column!("outbox", "id", "body"), TextKind::Event),
    (column!("deliveries", "webhook_id", "id", "body"), TextKind::Event),
    (column!("deliveries", "webhook_id", "id", "history"), TextKind::Event),
];

impl Erasure<'_> {
    pub(super) async fn erase_texts(&mut self) -> Result<()> {
        for (column, kind) in COLUMNS {
            let changed = self.erase_column(*column, *kind).await?;
            match kind {
                TextKind::Request | TextKind::PlainRequest => self.report.requests += changed,
                TextKind::Fetching => self.report.logs += changed,
                TextKind::Event => self.report.events += changed,
            }
        }
        Ok(())
    }

    async fn erase_column(&self, (scan, update): TextColumn, kind: TextKind) -> Result<u64> {
        let mut after = (String::new(), String::new());
        let mut changed = 0;
        loop {
            let rows = sql!(scan; after.0, after.1).fetch_all(self.store.reader()?).await?;
            let mut updates = Vec::new();
            for row in &rows {
                after = (row.read("first")?, row.read("second")?);
                let body: String = row.read("body")?;
                let redacted = match kind {
                    TextKind::Request | TextKind::Event => {
                        privacy::redact_json(&self.list, &body).map_err(damaged)?
                    }
                    TextKind::PlainRequest | TextKind::Fetching => self.list.redact(&body),
                };
                updates.extend(redacted.map(|redacted| (after.clone(), body, redacted)));
            }
            changed += updates.len() as u64;
            if !updates.is_empty() && self.applies() {
                let mut tx = self.store.begin().await?;
                for ((first, second), before, redacted) in &updates {
                    sql!(update; first, second, redacted, before).run(&mut tx).await?;
                }
                tx.commit().await?;
            }
            if rows.is_empty() {
                return Ok(changed);
            }
        }
    }
}
