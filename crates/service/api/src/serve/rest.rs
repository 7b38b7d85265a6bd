//! How long a connection waits for its client's next request.
//!
//! A client that asks now and then keeps its connection, which costs it no new handshake and spares
//! it the moment in which one side closes what the other is about to use. Whoever has begun to send
//! headers, or has never sent any, has less time; and when places are short, so has everybody.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::Bounds;
use super::turns::Turns;

/// The wait of one connection.
#[derive(Debug)]
pub(super) struct Rest {
    turns: Turns,
    bounds: Bounds,
    /// How many requests came before the wait that the rest of this is about.
    after: u64,
    headers_began: bool,
    ends: Instant,
    /// When to look whether it goes on; never later than `ends`.
    look: Pin<Box<Sleep>>,
}

impl Rest {
    pub fn new(turns: Turns, bounds: Bounds) -> Self {
        let ends = Instant::now() + bounds.inbound.header_timeout;
        let look = Box::pin(tokio::time::sleep_until(ends));
        Self { turns, bounds, after: 0, headers_began: false, ends, look }
    }

    /// What a read of the connection comes to: `read` itself, or the end when the wait is over.
    pub fn watch(
        &mut self,
        read: Poll<io::Result<()>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let after = self.turns.at_rest_after();
        if let Some(after) = after.filter(|after| *after != self.after) {
            self.after = after;
            self.headers_began = false;
            self.wait_for(self.bounds.inbound.keep_alive);
        }
        if read.is_ready() {
            if after.is_some() && !self.headers_began {
                self.headers_began = true;
                self.wait_for(self.bounds.inbound.header_timeout);
            }
            return read;
        }
        while self.look.as_mut().poll(context).is_ready() {
            if after.is_none() {
                // The body of a request has bounds of its own. But hyper does not read anew when
                // the answer has gone out: this is how it comes to be seen.
                self.wait_for(self.bounds.inbound.header_timeout);
            } else if self.is_over() {
                return Poll::Ready(Ok(()));
            } else {
                self.wait_until(self.ends);
            }
        }
        read
    }

    fn is_over(&self) -> bool {
        self.headers_began || Instant::now() >= self.ends || self.places_are_short()
    }

    fn wait_for(&mut self, time: Duration) {
        self.wait_until(Instant::now() + time);
    }

    fn wait_until(&mut self, ends: Instant) {
        self.ends = ends;
        let next = Instant::now() + self.bounds.inbound.header_timeout;
        self.look.as_mut().reset(ends.min(next));
    }

    fn places_are_short(&self) -> bool {
        self.bounds.places.available_permits() <= self.bounds.inbound.connections / 8
    }
}
