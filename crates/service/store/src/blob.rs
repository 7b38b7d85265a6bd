//! Bytes of files, by the row that owns them and a name within it.
//!
//! This is the only place with the bytes: rows of other tables describe the files. Bytes are packed
//! before a transaction and read part by part. Without object storage a part is a row of `blobs`, written
//! in the transaction of the row that owns it. With object storage [`Store::upload`] writes the parts to
//! an object first (`upload.rs`), and the transaction inserts where they are; an object whose transaction
//! does not commit is removed by `sweep.rs`. Both can hold files of one run, while they are moved.

pub(crate) mod changes;
mod compaction;
mod location;
mod moving;
mod sweep;
mod upload;
mod verification;

use std::ops::Range;

use crate::columns::{ExecuteIn, ReadColumn, Tx, sql};
use crate::{Result, Store, StoreError};
use ::bucket::BucketError;
use bytes::Bytes;
use runtime::off_runtime;
use sqlx::any::AnyRow;
use zstd::bulk::Compressor;

pub(crate) use location::StoragePlaces;
pub use location::StorageSettings;
pub use moving::StorageMove;
pub use sweep::StorageMaintenance;
pub(crate) use upload::{Upload, UploadedPart};

/// Bytes of a part before compression, so that no row is large.
const PART_BYTES: usize = 512 << 10;

/// Maximum bytes of a part after compression: zstd stores what it cannot compress.
const PACKED_BYTES: u64 = PART_BYTES as u64 + (8 << 10);

/// Compression of parts: fast, because a caller or a run waits.
const LEVEL: i32 = 1;

/// Maximum bytes of one read of object storage.
const READ_BYTES: u64 = 8 << 20;

/// Attempts to read a part that another process moves meanwhile.
const READ_ATTEMPTS: usize = 8;

const INSERT: &str = "INSERT INTO blobs (owner, name, part, body) VALUES ($1, $2, $3, $4)";
const INSERT_PLACED: &str = "INSERT INTO blob_parts \
    (owner, name, part, pack, start, length, crc) VALUES ($1, $2, $3, $4, $5, $6, $7)";
/// One statement, so that a part that is moved at the same time is found in one of both tables.
const PART: &str = "SELECT '' AS pack, CAST(0 AS BIGINT) AS place, CAST(0 AS BIGINT) AS start, \
    CAST(0 AS BIGINT) AS length, CAST(0 AS BIGINT) AS crc, body FROM blobs \
    WHERE owner = $1 AND name = $2 AND part = $3 \
    UNION ALL SELECT p.pack, k.place, p.start, p.length, p.crc, CAST('' AS blob) \
    FROM blob_parts p JOIN packs k ON k.id = p.pack \
    WHERE p.owner = $1 AND p.name = $2 AND p.part = $3";
const PLACED: &str = "SELECT p.pack, k.place, p.start, p.length, p.crc \
    FROM blob_parts p JOIN packs k ON k.id = p.pack \
    WHERE p.owner = $1 AND p.name = $2 ORDER BY p.part";

/// Deletes all bytes of an owner.
pub(crate) const DELETE_OF_OWNER: [&str; 3] = [
    "DELETE FROM blobs WHERE owner = $1",
    changes::note!("owner = $1"),
    "DELETE FROM blob_parts WHERE owner = $1",
];

/// Deletes the files of pages that were read at once and meet a condition, with their bytes.
macro_rules! delete_of_page_files {
    ($condition:literal) => {
        [
            concat!("DELETE FROM blobs WHERE owner IN (SELECT id FROM page_files", $condition, ")"),
            $crate::blob::note!("owner IN (SELECT id FROM page_files", $condition, ")"),
            concat!(
                "DELETE FROM blob_parts WHERE owner IN (SELECT id FROM page_files",
                $condition,
                ")"
            ),
            concat!("DELETE FROM page_files", $condition),
        ]
    };
}
pub(crate) use {changes::note, delete_of_page_files};

/// Why bytes are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    /// They are no longer needed: an object is rewritten when most of it is dead.
    Expired,
    /// They must not be stored any more: their object is rewritten at once.
    Erased,
}

/// The name of stored bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlobKey {
    /// The id of the row that the bytes belong to: a job, or a file of a page.
    pub owner: String,
    pub name: String,
}

/// Compressed bytes that no row refers to yet.
pub(crate) struct PackedBlob {
    pub bytes: u64,
    stored_bytes: u64,
    content: PackedContent,
}

/// Where the compressed parts are.
enum PackedContent {
    /// In memory, to be stored in the database.
    Here(Vec<Vec<u8>>),
    /// In objects that were written before.
    Placed(Vec<UploadedPart>),
    /// Nowhere: the file is beyond a limit.
    Dropped,
}

impl PackedBlob {
    /// Compresses bytes. Slow for megabytes: call it off the runtime.
    pub fn pack(bytes: &[u8]) -> Result<Self> {
        let damaged = |cause| StoreError::Damaged(format!("cannot compress a file: {cause}"));
        let mut compressor = Compressor::new(LEVEL).map_err(damaged)?;
        // Decoders check it: damaged bytes are an error, never another picture.
        compressor.include_checksum(true).map_err(damaged)?;
        let parts = bytes.chunks(PART_BYTES).map(|part| compressor.compress(part));
        let parts = parts.collect::<Result<Vec<_>, _>>().map_err(damaged)?;
        Ok(Self {
            bytes: bytes.len() as u64,
            stored_bytes: parts.iter().map(|part| part.len() as u64).sum(),
            content: PackedContent::Here(parts),
        })
    }

    pub fn stored_bytes(&self) -> u64 {
        self.stored_bytes
    }

    /// Whether it can be stored. Not after [`PackedBlob::drop_content`].
    pub fn has_content(&self) -> bool {
        !matches!(self.content, PackedContent::Dropped)
    }

    /// Frees the bytes of a file that is beyond a limit, so that they are not uploaded.
    pub fn drop_content(&mut self) {
        self.content = PackedContent::Dropped;
    }
}

/// Number of parts of a blob with this number of bytes.
pub(crate) fn parts_of(bytes: u64) -> u64 {
    bytes.div_ceil(PART_BYTES as u64)
}

/// Stores bytes under a new name. The transaction has inserted the rows of their [`Upload`] before.
pub(crate) async fn put(tx: &mut Tx, key: &BlobKey, blob: &PackedBlob) -> Result<()> {
    match &blob.content {
        PackedContent::Here(parts) => {
            for (number, part) in parts.iter().enumerate() {
                sql!(INSERT; key.owner, key.name, number, part).run(tx).await?;
            }
        }
        PackedContent::Placed(parts) => {
            for (number, part) in (0_u64..).zip(parts) {
                insert_placed(tx, key, number, part).await?;
            }
        }
        PackedContent::Dropped => {
            return Err(StoreError::Damaged("a file without content".to_owned()));
        }
    }
    Ok(())
}

async fn insert_placed(tx: &mut Tx, key: &BlobKey, number: u64, part: &UploadedPart) -> Result<()> {
    sql!(INSERT_PLACED; key.owner, key.name, number, part.pack, part.start, part.length, part.crc)
        .run(tx)
        .await
        .map(drop)
}

pub(crate) async fn delete(tx: &mut Tx, key: &BlobKey, removal: Removal) -> Result<()> {
    const DELETE: &str = "DELETE FROM blobs WHERE owner = $1 AND name = $2";
    const NOTE: &str = changes::note!("owner = $1 AND name = $2");
    const NOTE_ERASED: &str = changes::note_erased!("owner = $1 AND name = $2");
    const DELETE_PLACED: &str = "DELETE FROM blob_parts WHERE owner = $1 AND name = $2";
    // In this order: a part that is moved meanwhile leaves the first table for the other one.
    let note = if removal == Removal::Erased { NOTE_ERASED } else { NOTE };
    for statement in [DELETE, note, DELETE_PLACED] {
        sql!(statement; key.owner, key.name).run(tx).await?;
    }
    Ok(())
}

/// Where a part is in object storage.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlacedPart {
    place: i64,
    pack: String,
    start: u64,
    length: u64,
    crc: u32,
}

impl PlacedPart {
    fn read(row: &AnyRow) -> Result<Self> {
        let part = Self {
            place: row.read("place")?,
            pack: row.read("pack")?,
            start: row.read("start")?,
            length: row.read("length")?,
            crc: row.read("crc")?,
        };
        match part.length <= PACKED_BYTES {
            true => Ok(part),
            false => Err(StoreError::Damaged(format!("a part has {} bytes", part.length))),
        }
    }

    fn range(&self) -> Range<u64> {
        self.start..self.start + self.length
    }

    fn is_intact(&self, bytes: &[u8]) -> bool {
        bytes.len() as u64 == self.length && crc32fast::hash(bytes) == self.crc
    }

    fn damaged(&self, problem: &str) -> StoreError {
        StoreError::Damaged(format!("a file in the pack {} {problem}", self.pack))
    }
}

impl Store {
    /// A part of stored bytes, from 0; `None` when they were deleted.
    pub(crate) async fn blob_part(&self, key: &BlobKey, part: u64) -> Result<Option<Vec<u8>>> {
        let Some(packed) = self.packed_part(key, part).await? else { return Ok(None) };
        off_runtime(|| unpack(&packed)).map(Some)
    }

    /// All bytes of a blob; `None` when they were deleted.
    pub(crate) async fn blob(&self, key: &BlobKey, bytes: u64) -> Result<Option<Vec<u8>>> {
        let mut whole = Vec::new();
        let placed = self.fetch_all(sql!(PLACED; key.owner, key.name), PlacedPart::read).await?;
        if placed.len() as u64 == parts_of(bytes) {
            // The parts of a file mostly follow each other in an object: they are read at once.
            if let Some(packed) = self.read_placed(&placed).await? {
                off_runtime(|| -> Result<()> {
                    for part in &packed {
                        whole.extend(unpack(part)?);
                    }
                    Ok(())
                })?;
                return Ok(Some(whole));
            }
        }
        for part in 0..parts_of(bytes) {
            let Some(part) = self.blob_part(key, part).await? else { return Ok(None) };
            whole.extend(part);
        }
        Ok(Some(whole))
    }

    /// The compressed bytes of a part; `None` when they were deleted.
    async fn packed_part(&self, key: &BlobKey, part: u64) -> Result<Option<Bytes>> {
        let mut problem = None;
        let (mut before, mut repetitions) = (None, 0);
        for _ in 0..READ_ATTEMPTS {
            let query = sql!(PART; key.owner, key.name, part);
            let row = query.fetch_optional(self.reader()?).await?;
            let Some(row) = row else { return Ok(None) };
            if row.read::<String>("pack")?.is_empty() {
                return Ok(Some(row.read::<Vec<u8>>("body")?.into()));
            }
            let placed = PlacedPart::read(&row)?;
            repetitions = if before.as_ref() == Some(&placed) { repetitions + 1 } else { 0 };
            if repetitions == 2
                && let Some(problem) = problem
            {
                // It was not moved, and two reads failed: the object is damaged or missing.
                return Err(problem);
            }
            let bucket = self.bucket_of(placed.place).await?;
            match bucket.read(&upload::object_name(&placed.pack)?, placed.range()).await {
                Ok(packed) if placed.is_intact(&packed) => return Ok(Some(packed)),
                Ok(_) => problem = Some(placed.damaged("has a wrong checksum")),
                Err(error @ BucketError::Missing { .. }) => problem = Some(error.into()),
                Err(error) => return Err(error.into()),
            }
            before = Some(placed);
        }
        Err(StoreError::Locked("a file was moved repeatedly while it was read".to_owned()))
    }

    /// The compressed bytes of parts; `None` if some cannot be read where they were.
    async fn read_placed(&self, parts: &[PlacedPart]) -> Result<Option<Vec<Bytes>>> {
        let mut all = Vec::with_capacity(parts.len());
        let mut rest = parts;
        while let Some(first) = rest.first() {
            let follows = |pair: &[PlacedPart]| {
                let is_next = pair[0].pack == pair[1].pack && pair[0].range().end == pair[1].start;
                is_next && pair[1].range().end - first.start <= READ_BYTES
            };
            let count = 1 + rest.windows(2).take_while(|pair| follows(pair)).count();
            let (together, others) = rest.split_at(count);
            rest = others;
            let end = together.last().map_or(first.range().end, |last| last.range().end);
            let bucket = self.bucket_of(first.place).await?;
            let name = upload::object_name(&first.pack)?;
            let bytes = match bucket.read(&name, first.start..end).await {
                Ok(bytes) => bytes,
                Err(BucketError::Missing { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            for part in together {
                let from = usize::try_from(part.start - first.start).unwrap_or(usize::MAX);
                let to = from.saturating_add(usize::try_from(part.length).unwrap_or(usize::MAX));
                if to > bytes.len() || !part.is_intact(&bytes[from..to]) {
                    return Ok(None);
                }
                all.push(bytes.slice(from..to));
            }
        }
        Ok(Some(all))
    }
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>> {
    zstd::bulk::decompress(packed, PART_BYTES)
        .map_err(|cause| StoreError::Damaged(format!("cannot decompress a file: {cause}")))
}
