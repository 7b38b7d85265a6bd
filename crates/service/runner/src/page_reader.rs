//! Reads responses of runs, each under a budget and off the async runtime.
//!
//! Three limits keep a page from taking the node down. The readers have a budget of steps and bytes,
//! and of CPU time at their checkpoints. A read that passes no checkpoint is abandoned after a timeout
//! ([`ReadExecutor`]). The pages of an *isolated* run are read by a child process first
//! ([`ReaderPool`]), as are those of all runs while an abandoned read still runs: the same page must
//! not block one thread after the other. Reading is a pure function of the page, so a page that a child
//! survives within its limits of memory and stack is safe in this process. Children read several
//! pages at a time; this process reads isolated pages one at a time, to bound their memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use crawl::{FetchTask, ParsedResponse, Purpose, ResponseHead};
use journal::Cause;
use page::{ReadRequest, page_bytes};
use reader::{ReadExecutor, ReadFailure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tracing::Instrument as _;

use crate::reader_pool::{ReadTrial, ReaderPool};

/// Attempts to start a child process for a page, and the pause between them.
const POOL_ATTEMPTS: u32 = 3;
const POOL_PAUSE: Duration = Duration::from_secs(1);

/// Reads responses. Clones share their limits.
#[derive(Debug, Clone)]
pub struct PageReader {
    inner: Arc<PageReaderInner>,
}

#[derive(Debug)]
struct PageReaderInner {
    executor: ReadExecutor,
    /// One permit for pages of isolated runs that a child survived.
    isolated: Semaphore,
    pool: Option<ReaderPool>,
}

/// Isolation, CPU share and page slots of one run. Shared by all its requests.
#[derive(Debug, Clone)]
pub struct RunReadState {
    isolated: Arc<AtomicBool>,
    /// Charges CPU time to the account of the run.
    executor: ReadExecutor,
    slots: Arc<Semaphore>,
}

/// A slot for one page of a run, from before it is read until the engine has handled it. A run has as
/// many as there are concurrent reads: it does not fill the queue of all runs, and its read pages do
/// not accumulate while its engine waits for the database.
#[derive(Debug)]
pub(crate) struct PageSlot {
    _permit: Option<OwnedSemaphorePermit>,
}

impl RunReadState {
    /// Whether pages are read in a child process first.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.isolated.load(Ordering::Relaxed)
    }

    /// Waits for a free slot.
    pub(crate) async fn slot(&self) -> PageSlot {
        PageSlot { _permit: Arc::clone(&self.slots).acquire_owned().await.ok() }
    }

    pub fn set_isolated(&self, isolated: bool) {
        self.isolated.store(isolated, Ordering::Relaxed);
    }
}

impl PageReader {
    /// Creates a reader with the limits of `executor`, and with a pool for isolated runs if given.
    #[must_use]
    pub fn new(executor: ReadExecutor, pool: Option<ReaderPool>) -> Self {
        let isolated = Semaphore::new(1);
        Self { inner: Arc::new(PageReaderInner { executor, isolated, pool }) }
    }

    #[must_use]
    pub fn executor(&self) -> &ReadExecutor {
        &self.inner.executor
    }

    /// The read state of a new run of an account.
    #[must_use]
    pub fn for_run(&self, account: &str) -> RunReadState {
        RunReadState {
            isolated: Arc::default(),
            executor: self.executor().for_account(account),
            slots: Arc::new(Semaphore::new(self.executor().at_a_time())),
        }
    }

    /// The child processes for isolated runs, if configured.
    #[must_use]
    pub fn pool(&self) -> Option<&ReaderPool> {
        self.inner.pool.as_ref()
    }

    /// Reads the response to `task`. The caller holds a [`PageSlot`].
    pub(crate) async fn read(
        &self,
        task: FetchTask,
        head: ResponseHead,
        body: Bytes,
        run: &RunReadState,
    ) -> (FetchTask, Result<ParsedResponse, Cause>) {
        if body.is_empty() {
            // A redirect, or the response to HEAD.
            let reading = page::parse_response(&task, head, &body);
            return (task, Ok(reading));
        }
        let span = tracing::debug_span!("read", bytes = body.len());
        self.read_body(task, head, body, run).instrument(span).await
    }

    async fn read_body(
        &self,
        task: FetchTask,
        head: ResponseHead,
        body: Bytes,
        run: &RunReadState,
    ) -> (FetchTask, Result<ParsedResponse, Cause>) {
        let pool = self.pool().filter(|_| run.is_isolated() || self.executor().overdue() > 0);
        let read = match pool {
            Some(pool) => {
                let request = ReadRequest::of(&task, &head);
                match try_in_child(pool, &request, &body).await {
                    // Only a run that is itself isolated may contain the dangerous page.
                    Err(why @ ReadError::NoChild) if run.is_isolated() => Err(why),
                    Ok(()) | Err(ReadError::NoChild) => {
                        let _isolated = self.inner.isolated.acquire().await;
                        read_in_process(&run.executor, task.clone(), head, body).await
                    }
                    Err(why) => Err(why),
                }
            }
            None => read_in_process(&run.executor, task.clone(), head, body).await,
        };
        let read = read.map_err(|why| why.cause(&task, run));
        (task, read)
    }
}

async fn read_in_process(
    executor: &ReadExecutor,
    task: FetchTask,
    head: ResponseHead,
    body: Bytes,
) -> Result<ParsedResponse, ReadError> {
    let page_bytes = match task.purpose {
        Purpose::Url { need, .. } => page_bytes(need, &body),
        Purpose::Robots { .. } => body.len(),
    };
    let read = move || page::parse_response(&task, head, &body);
    executor.run(page_bytes, read).await.map_err(ReadError::Here)
}

/// Reads a page in a child process to see whether it survives.
async fn try_in_child(
    pool: &ReaderPool,
    request: &ReadRequest,
    body: &[u8],
) -> Result<(), ReadError> {
    for attempt in 1.. {
        match pool.try_read(request, body).await {
            ReadTrial::Survived => return Ok(()),
            ReadTrial::TooComplex(why) => return Err(ReadError::Child(why)),
            ReadTrial::Unavailable(error) if attempt < POOL_ATTEMPTS => {
                tracing::warn!(%error, "cannot start isolated reader, retrying");
                sleep(POOL_PAUSE).await;
            }
            ReadTrial::Unavailable(error) => {
                tracing::error!(%error, "cannot start isolated reader");
                break;
            }
        }
    }
    Err(ReadError::NoChild)
}

/// Why reading a page failed.
enum ReadError {
    Here(ReadFailure),
    Child(&'static str),
    /// No child process could be started.
    NoChild,
}

impl ReadError {
    /// Logs the failure. A page that passed no checkpoint in time isolates its run.
    fn cause(&self, task: &FetchTask, run: &RunReadState) -> Cause {
        match self {
            Self::Here(ReadFailure::Exhausted(why)) => {
                tracing::info!(url = %task.url, %why, "page is too complex");
            }
            Self::Child(why) => {
                tracing::info!(url = %task.url, why, "page is too complex for an isolated reader");
            }
            Self::NoChild => {
                tracing::warn!(url = %task.url, "page skipped, no isolated reader available");
            }
            Self::Here(ReadFailure::Overdue) => {
                tracing::warn!(
                    url = %task.url,
                    "reading a page timed out without a checkpoint, isolating the run"
                );
                run.set_isolated(true);
            }
        }
        metrics::counter!("trawl_too_complex_pages_total").increment(1);
        Cause::TooComplex
    }
}

#[cfg(test)]
mod tests;
