//! Results: read by page from their segments, with what is known by now.

use std::collections::BTreeMap;
use std::ops::Range;

use contract::JobId;
use journal::Overlay;
use serde_json::Value;
use sqlx::Row;

use runtime::off_runtime;

use crate::job_row::{count, signed};
use crate::segments::RESULTS;
use crate::{Lease, Store, StoreError};

/// Items that one overlay row covers.
const OVERLAY_ITEMS: usize = 4_096;

/// Some consecutive items, each as its JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultSlice {
    pub items: Vec<Value>,
}

/// Some consecutive items as they are stored, with what is newer than they are.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultLines {
    lines: Vec<String>,
    /// By the number of their first items.
    overlays: BTreeMap<u64, Overlay>,
    first: u64,
}

impl ResultLines {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The items, one after the other, as they are known by now.
    pub fn items(&self) -> impl Iterator<Item = Result<Value, StoreError>> {
        let numbered = self.lines.iter().enumerate();
        numbered.map(|(place, line)| self.read(line, self.first.saturating_add(place as u64)))
    }

    /// The item with this number, if it is one of these.
    pub(crate) fn item(&self, number: u64) -> Option<Result<Value, StoreError>> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        Some(self.read(self.lines.get(place)?, number))
    }

    fn read(&self, line: &str, number: u64) -> Result<Value, StoreError> {
        let mut item = serde_json::from_str(line)
            .map_err(|cause| StoreError::Damaged(format!("an item: {cause}")))?;
        if let Some((first, overlay)) = self.overlays.range(..=number).next_back() {
            overlay.apply(number - first, &mut item);
        }
        Ok(item)
    }
}

/// The rows that hold items from $2 on and before $3, found as segments are.
const OVERLAYS: &str = "SELECT first_item, body FROM overlays WHERE job_id = $1 \
    AND first_item < $3 AND first_item >= (SELECT COALESCE(MAX(first_item), 0) FROM overlays \
    WHERE job_id = $1 AND first_item <= $2) ORDER BY first_item";
const HOLD: &str = "UPDATE shards SET head = head \
    WHERE id = $1 AND epoch = $2 AND state = 'open'";
const DROP_OVERLAYS: &str = "DELETE FROM overlays WHERE job_id = $1";
const INSERT_OVERLAY: &str = "INSERT INTO overlays (job_id, first_item, count, body) \
    VALUES ($1, $2, $3, $4)";

impl Store {
    /// At most `limit` items from `offset` on, in their stable order.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn results(
        &self,
        job: &JobId,
        offset: u64,
        limit: u64,
    ) -> Result<ResultSlice, StoreError> {
        let numbers = offset..offset.saturating_add(limit);
        let lines = RESULTS.lines(self.reader()?, job, numbers.clone()).await?;
        let known = self.with_revisions(job, numbers, lines).await?;
        Ok(ResultSlice { items: known.items().collect::<Result<_, _>>()? })
    }

    /// Some of the items with these numbers, from the first on; none when there are none.
    /// Whoever goes on behind them reads them all, each once.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn some_results(
        &self,
        job: &JobId,
        numbers: Range<u64>,
    ) -> Result<ResultLines, StoreError> {
        let lines = RESULTS.lines_of_row(self.reader()?, job, &numbers).await?;
        self.with_revisions(job, numbers, lines).await
    }

    async fn with_revisions(
        &self,
        job: &JobId,
        numbers: Range<u64>,
        lines: Vec<String>,
    ) -> Result<ResultLines, StoreError> {
        let mut overlays = BTreeMap::new();
        let first = numbers.start;
        let end = first.saturating_add(lines.len() as u64);
        if !lines.is_empty() {
            let rows = sqlx::query(OVERLAYS)
                .bind(job.as_str())
                .bind(signed(first))
                .bind(signed(end))
                .fetch_all(self.reader()?)
                .await?;
            for row in &rows {
                let overlay = Overlay::decode(&row.try_get::<Vec<u8>, _>("body")?)?;
                overlays.insert(count(row, "first_item")?, overlay);
            }
        }
        Ok(ResultLines { lines, overlays, first })
    }

    /// Writes what is known by now of the job's items, from the first on. False when
    /// the shard is in other hands.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn write_overlay(
        &self,
        lease: &Lease,
        overlay: &Overlay,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let held = sqlx::query(HOLD)
            .bind(lease.shard.as_str())
            .bind(lease.epoch)
            .execute(&mut *tx)
            .await?;
        if held.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query(DROP_OVERLAYS).bind(lease.job.as_str()).execute(&mut *tx).await?;
        let mut first_item = 0_u64;
        for part in overlay.parts(OVERLAY_ITEMS) {
            let items = part.revisions.len() as u64;
            sqlx::query(INSERT_OVERLAY)
                .bind(lease.job.as_str())
                .bind(signed(first_item))
                .bind(signed(items))
                .bind(off_runtime(|| part.encode())?)
                .execute(&mut *tx)
                .await?;
            first_item += items;
        }
        tx.commit().await?;
        Ok(true)
    }
}
