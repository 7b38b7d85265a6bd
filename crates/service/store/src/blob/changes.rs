//! Objects that lost parts: noted in the transaction that deletes the parts, so that each object is
//! rewritten or removed later, also after a crash.

use std::time::Duration;

use contract::Millis;

use super::upload;
use crate::columns::{ExecuteIn, ReadColumn, Tx, sql};
use crate::{Result, Store};

/// A statement that notes the packs of the parts that meet a condition.
macro_rules! note_with {
    ($erased:literal, $($condition:tt)+) => {
        concat!(
            "INSERT INTO pack_changes (pack, erased, due_at) SELECT DISTINCT pack, ",
            $erased,
            ", 0 FROM blob_parts WHERE ",
            $($condition)+
            ,
            " ON CONFLICT (pack) DO UPDATE SET due_at = 0, erased = CASE \
             WHEN excluded.erased = 1 THEN 1 ELSE pack_changes.erased END"
        )
    };
}

/// Notes the packs of parts that are about to be deleted.
macro_rules! note {
    ($($condition:tt)+) => { $crate::blob::changes::note_with!("0", $($condition)+) };
}

/// As [`note`], for parts that must not be stored any more.
macro_rules! note_erased {
    ($($condition:tt)+) => { $crate::blob::changes::note_with!("1", $($condition)+) };
}
pub(crate) use {note, note_erased, note_with};

/// Changes that a node takes at a time.
const BATCH: usize = 32;

/// Another node takes a change again after this time.
const LEASE: Duration = Duration::from_secs(600);

const DUE: &str = "SELECT pack, erased FROM pack_changes WHERE due_at <= $1 \
    ORDER BY due_at, pack LIMIT $2";
const DUE_SKIP_LOCKED: &str = "SELECT pack, erased FROM pack_changes WHERE due_at <= $1 \
    ORDER BY due_at, pack LIMIT $2 FOR UPDATE SKIP LOCKED";
const POSTPONE: &str = "UPDATE pack_changes SET due_at = $2 WHERE pack = $1";
const POSTPONE_TAKEN: &str = "UPDATE pack_changes SET due_at = $3 WHERE pack = $1 AND due_at = $2";
/// Not if parts were deleted since the change was taken.
const FORGET: &str = "DELETE FROM pack_changes WHERE pack = $1 AND due_at = $2";
const NOTE_ERASED: &str = "INSERT INTO pack_changes (pack, erased, due_at) VALUES ($1, 1, 0) \
    ON CONFLICT (pack) DO UPDATE SET due_at = 0, erased = 1";

/// A noted change that this node has taken.
#[derive(Debug)]
pub(super) struct TakenChange {
    pub pack: String,
    pub erased: bool,
    /// The end of its lease, by which the row is recognized.
    until: Millis,
}

/// Notes that a pack has parts without a row.
pub(super) async fn note_dead_parts(tx: &mut Tx, pack: &str) -> Result<()> {
    sql!(NOTE_ERASED; pack).run(tx).await.map(drop)
}

impl Store {
    /// Takes some changes, so that no other node works on them meanwhile.
    pub(super) async fn take_changes(&self, now: Millis) -> Result<Vec<TakenChange>> {
        let mut tx = self.begin().await?;
        let statement = self.dialect().claim(DUE, DUE_SKIP_LOCKED);
        let rows = sql!(statement; now, BATCH).fetch_all(&mut *tx).await?;
        let mut taken = Vec::with_capacity(rows.len());
        for row in &rows {
            // Different for each taker.
            let jitter = Duration::from_millis(rand::random_range(0..60_000));
            let until = now.plus(LEASE + jitter);
            let pack: String = row.read("pack")?;
            sql!(POSTPONE; pack, until).run(&mut tx).await?;
            taken.push(TakenChange { pack, erased: row.read("erased")?, until });
        }
        tx.commit().await?;
        Ok(taken)
    }

    /// Ends a change whose pack needs nothing more.
    pub(super) async fn forget_change(&self, change: &TakenChange) -> Result<()> {
        self.execute(sql!(FORGET; change.pack, change.until)).await.map(drop)
    }

    /// Removes an object without parts, then its row.
    pub(super) async fn remove_pack(&self, change: &TakenChange, place: i64) -> Result<()> {
        const REMOVE: &str = "DELETE FROM packs WHERE id = $1 \
            AND NOT EXISTS (SELECT 1 FROM blob_parts p WHERE p.pack = packs.id)";
        let bucket = self.bucket_of(place).await?;
        bucket.remove(&upload::object_name(&change.pack)?).await?;
        let mut tx = self.begin().await?;
        sql!(REMOVE; change.pack).run(&mut tx).await?;
        sql!(FORGET; change.pack, change.until).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }
}

/// Lets the object of a rewritten pack be removed at this time, in the transaction that moves its parts.
pub(super) async fn remove_later(tx: &mut Tx, change: &TakenChange, at: Millis) -> Result<()> {
    sql!(POSTPONE_TAKEN; change.pack, change.until, at).run(tx).await.map(drop)
}
