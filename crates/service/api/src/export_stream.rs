//! Writes the results of a job as a file.
//!
//! A blocking thread reads one segment of results after the other, writes its rows and waits until
//! the client has taken the bytes. At most one segment is in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use contract::{ExportFormat, JobId};
use export::{ExportError, ExportSink, ExportSubject, FileFormat, FileKind};
use store::{Store, StoreError};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// Size of a chunk that is sent to the client.
const CHUNK_BYTES: usize = 64 * 1024;

/// Chunks that are buffered for the client.
const CHANNEL_CAPACITY: usize = 4;

/// The export is cancelled when the client reads nothing for this long.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// Why writing an export failed.
#[derive(Debug, Error)]
pub enum ExportFailure {
    /// The results could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They could not be written.
    #[error(transparent)]
    Export(#[from] ExportError),
}

/// The file format of an API value.
#[must_use]
pub fn format_of(format: ExportFormat) -> FileFormat {
    match format {
        ExportFormat::Xlsx => FileFormat::Xlsx,
        ExportFormat::Csv => FileFormat::Csv,
        ExportFormat::Json => FileFormat::Json,
        ExportFormat::Md => FileFormat::Markdown,
        ExportFormat::Xml => FileFormat::Xml,
    }
}

/// Writes the first `total` results of a job. Blocking: call it on a blocking thread.
///
/// # Errors
/// [`ExportFailure`] when results cannot be read or written.
pub fn write_results<O: ExportSink + 'static>(
    (runtime, store): (&Handle, &Store),
    (job, total): (&JobId, u64),
    format: FileFormat,
    subject: &ExportSubject,
    outlet: O,
) -> Result<(), ExportFailure> {
    let mut rows = export::writer(format, subject, outlet)?;
    let mut offset = 0;
    while offset < total {
        let results = runtime.block_on(store.some_results(job, offset..total))?;
        if results.is_empty() {
            break;
        }
        offset += results.len() as u64;
        for item in results.items() {
            rows.write(&item?)?;
        }
    }
    Ok(rows.finish()?)
}

/// Chunks of a file; an error aborts the transfer.
pub(crate) type ExportChunks = mpsc::Receiver<io::Result<Bytes>>;

/// An export that is being written.
pub(crate) struct ExportStream {
    /// The kind of the file, or why the export failed before its first byte.
    pub kind: oneshot::Receiver<Result<FileKind, ExportFailure>>,
    pub chunks: ExportChunks,
}

/// Starts an export on a blocking thread.
pub(crate) fn start_export(
    store: Store,
    job: JobId,
    total: u64,
    format: FileFormat,
    subject: ExportSubject,
) -> ExportStream {
    let (kind_sender, kind) = oneshot::channel();
    let (send, chunks) = mpsc::channel(CHANNEL_CAPACITY);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let kind_sender = Arc::new(Mutex::new(Some(kind_sender)));
        let buffer = BytesMut::with_capacity(CHUNK_BYTES);
        let client = ChannelOutlet { kind_sender: Arc::clone(&kind_sender), send, buffer, runtime };
        let runtime = client.runtime.clone();
        let last = client.send.clone();
        let written = write_results((&runtime, &store), (&job, total), format, &subject, client);
        let Err(failure) = written else { return };
        match take(&kind_sender) {
            // The response has not started: it can still be an error.
            Some(kind_sender) => drop(kind_sender.send(Err(failure))),
            None => {
                tracing::warn!(job.id = %job, error = %failure, "export aborted");
                let broken = io::Error::other("export aborted");
                // The client may have disconnected.
                let _ = runtime.block_on(last.send(Err(broken)));
            }
        }
    });
    ExportStream { kind, chunks }
}

/// Sends the kind once: when the first byte is written, or when the export fails before.
type KindSender = Mutex<Option<oneshot::Sender<Result<FileKind, ExportFailure>>>>;

fn take(kind_sender: &KindSender) -> Option<oneshot::Sender<Result<FileKind, ExportFailure>>> {
    kind_sender.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Sends the bytes of the file to the response.
struct ChannelOutlet {
    kind_sender: Arc<KindSender>,
    send: mpsc::Sender<io::Result<Bytes>>,
    buffer: BytesMut,
    runtime: Handle,
}

impl ChannelOutlet {
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

impl Write for ChannelOutlet {
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

impl ExportSink for ChannelOutlet {
    fn start(&mut self, kind: FileKind) {
        if let Some(kind_sender) = take(&self.kind_sender) {
            // A dropped receiver is noticed when the first chunk is sent.
            let _ = kind_sender.send(Ok(kind));
        }
    }
}
