//! Rewrites objects of which parts were deleted: at once if the bytes must not be stored any more,
//! otherwise when more than half of an object is dead.

use std::time::Duration;

use contract::Millis;

use super::changes::{self, TakenChange, note_dead_parts};
use super::upload::{MAGIC, PackBuilder, Upload};
use super::{BlobKey, PlacedPart};
use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::{Result, Store, StoreError};

/// How long the object of a rewritten pack is kept: a backup of the database from before refers to it.
const GRACE: Duration = Duration::from_secs(24 * 60 * 60);

const PACK: &str = "SELECT place, bytes FROM packs WHERE id = $1";
const PARTS: &str = "SELECT p.owner, p.name, p.part, p.pack, k.place, p.start, p.length, p.crc \
    FROM blob_parts p JOIN packs k ON k.id = p.pack WHERE p.pack = $1 ORDER BY p.start";
const MOVE: &str = "UPDATE blob_parts SET pack = $4, start = $5 \
    WHERE owner = $1 AND name = $2 AND part = $3 AND pack = $6";

/// What was done with an object that lost parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackChange {
    /// It has no parts any more.
    Removed,
    /// Its parts are in a new object.
    Rewritten,
    Kept,
}

/// A part of a pack with the file that it belongs to.
pub(super) struct OwnedPart {
    pub key: BlobKey,
    pub number: u64,
    pub placed: PlacedPart,
}

impl Store {
    /// The parts of a pack, in their order.
    pub(super) async fn parts_of_pack(&self, pack: &str) -> Result<Vec<OwnedPart>> {
        self.fetch_all(sql!(PARTS; pack), |row| {
            Ok(OwnedPart {
                key: BlobKey { owner: row.read("owner")?, name: row.read("name")? },
                number: row.read("part")?,
                placed: PlacedPart::read(row)?,
            })
        })
        .await
    }

    /// Removes or rewrites a pack that lost parts.
    pub(super) async fn process_change(
        &self,
        change: &TakenChange,
        now: Millis,
    ) -> Result<PackChange> {
        let row = sql!(PACK; change.pack).fetch_optional(self.reader()?).await?;
        let Some(row) = row else {
            self.forget_change(change).await?;
            return Ok(PackChange::Kept);
        };
        let (place, bytes): (i64, u64) = (row.read("place")?, row.read("bytes")?);
        let parts = self.parts_of_pack(&change.pack).await?;
        if parts.is_empty() {
            self.remove_pack(change, place).await?;
            return Ok(PackChange::Removed);
        }
        let live: u64 = parts.iter().map(|part| part.placed.length).sum();
        let has_dead = live + (MAGIC.len() as u64) < bytes;
        if has_dead && (change.erased || live * 2 < bytes) {
            self.rewrite(change, &parts, place, now).await?;
            return Ok(PackChange::Rewritten);
        }
        self.forget_change(change).await?;
        Ok(PackChange::Kept)
    }

    /// Writes the parts to a new object of the same place, and points their rows to it.
    async fn rewrite(
        &self,
        change: &TakenChange,
        parts: &[OwnedPart],
        place: i64,
        now: Millis,
    ) -> Result<()> {
        let placed: Vec<PlacedPart> = parts.iter().map(|part| part.placed.clone()).collect();
        let bodies = self.read_placed(&placed).await?.ok_or_else(|| {
            StoreError::Damaged(format!("the pack {} cannot be read", change.pack))
        })?;
        let mut builder = PackBuilder::new(now);
        let moved: Vec<_> = bodies.iter().map(|body| builder.add(body)).collect();
        let id = builder.id().to_owned();
        let mut upload = Upload::default();
        upload.write(builder, place, self.bucket_of(place).await?).await?;
        let mut tx = self.begin().await?;
        upload.insert(&mut tx).await?;
        let mut count = 0;
        for (part, to) in parts.iter().zip(&moved) {
            let OwnedPart { key, number, .. } = part;
            let query = sql!(MOVE; key.owner, key.name, *number, id, to.start, change.pack);
            count += query.run(&mut tx).await?;
        }
        if count < parts.len() as u64 {
            // Deleted meanwhile: the new object has their bytes.
            note_dead_parts(&mut tx, &id).await?;
        }
        let at = if change.erased { Millis(0) } else { now.plus(GRACE) };
        changes::remove_later(&mut tx, change, at).await?;
        Ok(tx.commit().await?)
    }
}
