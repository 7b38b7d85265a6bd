//! The envelope of stored payloads: a byte for the type, a byte for the version, then the body.
//!
//! The version says how the body is decoded. In all versions so far the body is one zstd frame.
//! Payloads of version 1 have one byte instead of two: the byte 1, which is no type.

use std::io::{self, BufRead, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{JournalError, damaged};
use crate::payload_type::PayloadType;

/// The header of payloads of version 1.
const VERSION_1: u8 = 1;

/// Compression level of payloads that are patched after they were stored.
const PATCHED_LEVEL: i32 = 3;

/// Maximum decoded size, so that damaged bytes cannot exhaust memory.
const DECODED_LIMIT: usize = 1 << 30;

/// The first bytes of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PayloadHeader {
    /// Not stored in version 1.
    payload: Option<PayloadType>,
    version: u8,
}

impl PayloadHeader {
    /// The header of payloads that this release writes.
    fn present(payload: PayloadType) -> Self {
        Self { payload: Some(payload), version: payload.version() }
    }

    fn read(stored: &mut impl Read) -> Result<Self, JournalError> {
        let mut next = || -> Result<u8, JournalError> {
            let mut byte = [0];
            stored.read_exact(&mut byte).map_err(|_| damaged("the header is missing"))?;
            Ok(byte[0])
        };
        let tag = next()?;
        if tag == VERSION_1 {
            return Ok(Self { payload: None, version: VERSION_1 });
        }
        let payload = PayloadType::of_tag(tag);
        let payload = payload.ok_or_else(|| damaged(format!("unknown payload type {tag}")))?;
        Ok(Self { payload: Some(payload), version: next()? })
    }

    fn write(self, out: &mut impl Write) -> Result<(), JournalError> {
        if let Some(payload) = self.payload {
            out.write_all(&[payload.tag()]).map_err(damaged)?;
        }
        out.write_all(&[self.version]).map_err(damaged)
    }
}

/// A stored payload whose header is read and whose body is not decoded yet.
#[derive(Debug)]
pub struct StoredPayload<R> {
    payload: PayloadType,
    version: u8,
    body: R,
    /// The size of the payload, in bytes.
    length: usize,
}

impl<R: BufRead> StoredPayload<R> {
    /// Reads the header of a payload of this type; `length` is the number of its bytes.
    pub(crate) fn open(
        payload: PayloadType,
        mut stored: R,
        length: usize,
    ) -> Result<Self, JournalError> {
        let header = PayloadHeader::read(&mut stored)?;
        if let Some(other) = header.payload.filter(|found| *found != payload) {
            return Err(damaged(format!("{other} instead of {payload}")));
        }
        Ok(Self { payload, version: header.version, body: stored, length })
    }

    /// The version, which decides how the payload is decoded.
    #[must_use]
    pub fn version(&self) -> u8 {
        self.version
    }

    /// The error for a version that this release has no decoder for.
    #[must_use]
    pub fn unknown_version(&self) -> JournalError {
        JournalError::UnknownVersion { payload: self.payload, found: self.version }
    }

    pub(crate) fn decompress(self) -> Result<Vec<u8>, JournalError> {
        decompress(self.body, self.length)
    }

    /// Decodes the body as a postcard value that takes all of it.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T, JournalError> {
        let bytes = self.decompress()?;
        match postcard::take_from_bytes::<T>(&bytes).map_err(damaged)? {
            (value, []) => Ok(value),
            (_, rest) => Err(damaged(format!("{} bytes after the value", rest.len()))),
        }
    }
}

/// Encodes a value as a payload of this type.
pub(crate) fn encode<T: Serialize>(
    payload: PayloadType,
    value: &T,
    level: i32,
) -> Result<Vec<u8>, JournalError> {
    encode_to(payload, Vec::new(), value, level)
}

/// Writes a value as a payload of this type. It is compressed while it is written, so that the
/// state of a large run is not in memory twice.
pub(crate) fn encode_to<T: Serialize, W: Write>(
    payload: PayloadType,
    mut out: W,
    value: &T,
    level: i32,
) -> Result<W, JournalError> {
    PayloadHeader::present(payload).write(&mut out)?;
    let mut encoder = encoder(out, level).map_err(damaged)?;
    postcard::to_io(value, &mut encoder).map_err(damaged)?;
    encoder.finish().map_err(damaged)
}

/// Compresses bytes as a payload of this type.
pub(crate) fn compress(
    payload: PayloadType,
    bytes: &[u8],
    level: i32,
) -> Result<Vec<u8>, JournalError> {
    compress_to(Vec::new(), PayloadHeader::present(payload), bytes, level)
}

fn compress_to<W: Write>(
    mut out: W,
    header: PayloadHeader,
    bytes: &[u8],
    level: i32,
) -> Result<W, JournalError> {
    header.write(&mut out)?;
    let mut encoder = encoder(out, level).map_err(damaged)?;
    encoder.write_all(bytes).map_err(damaged)?;
    encoder.finish().map_err(damaged)
}

/// An encoder whose frames end with a checksum of their content. Decoders check it, so that a damaged
/// disk is an error and never a wrong result. Frames of earlier releases have none.
fn encoder<W: Write>(out: W, level: i32) -> io::Result<zstd::stream::Encoder<'static, W>> {
    let mut encoder = zstd::stream::Encoder::new(out, level)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

fn decompress(body: impl BufRead, length: usize) -> Result<Vec<u8>, JournalError> {
    let decoder = zstd::stream::read::Decoder::with_buffer(body).map_err(damaged)?;
    let mut bytes = Vec::with_capacity(length.saturating_mul(4).min(1 << 22));
    decoder.take(DECODED_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(damaged)?;
    if bytes.len() > DECODED_LIMIT {
        return Err(damaged(format!("decodes to more than {DECODED_LIMIT} bytes")));
    }
    Ok(bytes)
}

/// Decompresses a stored payload of any type, lets `patch` replace bytes in place, and compresses it
/// again under the same header. `None` if `patch` changed nothing.
///
/// # Errors
///
/// [`JournalError`] when the bytes are damaged or of an unknown version.
pub fn patch_stored(
    stored: &[u8],
    patch: impl FnOnce(&mut [u8]) -> bool,
) -> Result<Option<Vec<u8>>, JournalError> {
    patch_to(Vec::new(), stored, stored.len(), PATCHED_LEVEL, patch)
}

/// The same from a reader to a writer.
pub(crate) fn patch_to<W: Write>(
    out: W,
    mut stored: impl BufRead,
    length: usize,
    level: i32,
    patch: impl FnOnce(&mut [u8]) -> bool,
) -> Result<Option<W>, JournalError> {
    let header = PayloadHeader::read(&mut stored)?;
    if let Some(payload) = header.payload.filter(|payload| header.version > payload.newest()) {
        return Err(JournalError::UnknownVersion { payload, found: header.version });
    }
    let mut bytes = decompress(stored, length)?;
    if patch(&mut bytes) { compress_to(out, header, &bytes, level).map(Some) } else { Ok(None) }
}

#[cfg(test)]
mod tests;
