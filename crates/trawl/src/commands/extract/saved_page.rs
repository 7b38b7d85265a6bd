//! A saved page: its bytes, decompressed if they are gzip.

use std::fs::File;
use std::io::{self, Read};
use std::time::UNIX_EPOCH;

use contract::{Clock, Millis};
use flate2::read::MultiGzDecoder;
use runtime::SystemClock;
use thiserror::Error;

/// Maximum bytes of a page, decompressed.
const MAX_PAGE_BYTES: u64 = 64 << 20;

#[derive(Debug)]
pub struct SavedPage {
    pub body: Vec<u8>,
    /// Modification time of the file.
    pub saved_at: Millis,
}

/// Why a saved page could not be read.
#[derive(Debug, Error)]
pub enum SavedPageError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the page is larger than {} MB", MAX_PAGE_BYTES >> 20)]
    TooLarge,
}

impl SavedPage {
    /// Reads a file; `-` is standard input.
    pub fn load(path: &str) -> Result<Self, SavedPageError> {
        let now = SystemClock.now();
        if path == "-" {
            return Ok(Self { body: limited(io::stdin().lock())?, saved_at: now });
        }
        let file = File::open(path)?;
        let changed = file.metadata()?.modified().ok();
        let since = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let saved_at = since.map_or(now, |since| Millis(0).plus(since));
        Ok(Self { body: limited(file)?, saved_at })
    }
}

fn limited(reader: impl Read) -> Result<Vec<u8>, SavedPageError> {
    let body = at_most(reader)?;
    if body.starts_with(&[0x1f, 0x8b]) { at_most(MultiGzDecoder::new(&body[..])) } else { Ok(body) }
}

fn at_most(reader: impl Read) -> Result<Vec<u8>, SavedPageError> {
    let mut body = Vec::new();
    reader.take(MAX_PAGE_BYTES + 1).read_to_end(&mut body)?;
    if body.len() as u64 > MAX_PAGE_BYTES { Err(SavedPageError::TooLarge) } else { Ok(body) }
}
