//! The envelope of everything that is stored: a version, then compressed postcard.

use std::io::{BufRead, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

const VERSION: u8 = 1;

/// How well a value is packed that was changed after it was stored.
const CHANGED_LEVEL: i32 = 3;

/// No stored value decodes to more than this: damage must not exhaust memory.
const DECODED_LIMIT: usize = 1 << 30;

/// A stored value that cannot be read.
#[derive(Debug, Error)]
pub enum JournalError {
    /// Written by a release that this one does not know.
    #[error("written in format {0}, which this release does not know")]
    UnknownVersion(u8),
    /// Cut off, altered, or not ours.
    #[error("damaged: {0}")]
    Damaged(String),
}

pub(crate) fn damaged(cause: impl std::fmt::Display) -> JournalError {
    JournalError::Damaged(cause.to_string())
}

/// Puts `bytes` into the envelope.
pub(crate) fn seal(bytes: &[u8], level: i32) -> Result<Vec<u8>, JournalError> {
    let mut sealed = vec![VERSION];
    zstd::stream::copy_encode(bytes, &mut sealed, level).map_err(damaged)?;
    Ok(sealed)
}

/// Takes the bytes out of the envelope.
pub(crate) fn open(sealed: &[u8]) -> Result<Vec<u8>, JournalError> {
    open_from(sealed, sealed.len())
}

/// The same of an envelope that is read bit by bit; `length` is how long it is.
pub(crate) fn open_from(mut sealed: impl BufRead, length: usize) -> Result<Vec<u8>, JournalError> {
    let mut version = [0];
    sealed.read_exact(&mut version).map_err(|_| damaged("empty"))?;
    if version != [VERSION] {
        return Err(JournalError::UnknownVersion(version[0]));
    }
    let decoder = zstd::stream::read::Decoder::with_buffer(sealed).map_err(damaged)?;
    let mut bytes = Vec::with_capacity(length.saturating_mul(4).min(1 << 22));
    decoder.take(DECODED_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(damaged)?;
    if bytes.len() > DECODED_LIMIT {
        return Err(damaged("decodes to more than any value may hold"));
    }
    Ok(bytes)
}

/// A stored value with other bytes in it, as many as there were; `None` when `change` finds
/// nothing to change.
///
/// # Errors
/// [`JournalError`] when the bytes are damaged.
pub fn changed(
    sealed: &[u8],
    change: impl FnOnce(&mut [u8]) -> bool,
) -> Result<Option<Vec<u8>>, JournalError> {
    let mut bytes = open(sealed)?;
    if change(&mut bytes) { seal(&bytes, CHANGED_LEVEL).map(Some) } else { Ok(None) }
}

/// `value`, ready to be stored.
pub(crate) fn encode<T: Serialize>(value: &T, level: i32) -> Result<Vec<u8>, JournalError> {
    encode_to(Vec::new(), value, level)
}

/// Writes `value` as it is stored. Compressed as it is written: the state of a large run
/// must not stand in memory twice.
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

/// The value that was stored.
pub(crate) fn decode<T: DeserializeOwned>(sealed: &[u8]) -> Result<T, JournalError> {
    decode_from(sealed, sealed.len())
}

/// The value that was stored, from wherever it stands; `length` is how long that is.
pub(crate) fn decode_from<T: DeserializeOwned>(
    sealed: impl BufRead,
    length: usize,
) -> Result<T, JournalError> {
    postcard::from_bytes(&open_from(sealed, length)?).map_err(damaged)
}
