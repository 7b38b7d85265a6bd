//! Skipped URLs of a run: stored with the commit that found them, read by page, with or without a
//! filter by reason.

use std::collections::BTreeMap;
use std::ops::Range;

use contract::{JobId, SkipReason, SkippedPage, SkippedUrl};
use journal::Segment;

use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, signed, sql};
use crate::segments::{MERGED_LINES, SKIPPED};
use crate::{PageRequest, Result, Store, StoreError};

/// The caller holds the job's row, so that no other commit changes the counts.
const TOTAL: &str = "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) AS total FROM skip_counts \
    WHERE job_id = $1";
const ADD_TO_COUNT: &str = "INSERT INTO skip_counts (job_id, reason, count) VALUES ($1, $2, $3) \
    ON CONFLICT (job_id, reason) DO UPDATE SET count = skip_counts.count + excluded.count \
    RETURNING count";
const INSERT_SPAN: &str = "INSERT INTO skip_spans (job_id, reason, nth, first_item, last_item) \
    VALUES ($1, $2, $3, $4, $5)";
const COUNTS: &str = "SELECT reason, count FROM skip_counts WHERE job_id = $1";
/// The rows that cover the URLs of a reason number $3 to $4 (exclusive).
const SPANS: &str = "SELECT nth, first_item, last_item FROM skip_spans WHERE job_id = $1 \
    AND reason = $2 AND nth < $4 AND nth >= (SELECT COALESCE(MAX(nth), 0) FROM skip_spans \
    WHERE job_id = $1 AND reason = $2 AND nth <= $3) ORDER BY nth";

/// Skipped URLs as a segment, packed before the transaction begins to keep it short.
#[derive(Debug)]
pub(crate) struct PackedSkips {
    segment: Segment,
    reasons: BTreeMap<SkipReason, ReasonSpan>,
}

/// The positions of the URLs of one reason within a segment.
#[derive(Debug)]
struct ReasonSpan {
    first: u64,
    last: u64,
    count: u64,
}

impl PackedSkips {
    /// Packs the URLs into segments of limited size, also for a page with very many links.
    pub fn of(skipped: &[SkippedUrl]) -> Result<Vec<Self>> {
        skipped.chunks(MERGED_LINES).map(Self::part).collect()
    }

    fn part(skipped: &[SkippedUrl]) -> Result<Self> {
        let mut reasons = BTreeMap::<_, ReasonSpan>::new();
        for (place, url) in (0_u64..).zip(skipped) {
            let new = ReasonSpan { first: place, last: place, count: 0 };
            let span = reasons.entry(url.reason).or_insert(new);
            span.last = place;
            span.count += 1;
        }
        Ok(Self { segment: Segment::pack(skipped)?, reasons })
    }
}

/// Appends the URLs to those of the job. The caller holds the job's row.
pub(crate) async fn write(tx: &mut Tx, job: &JobId, packed: Vec<PackedSkips>) -> Result<()> {
    if packed.is_empty() {
        return Ok(());
    }
    let row = sql!(TOTAL; job).fetch_one(&mut **tx).await?;
    let mut first_item: u64 = row.read("total")?;
    for part in packed {
        for (reason, span) in &part.reasons {
            let count: i64 =
                scalar!(ADD_TO_COUNT; job, reason, span.count).fetch_one(&mut **tx).await?;
            sql!(INSERT_SPAN; job, reason, count - signed(span.count), first_item + span.first,
                first_item + span.last)
            .run(tx)
            .await?;
        }
        let lines = part.segment.count as u64;
        SKIPPED.add(tx, job, first_item, part.segment).await?;
        first_item += lines;
    }
    Ok(())
}

/// A range of URLs that contains the `nth` and following ones of a reason.
#[derive(Debug)]
struct SkipRange {
    nth: u64,
    numbers: Range<u64>,
}

impl Store {
    /// A page of the skipped URLs of a run, in the order in which it found them, of one reason or
    /// of all.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn skipped(
        &self,
        job: &JobId,
        reason: Option<SkipReason>,
        page: PageRequest,
    ) -> Result<SkippedPage> {
        let reasons = self.skip_counts(job).await?;
        let total = match reason {
            Some(reason) => reasons.get(&reason).copied().unwrap_or_default(),
            None => reasons.values().sum(),
        };
        // Not beyond the returned total: a commit may be appended between the two queries.
        let start = page.offset().min(total);
        let end = start.saturating_add(page.size).min(total);
        let items = match reason {
            _ if start == end => Vec::new(),
            Some(reason) => self.skips_for(job, reason, start..end).await?,
            None => self.skips_between(job, start..end).await?,
        };
        Ok(SkippedPage {
            job_id: job.clone(),
            items,
            total,
            reasons,
            page: page.number,
            page_size: page.size,
            has_more: end < total,
        })
    }

    async fn skip_counts(&self, job: &JobId) -> Result<BTreeMap<SkipReason, u64>> {
        let rows = sql!(COUNTS; job).fetch_all(self.reader()?).await?;
        rows.iter().map(|row| Ok((row.read::<SkipReason>("reason")?, row.read("count")?))).collect()
    }

    /// The URLs of one reason with these numbers, counted within the reason.
    async fn skips_for(
        &self,
        job: &JobId,
        reason: SkipReason,
        wanted: Range<u64>,
    ) -> Result<Vec<SkippedUrl>> {
        let mut found = Vec::new();
        for range in self.skip_ranges(job, reason, &wanted).await? {
            let skips = self.skips_between(job, range.numbers).await?;
            let of_reason = skips.into_iter().filter(|skip| skip.reason == reason);
            let numbered = (range.nth..).zip(of_reason);
            found.extend(numbered.filter(|(n, _)| wanted.contains(n)).map(|(_, skip)| skip));
        }
        Ok(found)
    }

    /// The URLs of all reasons with these numbers.
    async fn skips_between(&self, job: &JobId, numbers: Range<u64>) -> Result<Vec<SkippedUrl>> {
        let lines = SKIPPED.lines(self.reader()?, job, numbers).await?;
        let parsed = lines.iter().map(|line| serde_json::from_str(line));
        parsed
            .collect::<Result<_, _>>()
            .map_err(|cause| StoreError::Damaged(format!("invalid skipped URL: {cause}")))
    }

    /// The ranges that contain the URLs of a reason. Adjacent spans are merged up to
    /// [`MERGED_LINES`], which bounds memory.
    async fn skip_ranges(
        &self,
        job: &JobId,
        reason: SkipReason,
        wanted: &Range<u64>,
    ) -> Result<Vec<SkipRange>> {
        let rows =
            sql!(SPANS; job, reason, wanted.start, wanted.end).fetch_all(self.reader()?).await?;
        let mut ranges: Vec<SkipRange> = Vec::new();
        for row in &rows {
            let end = row.read::<u64>("last_item")? + 1;
            match ranges.last_mut() {
                Some(last) if end.saturating_sub(last.numbers.start) <= MERGED_LINES as u64 => {
                    last.numbers.end = end;
                }
                Some(_) | None => ranges.push(SkipRange {
                    nth: row.read("nth")?,
                    numbers: row.read("first_item")?..end,
                }),
            }
        }
        Ok(ranges)
    }
}
