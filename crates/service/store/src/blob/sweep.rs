//! Removes objects that nothing refers to: of transactions that did not commit, and of deleted files.
//!
//! Before an object without a row is removed, a row of its id is inserted with `swept` = 1. A transaction
//! that would commit its row afterwards fails and writes the files again; one that has inserted it before
//! keeps its object. So no clock decides whether bytes are lost.

use std::time::Duration;

use ::bucket::{Bucket, StoredObject};
use contract::Millis;
use futures_util::StreamExt as _;
use sqlx::AssertSqlSafe;

use super::compaction::PackChange;
use super::upload::{self, FOLDER};
use crate::columns::{ReadColumn, scalar, sql};
use crate::{Result, Store, StoreError};

/// Age of an object from which it is removed if no row refers to it.
pub(super) const UNREFERENCED_AGE: Duration = Duration::from_secs(60 * 60);

/// Time between two searches of the installation.
const EVERY: Duration = Duration::from_secs(60 * 60);

/// Objects of this time before the last search are searched again: a listing may lack new objects, and a
/// lost request may arrive late.
const OVERLAP: Duration = Duration::from_secs(26 * 60 * 60);

/// After more hours all objects are listed.
const MOST_HOURS: i64 = 24 * 40;

/// Rows of removed objects are kept for this time.
const KEEP_SWEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Objects whose rows are read by one statement.
const BATCH: usize = 200;

const HOUR_MS: i64 = 60 * 60 * 1_000;

/// The place of rows of removed objects.
const NO_PLACE: i64 = 0;

const SWEPT_AT: &str = "SELECT swept_at FROM installation WHERE id = 1";
const BEGIN_SWEEP: &str = "UPDATE installation SET swept_at = $1 WHERE id = 1 AND swept_at <= $2";
const REPEAT_SWEEP: &str = "UPDATE installation SET swept_at = $2 WHERE id = 1 AND swept_at = $1";
const SWEEP: &str = "INSERT INTO packs (id, place, bytes, created_at, swept) \
    VALUES ($1, $2, 0, $3, 1) ON CONFLICT (id) DO NOTHING";
const FORGET_SWEPT: &str = "DELETE FROM packs WHERE place = $1 AND swept = 1 AND created_at <= $2";

/// What the maintenance of object storage has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StorageMaintenance {
    /// Objects that were rewritten without their dead parts.
    pub rewritten: u64,
    /// Objects that were removed because they had no parts any more.
    pub removed: u64,
    /// Objects that were removed because no transaction refers to them.
    pub unreferenced: u64,
}

impl StorageMaintenance {
    fn count(&mut self, change: PackChange) {
        match change {
            PackChange::Removed => self.removed += 1,
            PackChange::Rewritten => self.rewritten += 1,
            PackChange::Kept => {}
        }
    }
}

impl Store {
    /// Removes and rewrites objects that lost parts, and searches objects without a row once an hour.
    /// Any number of nodes may do it at the same time.
    ///
    /// # Errors
    /// [`StoreError`] when the database or the object storage fails: what is left is done next time.
    pub async fn maintain_storage(&self, now: Millis) -> Result<StorageMaintenance> {
        if self.places().await?.is_empty() {
            return Ok(StorageMaintenance::default());
        }
        let mut done = self.process_pack_changes(now).await?;
        let last: Option<i64> = scalar!(SWEPT_AT).fetch_optional(self.reader()?).await?;
        let taken = self.execute(sql!(BEGIN_SWEEP; now, now.minus(EVERY))).await?;
        if taken == 1 {
            let since = last.filter(|last| *last > 0).map(|last| Millis(last).minus(OVERLAP));
            let removed = self.remove_unreferenced(since, now).await;
            if removed.is_err() {
                // Otherwise a long outage would end the search of the time before.
                self.execute(sql!(REPEAT_SWEEP; now, last.unwrap_or_default())).await?;
            }
            done.unreferenced = removed?;
        }
        Ok(done)
    }

    /// Removes and rewrites all objects that lost parts.
    ///
    /// # Errors
    /// As [`Store::maintain_storage`].
    pub async fn process_pack_changes(&self, now: Millis) -> Result<StorageMaintenance> {
        let (mut done, mut failure) = (StorageMaintenance::default(), None);
        loop {
            let taken = self.take_changes(now).await?;
            if taken.is_empty() {
                return failure.map_or(Ok(done), Err);
            }
            for change in &taken {
                match self.process_change(change, now).await {
                    Ok(change) => done.count(change),
                    Err(error @ (StoreError::Unavailable(_) | StoreError::Bucket(_))) => {
                        return Err(error);
                    }
                    // The others are done.
                    Err(error) => failure = Some(error),
                }
            }
        }
    }

    /// Removes the objects older than an hour that no row refers to, of packs created since this time.
    ///
    /// # Errors
    /// As [`Store::maintain_storage`].
    pub async fn remove_unreferenced(&self, since: Option<Millis>, now: Millis) -> Result<u64> {
        let before = now.minus(UNREFERENCED_AGE);
        let hours = since.map(|since| (since.0.div_euclid(HOUR_MS), before.0.div_euclid(HOUR_MS)));
        let folders: Vec<String> = match hours {
            Some((first, last)) if last - first <= MOST_HOURS => {
                (first..=last).map(|hour| upload::folder_of(Millis(hour * HOUR_MS))).collect()
            }
            _ => vec![FOLDER.to_owned()],
        };
        let current = match self.has_bucket() {
            true => Some(self.current_bucket().await?.0),
            false => None,
        };
        let mut removed = 0;
        for (place, _) in self.places().await? {
            // One without files may not be configured any more.
            let bucket = match self.bucket_of(place).await {
                Ok(bucket) => bucket,
                Err(_) if !self.has_packs(place).await? => continue,
                Err(error) => return Err(error),
            };
            for folder in &folders {
                let is_current = current == Some(place);
                removed += self.sweep_folder((place, is_current), &bucket, folder, before).await?;
            }
        }
        self.execute(sql!(FORGET_SWEPT; NO_PLACE, now.minus(KEEP_SWEPT))).await?;
        Ok(removed)
    }

    async fn sweep_folder(
        &self,
        (place, is_current): (i64, bool),
        bucket: &Bucket,
        folder: &str,
        before: Millis,
    ) -> Result<u64> {
        let mut listing = bucket.list(folder)?;
        let (mut removed, mut ids) = (0, Vec::with_capacity(BATCH));
        loop {
            let object = listing.next().await.transpose()?;
            let is_end = object.is_none();
            ids.extend(object.and_then(|object| id_of(&object, before)));
            if ids.len() == BATCH || (is_end && !ids.is_empty()) {
                for (id, row) in self.rows_of(std::mem::take(&mut ids)).await? {
                    let is_garbage = match row {
                        // Moved from here to the current place.
                        Some((_, true)) => true,
                        Some((at, false)) => at != place && !is_current,
                        None => {
                            let created_at = upload::created_at(&id).unwrap_or_default();
                            let swept = sql!(SWEEP; id, NO_PLACE, created_at);
                            self.execute(swept).await? == 1
                        }
                    };
                    if is_garbage {
                        bucket.remove(&upload::object_name(&id)?).await?;
                        removed += 1;
                    }
                }
            }
            if is_end {
                return Ok(removed);
            }
        }
    }

    /// The place of each pack, and whether its object was removed; `None` without a row.
    pub(super) async fn rows_of(
        &self,
        ids: Vec<String>,
    ) -> Result<Vec<(String, Option<(i64, bool)>)>> {
        let marks: Vec<String> = (1..=ids.len()).map(|number| format!("${number}")).collect();
        let text = format!("SELECT id, place, swept FROM packs WHERE id IN ({})", marks.join(", "));
        let mut query = sql!(AssertSqlSafe(text));
        for id in &ids {
            query = query.bind(id.clone());
        }
        let rows = query.fetch_all(self.reader()?).await?;
        let mut known = std::collections::HashMap::new();
        for row in &rows {
            known.insert(row.read::<String>("id")?, (row.read("place")?, row.read("swept")?));
        }
        Ok(ids.into_iter().map(|id| (id.clone(), known.get(&id).copied())).collect())
    }
}

/// The id of a pack that was created before this time.
pub(super) fn id_of(object: &StoredObject, before: Millis) -> Option<String> {
    let id = object.name.rsplit('/').next()?;
    let created_at = upload::created_at(id)?;
    // Another name is no object of ours.
    let is_ours = upload::object_name(id).is_ok_and(|name| name == object.name);
    (is_ours && created_at <= before).then(|| id.to_owned())
}
