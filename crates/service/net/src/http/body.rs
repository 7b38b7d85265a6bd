//! Reads a body with limits on wire bytes, decoded bytes and time.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use tokio::time::{Instant, timeout_at};

use super::body_memory::{self, OwnerShare};
use super::error_mapping::fetch_error;
use super::{HttpSettings, content};
use crate::deadline::deadline_after;
use crate::decoding::{Decoder, Encoding, Excess, STEP};
use crate::{FetchError, FetchResult, Phase};

/// A compressed body may have this many bytes more than its decoded limit.
const WIRE_SLACK: u64 = 64 * 1024;

/// Decoding yields to other tasks after this many decoded bytes.
const YIELD_EVERY: usize = 256 * 1_024;

/// A decoded body and its size on the wire.
pub(crate) struct BodyRead {
    pub(crate) bytes: Bytes,
    pub(super) truncated: bool,
    pub(super) wire_bytes: u64,
}

/// How much of a body to read, in decoded bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadLimit {
    limit: usize,
    excess: Excess,
    /// Stop after [`content::SNIFF_BYTES`] if the body does not begin with markup.
    only_markup: bool,
}

impl ReadLimit {
    /// The whole body; more than `limit` bytes are an error.
    pub(super) fn all(limit: usize) -> Self {
        Self { limit, excess: Excess::Refuse, only_markup: false }
    }

    /// The whole body if it is markup, otherwise its beginning.
    pub(super) fn all_markup(limit: usize) -> Self {
        Self { only_markup: true, ..Self::all(limit) }
    }

    /// The first `limit` bytes; the rest is not read.
    pub(crate) fn first(limit: usize) -> Self {
        Self { limit, excess: Excess::Cut, only_markup: false }
    }
}

/// Reads a body until `deadline`. A body beyond [`body_memory::SMALL_BODY_BYTES`] waits for memory, at
/// most until the deadline; the deadline then moves by that wait, which is not the site's fault.
pub(crate) async fn read(
    mut incoming: Incoming,
    encoding: Encoding,
    read_limit: ReadLimit,
    settings: &HttpSettings,
    body_memory: OwnerShare<'_>,
    mut deadline: Instant,
) -> FetchResult<BodyRead> {
    let ReadLimit { limit, excess, mut only_markup } = read_limit;
    let mut decoder = Decoder::new(encoding, limit, excess)?;
    // Upper bound of the decoded size, as far as known.
    let mut expected = limit;
    if let Some(length) = incoming.size_hint().exact() {
        let length = usize::try_from(length).unwrap_or(limit);
        decoder.expect(length);
        if encoding == Encoding::Identity {
            expected = length.min(limit);
        }
    }
    let max_wire_bytes = (limit as u64).saturating_add(WIRE_SLACK);
    let mut wire_bytes = 0;
    let mut throughput = ThroughputWindow::new(settings.bytes_per_second, settings);
    let mut permits = None;
    let mut decoded_before_yield = 0;
    // A truncated body is not read to its end: dropping it closes the connection.
    while !decoder.is_full() {
        let frame = match timeout_at(throughput.end.min(deadline), incoming.frame()).await {
            Ok(Some(frame)) => frame.map_err(|error| fetch_error(&error))?,
            Ok(None) => break,
            Err(_) if deadline <= Instant::now() => {
                return Err(FetchError::TimedOut(Phase::Whole));
            }
            Err(_) => {
                throughput.next_window()?;
                continue;
            }
        };
        let Some(bytes) = frame.data_ref() else { continue };
        wire_bytes += bytes.len() as u64;
        let before = decoder.decoded().len();
        let mut rest = &bytes[..];
        loop {
            // A step of a compressed body decodes up to STEP bytes from any input.
            let next = if encoding == Encoding::Identity { rest.len() } else { STEP };
            if permits.is_none()
                && decoder.decoded().len().saturating_add(next) > body_memory::SMALL_BODY_BYTES
            {
                let asked = Instant::now();
                permits = Some(body_memory.acquire(expected, deadline).await?);
                decoder.reserve(expected);
                deadline += asked.elapsed();
                let least = settings.bytes_per_second.max(settings.large_bytes_per_second);
                throughput = ThroughputWindow::new(least, settings);
            }
            if !decoder.push_step(&mut rest)? {
                break;
            }
            if decoder.decoded().len() > decoded_before_yield + YIELD_EVERY {
                decoded_before_yield = decoder.decoded().len();
                tokio::task::yield_now().await;
            }
        }
        if only_markup && decoder.decoded().len() > content::SNIFF_BYTES {
            only_markup = false;
            if !content::begins_with_markup(&decoder.decoded()[..content::SNIFF_BYTES]) {
                decoder.narrow(content::SNIFF_BYTES);
            }
        }
        if wire_bytes > max_wire_bytes && !decoder.is_full() {
            return Err(FetchError::TooLarge(limit));
        }
        // A well compressed body has few wire bytes: count the larger of both.
        let progress = bytes.len().max(decoder.decoded().len().saturating_sub(before));
        throughput.record(progress as u64)?;
    }
    let (bytes, truncated) = decoder.finish()?;
    Ok(BodyRead { bytes: body_memory::shared(bytes, permits), truncated, wire_bytes })
}

/// Requires a minimum number of bytes in each time window.
struct ThroughputWindow {
    /// Minimum bytes per window.
    least: u64,
    window: Duration,
    end: Instant,
    bytes: u64,
}

impl ThroughputWindow {
    fn new(bytes_per_second: u64, settings: &HttpSettings) -> Self {
        let window = settings.drip_window;
        let millis = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        let least = bytes_per_second.saturating_mul(millis) / 1000;
        Self { least, window, end: deadline_after(window), bytes: 0 }
    }

    fn record(&mut self, bytes: u64) -> FetchResult<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if Instant::now() < self.end { Ok(()) } else { self.next_window() }
    }

    /// Ends the window; fails if it had too few bytes.
    fn next_window(&mut self) -> FetchResult<()> {
        if self.bytes < self.least {
            return Err(FetchError::TimedOut(Phase::Drip));
        }
        self.bytes = 0;
        self.end = deadline_after(self.window);
        Ok(())
    }
}
