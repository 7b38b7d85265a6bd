//! The results of a job on their way into a file.
//!
//! Rows are written by a thread of their own: it reads some results, writes them, and waits
//! for whoever takes the bytes. Never more than a segment of them is in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use contract::{ExportFormat, JobId};
use export::{ExportError, FileKind, FileFormat, ExportSink, ExportSubject};
use store::{Store, StoreError};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// Bytes that are sent at a time.
const CHUNK: usize = 64 * 1024;

/// Chunks that wait for their taker.
const CHUNKS: usize = 4;

/// Whoever takes nothing for so long has gone.
const STALL: Duration = Duration::from_secs(60);

/// Why a file was not written.
#[derive(Debug, Error)]
pub enum ExportFailure {
    /// The results could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They could not be written.
    #[error(transparent)]
    Export(#[from] ExportError),
}

/// What the interface calls a format.
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

/// Writes the first `total` results of a job. Blocks: for a thread that may.
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

/// Bytes of a file, as they come; an error in their midst breaks the transfer off.
pub(crate) type Chunks = mpsc::Receiver<io::Result<Bytes>>;

/// A file that is being written.
pub(crate) struct Writing {
    /// What it is, as soon as that is known; nothing when it came to nothing.
    pub kind: oneshot::Receiver<Result<FileKind, ExportFailure>>,
    pub chunks: Chunks,
}

/// Begins to write the results of a job.
pub(crate) fn begin(
    store: Store,
    job: JobId,
    total: u64,
    format: FileFormat,
    subject: ExportSubject,
) -> Writing {
    let (announce, kind) = oneshot::channel();
    let (send, chunks) = mpsc::channel(CHUNKS);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let announce = Arc::new(Mutex::new(Some(announce)));
        let buffer = BytesMut::with_capacity(CHUNK);
        let client = Client { announce: Arc::clone(&announce), send, buffer, runtime };
        let runtime = client.runtime.clone();
        let last = client.send.clone();
        let written = write_results((&runtime, &store), (&job, total), format, &subject, client);
        let Err(failure) = written else { return };
        match take(&announce) {
            // Nothing was announced yet: it can still be told properly.
            Some(announce) => drop(announce.send(Err(failure))),
            None => {
                tracing::warn!(job.id = %job, error = %failure, "an export was broken off");
                let broken = io::Error::other("the export was broken off");
                // It may be the taker who has gone.
                let _ = runtime.block_on(last.send(Err(broken)));
            }
        }
    });
    Writing { kind, chunks }
}

/// The word that is given once: by the writer, or by whoever finds that it failed before.
type Announce = Mutex<Option<oneshot::Sender<Result<FileKind, ExportFailure>>>>;

fn take(announce: &Announce) -> Option<oneshot::Sender<Result<FileKind, ExportFailure>>> {
    announce.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// The taker at the other end of a connection.
struct Client {
    announce: Arc<Announce>,
    send: mpsc::Sender<io::Result<Bytes>>,
    buffer: BytesMut,
    runtime: Handle,
}

impl Client {
    fn pass_on(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let chunk = self.buffer.split().freeze();
        self.buffer.reserve(CHUNK);
        let sent = tokio::time::timeout(STALL, self.send.send(Ok(chunk)));
        match self.runtime.block_on(sent) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Write for Client {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(CHUNK.saturating_sub(self.buffer.len()).max(1));
        self.buffer.extend_from_slice(&bytes[..taken]);
        if self.buffer.len() >= CHUNK {
            self.pass_on()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()
    }
}

impl ExportSink for Client {
    fn start(&mut self, kind: FileKind) {
        if let Some(announce) = take(&self.announce) {
            // Whoever does not listen any more shows at the first chunk.
            let _ = announce.send(Ok(kind));
        }
    }
}
