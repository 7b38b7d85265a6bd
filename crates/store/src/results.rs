//! Results: read by page from their segments, with what is known by now.

use contract::JobId;
use journal::{Overlay, Segment};
use serde_json::Value;
use sqlx::Row;

use crate::job_row::{count, signed};
use crate::{Lease, Store, StoreError};

/// Items that one overlay row covers.
const OVERLAY_ITEMS: usize = 4_096;

/// A merged segment holds at least this many items, or this many bytes.
const MERGED_ITEMS: usize = 4_096;
const MERGED_BYTES: usize = 1 << 20;

/// Some consecutive items, each as its JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultSlice {
    pub items: Vec<Value>,
}

/// The rows that hold items from $2 on and before $3: a segment is found by its first
/// item, so the one that $2 falls into begins at or before it.
const SEGMENTS: &str = "SELECT first_item, body FROM segments WHERE job_id = $1 \
    AND first_item < $3 AND first_item >= (SELECT COALESCE(MAX(first_item), 0) FROM segments \
    WHERE job_id = $1 AND first_item <= $2) ORDER BY first_item";
const OVERLAYS: &str = "SELECT first_item, body FROM overlays WHERE job_id = $1 \
    AND first_item < $3 AND first_item >= (SELECT COALESCE(MAX(first_item), 0) FROM overlays \
    WHERE job_id = $1 AND first_item <= $2) ORDER BY first_item";
const HOLD: &str = "UPDATE shards SET head = head \
    WHERE id = $1 AND epoch = $2 AND state = 'open'";
const DROP_OVERLAYS: &str = "DELETE FROM overlays WHERE job_id = $1";
const INSERT_OVERLAY: &str = "INSERT INTO overlays (job_id, first_item, count, body) \
    VALUES ($1, $2, $3, $4)";
const SMALL_SEGMENTS: &str = "SELECT first_item, count, body FROM segments \
    WHERE job_id = $1 AND first_item >= $2 ORDER BY first_item LIMIT 64";
const DROP_SEGMENT: &str = "DELETE FROM segments WHERE job_id = $1 AND first_item = $2";
const INSERT_SEGMENT: &str = "INSERT INTO segments (job_id, first_item, count, body) \
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
        let rows = sqlx::query(SEGMENTS)
            .bind(job.as_str())
            .bind(signed(offset))
            .bind(signed(end))
            .fetch_all(reader)
            .await?;
        let mut items = Vec::new();
        for row in &rows {
            let lines = Segment::lines(&row.try_get::<Vec<u8>, _>("body")?)?;
            for (number, line) in (count(row, "first_item")?..).zip(&lines) {
                if (offset..end).contains(&number) {
                    let item = serde_json::from_str(line)
                        .map_err(|cause| StoreError::Damaged(format!("an item: {cause}")))?;
                    items.push(item);
                }
            }
        }
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

    /// Joins the small segments of a finished run, a few at a time, so that reading it
    /// costs less. Stopping half-way does no harm.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn merge_segments(&self, job: &JobId) -> Result<(), StoreError> {
        let mut from = 0_u64;
        loop {
            let mut tx = self.begin().await?;
            let rows = sqlx::query(SMALL_SEGMENTS)
                .bind(job.as_str())
                .bind(signed(from))
                .fetch_all(&mut *tx)
                .await?;
            let (mut lines, mut bytes, mut joined) = (Vec::new(), 0, Vec::new());
            for row in &rows {
                let body: Vec<u8> = row.try_get("body")?;
                bytes += body.len();
                lines.extend(Segment::lines(&body)?);
                joined.push(count(row, "first_item")?);
                if lines.len() >= MERGED_ITEMS || bytes >= MERGED_BYTES {
                    break;
                }
            }
            let Some(&first_item) = joined.first() else { return Ok(()) };
            from = first_item + lines.len() as u64;
            if joined.len() == 1 {
                continue;
            }
            for old in &joined {
                let drop_old = sqlx::query(DROP_SEGMENT).bind(job.as_str()).bind(signed(*old));
                drop_old.execute(&mut *tx).await?;
            }
            let merged = Segment::pack_lines(&lines)?;
            sqlx::query(INSERT_SEGMENT)
                .bind(job.as_str())
                .bind(signed(first_item))
                .bind(signed(merged.count as u64))
                .bind(merged.bytes)
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
        }
    }
}
