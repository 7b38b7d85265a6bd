//! Streams a file to a client while a blocking thread writes it.
//!
//! The thread waits until the client has taken the bytes, so that at most a few chunks are in
//! memory.

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use crate::{ExportFailure, ExportSink, FileKind};

/// Size of a chunk that is sent to the client.
const CHUNK_BYTES: usize = 64 * 1024;

/// Chunks that are buffered for the client.
const CHANNEL_CAPACITY: usize = 4;

/// The export is cancelled when the client reads nothing for this long.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// The kind of the file, or why the export failed before its first byte.
type StartedFile<E> = Result<FileKind, ExportFailure<E>>;

/// A file that is being written.
#[derive(Debug)]
pub struct FileStream<E> {
    pub kind: oneshot::Receiver<StartedFile<E>>,
    /// The bytes of the file; an error aborts the transfer.
    pub chunks: mpsc::Receiver<io::Result<Bytes>>,
}

impl<E: Error + Send + 'static> FileStream<E> {
    /// Runs `write` on a blocking thread, within the current span.
    pub fn start<W>(write: W) -> Self
    where
        W: FnOnce(ChunkSink<E>) -> Result<(), ExportFailure<E>> + Send + 'static,
    {
        let (kind_sender, kind) = oneshot::channel();
        let (send, chunks) = mpsc::channel(CHANNEL_CAPACITY);
        let (runtime, span) = (Handle::current(), Span::current());
        tokio::task::spawn_blocking(move || {
            let _entered = span.entered();
            let kind_sender = Arc::new(Mutex::new(Some(kind_sender)));
            let written = write(ChunkSink {
                kind_sender: Arc::clone(&kind_sender),
                send: send.clone(),
                buffer: BytesMut::with_capacity(CHUNK_BYTES),
                runtime: runtime.clone(),
            });
            let Err(failure) = written else { return };
            match take(&kind_sender) {
                // The response has not started: it can still be an error.
                Some(kind_sender) => drop(kind_sender.send(Err(failure))),
                None => {
                    tracing::warn!(error = %failure, "export aborted");
                    let broken = io::Error::other("export aborted");
                    // The client may have disconnected.
                    let _ = runtime.block_on(send.send(Err(broken)));
                }
            }
        });
        Self { kind, chunks }
    }
}

/// Sends the kind once: when the first byte is written, or when the export fails before.
type KindSender<E> = Mutex<Option<oneshot::Sender<StartedFile<E>>>>;

fn take<E>(kind_sender: &KindSender<E>) -> Option<oneshot::Sender<StartedFile<E>>> {
    kind_sender.lock().take()
}

/// Sends the bytes of the file to the client.
#[derive(Debug)]
pub struct ChunkSink<E> {
    kind_sender: Arc<KindSender<E>>,
    send: mpsc::Sender<io::Result<Bytes>>,
    buffer: BytesMut,
    runtime: Handle,
}

impl<E> ChunkSink<E> {
    fn send_chunk(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let chunk = self.buffer.split().freeze();
        self.buffer.reserve(CHUNK_BYTES);
        let sent = tokio::time::timeout(SEND_TIMEOUT, self.send.send(Ok(chunk)));
        match self.runtime.block_on(sent) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl<E> Write for ChunkSink<E> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(CHUNK_BYTES.saturating_sub(self.buffer.len()).max(1));
        self.buffer.extend_from_slice(&bytes[..taken]);
        if self.buffer.len() >= CHUNK_BYTES {
            self.send_chunk()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send_chunk()
    }
}

impl<E: Send> ExportSink for ChunkSink<E> {
    fn start(&mut self, kind: FileKind) {
        if let Some(kind_sender) = take(&self.kind_sender) {
            // A dropped receiver is noticed when the first chunk is sent.
            let _ = kind_sender.send(Ok(kind));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreadable() -> ExportFailure<io::Error> {
        ExportFailure::Read(io::Error::other("damaged"))
    }

    #[tokio::test]
    async fn failure_before_the_first_byte_is_returned_instead_of_a_kind() {
        let stream = FileStream::start(|_| Err(unreadable()));
        let kind = stream.kind.await.expect("a result");
        assert!(matches!(kind, Err(ExportFailure::Read(_))));
    }

    #[tokio::test]
    async fn failure_after_the_first_byte_aborts_the_transfer() {
        let mut stream = FileStream::start(|mut sink| {
            sink.start(FileKind::Csv);
            sink.write_all(b"url\n").and_then(|()| sink.flush()).expect("the client reads");
            Err(unreadable())
        });
        assert!(matches!(stream.kind.await, Ok(Ok(FileKind::Csv))));
        let first = stream.chunks.recv().await.expect("a chunk").expect("bytes");
        assert_eq!(first, "url\n");
        assert!(stream.chunks.recv().await.is_some_and(|chunk| chunk.is_err()));
        assert!(stream.chunks.recv().await.is_none(), "nothing follows");
    }
}
