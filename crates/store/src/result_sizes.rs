//! The sizes of results, and the pages that follow from them.
//!
//! A page of results ends after `page_size` items or before the item that would bring it over
//! [`PAGE_BYTES`], whichever comes first, and the next page begins right there. So a client that
//! asks for pages 1, 2, 3 and so on, with one `page_size`, gets every item exactly once. Where a
//! page ends depends only on the sizes with which items were stored, which never change: pages
//! stay the same while a run goes on, when its segments are merged, and when somebody is erased
//! from it.

use std::ops::Range;

use contract::JobId;
use journal::Segment;
use sqlx::{Any, Row, Transaction};

use crate::job_row::signed;
use crate::segments::RESULTS;
use crate::{Page, Store, StoreError, job_row};

/// The most bytes of items in one page, as they are stored. A single larger item is a page of
/// its own.
pub const PAGE_BYTES: u64 = 16 * 1024 * 1024;

const INSERT: &str = "INSERT INTO result_sizes (job_id, first_item, largest, sizes) \
    VALUES ($1, $2, $3, $4) ON CONFLICT (job_id, first_item) DO NOTHING";
const LARGEST: &str = "SELECT MIN(first_item) AS first_item, MAX(largest) AS largest \
    FROM result_sizes WHERE job_id = $1 AND first_item < $2";
const SIZES: &str = "SELECT sizes FROM result_sizes WHERE job_id = $1 AND first_item < $2 \
    ORDER BY first_item";

/// Writes the sizes of a segment whose first item has this number.
pub(crate) async fn add(
    tx: &mut Transaction<'static, Any>,
    job: &JobId,
    first_item: u64,
    lengths: &[u32],
) -> Result<(), StoreError> {
    let Some(largest) = lengths.iter().max() else { return Ok(()) };
    let sizes: Vec<u8> = lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
    sqlx::query(INSERT)
        .bind(job.as_str())
        .bind(signed(first_item))
        .bind(i64::from(*largest))
        .bind(sizes)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

impl Store {
    /// The numbers of the items on a page, among the first `total` items of a job.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn results_on_page(
        &self,
        job: &JobId,
        total: u64,
        page: Page,
    ) -> Result<Range<u64>, StoreError> {
        let start = page.offset().min(total);
        let end = start.saturating_add(page.size).min(total);
        Ok(match self.sizes_before(job, end, page.size).await? {
            Some(sizes) => nth_page(&sizes, total, page),
            None => start..end,
        })
    }

    /// The numbers of the items behind the first `offset` ones, at most `most` of them and as
    /// many as fit into a page, among the first `total` items of a job.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn results_from(
        &self,
        job: &JobId,
        total: u64,
        offset: u64,
        most: u64,
    ) -> Result<Range<u64>, StoreError> {
        let start = offset.min(total);
        let end = start.saturating_add(most).min(total);
        Ok(match self.sizes_before(job, end, most).await? {
            Some(sizes) => {
                let first = usize::try_from(start).unwrap_or(usize::MAX).min(sizes.len());
                start..page_end(&sizes, first, most) as u64
            }
            None => start..end,
        })
    }

    /// The sizes of the items before `end`; `None` when no page of `most` of them can be too
    /// large.
    pub(crate) async fn sizes_before(
        &self,
        job: &JobId,
        end: u64,
        most: u64,
    ) -> Result<Option<Vec<u32>>, StoreError> {
        let row = sqlx::query(LARGEST).bind(job.as_str()).bind(signed(end));
        let row = row.fetch_one(self.reader()?).await?;
        let first: Option<i64> = row.try_get("first_item")?;
        let unmeasured = first.map_or(end, |first| u64::try_from(first).unwrap_or(0));
        let mut largest = row.try_get::<Option<i64>, _>("largest")?.unwrap_or(0);
        if unmeasured > 0 {
            largest = largest.max(self.measure(job, unmeasured).await?);
        }
        let largest = u64::try_from(largest).unwrap_or(u64::MAX);
        if largest.saturating_mul(most) <= PAGE_BYTES {
            return Ok(None);
        }
        let query = sqlx::query_scalar(SIZES).bind(job.as_str()).bind(signed(end));
        let rows: Vec<Vec<u8>> = query.fetch_all(self.reader()?).await?;
        let sizes = rows.iter().flat_map(|row| row.as_chunks::<4>().0);
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        Ok(Some(sizes.map(|bytes| u32::from_le_bytes(*bytes)).take(end).collect()))
    }

    /// Measures the items before this number, which an earlier release stored without their
    /// sizes, once. Returns the largest size.
    async fn measure(&self, job: &JobId, before: u64) -> Result<i64, StoreError> {
        let (mut number, mut largest) = (0, 0);
        while number < before {
            let row = RESULTS.row_of(self.reader()?, job, number).await?;
            let Some((first_item, lines)) = row else { break };
            let lengths = Segment::pack_lines(&lines)?.lengths;
            largest = largest.max(lengths.iter().copied().max().unwrap_or(0));
            let mut tx = self.begin().await?;
            let held = sqlx::query(job_row::HOLD).bind(job.as_str()).execute(&mut *tx).await?;
            // Deleted since: its sizes must not outlive it.
            if held.rows_affected() == 0 {
                break;
            }
            add(&mut tx, job, first_item, &lengths).await?;
            tx.commit().await?;
            number = first_item + lines.len() as u64;
        }
        Ok(largest.into())
    }
}

/// The items of a page, whose ends follow from the sizes of the items before.
pub(crate) fn nth_page(sizes: &[u32], total: u64, page: Page) -> Range<u64> {
    let (mut start, mut end) = (0, 0);
    for _ in 0..page.number {
        start = end;
        if start >= sizes.len() {
            return total..total;
        }
        end = page_end(sizes, start, page.size);
    }
    start as u64..end as u64
}

fn page_end(sizes: &[u32], start: usize, most: u64) -> usize {
    let mut bytes = 0;
    let mut end = start;
    for size in &sizes[start..] {
        bytes += u64::from(*size);
        let is_full = (end - start) as u64 >= most || (bytes > PAGE_BYTES && end > start);
        if is_full {
            break;
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(number: u64, size: u64) -> Page {
        Page { number, size }
    }

    #[test]
    fn a_page_ends_before_the_item_that_is_too_much() {
        const MIB: u32 = 1 << 20;
        let sizes = [15 * MIB, MIB, 1, 20 * MIB, 1, 1];
        let pages: Vec<_> = (1..=6).map(|number| nth_page(&sizes, 6, page(number, 3))).collect();
        assert_eq!(pages, [0..2, 2..3, 3..4, 4..6, 6..6, 6..6]);
    }

    proptest! {
        /// Whatever the sizes, pages follow each other without a gap and without a repetition,
        /// and stay as they are when more items come.
        #[test]
        fn pages_hold_every_item_once(
            sizes in prop::collection::vec(0_u32..9_000_000, 1..60), size in 1_u64..20, more in 0..9_usize,
        ) {
            let total = sizes.len() as u64;
            let mut seen = 0;
            for number in 1.. {
                let found = nth_page(&sizes, total, page(number, size));
                prop_assert_eq!(found.start, seen);
                prop_assert!(found.end - found.start <= size);
                let bytes: u64 =
                    sizes[found.start as usize..found.end as usize].iter().map(|b| u64::from(*b)).sum();
                prop_assert!(bytes <= PAGE_BYTES || found.end - found.start == 1);
                if found.is_empty() {
                    break;
                }
                if found.end < total {
                    let longer = [sizes.as_slice(), &vec![1; more]].concat();
                    let again = nth_page(&longer, longer.len() as u64, page(number, size));
                    prop_assert_eq!(&again, &found);
                }
                seen = found.end;
            }
            prop_assert_eq!(seen, total);
        }
    }
}
