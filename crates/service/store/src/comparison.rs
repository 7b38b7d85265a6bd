//! How a run differs from an earlier one: worked out once, when somebody asks, and kept as
//! pairs of item numbers until one of the two runs goes.
//!
//! Items are told apart by hashes and never held: memory is bounded, however large the runs.
//! What is kept says nothing about anybody, so that an erasure has nothing to do here.

mod fingerprint;
mod matching;

use std::collections::BTreeMap;
use std::ops::Range;

use contract::{Change, ChangeCounts, ChangeKind, JobId, ScheduleId};
use job::Job;
use serde_json::Value;
use sqlx::{Any, Row, Transaction};

use crate::job_row::{self, count, job_id, signed};
use crate::{PAGE_BYTES, Page, Store, StoreError};
use fingerprint::{differing, key_of};
use matching::{Differences, Matching, Pair, is_mine, shares};

/// Pairs that one row holds.
const PAIRS: usize = 4_096;

const SCHEDULE_OF: &str = "SELECT schedule_id FROM jobs WHERE id = $1";
/// The same site and the same mode: a schedule that was pointed elsewhere begins anew.
const PREVIOUS: &str = "SELECT MAX(id) AS id FROM jobs WHERE schedule_id = $1 AND id < $2 \
    AND status = 'completed' AND mode = $3 AND COALESCE(site_key, '') = $4";
const COUNTS: &str = "SELECT added, changed, removed, unchanged FROM comparisons \
    WHERE job_id = $1 AND since_id = $2";
const INSERT: &str = "INSERT INTO comparisons \
    (job_id, since_id, added, changed, removed, unchanged) VALUES ($1, $2, $3, $4, $5, $6) \
    ON CONFLICT DO NOTHING";
const INSERT_PAIRS: &str = "INSERT INTO comparison_pairs (job_id, since_id, kind, first, body) \
    VALUES ($1, $2, $3, $4, $5)";
const READ_PAIRS: &str = "SELECT first, body FROM comparison_pairs WHERE job_id = $1 \
    AND since_id = $2 AND kind = $3 AND first > $4 AND first < $5 ORDER BY first";

/// The kinds in the order in which they are told.
const KINDS: [ChangeKind; 3] = [ChangeKind::Added, ChangeKind::Changed, ChangeKind::Removed];

impl Store {
    /// The schedule that started the job, if one did.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn schedule_of_run(&self, job: &JobId) -> Result<Option<ScheduleId>, StoreError> {
        let id: Option<Option<String>> = sqlx::query_scalar(SCHEDULE_OF)
            .bind(job.as_str())
            .fetch_optional(self.reader()?)
            .await?;
        let id = id.flatten();
        id.map(|id| id.parse().map_err(|_| StoreError::Damaged(format!("no schedule: {id}"))))
            .transpose()
    }

    /// The last run of the schedule before this one that completed and is kept.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn previous_run(
        &self,
        schedule: &ScheduleId,
        job: &Job,
    ) -> Result<Option<JobId>, StoreError> {
        let row = sqlx::query(PREVIOUS)
            .bind(schedule.as_str())
            .bind(job.id.as_str())
            .bind(job.mode.as_str())
            .bind(job.site_key.as_deref().unwrap_or_default())
            .fetch_one(self.reader()?)
            .await?;
        let found: Option<String> = row.try_get("id")?;
        found.map(|_| job_id(&row, "id")).transpose()
    }

    /// How many items of a completed run differ from an earlier one of the same mode. The
    /// first to ask has it worked out.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn compare(&self, job: &Job, since: &Job) -> Result<ChangeCounts, StoreError> {
        if let Some(counts) = self.counts(job, since).await? {
            return Ok(counts);
        }
        let differences = self.differences(job, since).await?;
        self.keep(job, since, &differences).await?;
        Ok(differences.counts())
    }

    /// A page of what differs, of one kind or of all, in a stable order. Empty for runs that
    /// were not compared.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn changes(
        &self,
        job: &Job,
        since: &Job,
        kind: Option<ChangeKind>,
        page: Page,
    ) -> Result<Vec<Change<Value>>, StoreError> {
        let Some(counts) = self.counts(job, since).await? else { return Ok(Vec::new()) };
        let (mut skip, mut left) = (page.offset(), page.size);
        let mut found = Vec::new();
        for kind in KINDS.into_iter().filter(|each| kind.is_none_or(|kind| kind == *each)) {
            let here = counts.of(kind);
            let (first, end) = (skip.min(here), skip.saturating_add(left).min(here));
            let pairs = self.pairs(job, since, kind, first, end).await?;
            (skip, left) = (skip - first, left.saturating_sub(end - first));
            found.extend(pairs.into_iter().map(|pair| (kind, pair)));
        }
        let pairs: Vec<_> = found.iter().map(|(_, pair)| *pair).collect();
        self.hold_to_size(job, since, &pairs).await?;
        let before = self.items_at(&since.id, found.iter().map(|(_, pair)| pair.before)).await?;
        let after = self.items_at(&job.id, found.iter().map(|(_, pair)| pair.after)).await?;
        let item = |items: &BTreeMap<u64, Value>, number: Option<u32>| {
            number.and_then(|number| items.get(&u64::from(number)).cloned())
        };
        let told = found.into_iter().map(|(kind, pair)| {
            let (before, after) = (item(&before, pair.before), item(&after, pair.after));
            let fields = match (&before, &after) {
                (Some(before), Some(after)) => differing(job.mode, before, after),
                (Some(_), None) | (None, _) => Vec::new(),
            };
            let key = after.as_ref().or(before.as_ref()).map(|item| key_of(job.mode, item));
            Change { kind, key: key.unwrap_or_default().to_owned(), fields, before, after }
        });
        Ok(told.collect())
    }

    /// Refuses pairs of items that are larger together than a page may be. One pair is always
    /// allowed.
    async fn hold_to_size(&self, job: &Job, since: &Job, pairs: &[Pair]) -> Result<(), StoreError> {
        let most = pairs.len() as u64 * 2;
        let (old, new) = (span(pairs, |pair| pair.before), span(pairs, |pair| pair.after));
        let old = self.sizes_at(since, old, most).await?;
        let new = self.sizes_at(job, new, most).await?;
        let size = |(first, sizes): &(u64, Vec<u32>), number: Option<u32>| {
            let place = number.and_then(|number| u64::from(number).checked_sub(*first));
            let place = place.and_then(|place| usize::try_from(place).ok());
            place.and_then(|place| sizes.get(place)).map_or(0, |size| u64::from(*size))
        };
        let mut bytes = 0;
        for (fits, pair) in (0_u64..).zip(pairs) {
            bytes += size(&old, pair.before) + size(&new, pair.after);
            if bytes > PAGE_BYTES && fits > 0 {
                return Err(StoreError::PageTooLarge { fits });
            }
        }
        Ok(())
    }

    /// The first of these numbers, and the sizes of the items with them; no sizes when no `most`
    /// items can be too large together.
    async fn sizes_at(
        &self,
        job: &Job,
        numbers: Range<u64>,
        most: u64,
    ) -> Result<(u64, Vec<u32>), StoreError> {
        let first = numbers.start;
        let sizes = self.sizes_in(&job.id, job.counts.results, numbers, most).await?;
        Ok((first, sizes.unwrap_or_default()))
    }

    async fn counts(&self, job: &Job, since: &Job) -> Result<Option<ChangeCounts>, StoreError> {
        let row = sqlx::query(COUNTS)
            .bind(job.id.as_str())
            .bind(since.id.as_str())
            .fetch_optional(self.reader()?)
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(ChangeCounts {
            added: count(&row, "added")?,
            changed: count(&row, "changed")?,
            removed: count(&row, "removed")?,
            unchanged: count(&row, "unchanged")?,
        }))
    }

    /// Goes through both runs, a share of their keys at a time.
    async fn differences(&self, job: &Job, since: &Job) -> Result<Differences, StoreError> {
        let mut differences = Differences::default();
        let shares = shares(since.counts.results);
        for share in 0..shares {
            let mut matching = Matching::default();
            self.each_mark(since, |mark| {
                if is_mine(&mark, share, shares) {
                    matching.earlier(mark);
                }
            })
            .await?;
            let mut matching = matching.ready();
            self.each_mark(job, |mark| {
                if is_mine(&mark, share, shares) {
                    matching.later(&mark, &mut differences);
                }
            })
            .await?;
            matching.finish(&mut differences);
        }
        differences.settle();
        Ok(differences)
    }

    async fn each_mark(
        &self,
        job: &Job,
        mut each: impl FnMut(fingerprint::Mark),
    ) -> Result<(), StoreError> {
        let mut number = 0;
        loop {
            let lines = self.some_results(&job.id, number..job.counts.results).await?;
            if lines.is_empty() {
                return Ok(());
            }
            for item in lines.items() {
                each(fingerprint::Mark::of(job.mode, &item?, number));
                number += 1;
            }
        }
    }

    async fn keep(
        &self,
        job: &Job,
        since: &Job,
        differences: &Differences,
    ) -> Result<(), StoreError> {
        let counts = differences.counts();
        let mut tx = self.begin().await?;
        // A run that is removed right now takes its comparisons with it: those of others who
        // hold its row, and none that come later.
        let mut both = [&job.id, &since.id];
        both.sort();
        for id in both {
            let held = sqlx::query(job_row::HOLD).bind(id.as_str()).execute(&mut *tx).await?;
            if held.rows_affected() == 0 {
                return Ok(());
            }
        }
        let inserted = sqlx::query(INSERT)
            .bind(job.id.as_str())
            .bind(since.id.as_str())
            .bind(signed(counts.added))
            .bind(signed(counts.changed))
            .bind(signed(counts.removed))
            .bind(signed(counts.unchanged))
            .execute(&mut *tx)
            .await?;
        // Somebody asked at the same time, and came to the same.
        if inserted.rows_affected() == 0 {
            return Ok(());
        }
        for kind in KINDS {
            keep_pairs(&mut tx, (&job.id, &since.id), kind, differences.of(kind)).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    async fn pairs(
        &self,
        job: &Job,
        since: &Job,
        kind: ChangeKind,
        first: u64,
        end: u64,
    ) -> Result<Vec<Pair>, StoreError> {
        if first >= end {
            return Ok(Vec::new());
        }
        let rows = sqlx::query(READ_PAIRS)
            .bind(job.id.as_str())
            .bind(since.id.as_str())
            .bind(kind.as_str())
            .bind(signed(first) - PAIRS as i64)
            .bind(signed(end))
            .fetch_all(self.reader()?)
            .await?;
        let mut pairs = Vec::new();
        for row in &rows {
            let body: Vec<u8> = row.try_get("body")?;
            let numbered = (count(row, "first")?..).zip(Pair::unpack(&body));
            pairs.extend(numbered.filter(|(n, _)| (first..end).contains(n)).map(|(_, pair)| pair));
        }
        Ok(pairs)
    }

    /// The items with these numbers. A row that holds several of them is read once.
    async fn items_at(
        &self,
        job: &JobId,
        numbers: impl Iterator<Item = Option<u32>>,
    ) -> Result<BTreeMap<u64, Value>, StoreError> {
        let mut numbers: Vec<_> = numbers.flatten().map(u64::from).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut items = BTreeMap::new();
        let mut wanted = numbers.into_iter().peekable();
        while let Some(first) = wanted.peek().copied() {
            let lines = self.some_results(job, first..u64::MAX).await?;
            while let Some(number) = wanted.peek().copied() {
                match lines.item(number) {
                    Some(item) => items.insert(number, item?),
                    // In a row behind this one, or gone with its run.
                    None if number > first => break,
                    None => None,
                };
                wanted.next();
            }
        }
        Ok(items)
    }
}

/// From the first to the last of the numbers that pairs have.
fn span(pairs: &[Pair], number: impl Fn(&Pair) -> Option<u32> + Copy) -> Range<u64> {
    let numbers = pairs.iter().filter_map(number).map(u64::from);
    let (first, last) = (numbers.clone().min(), numbers.max());
    first.zip(last).map_or(0..0, |(first, last)| first..last + 1)
}

async fn keep_pairs(
    tx: &mut Transaction<'static, Any>,
    (job, since): (&JobId, &JobId),
    kind: ChangeKind,
    pairs: &[Pair],
) -> Result<(), StoreError> {
    for (place, some) in pairs.chunks(PAIRS).enumerate() {
        sqlx::query(INSERT_PAIRS)
            .bind(job.as_str())
            .bind(since.as_str())
            .bind(kind.as_str())
            .bind(signed((place * PAIRS) as u64))
            .bind(Pair::pack(some))
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}
