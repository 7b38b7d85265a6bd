//! A page that was saved: its bytes, unpacked where they are packed.

use std::fs::File;
use std::io::{self, Read};
use std::time::UNIX_EPOCH;

use contract::{Clock, Millis};
use flate2::read::MultiGzDecoder;
use runtime::SystemClock;
use thiserror::Error;

/// No page is larger than this, unpacked.
const LARGEST: u64 = 64 << 20;

/// A page.
#[derive(Debug)]
pub struct Saved {
    pub body: Vec<u8>,
    /// When it was saved.
    pub saved_at: Millis,
}

/// Why a page could not be read.
#[derive(Debug, Error)]
pub enum Unreadable {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is larger than {} MB", LARGEST >> 20)]
    TooLarge,
}

impl Saved {
    /// Reads a file; `-` is standard input.
    pub fn read(path: &str) -> Result<Self, Unreadable> {
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

fn limited(reader: impl Read) -> Result<Vec<u8>, Unreadable> {
    let body = at_most(reader)?;
    if body.starts_with(&[0x1f, 0x8b]) { at_most(MultiGzDecoder::new(&body[..])) } else { Ok(body) }
}

fn at_most(reader: impl Read) -> Result<Vec<u8>, Unreadable> {
    let mut body = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut body)?;
    if body.len() as u64 > LARGEST { Err(Unreadable::TooLarge) } else { Ok(body) }
}
