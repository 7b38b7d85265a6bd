//! The format of all stored values: one byte for the version, then postcard compressed by zstd.

use std::io::{BufRead, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

const VERSION: u8 = 1;

/// Compression level of values that are patched after they were stored.
const PATCHED_LEVEL: i32 = 3;

/// Maximum decoded size, so that damaged bytes cannot exhaust memory.
const DECODED_LIMIT: usize = 1 << 30;

/// A stored value that cannot be read.
#[derive(Debug, Error)]
pub enum JournalError {
    /// Written by a newer release.
    #[error("written in format {0}, which this release does not know")]
    UnknownVersion(u8),
    /// Truncated, changed or not a stored value.
    #[error("damaged: {0}")]
    Damaged(String),
}

pub(crate) fn damaged(cause: impl std::fmt::Display) -> JournalError {
    JournalError::Damaged(cause.to_string())
}

/// Adds the version and compresses.
pub(crate) fn pack(bytes: &[u8], level: i32) -> Result<Vec<u8>, JournalError> {
    let mut packed = vec![VERSION];
    zstd::stream::copy_encode(bytes, &mut packed, level).map_err(damaged)?;
    Ok(packed)
}

/// Checks the version and decompresses.
pub(crate) fn unpack(packed: &[u8]) -> Result<Vec<u8>, JournalError> {
    unpack_from(packed, packed.len())
}

/// The same from a reader; `length` is the number of packed bytes.
pub(crate) fn unpack_from(
    mut packed: impl BufRead,
    length: usize,
) -> Result<Vec<u8>, JournalError> {
    let mut version = [0];
    packed.read_exact(&mut version).map_err(|_| damaged("empty"))?;
    if version != [VERSION] {
        return Err(JournalError::UnknownVersion(version[0]));
    }
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).map_err(damaged)?;
    let mut bytes = Vec::with_capacity(length.saturating_mul(4).min(1 << 22));
    decoder.take(DECODED_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(damaged)?;
    if bytes.len() > DECODED_LIMIT {
        return Err(damaged("decodes to more than any value may hold"));
    }
    Ok(bytes)
}

/// Decodes a stored value, lets `patch` replace bytes in place, and encodes it again. `None` if
/// `patch` changed nothing.
///
/// # Errors
///
/// [`JournalError`] when the bytes are damaged.
pub fn patch_stored(
    packed: &[u8],
    patch: impl FnOnce(&mut [u8]) -> bool,
) -> Result<Option<Vec<u8>>, JournalError> {
    let mut bytes = unpack(packed)?;
    if patch(&mut bytes) { pack(&bytes, PATCHED_LEVEL).map(Some) } else { Ok(None) }
}

/// Encodes a value for storage.
pub(crate) fn encode<T: Serialize>(value: &T, level: i32) -> Result<Vec<u8>, JournalError> {
    encode_to(Vec::new(), value, level)
}

/// Writes a value in its stored form. It is compressed while it is written, so that the state of a
/// large run is not in memory twice.
pub(crate) fn encode_to<T: Serialize, W: Write>(
    mut out: W,
    value: &T,
    level: i32,
) -> Result<W, JournalError> {
    out.write_all(&[VERSION]).map_err(damaged)?;
    let mut encoder = zstd::stream::Encoder::new(out, level).map_err(damaged)?;
    postcard::to_io(value, &mut encoder).map_err(damaged)?;
    encoder.finish().map_err(damaged)
}

/// Decodes a stored value.
pub(crate) fn decode<T: DeserializeOwned>(packed: &[u8]) -> Result<T, JournalError> {
    decode_from(packed, packed.len())
}

/// The same from a reader; `length` is the number of packed bytes.
pub(crate) fn decode_from<T: DeserializeOwned>(
    packed: impl BufRead,
    length: usize,
) -> Result<T, JournalError> {
    postcard::from_bytes(&unpack_from(packed, length)?).map_err(damaged)
}
