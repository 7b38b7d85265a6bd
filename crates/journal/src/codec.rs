//! The envelope of everything that is stored: a version, then compressed postcard.

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

const VERSION: u8 = 1;

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

fn damaged(cause: impl std::fmt::Display) -> JournalError {
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
    match sealed.split_first() {
        Some((&VERSION, packed)) => {
            let mut decoder = zstd::stream::read::Decoder::new(packed).map_err(damaged)?;
            let mut bytes = Vec::with_capacity(packed.len().saturating_mul(4).min(1 << 22));
            let read = std::io::Read::take(&mut decoder, DECODED_LIMIT as u64 + 1);
            std::io::copy(&mut { read }, &mut bytes).map_err(damaged)?;
            if bytes.len() > DECODED_LIMIT {
                return Err(damaged("decodes to more than any value may hold"));
            }
            Ok(bytes)
        }
        Some((&version, _)) => Err(JournalError::UnknownVersion(version)),
        None => Err(damaged("empty")),
    }
}

/// `value`, ready to be stored. Compressed as it is written: the state of a large run must
/// not stand in memory twice.
pub(crate) fn encode<T: Serialize>(value: &T, level: i32) -> Result<Vec<u8>, JournalError> {
    let mut encoder = zstd::stream::Encoder::new(vec![VERSION], level).map_err(damaged)?;
    postcard::to_io(value, &mut encoder).map_err(damaged)?;
    encoder.finish().map_err(damaged)
}

/// The value that was stored.
pub(crate) fn decode<T: DeserializeOwned>(sealed: &[u8]) -> Result<T, JournalError> {
    postcard::from_bytes(&open(sealed)?).map_err(damaged)
}
