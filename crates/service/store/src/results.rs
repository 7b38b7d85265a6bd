//! Results: read by page from their segments, with their overlays applied.

use std::collections::BTreeMap;
use std::ops::Range;

use contract::JobId;
use journal::Overlay;
use serde_json::Value;
use tokio::runtime::Handle;

use runtime::off_runtime;

use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::segments::RESULTS;
use crate::{Lease, Result, Store, StoreError};

/// Items that one overlay row covers.
const OVERLAY_ITEMS: usize = 4_096;

/// Consecutive items as JSON, with their overlays applied.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultSlice {
    pub items: Vec<Value>,
}

/// Consecutive items as they are stored, with the overlays to apply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultLines {
    lines: Vec<String>,
    /// Keyed by the number of their first item.
    overlays: BTreeMap<u64, Overlay>,
    first: u64,
}

impl ResultLines {
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The items with their overlays applied.
    pub fn items(&self) -> impl Iterator<Item = Result<Value>> {
        let numbered = self.lines.iter().enumerate();
        numbered.map(|(index, line)| self.read(line, self.first.saturating_add(index as u64)))
    }

    /// The items from this number on, each with its number and the stored length of its JSON.
    pub fn numbered_from(&self, number: u64) -> impl Iterator<Item = Result<(u64, usize, Value)>> {
        let skipped = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let numbered = (self.first..).zip(&self.lines).skip(skipped);
        numbered.map(|(number, line)| Ok((number, line.len(), self.read(line, number)?)))
    }

    /// The number after the last item.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.lines.len() as u64)
    }

    /// The item with this number, if the slice contains it.
    pub(crate) fn item(&self, number: u64) -> Option<Result<Value>> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        Some(self.read(self.lines.get(index)?, number))
    }

    fn read(&self, line: &str, number: u64) -> Result<Value> {
        let mut item = serde_json::from_str(line)
            .map_err(|cause| StoreError::Damaged(format!("invalid item: {cause}")))?;
        if let Some((first, overlay)) = self.overlays.range(..=number).next_back() {
            overlay.apply(number - first, &mut item);
        }
        Ok(item)
    }
}

/// The rows with items $2 to $3 (exclusive), including the row that contains $2.
const OVERLAYS: &str = "SELECT first_item, body FROM overlays WHERE job_id = $1 \
    AND first_item < $3 AND first_item >= (SELECT COALESCE(MAX(first_item), 0) FROM overlays \
    WHERE job_id = $1 AND first_item <= $2) ORDER BY first_item";
const LOCK_SHARD: &str = "UPDATE shards SET head = head \
    WHERE id = $1 AND epoch = $2 AND state = 'open'";
const DROP_OVERLAYS: &str = "DELETE FROM overlays WHERE job_id = $1";
const INSERT_OVERLAY: &str = "INSERT INTO overlays (job_id, first_item, count, body) \
    VALUES ($1, $2, $3, $4)";

impl Store {
    /// At most `limit` items from `offset` on, in a stable order.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn results(&self, job: &JobId, offset: u64, limit: u64) -> Result<ResultSlice> {
        let numbers = offset..offset.saturating_add(limit);
        let lines = RESULTS.lines(self.reader()?, job, numbers.clone()).await?;
        let lines = self.with_overlays(job, numbers, lines).await?;
        Ok(ResultSlice { items: lines.items().collect::<Result<_, _>>()? })
    }

    /// The items with these numbers that are in the segment of the first of them; empty at the
    /// end. The caller continues after the last one until the result is empty.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn some_results(&self, job: &JobId, numbers: Range<u64>) -> Result<ResultLines> {
        let lines = RESULTS.lines_of_row(self.reader()?, job, &numbers).await?;
        self.with_overlays(job, numbers, lines).await
    }

    /// Reads the first `total` items in order, with one segment in memory at a time. Blocks: for
    /// blocking threads of `runtime`.
    pub fn results_blocking(
        &self,
        runtime: &Handle,
        job: &JobId,
        total: u64,
    ) -> impl Iterator<Item = Result<Value>> {
        let mut lines = ResultLines::default();
        (0..total).map(move |number| {
            if let Some(item) = lines.item(number) {
                return item;
            }
            // Before the next segment is fetched: only one is in memory.
            drop(std::mem::take(&mut lines));
            match runtime.block_on(self.some_results(job, number..total)) {
                Ok(next) => lines = next,
                Err(error) => return Err(error),
            }
            // A shorter file would look complete.
            let deleted = || StoreError::Damaged("results were deleted while read".to_owned());
            lines.item(number).unwrap_or_else(|| Err(deleted()))
        })
    }

    async fn with_overlays(
        &self,
        job: &JobId,
        numbers: Range<u64>,
        lines: Vec<String>,
    ) -> Result<ResultLines> {
        let mut overlays = BTreeMap::new();
        let first = numbers.start;
        let end = first.saturating_add(lines.len() as u64);
        if !lines.is_empty() {
            let rows = sql!(OVERLAYS; job, first, end).fetch_all(self.reader()?).await?;
            for row in &rows {
                let overlay = Overlay::decode(&row.read::<Vec<u8>>("body")?)?;
                overlays.insert(row.read("first_item")?, overlay);
            }
        }
        Ok(ResultLines { lines, overlays, first })
    }

    /// Replaces the overlays of the job's items. False when the lease is lost.
    pub async fn write_overlay(&self, lease: &Lease, overlay: &Overlay) -> Result<bool> {
        let mut tx = self.begin().await?;
        if sql!(LOCK_SHARD; lease.shard, lease.epoch).run(&mut tx).await? == 0 {
            return Ok(false);
        }
        sql!(DROP_OVERLAYS; lease.job).run(&mut tx).await?;
        let mut first_item = 0_u64;
        for part in overlay.parts(OVERLAY_ITEMS) {
            let items = part.revisions.len() as u64;
            sql!(INSERT_OVERLAY; lease.job, first_item, items, off_runtime(|| part.encode())?)
                .run(&mut tx)
                .await?;
            first_item += items;
        }
        tx.commit().await?;
        Ok(true)
    }
}
