//! Texts that stand by themselves: requests, what runs are fetching, events, deliveries, and
//! answers that are given again.

use sqlx::Row;

use super::Erasure;
use crate::StoreError;
use crate::redacted_commit::damaged;

/// Keys of one part and of two need texts of their own: only so does an index serve both.
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

/// What a column holds, and where its changes are counted.
#[derive(Debug, Clone, Copy)]
enum Held {
    Request,
    /// As a request, in plain text.
    PlainRequest,
    /// What a run is fetching, in plain text.
    Fetching,
    Event,
}

/// Up to 256 rows after a key, and the change of one of them: only over what was read, for a
/// row that has changed meanwhile holds nothing old.
type Column = (&'static str, &'static str);

/// Requests before events: those are made of them.
const COLUMNS: &[(Column, Held)] = &[
    (column!("jobs", "id", "request"), Held::Request),
    (column!("jobs", "id", "url"), Held::PlainRequest),
    (column!("jobs", "id", "error_message"), Held::PlainRequest),
    (column!("job_domains", "job_id", "domains"), Held::Request),
    (column!("job_domains", "job_id", "inputs"), Held::Request),
    (column!("schedules", "id", "standing_order"), Held::Request),
    (column!("schedules", "id", "name"), Held::PlainRequest),
    (column!("shards", "id", "fetching"), Held::Fetching),
    (column!("idempotency", "account_id", "key", "response"), Held::Request),
    (column!("outbox", "id", "body"), Held::Event),
    (column!("deliveries", "webhook_id", "id", "body"), Held::Event),
    (column!("deliveries", "webhook_id", "id", "history"), Held::Event),
];

impl Erasure<'_> {
    pub(super) async fn erase_texts(&mut self) -> Result<(), StoreError> {
        for (column, held) in COLUMNS {
            let changed = self.erase_column(*column, *held).await?;
            match held {
                Held::Request | Held::PlainRequest => self.erased.requests += changed,
                Held::Fetching => self.erased.logs += changed,
                Held::Event => self.erased.events += changed,
            }
        }
        Ok(())
    }

    async fn erase_column(&self, (scan, update): Column, held: Held) -> Result<u64, StoreError> {
        let mut after = (String::new(), String::new());
        let mut changed = 0;
        loop {
            let rows = sqlx::query(scan)
                .bind(&after.0)
                .bind(&after.1)
                .fetch_all(self.store.reader()?)
                .await?;
            let mut news = Vec::new();
            for row in &rows {
                after = (row.try_get("first")?, row.try_get("second")?);
                let body: String = row.try_get("body")?;
                let kept = match held {
                    Held::Request | Held::Event => {
                        privacy::redact_json(&self.list, &body).map_err(damaged)?
                    }
                    Held::PlainRequest | Held::Fetching => self.list.redact(&body),
                };
                news.extend(kept.map(|kept| (after.clone(), body, kept)));
            }
            changed += news.len() as u64;
            if !news.is_empty() && self.is_for_good() {
                let mut tx = self.store.begin().await?;
                for ((first, second), before, kept) in &news {
                    let query = sqlx::query(update).bind(first).bind(second);
                    query.bind(kept).bind(before).execute(&mut *tx).await?;
                }
                tx.commit().await?;
            }
            if rows.is_empty() {
                return Ok(changed);
            }
        }
    }
}
