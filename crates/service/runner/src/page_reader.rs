//! Reads answers of runs, each under a budget and off the async runtime.
//!
//! Three walls keep a page from taking the node down. The readers of `extract` spend from a
//! budget of steps and bytes, and of CPU time where they pass a checkpoint. A reading that
//! passes none is given up by the clock ([`ReadExecutor`]). And the pages of an *isolated* run
//! are read by a child process first ([`ReaderPool`]), as are those of all runs while a reading
//! that was given up goes on: the same page must not take one thread after the other. Reading is a pure function of the page, so
//! what a child survives within its limits of memory and stack, this process survives too.
//! Children read several pages at a time; this process reads isolated pages one at a time, so that
//! their memory does not add up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use crawl::{FetchTask, ParsedResponse, Purpose, ReadRequest, ResponseHead, page_bytes};
use journal::Cause;
use reader::{ReadExecutor, ReadFailure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use crate::reader_pool::{ReaderPool, Trial};

/// How often a child process is tried to be started for a page, and the pause in between.
const POOL_ATTEMPTS: u32 = 3;
const POOL_PAUSE: Duration = Duration::from_secs(1);

/// Reads answers. Cheap to clone; all clones share their limits.
#[derive(Debug, Clone)]
pub struct PageReader {
    shared: Arc<ReaderShared>,
}

#[derive(Debug)]
struct ReaderShared {
    executor: ReadExecutor,
    /// The one place for pages of isolated runs that a child survived.
    isolated: Semaphore,
    pool: Option<ReaderPool>,
}

/// How the pages of one run are read. Shared by all requests of the run.
#[derive(Debug, Clone)]
pub struct RunReading {
    isolated: Arc<AtomicBool>,
    /// With the share of the run's account.
    executor: ReadExecutor,
    places: Arc<Semaphore>,
}

/// A place for one page of a run, from before it is read until the engine has handled it. A run
/// has as many as pages are read at a time: it does not fill the queue of all runs, and what its
/// pages hold does not pile up while its engine waits for the database.
#[derive(Debug)]
pub(crate) struct RunPlace {
    _permit: Option<OwnedSemaphorePermit>,
}

impl RunReading {
    /// Whether the pages are tried in a child process first.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.isolated.load(Ordering::Relaxed)
    }

    /// Waits for a place for one more page.
    pub(crate) async fn place(&self) -> RunPlace {
        RunPlace { _permit: Arc::clone(&self.places).acquire_owned().await.ok() }
    }

    /// Isolates the run, or ends its isolation.
    pub fn isolate(&self, isolated: bool) {
        self.isolated.store(isolated, Ordering::Relaxed);
    }
}

impl PageReader {
    /// A reader within the limits of `executor`, and a pool for isolated runs where there is one.
    #[must_use]
    pub fn new(executor: ReadExecutor, pool: Option<ReaderPool>) -> Self {
        let isolated = Semaphore::new(1);
        Self { shared: Arc::new(ReaderShared { executor, isolated, pool }) }
    }

    /// What runs the readings of this node.
    #[must_use]
    pub fn executor(&self) -> &ReadExecutor {
        &self.shared.executor
    }

    /// How the pages of one more run of an account are read.
    #[must_use]
    pub fn for_run(&self, account: &str) -> RunReading {
        RunReading {
            isolated: Arc::default(),
            executor: self.executor().for_account(account),
            places: Arc::new(Semaphore::new(self.executor().at_a_time())),
        }
    }

    /// Whether isolated runs are read by child processes.
    #[must_use]
    pub fn pool(&self) -> Option<&ReaderPool> {
        self.shared.pool.as_ref()
    }

    /// Reads an answer to `task`. The caller holds a [`RunPlace`].
    pub(crate) async fn read(
        &self,
        task: FetchTask,
        head: ResponseHead,
        body: Bytes,
        run: &RunReading,
    ) -> (FetchTask, Result<ParsedResponse, Cause>) {
        if body.is_empty() {
            // Nothing to read: a redirect, or the answer to HEAD.
            let reading = ParsedResponse::of(&task, head, &body);
            return (task, Ok(reading));
        }
        let pool = self.pool().filter(|_| run.is_isolated() || self.executor().overdue() > 0);
        let read = match pool {
            Some(pool) => {
                let request = ReadRequest::of(&task, &head);
                match try_in_child(pool, &request, &body).await {
                    // Only a run that is isolated itself is suspected of taking the node down.
                    Err(why @ TooComplex::NoChild) if run.is_isolated() => Err(why),
                    Ok(()) | Err(TooComplex::NoChild) => {
                        let _isolated = self.shared.isolated.acquire().await;
                        read_here(&run.executor, task.clone(), head, body).await
                    }
                    Err(why) => Err(why),
                }
            }
            None => read_here(&run.executor, task.clone(), head, body).await,
        };
        let read = read.map_err(|why| why.cause(&task, run));
        (task, read)
    }
}

async fn read_here(
    executor: &ReadExecutor,
    task: FetchTask,
    head: ResponseHead,
    body: Bytes,
) -> Result<ParsedResponse, TooComplex> {
    let page_bytes = match task.purpose {
        Purpose::Url { need, .. } => page_bytes(need, &body),
        Purpose::Robots { .. } => body.len(),
    };
    let read = move || ParsedResponse::of(&task, head, &body);
    executor.run(page_bytes, read).await.map_err(TooComplex::Here)
}

/// Has a child process read a page.
async fn try_in_child(
    pool: &ReaderPool,
    request: &ReadRequest,
    body: &[u8],
) -> Result<(), TooComplex> {
    for attempt in 1.. {
        match pool.try_read(request, body).await {
            Trial::Survived => return Ok(()),
            Trial::TooComplex(why) => return Err(TooComplex::Child(why)),
            Trial::Unavailable(error) if attempt < POOL_ATTEMPTS => {
                tracing::warn!(%error, "isolated reader cannot be started; trying again");
                sleep(POOL_PAUSE).await;
            }
            Trial::Unavailable(error) => {
                tracing::error!(%error, "isolated reader cannot be started");
                break;
            }
        }
    }
    Err(TooComplex::NoChild)
}

/// Why a page was not read.
enum TooComplex {
    Here(ReadFailure),
    Child(&'static str),
    /// No child process can be started to read it.
    NoChild,
}

impl TooComplex {
    /// What the engine gets to know of it. A run with a page that passed no checkpoint is isolated.
    fn cause(&self, task: &FetchTask, run: &RunReading) -> Cause {
        match self {
            Self::Here(ReadFailure::Exhausted(why)) => {
                tracing::info!(url = %task.url, %why, "page is too complex");
            }
            Self::Child(why) => {
                tracing::info!(url = %task.url, why, "page is too complex for an isolated reader");
            }
            Self::NoChild => {
                tracing::warn!(url = %task.url, "page is skipped: it has no isolated reader");
            }
            Self::Here(ReadFailure::Overdue) => {
                tracing::warn!(
                    url = %task.url,
                    "reading a page passed no checkpoint in time; the run is isolated"
                );
                run.isolate(true);
            }
        }
        metrics::counter!("trawl_too_complex_pages_total").increment(1);
        Cause::TooComplex
    }
}

#[cfg(test)]
mod tests;
