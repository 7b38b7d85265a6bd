//! Comparison of a run with an earlier one: computed on the first request, and stored as pairs of
//! item numbers until one of the two runs is purged.
//!
//! Items are compared by hashes, so that memory is bounded for runs of any size. The stored pairs
//! hold no personal data: an erasure needs not change them.

mod fingerprint;
mod matching;

use std::collections::BTreeMap;
use std::ops::Range;

use contract::{Change, ChangeCounts, ChangeKind, ItemComparison, JobId, ScheduleId};
use job::Job;
use serde_json::Value;

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, signed, sql};
use crate::job_row;
use crate::{PAGE_BYTES, PageRequest, Result, Store, StoreError};
use fingerprint::{differing, key_of};
use matching::{Differences, EarlierItems, Pair, is_in_partition, partitions};

/// Pairs in one row of `comparison_pairs`.
const PAIRS: usize = 4_096;

pub(crate) const SCHEDULE_OF: &str = "SELECT schedule_id FROM jobs WHERE id = $1";
/// Of the same site and mode: a schedule that was changed to another site starts without one.
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

/// The kinds in the order of the list of changes.
const KINDS: [ChangeKind; 3] = [ChangeKind::Added, ChangeKind::Changed, ChangeKind::Removed];

impl Store {
    /// The schedule that started the job, if one did.
    pub async fn schedule_of_run(&self, job: &JobId) -> Result<Option<ScheduleId>> {
        let query = sql!(SCHEDULE_OF; job);
        let Some(row) = query.fetch_optional(self.reader()?).await? else { return Ok(None) };
        row.read("schedule_id")
    }

    /// The last completed run of the schedule before this one that is not purged.
    pub async fn previous_run(&self, schedule: &ScheduleId, job: &Job) -> Result<Option<JobId>> {
        let row =
            sql!(PREVIOUS; schedule, job.id, job.mode, job.site_key.as_deref().unwrap_or_default())
                .fetch_one(self.reader()?)
                .await?;
        row.read("id")
    }

    /// Counts how the items of a completed run differ from those of an earlier run of the same
    /// mode, whose `comparison` names the fields that count. The first call computes and stores the
    /// counts and pairs.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn compare(
        &self,
        job: &Job,
        since: &Job,
        comparison: &ItemComparison,
    ) -> Result<ChangeCounts> {
        if let Some(counts) = self.counts(job, since).await? {
            return Ok(counts);
        }
        let differences = self.differences(job, since, comparison).await?;
        self.store_differences(job, since, &differences).await?;
        Ok(differences.counts())
    }

    /// A page of the changes, of one kind or of all, in a stable order. Empty for runs that were
    /// not compared.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn changes(
        &self,
        job: &Job,
        since: &Job,
        comparison: &ItemComparison,
        kind: Option<ChangeKind>,
        page: PageRequest,
    ) -> Result<Vec<Change<Value>>> {
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
        self.check_size(job, since, &pairs).await?;
        let before = self.items_at(&since.id, found.iter().map(|(_, pair)| pair.before)).await?;
        let after = self.items_at(&job.id, found.iter().map(|(_, pair)| pair.after)).await?;
        let item = |items: &BTreeMap<u64, Value>, number: Option<u32>| {
            number.and_then(|number| items.get(&u64::from(number)).cloned())
        };
        let changes = found.into_iter().map(|(kind, pair)| {
            let (before, after) = (item(&before, pair.before), item(&after, pair.after));
            let fields = match (&before, &after) {
                (Some(before), Some(after)) => differing(comparison, before, after),
                (Some(_), None) | (None, _) => Vec::new(),
            };
            let key = after.as_ref().or(before.as_ref()).map(|item| key_of(comparison, item));
            Change { kind, key: key.unwrap_or_default().to_owned(), fields, before, after }
        });
        Ok(changes.collect())
    }

    /// Fails when the items of the pairs exceed [`PAGE_BYTES`]. A single pair always passes.
    async fn check_size(&self, job: &Job, since: &Job, pairs: &[Pair]) -> Result<()> {
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

    /// The first of the numbers, and the sizes of the items with them. No sizes when `most` items
    /// cannot exceed [`PAGE_BYTES`].
    async fn sizes_at(&self, job: &Job, numbers: Range<u64>, most: u64) -> Result<(u64, Vec<u32>)> {
        let first = numbers.start;
        let sizes = self.sizes_in(&job.id, job.counts.results, numbers, most).await?;
        Ok((first, sizes.unwrap_or_default()))
    }

    async fn counts(&self, job: &Job, since: &Job) -> Result<Option<ChangeCounts>> {
        let row = sql!(COUNTS; job.id, since.id).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(read_row!(row => ChangeCounts { added, changed, removed, unchanged })))
    }

    /// Compares both runs, one partition of their keys at a time.
    async fn differences(
        &self,
        job: &Job,
        since: &Job,
        comparison: &ItemComparison,
    ) -> Result<Differences> {
        let mut differences = Differences::default();
        let partitions = partitions(since.counts.results);
        for partition in 0..partitions {
            let mut earlier = EarlierItems::default();
            self.each_item(since, comparison, |item| {
                if is_in_partition(&item, partition, partitions) {
                    earlier.add(item);
                }
            })
            .await?;
            let mut index = earlier.index();
            self.each_item(job, comparison, |item| {
                if is_in_partition(&item, partition, partitions) {
                    index.match_later(&item, &mut differences);
                }
            })
            .await?;
            index.finish(&mut differences);
        }
        differences.match_moved();
        Ok(differences)
    }

    async fn each_item(
        &self,
        job: &Job,
        comparison: &ItemComparison,
        mut each: impl FnMut(fingerprint::ItemFingerprint),
    ) -> Result<()> {
        let mut number = 0;
        loop {
            let lines = self.some_results(&job.id, number..job.counts.results).await?;
            if lines.is_empty() {
                return Ok(());
            }
            for item in lines.items() {
                each(fingerprint::ItemFingerprint::of(comparison, &item?, number));
                number += 1;
            }
        }
    }

    async fn store_differences(
        &self,
        job: &Job,
        since: &Job,
        differences: &Differences,
    ) -> Result<()> {
        let counts = differences.counts();
        let mut tx = self.begin().await?;
        // Lock both runs: a concurrent purge deletes this comparison too, or makes this do nothing.
        let mut both = [&job.id, &since.id];
        both.sort();
        for id in both {
            if sql!(job_row::HOLD; id).run(&mut tx).await? == 0 {
                return Ok(());
            }
        }
        let inserted = sql!(INSERT; job.id, since.id, counts.added, counts.changed, counts.removed,
            counts.unchanged)
        .run(&mut tx)
        .await?;
        // A concurrent request has stored the same comparison.
        if inserted == 0 {
            return Ok(());
        }
        for kind in KINDS {
            insert_pairs(&mut tx, (&job.id, &since.id), kind, differences.of(kind)).await?;
        }
        Ok(tx.commit().await?)
    }

    async fn pairs(
        &self,
        job: &Job,
        since: &Job,
        kind: ChangeKind,
        first: u64,
        end: u64,
    ) -> Result<Vec<Pair>> {
        if first >= end {
            return Ok(Vec::new());
        }
        let rows = sql!(READ_PAIRS; job.id, since.id, kind, signed(first) - PAIRS as i64, end)
            .fetch_all(self.reader()?)
            .await?;
        let mut pairs = Vec::new();
        for row in &rows {
            let body: Vec<u8> = row.read("body")?;
            let numbered = (row.read::<u64>("first")?..).zip(Pair::unpack(&body));
            pairs.extend(numbered.filter(|(n, _)| (first..end).contains(n)).map(|(_, pair)| pair));
        }
        Ok(pairs)
    }

    /// The items with these numbers. A segment that holds several of them is read once.
    async fn items_at(
        &self,
        job: &JobId,
        numbers: impl Iterator<Item = Option<u32>>,
    ) -> Result<BTreeMap<u64, Value>> {
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
                    // In a later segment, or purged with its run.
                    None if number > first => break,
                    None => None,
                };
                wanted.next();
            }
        }
        Ok(items)
    }
}

/// The range from the first to the last number of the pairs.
fn span(pairs: &[Pair], number: impl Fn(&Pair) -> Option<u32> + Copy) -> Range<u64> {
    let numbers = pairs.iter().filter_map(number).map(u64::from);
    let (first, last) = (numbers.clone().min(), numbers.max());
    first.zip(last).map_or(0..0, |(first, last)| first..last + 1)
}

async fn insert_pairs(
    tx: &mut Tx,
    (job, since): (&JobId, &JobId),
    kind: ChangeKind,
    pairs: &[Pair],
) -> Result<()> {
    for (place, some) in pairs.chunks(PAIRS).enumerate() {
        sql!(INSERT_PAIRS; job, since, kind, (place * PAIRS), Pair::pack(some)).run(tx).await?;
    }
    Ok(())
}
