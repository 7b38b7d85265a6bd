//! Redaction of text columns: requests, URLs being fetched, events, deliveries and idempotent
//! responses.

use sqlx::AssertSqlSafe;

use super::Erasure;
use crate::Result;
use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::redacted_commit::damaged;

/// The content of a column, which decides how it is redacted and where that is counted.
#[derive(Debug, Clone, Copy)]
enum TextKind {
    Request,
    /// Part of a request, in plain text.
    PlainRequest,
    /// URLs that a run is fetching or has requested, in plain text.
    Fetching,
    Event,
}

/// The one or two columns of the key of a table.
type KeyColumns = (&'static str, Option<&'static str>);

/// Tables, their keys, and the columns to redact. Requests come before events, because events are
/// made from them.
const COLUMNS: &[(&str, KeyColumns, &str, TextKind)] = &[
    ("jobs", ("id", None), "request", TextKind::Request),
    ("jobs", ("id", None), "url", TextKind::PlainRequest),
    ("jobs", ("id", None), "error_message", TextKind::PlainRequest),
    ("job_domains", ("job_id", None), "domains", TextKind::Request),
    ("job_domains", ("job_id", None), "inputs", TextKind::Request),
    ("schedules", ("id", None), "standing_order", TextKind::Request),
    ("schedules", ("id", None), "name", TextKind::PlainRequest),
    ("shards", ("id", None), "fetching", TextKind::Fetching),
    ("job_labels", ("job_id", None), "name", TextKind::PlainRequest),
    ("job_labels", ("job_id", None), "tags", TextKind::PlainRequest),
    ("request_log", ("job_id", Some("id")), "lines", TextKind::Fetching),
    ("idempotency", ("account_id", Some("key")), "response", TextKind::Request),
    ("outbox", ("id", None), "body", TextKind::Event),
    ("deliveries", ("webhook_id", Some("id")), "body", TextKind::Event),
    ("deliveries", ("webhook_id", Some("id")), "history", TextKind::Event),
];

/// Statements that select up to 256 rows after a key, and update one of them if it still has the
/// value that was read: a row that has changed meanwhile was written by a redacting version. Keys
/// of one and of two columns need different texts, so that both use their index.
fn statements(table: &str, key: KeyColumns, column: &str) -> (String, String) {
    let update = format!("UPDATE {table} SET {column} = $3 WHERE {column} = $4");
    match key {
        (key, None) => (
            format!(
                "SELECT {key} AS first, '' AS second, {column} AS body FROM {table} \
                 WHERE {key} > $1 AND CAST($2 AS TEXT) = '' AND {column} IS NOT NULL \
                 ORDER BY {key} LIMIT 256"
            ),
            format!("{update} AND {key} = $1 AND CAST($2 AS TEXT) = ''"),
        ),
        (first, Some(second)) => (
            format!(
                "SELECT {first} AS first, {second} AS second, {column} AS body FROM {table} \
                 WHERE ({first}, {second}) > ($1, $2) AND {column} IS NOT NULL \
                 ORDER BY {first}, {second} LIMIT 256"
            ),
            format!("{update} AND {first} = $1 AND {second} = $2"),
        ),
    }
}

impl Erasure<'_> {
    pub(super) async fn erase_texts(&mut self) -> Result<()> {
        for (table, key, column, kind) in COLUMNS {
            let changed = self.erase_column(statements(table, *key, column), *kind).await?;
            match kind {
                TextKind::Request | TextKind::PlainRequest => self.report.requests += changed,
                TextKind::Fetching => self.report.logs += changed,
                TextKind::Event => self.report.events += changed,
            }
        }
        Ok(())
    }

    async fn erase_column(&self, (scan, update): (String, String), kind: TextKind) -> Result<u64> {
        let mut after = (String::new(), String::new());
        let mut changed = 0;
        loop {
            let rows = sql!(AssertSqlSafe(scan.as_str()); after.0, after.1)
                .fetch_all(self.store.reader()?)
                .await?;
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
                    sql!(AssertSqlSafe(update.as_str()); first, second, redacted, before)
                        .run(&mut tx)
                        .await?;
                }
                tx.commit().await?;
            }
            if rows.is_empty() {
                return Ok(changed);
            }
        }
    }
}
