//! Reading a body: bounded in bytes on the wire, in bytes decoded, and in time.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use tokio::time::{Instant, timeout_at};

use super::large::{self, OwnerShare};
use super::{HttpSettings, content, failure};
use crate::connector::after;
use crate::decoding::{Decoder, Encoding, Excess, STEP};
use crate::{FetchError, Phase};

/// How much longer than its content a compressed body may be.
const WIRE_SLACK: u64 = 64 * 1024;

/// Unpacked bytes after which other tasks have their turn.
const YIELD_EVERY: usize = 256 * 1_024;

/// A body that was read.
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    pub(super) truncated: bool,
    pub(super) wire_bytes: u64,
}

/// How much of a body is wanted, after decoding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    limit: usize,
    excess: Excess,
    /// Of what turns out to be no markup, only the beginning.
    only_markup: bool,
}

impl Wanted {
    /// All of it; more than `limit` bytes are an error.
    pub(super) fn all(limit: usize) -> Self {
        Self { limit, excess: Excess::Refuse, only_markup: false }
    }

    /// The same of markup, and the beginning of anything else.
    pub(super) fn all_markup(limit: usize) -> Self {
        Self { only_markup: true, ..Self::all(limit) }
    }

    /// The first `limit` bytes.
    pub(crate) fn first(limit: usize) -> Self {
        Self { limit, excess: Excess::Cut, only_markup: false }
    }
}

/// Reads as much of a body as is wanted, until `deadline`. The wait for room among the long
/// bodies ends at the deadline as well; it is ours, so the site has that much more time after it.
pub(crate) async fn read(
    mut incoming: Incoming,
    encoding: Encoding,
    wanted: Wanted,
    settings: &HttpSettings,
    large: OwnerShare<'_>,
    mut deadline: Instant,
) -> Result<Body, FetchError> {
    let Wanted { limit, excess, mut only_markup } = wanted;
    let mut decoder = Decoder::new(encoding, limit, excess)?;
    // What it may come to take, as far as is known.
    let mut expected = limit;
    if let Some(length) = incoming.size_hint().exact() {
        let length = usize::try_from(length).unwrap_or(limit);
        decoder.expect(length);
        if encoding == Encoding::Identity {
            expected = length.min(limit);
        }
    }
    let most = (limit as u64).saturating_add(WIRE_SLACK);
    let mut wire_bytes = 0;
    let mut pace = Pace::new(settings.bytes_per_second, settings);
    let mut room = None;
    let mut decoded_before_yield = 0;
    // What is cut off at its limit is not read to its end either: the connection is given up
    // with the rest of the body.
    while !decoder.is_full() {
        let frame = match timeout_at(pace.end.min(deadline), incoming.frame()).await {
            Ok(Some(frame)) => frame.map_err(|error| failure::of(&error))?,
            Ok(None) => break,
            Err(_) if deadline <= Instant::now() => {
                return Err(FetchError::TimedOut(Phase::Whole));
            }
            Err(_) => {
                pace.turn()?;
                continue;
            }
        };
        let Some(bytes) = frame.data_ref() else { continue };
        wire_bytes += bytes.len() as u64;
        let before = decoder.decoded().len();
        let mut rest = &bytes[..];
        loop {
            // A step of a compressed body decodes up to this much, whatever its input.
            let next = if encoding == Encoding::Identity { rest.len() } else { STEP };
            if room.is_none() && decoder.decoded().len().saturating_add(next) > large::SMALL {
                let asked = Instant::now();
                room = Some(large.acquire(expected, deadline).await?);
                decoder.reserve(expected);
                deadline += asked.elapsed();
                let least = settings.bytes_per_second.max(settings.large_bytes_per_second);
                pace = Pace::new(least, settings);
            }
            if !decoder.push_step(&mut rest)? {
                break;
            }
            if decoder.decoded().len() > decoded_before_yield + YIELD_EVERY {
                decoded_before_yield = decoder.decoded().len();
                tokio::task::yield_now().await;
            }
        }
        if only_markup && decoder.decoded().len() > content::BEGINNING {
            only_markup = false;
            if !content::begins_with_markup(&decoder.decoded()[..content::BEGINNING]) {
                decoder.narrow(content::BEGINNING);
            }
        }
        if wire_bytes > most && !decoder.is_full() {
            return Err(FetchError::TooLarge(limit));
        }
        // A compressed body may be slow on the wire and long all the same.
        let progress = bytes.len().max(decoder.decoded().len().saturating_sub(before));
        pace.note(progress as u64)?;
    }
    let (bytes, truncated) = decoder.finish()?;
    Ok(Body { bytes: large::shared(bytes, room), truncated, wire_bytes })
}

/// Whether a body keeps coming fast enough, one window after the other.
struct Pace {
    /// Bytes that each window must bring.
    least: u64,
    window: Duration,
    end: Instant,
    bytes: u64,
}

impl Pace {
    fn new(bytes_per_second: u64, settings: &HttpSettings) -> Self {
        let window = settings.drip_window;
        let millis = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        let least = bytes_per_second.saturating_mul(millis) / 1000;
        Self { least, window, end: after(window), bytes: 0 }
    }

    fn note(&mut self, bytes: u64) -> Result<(), FetchError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if Instant::now() < self.end { Ok(()) } else { self.turn() }
    }

    /// A window has ended: was it enough?
    fn turn(&mut self) -> Result<(), FetchError> {
        if self.bytes < self.least {
            return Err(FetchError::TimedOut(Phase::Drip));
        }
        self.bytes = 0;
        self.end = after(self.window);
        Ok(())
    }
}
