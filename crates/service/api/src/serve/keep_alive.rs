//! Keep-alive and header timeouts of a connection.
//!
//! An idle connection stays open for `keep_alive`, so that clients that poll need no new handshake.
//! Once the client has sent a part of its headers, and before the first request, `header_timeout`
//! applies; it also applies to idle connections when few connection slots are left.
//!
//! A connection of HTTP/2 sends frames that begin no request, so that reads do not shorten its wait.
//! It is announced to the client as closing (GOAWAY) first, and is closed one `header_timeout` later,
//! unless a large response is still being sent, which the server has queued as a whole.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::ConnectionLimits;
use super::client_stream::HttpVersion;
use super::in_flight::InFlightRequests;

/// Bytes per second that a client has to read on average: a response of 16 MiB is sent within
/// 35 minutes.
pub(super) const MIN_WRITE_RATE: u32 = 8 * 1024;

/// The timer of one connection.
#[derive(Debug)]
pub(super) struct KeepAlive {
    in_flight: InFlightRequests,
    limits: ConnectionLimits,
    version: HttpVersion,
    /// Bytes written since the timer was set.
    written: usize,
    /// Cancelled when an idle connection of HTTP/2 is to be closed.
    idle: CancellationToken,
    closed: CancellationToken,
    _cancels_closed: DropGuard,
    /// Requests before the wait that the following fields describe.
    after: u64,
    headers_began: bool,
    ends: Instant,
    /// Fires when the wait is to be checked; never later than `ends`.
    check: Pin<Box<Sleep>>,
}

impl KeepAlive {
    pub fn new(
        in_flight: InFlightRequests,
        limits: ConnectionLimits,
        version: HttpVersion,
    ) -> Self {
        let ends = Instant::now() + limits.inbound.header_timeout;
        let check = Box::pin(tokio::time::sleep_until(ends));
        let closed = CancellationToken::new();
        Self {
            in_flight,
            limits,
            version,
            written: 0,
            idle: CancellationToken::new(),
            _cancels_closed: closed.clone().drop_guard(),
            closed,
            after: 0,
            headers_began: false,
            ends,
            check,
        }
    }

    /// Cancelled when the connection is to be closed after its requests in flight.
    pub fn idle(&self) -> CancellationToken {
        self.idle.clone()
    }

    /// Cancelled when the stream of the connection is dropped.
    pub fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    /// Counts bytes that were written to the client.
    pub fn wrote(&mut self, bytes: usize) {
        self.written = self.written.saturating_add(bytes);
    }

    /// The result of a read: `read` itself, or end of stream after the timeout.
    pub fn watch(
        &mut self,
        read: Poll<io::Result<()>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let after = self.in_flight.idle_after();
        if let Some(after) = after.filter(|after| *after != self.after) {
            self.after = after;
            self.headers_began = false;
            self.wait_for(self.limits.inbound.keep_alive);
        }
        if read.is_ready() {
            if after.is_some() && !self.headers_began && self.version == HttpVersion::Http1 {
                self.headers_began = true;
                self.wait_for(self.limits.inbound.header_timeout);
            }
            return read;
        }
        while self.check.as_mut().poll(context).is_ready() {
            if after.is_none() {
                // The write timeout does not see a client of HTTP/2 that makes no room for one of
                // its responses.
                if self.version == HttpVersion::Http2
                    && self.in_flight.longest_unread() >= self.limits.inbound.write_timeout
                {
                    return Poll::Ready(Ok(()));
                }
                // Bodies have their own timeout. hyper does not read again when the response is
                // sent, so that this timer has to notice it.
                self.wait_for(self.limits.inbound.header_timeout);
            } else if self.is_over() {
                if self.version == HttpVersion::Http1 || self.is_closing_in_vain() {
                    return Poll::Ready(Ok(()));
                }
                self.idle.cancel();
                self.wait_for(self.limits.inbound.header_timeout);
            } else {
                self.wait_until(self.ends);
            }
        }
        read
    }

    fn is_over(&self) -> bool {
        self.headers_began || Instant::now() >= self.ends || self.slots_are_short()
    }

    /// Whether the client was asked to close the connection, and takes no large response meanwhile.
    fn is_closing_in_vain(&self) -> bool {
        let seconds = self.limits.inbound.header_timeout.as_secs().max(1);
        let least = seconds.saturating_mul(u64::from(MIN_WRITE_RATE));
        self.idle.is_cancelled() && (self.written as u64) < least
    }

    fn wait_for(&mut self, time: Duration) {
        self.written = 0;
        self.wait_until(Instant::now() + time);
    }

    fn wait_until(&mut self, ends: Instant) {
        self.ends = ends;
        let next = Instant::now() + self.limits.inbound.header_timeout;
        self.check.as_mut().reset(ends.min(next));
    }

    fn slots_are_short(&self) -> bool {
        self.limits.connection_slots.available_permits() <= self.limits.inbound.connections / 8
    }
}
