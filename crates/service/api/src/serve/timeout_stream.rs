//! A stream of a client with write and idle timeouts.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::client_stream::ClientByteStream;
use super::keep_alive::{KeepAlive, MIN_WRITE_RATE};

/// The time that writes may still wait for the client, `most` at the start. Waiting reduces it;
/// written bytes add to it at [`MIN_WRITE_RATE`].
#[derive(Debug)]
struct WriteAllowance {
    most: Duration,
    left: Duration,
}

impl WriteAllowance {
    fn new(most: Duration) -> Self {
        Self { most, left: most }
    }

    fn waited(&mut self, time: Duration) {
        self.left = self.left.saturating_sub(time);
    }

    fn taken(&mut self, bytes: usize) {
        let earned = Duration::from_secs(bytes as u64) / MIN_WRITE_RATE;
        self.left = self.left.saturating_add(earned).min(self.most);
    }
}

/// A stream whose writes fail when the client reads too slowly for the write allowance, and whose
/// reads end with the keep-alive timeout.
#[derive(Debug)]
pub(super) struct TimeoutStream {
    stream: Box<dyn ClientByteStream>,
    keep_alive: KeepAlive,
    allowance: WriteAllowance,
    deadline: Pin<Box<Sleep>>,
    waiting_since: Option<Instant>,
}

impl TimeoutStream {
    pub fn new(
        stream: Box<dyn ClientByteStream>,
        write_timeout: Duration,
        keep_alive: KeepAlive,
    ) -> Self {
        let deadline = Box::pin(tokio::time::sleep(write_timeout));
        let allowance = WriteAllowance::new(write_timeout);
        Self { stream, keep_alive, allowance, deadline, waiting_since: None }
    }

    fn watch_write(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let watched = self.watch(written, context);
        if let Poll::Ready(Ok(bytes)) = watched {
            self.allowance.taken(bytes);
            self.keep_alive.wrote(bytes);
        }
        watched
    }

    fn watch<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if let Some(since) = self.waiting_since.take() {
                self.allowance.waited(since.elapsed());
            }
            return written;
        }
        if self.waiting_since.is_none() {
            let now = Instant::now();
            self.waiting_since = Some(now);
            self.deadline.as_mut().reset(now + self.allowance.left);
        }
        ready!(self.deadline.as_mut().poll(context));
        Poll::Ready(Err(io::Error::from(io::ErrorKind::TimedOut)))
    }
}

impl AsyncRead for TimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        this.keep_alive.watch(read, context)
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch_write(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch_write(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The last message of TLS may have to wait for the client.
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(shut, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_that_reads_single_bytes_uses_up_its_write_allowance() {
        let mut allowance = WriteAllowance::new(Duration::from_secs(30));
        for _ in 0..2 {
            allowance.waited(Duration::from_secs(20));
            allowance.taken(1);
        }
        assert!(allowance.left < Duration::from_millis(1), "{allowance:?}");
        allowance.taken(80 * 1024);
        assert!(allowance.left >= Duration::from_secs(10), "{allowance:?}");
        allowance.taken(16 << 20);
        assert_eq!(
            allowance.left,
            Duration::from_secs(30),
            "the allowance never exceeds its start"
        );
    }
}
