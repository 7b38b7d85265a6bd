//! Results: read by page from their segments, with what is known by now.

use contract::JobId;
use journal::Overlay;
use serde_json::Value;
use sqlx::Row;

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
        let end = offset.saturating_add(limit);
        let reader = self.reader()?;
        let lines = RESULTS.lines(reader, job, offset..end).await?;
        let mut items = lines
            .iter()
            .map(|line| serde_json::from_str(line))
            .collect::<Result<Vec<Value>, _>>()
            .map_err(|cause| StoreError::Damaged(format!("an item: {cause}")))?;
        if !items.is_empty() {
            let overlays = sqlx::query(OVERLAYS)
                .bind(job.as_str())
                .bind(signed(offset))
                .bind(signed(end))
                .fetch_all(reader)
                .await?;
            for row in &overlays {
                let overlay = Overlay::decode(&row.try_get::<Vec<u8>, _>("body")?)?;
                for (number, revision) in (count(row, "first_item")?..).zip(&overlay.revisions) {
                    let place = number.checked_sub(offset).and_then(|n| usize::try_from(n).ok());
                    if let Some(item) = place.and_then(|place| items.get_mut(place)) {
                        revision.apply(item);
                    }
                }
            }
        }
        Ok(ResultSlice { items })
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
        for revisions in overlay.revisions.chunks(OVERLAY_ITEMS) {
            let part = Overlay { revisions: revisions.to_vec() };
            sqlx::query(INSERT_OVERLAY)
                .bind(lease.job.as_str())
                .bind(signed(first_item))
                .bind(signed(revisions.len() as u64))
                .bind(part.encode()?)
                .execute(&mut *tx)
                .await?;
            first_item += revisions.len() as u64;
        }
        tx.commit().await?;
        Ok(true)
    }
}
