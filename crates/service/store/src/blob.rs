//! Bytes of files, by the row that owns them and a name within it.
//!
//! This is the only file with the table of bytes: rows of other tables describe the files. Bytes are
//! packed before a transaction, written in that of their row, and read part by part. An object store
//! in the place of the table writes `owner/name` once before the transaction, and deletes it after
//! that of its row.

use crate::columns::{ExecuteIn, Tx, scalar, sql};
use crate::{Result, Store, StoreError};
use runtime::off_runtime;
use zstd::bulk::Compressor;

/// Bytes of a part before compression, so that no row is large.
const PART_BYTES: usize = 512 << 10;

/// Compression of parts: fast, because a caller or a run waits.
const LEVEL: i32 = 1;

const INSERT: &str = "INSERT INTO blobs (owner, name, part, body) VALUES ($1, $2, $3, $4)";
const PART: &str = "SELECT body FROM blobs WHERE owner = $1 AND name = $2 AND part = $3";
const DELETE: &str = "DELETE FROM blobs WHERE owner = $1 AND name = $2";

/// Deletes all bytes of an owner.
pub(crate) const DELETE_OF_OWNER: &str = "DELETE FROM blobs WHERE owner = $1";

/// The name of stored bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlobKey {
    /// The id of the row that the bytes belong to: a job, or a file of a page.
    pub owner: String,
    pub name: String,
}

/// Compressed bytes that are not stored yet.
pub(crate) struct PackedBlob {
    pub bytes: u64,
    parts: Vec<Vec<u8>>,
}

impl PackedBlob {
    /// Compresses bytes. Slow for megabytes: call it off the runtime.
    pub fn pack(bytes: &[u8]) -> Result<Self> {
        let damaged = |cause| StoreError::Damaged(format!("cannot compress a file: {cause}"));
        let mut compressor = Compressor::new(LEVEL).map_err(damaged)?;
        // Decoders check it: damaged bytes are an error, never another picture.
        compressor.include_checksum(true).map_err(damaged)?;
        let parts = bytes.chunks(PART_BYTES).map(|part| compressor.compress(part));
        let parts = parts.collect::<Result<Vec<_>, _>>();
        Ok(Self { bytes: bytes.len() as u64, parts: parts.map_err(damaged)? })
    }

    pub fn stored_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }
}

/// Number of parts of a blob with this number of bytes.
pub(crate) fn parts_of(bytes: u64) -> u64 {
    bytes.div_ceil(PART_BYTES as u64)
}

/// Stores bytes under a new name.
pub(crate) async fn put(tx: &mut Tx, key: &BlobKey, blob: &PackedBlob) -> Result<()> {
    for (number, part) in blob.parts.iter().enumerate() {
        sql!(INSERT; key.owner, key.name, number, part).run(tx).await?;
    }
    Ok(())
}

pub(crate) async fn delete(tx: &mut Tx, key: &BlobKey) -> Result<()> {
    sql!(DELETE; key.owner, key.name).run(tx).await.map(drop)
}

impl Store {
    /// A part of stored bytes, from 0; `None` when they were deleted.
    pub(crate) async fn blob_part(&self, key: &BlobKey, part: u64) -> Result<Option<Vec<u8>>> {
        let query = scalar!(PART; key.owner, key.name, part);
        let packed: Option<Vec<u8>> = query.fetch_optional(self.reader()?).await?;
        let Some(packed) = packed else { return Ok(None) };
        let unpacked = off_runtime(|| zstd::bulk::decompress(&packed, PART_BYTES));
        let damaged = |cause| StoreError::Damaged(format!("cannot decompress a file: {cause}"));
        unpacked.map(Some).map_err(damaged)
    }

    /// All bytes of a blob; `None` when they were deleted.
    pub(crate) async fn blob(&self, key: &BlobKey, bytes: u64) -> Result<Option<Vec<u8>>> {
        let mut whole = Vec::new();
        for part in 0..parts_of(bytes) {
            let Some(part) = self.blob_part(key, part).await? else { return Ok(None) };
            whole.extend(part);
        }
        Ok(Some(whole))
    }
}
