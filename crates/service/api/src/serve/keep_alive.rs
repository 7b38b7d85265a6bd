//! Keep-alive and header timeouts of a connection.
//!
//! An idle connection stays open for `keep_alive`, so that clients that poll need no new handshake.
//! Once the client has sent a part of its headers, and before the first request, `header_timeout`
//! applies; it also applies to idle connections when few connection slots are left.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::ConnectionLimits;
use super::in_flight::InFlightRequests;

/// The timer of one connection.
#[derive(Debug)]
pub(super) struct KeepAlive {
    in_flight: InFlightRequests,
    limits: ConnectionLimits,
    /// Requests before the wait that the following fields describe.
    after: u64,
    headers_began: bool,
    ends: Instant,
    /// Fires when the wait is to be checked; never later than `ends`.
    check: Pin<Box<Sleep>>,
}

impl KeepAlive {
    pub fn new(in_flight: InFlightRequests, limits: ConnectionLimits) -> Self {
        let ends = Instant::now() + limits.inbound.header_timeout;
        let check = Box::pin(tokio::time::sleep_until(ends));
        Self { in_flight, limits, after: 0, headers_began: false, ends, check }
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
            if after.is_some() && !self.headers_began {
                self.headers_began = true;
                self.wait_for(self.limits.inbound.header_timeout);
            }
            return read;
        }
        while self.check.as_mut().poll(context).is_ready() {
            if after.is_none() {
                // Bodies have their own timeout. hyper does not read again when the response is
                // sent, so that this timer has to notice it.
                self.wait_for(self.limits.inbound.header_timeout);
            } else if self.is_over() {
                return Poll::Ready(Ok(()));
            } else {
                self.wait_until(self.ends);
            }
        }
        read
    }

    fn is_over(&self) -> bool {
        self.headers_began || Instant::now() >= self.ends || self.slots_are_short()
    }

    fn wait_for(&mut self, time: Duration) {
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
