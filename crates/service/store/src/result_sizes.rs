//! The sizes of results, and the pages that follow from them.
//!
//! A page of results ends after `page_size` items or before the item that would bring it over
//! [`PAGE_BYTES`], whichever comes first, and the next page begins right there. So a client that
//! asks for pages 1, 2, 3 and so on, with one `page_size`, gets every item exactly once. Where a
//! page ends depends only on the sizes with which items were stored, which never change: pages
//! stay the same while a run goes on, when its segments are merged, and after an erasure. Reading
//! all pages in order reads each size once ([`PageStarts`]).

use std::collections::BTreeMap;
use std::ops::Range;

use contract::JobId;
use parking_lot::Mutex;

use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::segments::RESULTS;
use crate::{PAGE_BYTES, PageRequest, Result, Store, job_row};

const INSERT: &str = "INSERT INTO result_sizes (job_id, first_item, largest, sizes) \
    VALUES ($1, $2, $3, $4) ON CONFLICT (job_id, first_item) DO NOTHING";
/// The rows with items $2 to $3 (exclusive), including the row that contains $2.
macro_rules! rows_in {
    ($columns:literal, $order:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM result_sizes WHERE job_id = $1 AND first_item < $3 AND first_item >= \
             (SELECT COALESCE(MAX(first_item), 0) FROM result_sizes \
             WHERE job_id = $1 AND first_item <= $2)",
            $order
        )
    };
}
/// With the first item of the job that has a size.
const LARGEST: &str = rows_in!(
    "(SELECT MIN(first_item) FROM result_sizes WHERE job_id = $1) AS measured_from, \
     MAX(largest) AS largest",
    ""
);
const SIZES: &str = rows_in!("first_item, sizes", " ORDER BY first_item");

const MEASURED_FROM: &str = "SELECT MIN(first_item) FROM result_sizes WHERE job_id = $1";

/// Maximum page starts that a node caches, over all jobs.
const MAX_STARTS: usize = 20_000;

/// The first items of pages, by job, page size and page number.
///
/// The start of a page depends on all sizes before it. A node caches the starts that it has
/// computed, so that a client that reads page after page causes each size to be read once. Only
/// starts that cannot change are cached: those of an existing item that did not fit on the page
/// before.
#[derive(Debug, Default)]
pub(crate) struct PageStarts(Mutex<BTreeMap<(JobId, u64, u64), u64>>);

impl PageStarts {
    /// The last cached page up to this one, with its first item.
    fn nearest(&self, job: &JobId, page: PageRequest) -> (u64, u64) {
        let known = self.0.lock();
        let (first, last) =
            ((job.clone(), page.size, 1), (job.clone(), page.size, page.number.max(1)));
        let found = known.range(first..=last).next_back();
        found.map_or((1, 0), |((_, _, number), start)| (*number, *start))
    }

    fn remember(&self, job: &JobId, page: PageRequest, start: u64) {
        let mut known = self.0.lock();
        if known.len() >= MAX_STARTS {
            known.clear();
        }
        known.insert((job.clone(), page.size, page.number), start);
    }
}

/// Stores the sizes of a segment; `first_item` is the number of its first item.
pub(crate) async fn add(tx: &mut Tx, job: &JobId, first_item: u64, lengths: &[u32]) -> Result<()> {
    let Some(largest) = lengths.iter().max() else { return Ok(()) };
    let sizes: Vec<u8> = lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
    sql!(INSERT; job, first_item, largest, sizes).run(tx).await.map(drop)
}

impl Store {
    /// The numbers of the items on a page, among the first `total` items of a job.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails or a segment is damaged.
    pub async fn results_on_page(
        &self,
        job: &JobId,
        total: u64,
        page: PageRequest,
    ) -> Result<Range<u64>> {
        let starts = &self.inner.page_starts;
        let (known, first) = starts.nearest(job, page);
        let first = first.min(total);
        let pages = page.number.saturating_sub(known).saturating_add(1);
        let start = first.saturating_add((pages - 1).saturating_mul(page.size)).min(total);
        let end = start.saturating_add(page.size).min(total);
        let found = match self.sizes_in(job, total, first..end, page.size).await? {
            None => start..end,
            Some(sizes) => {
                let mut found = total..total;
                for (number, items) in (known..=page.number).zip(pages_of(&sizes, page.size)) {
                    let items = first + items.start as u64..first + items.end as u64;
                    starts.remember(job, PageRequest { number, ..page }, items.start);
                    if number == page.number {
                        found = items;
                    }
                }
                found
            }
        };
        if found.end < total {
            starts.remember(job, PageRequest { number: page.number + 1, ..page }, found.end);
        }
        Ok(found)
    }

    /// The numbers of at most `most` items from `offset` on that fit into a page, among the first
    /// `total` items of a job.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails or a segment is damaged.
    pub async fn results_from(
        &self,
        job: &JobId,
        total: u64,
        offset: u64,
        most: u64,
    ) -> Result<Range<u64>> {
        let start = offset.min(total);
        let end = start.saturating_add(most).min(total);
        Ok(match self.sizes_in(job, total, start..end, most).await? {
            Some(sizes) => start..start + page_end(&sizes, 0, most) as u64,
            None => start..end,
        })
    }

    /// The sizes of the items with these numbers; `None` when no page of `most` of them can exceed
    /// [`PAGE_BYTES`]. Measures, once, those of the first `total` items that an earlier release
    /// stored without sizes.
    pub(crate) async fn sizes_in(
        &self,
        job: &JobId,
        total: u64,
        numbers: Range<u64>,
        most: u64,
    ) -> Result<Option<Vec<u32>>> {
        if numbers.is_empty() {
            return Ok(None);
        }
        let (measured_from, mut largest) = self.largest_in(job, &numbers).await?;
        if measured_from != Some(0) {
            self.measure(job, total).await?;
            (_, largest) = self.largest_in(job, &numbers).await?;
        }
        if largest.saturating_mul(most) <= PAGE_BYTES {
            return Ok(None);
        }
        let rows = sql!(SIZES; job, numbers.start, numbers.end).fetch_all(self.reader()?).await?;
        let mut sizes = Vec::new();
        for row in &rows {
            let packed: Vec<u8> = row.read("sizes")?;
            let numbered = (row.read::<u64>("first_item")?..).zip(packed.as_chunks::<4>().0);
            let wanted = numbered.filter(|(number, _)| numbers.contains(number));
            sizes.extend(wanted.map(|(_, bytes)| u32::from_le_bytes(*bytes)));
        }
        Ok(Some(sizes))
    }

    /// The first item of the job with a stored size, and the largest size in the rows with these
    /// items.
    async fn largest_in(&self, job: &JobId, numbers: &Range<u64>) -> Result<(Option<u64>, u64)> {
        let row = sql!(LARGEST; job, numbers.start, numbers.end).fetch_one(self.reader()?).await?;
        let measured_from: Option<i64> = row.read("measured_from")?;
        let largest: Option<i64> = row.read("largest")?;
        Ok((measured_from.map(unsigned), largest.map_or(0, unsigned)))
    }

    /// Measures those of the first `total` items that an earlier release stored without sizes, from
    /// the last to the first: after a crash the unmeasured items are still a prefix. A segment is
    /// decompressed before the transaction. Its sizes are stored under the lock of the job, and
    /// only if no other reader has stored sizes since: rows of sizes never overlap.
    async fn measure(&self, job: &JobId, total: u64) -> Result<()> {
        loop {
            let measured_from: Option<i64> =
                scalar!(MEASURED_FROM; job).fetch_one(self.reader()?).await?;
            let before = measured_from.map_or(total, unsigned);
            let Some(last) = before.checked_sub(1) else { return Ok(()) };
            let row = RESULTS.row_of(self.reader()?, job, last).await?;
            let Some((first_item, lines)) = row else { return Ok(()) };
            // A merged segment may contain measured items too.
            let unmeasured = usize::try_from(before - first_item).unwrap_or(usize::MAX);
            let lengths = lines.iter().take(unmeasured);
            let lengths: Vec<_> =
                lengths.map(|line| u32::try_from(line.len()).unwrap_or(u32::MAX)).collect();
            let mut tx = self.begin().await?;
            // The job was deleted meanwhile: store no sizes for it.
            if sql!(job_row::HOLD; job).run(&mut tx).await? == 0 {
                return Ok(tx.rollback().await?);
            }
            let now: Option<i64> = scalar!(MEASURED_FROM; job).fetch_one(&mut *tx).await?;
            if now == measured_from {
                add(&mut tx, job, first_item, &lengths).await?;
                tx.commit().await?;
            } else {
                tx.rollback().await?;
            }
        }
    }
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The items of a page, computed from the sizes of all items.
pub(crate) fn nth_page(sizes: &[u32], total: u64, page: PageRequest) -> Range<u64> {
    let before = usize::try_from(page.number.saturating_sub(1)).unwrap_or(usize::MAX);
    let found = pages_of(sizes, page.size).nth(before);
    found.map_or(total..total, |items| items.start as u64..items.end as u64)
}

/// The ranges of items of consecutive pages.
fn pages_of(sizes: &[u32], most: u64) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    std::iter::from_fn(move || {
        let start = end;
        end = page_end(sizes, start, most);
        (end > start).then_some(start..end)
    })
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

    fn page(number: u64, size: u64) -> PageRequest {
        PageRequest { number, size }
    }

    #[test]
    fn page_ends_before_the_item_that_exceeds_the_limit() {
        const MIB: u32 = 1 << 20;
        let sizes = [15 * MIB, MIB, 1, 20 * MIB, 1, 1];
        let pages: Vec<_> = (1..=6).map(|number| nth_page(&sizes, 6, page(number, 3))).collect();
        assert_eq!(pages, [0..2, 2..3, 3..4, 4..6, 6..6, 6..6]);
    }

    proptest! {
        /// For any sizes, pages cover all items without gaps or repetition, and stay the same when
        /// items are added.
        #[test]
        fn pages_contain_every_item_once(
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
