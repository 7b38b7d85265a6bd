//! The URLs that a run left out: written with the commit that met them, read by page, all
//! of them or those of one reason.

use std::collections::BTreeMap;
use std::ops::Range;

use contract::{JobId, SkipReason, SkippedPage, SkippedUrl};
use journal::Segment;
use sqlx::{Any, Transaction};

use crate::job_row::{count, signed, word};
use crate::segments::{MERGED_LINES, SKIPPED};
use crate::{Page, Store, StoreError};

/// The job's row is held by whoever appends, so that nobody else counts meanwhile.
const TOTAL: &str = "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) AS total FROM skip_counts \
    WHERE job_id = $1";
const ADD_TO_COUNT: &str = "INSERT INTO skip_counts (job_id, reason, count) VALUES ($1, $2, $3) \
    ON CONFLICT (job_id, reason) DO UPDATE SET count = skip_counts.count + excluded.count \
    RETURNING count";
const INSERT_SPAN: &str = "INSERT INTO skip_spans (job_id, reason, nth, first_item, last_item) \
    VALUES ($1, $2, $3, $4, $5)";
const COUNTS: &str = "SELECT reason, count FROM skip_counts WHERE job_id = $1";
/// The rows that cover the URLs of a reason from the $3th on and before the $4th.
const SPANS: &str = "SELECT nth, first_item, last_item FROM skip_spans WHERE job_id = $1 \
    AND reason = $2 AND nth < $4 AND nth >= (SELECT COALESCE(MAX(nth), 0) FROM skip_spans \
    WHERE job_id = $1 AND reason = $2 AND nth <= $3) ORDER BY nth";

/// Some URLs ready to be written. Packed before the transaction begins: it stays short.
#[derive(Debug)]
pub(crate) struct PackedSkips {
    segment: Segment,
    reasons: BTreeMap<SkipReason, Places>,
}

/// Where the URLs of one reason stand among those that are packed together.
#[derive(Debug)]
struct Places {
    first: u64,
    last: u64,
    count: u64,
}

impl PackedSkips {
    /// Packs the URLs, in parts: a page with very many links makes no segment that is
    /// costly to read.
    pub fn of(skipped: &[SkippedUrl]) -> Result<Vec<Self>, StoreError> {
        skipped.chunks(MERGED_LINES).map(Self::part).collect()
    }

    fn part(skipped: &[SkippedUrl]) -> Result<Self, StoreError> {
        let mut reasons = BTreeMap::<_, Places>::new();
        for (place, url) in (0_u64..).zip(skipped) {
            let new = Places { first: place, last: place, count: 0 };
            let places = reasons.entry(url.reason).or_insert(new);
            places.last = place;
            places.count += 1;
        }
        Ok(Self { segment: Segment::pack(skipped)?, reasons })
    }
}

/// Writes the URLs behind those that the job has already. The caller holds the job's row.
pub(crate) async fn write(
    tx: &mut Transaction<'static, Any>,
    job: &JobId,
    packed: Vec<PackedSkips>,
) -> Result<(), StoreError> {
    if packed.is_empty() {
        return Ok(());
    }
    let row = sqlx::query(TOTAL).bind(job.as_str()).fetch_one(&mut **tx).await?;
    let mut first_item = count(&row, "total")?;
    for part in packed {
        for (reason, places) in &part.reasons {
            let count: i64 = sqlx::query_scalar(ADD_TO_COUNT)
                .bind(job.as_str())
                .bind(reason.as_str())
                .bind(signed(places.count))
                .fetch_one(&mut **tx)
                .await?;
            sqlx::query(INSERT_SPAN)
                .bind(job.as_str())
                .bind(reason.as_str())
                .bind(count - signed(places.count))
                .bind(signed(first_item + places.first))
                .bind(signed(first_item + places.last))
                .execute(&mut **tx)
                .await?;
        }
        let lines = part.segment.count as u64;
        SKIPPED.add(tx, job, first_item, part.segment).await?;
        first_item += lines;
    }
    Ok(())
}

/// Numbers between which all URLs of a reason, from the `nth` on, are wanted.
#[derive(Debug)]
struct Stretch {
    nth: u64,
    numbers: Range<u64>,
}

impl Store {
    /// A page of the URLs that a run left out, in the order in which it met them; with a
    /// reason only those of it.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn skipped(
        &self,
        job: &JobId,
        reason: Option<SkipReason>,
        page: Page,
    ) -> Result<SkippedPage, StoreError> {
        let reasons = self.skip_counts(job).await?;
        let total = match reason {
            Some(reason) => reasons.get(&reason).copied().unwrap_or_default(),
            None => reasons.values().sum(),
        };
        // Never past the total that the answer names: a commit may land in between.
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

    async fn skip_counts(&self, job: &JobId) -> Result<BTreeMap<SkipReason, u64>, StoreError> {
        let rows = sqlx::query(COUNTS).bind(job.as_str()).fetch_all(self.reader()?).await?;
        rows.iter()
            .map(|row| {
                Ok((
                    word(row, "reason", |name| name.parse::<SkipReason>().ok())?,
                    count(row, "count")?,
                ))
            })
            .collect()
    }

    /// Those of one reason, numbered among themselves.
    async fn skips_for(
        &self,
        job: &JobId,
        reason: SkipReason,
        wanted: Range<u64>,
    ) -> Result<Vec<SkippedUrl>, StoreError> {
        let mut found = Vec::new();
        for stretch in self.stretches(job, reason, &wanted).await? {
            let skips = self.skips_between(job, stretch.numbers).await?;
            let of_reason = skips.into_iter().filter(|skip| skip.reason == reason);
            let numbered = (stretch.nth..).zip(of_reason);
            found.extend(numbered.filter(|(n, _)| wanted.contains(n)).map(|(_, skip)| skip));
        }
        Ok(found)
    }

    /// Those with these numbers, whatever their reason.
    async fn skips_between(
        &self,
        job: &JobId,
        numbers: Range<u64>,
    ) -> Result<Vec<SkippedUrl>, StoreError> {
        let lines = SKIPPED.lines(self.reader()?, job, numbers).await?;
        let parsed = lines.iter().map(|line| serde_json::from_str(line));
        parsed
            .collect::<Result<_, _>>()
            .map_err(|cause| StoreError::Damaged(format!("a URL left out: {cause}")))
    }

    /// Where to look for the URLs of a reason. Places that lie close together are one
    /// stretch, read at once; none is so long that reading it fills the memory.
    async fn stretches(
        &self,
        job: &JobId,
        reason: SkipReason,
        wanted: &Range<u64>,
    ) -> Result<Vec<Stretch>, StoreError> {
        let rows = sqlx::query(SPANS)
            .bind(job.as_str())
            .bind(reason.as_str())
            .bind(signed(wanted.start))
            .bind(signed(wanted.end))
            .fetch_all(self.reader()?)
            .await?;
        let mut stretches: Vec<Stretch> = Vec::new();
        for row in &rows {
            let end = count(row, "last_item")? + 1;
            match stretches.last_mut() {
                Some(last) if end.saturating_sub(last.numbers.start) <= MERGED_LINES as u64 => {
                    last.numbers.end = end;
                }
                Some(_) | None => stretches.push(Stretch {
                    nth: count(row, "nth")?,
                    numbers: count(row, "first_item")?..end,
                }),
            }
        }
        Ok(stretches)
    }
}
