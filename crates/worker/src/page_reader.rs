//! Reads answers away from the async runtime, each under a budget.
//!
//! Three walls keep a page from taking the node down. The readers of `extract` spend from a
//! budget of steps and bytes, and of CPU time where they pass a checkpoint. A reading that
//! passes none is given up by the clock; its thread ends when it ends. And the pages of an
//! *isolated* run are read by a child process first ([`ReaderPool`]). Reading is a pure function
//! of the page, so what a child survives within its limits of memory and stack, this process
//! survives too; isolated pages are read here one at a time, so that their memory does not add
//! up.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use crawl::{AnswerHead, Purpose, ReadRequest, Reading, Task, page_bytes};
use extract::budget::{self, Exhausted, PageBudget};
use journal::Cause;
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{sleep, timeout};

use crate::reader_pool::{ReaderPool, Trial};

/// How many times its CPU budget a reading may take by the clock: the machine may be busy.
const CLOCK_FACTOR: u32 = 10;

/// How often a child process is tried to be started for a page, and the pause in between.
const POOL_ATTEMPTS: u32 = 3;
const POOL_PAUSE: Duration = Duration::from_secs(1);

/// What a permit for memory stands for.
const MEMORY_UNIT: usize = 64 << 10;

/// How pages are read.
#[derive(Debug, Clone)]
pub struct ReadSettings {
    /// Pages that are read at a time: more than there are cores gains nothing.
    pub at_a_time: usize,
    /// CPU time that the reading of one page may take.
    pub cpu: Duration,
    /// Bytes of pages and sitemaps, unpacked, that are read at a time.
    pub memory: usize,
}

impl Default for ReadSettings {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self { at_a_time: cores.max(2), cpu: Duration::from_secs(2), memory: 256 << 20 }
    }
}

/// Reads answers. Cheap to clone; all clones share their limits.
#[derive(Debug, Clone)]
pub struct PageReader {
    shared: Arc<ReaderShared>,
}

#[derive(Debug)]
struct ReaderShared {
    settings: ReadSettings,
    places: Arc<Semaphore>,
    /// One permit for each [`MEMORY_UNIT`].
    memory: Arc<Semaphore>,
    /// The one place of isolated runs.
    isolated: Semaphore,
    pool: Option<ReaderPool>,
}

/// How the pages of one run are read. Shared by all requests of the run.
#[derive(Debug, Clone)]
pub struct RunReading {
    isolated: Arc<AtomicBool>,
    /// Pages of the run that are read or wait to be read: no run fills the queue of all.
    places: Arc<Semaphore>,
}

impl RunReading {
    /// Whether the pages are tried in a child process first.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.isolated.load(Ordering::Relaxed)
    }

    /// Isolates the run, or ends its isolation.
    pub fn isolate(&self, isolated: bool) {
        self.isolated.store(isolated, Ordering::Relaxed);
    }
}

impl PageReader {
    /// A reader with these limits, and a pool for isolated runs where there is one.
    #[must_use]
    pub fn new(settings: ReadSettings, pool: Option<ReaderPool>) -> Self {
        let places = Arc::new(Semaphore::new(settings.at_a_time));
        let memory = Arc::new(Semaphore::new(settings.memory.div_ceil(MEMORY_UNIT)));
        let isolated = Semaphore::new(1);
        Self { shared: Arc::new(ReaderShared { settings, places, memory, isolated, pool }) }
    }

    /// How the pages of one more run are read.
    #[must_use]
    pub fn for_run(&self) -> RunReading {
        RunReading {
            isolated: Arc::default(),
            places: Arc::new(Semaphore::new(self.shared.settings.at_a_time)),
        }
    }

    /// Whether isolated runs are read by child processes.
    #[must_use]
    pub fn pool(&self) -> Option<&ReaderPool> {
        self.shared.pool.as_ref()
    }

    /// Reads an answer to `task`.
    pub(crate) async fn read(
        &self,
        task: Task,
        head: AnswerHead,
        body: Bytes,
        run: &RunReading,
    ) -> (Task, Result<Reading, Cause>) {
        if body.is_empty() {
            // Nothing to read: a redirect, or the answer to HEAD.
            let reading = Reading::of(&task, head, &body);
            return (task, Ok(reading));
        }
        let _own_place = run.places.acquire().await;
        let request = ReadRequest::of(&task, &head).filter(|_| run.is_isolated());
        let read = match request.zip(self.pool()) {
            Some((request, pool)) => {
                let _isolated = self.shared.isolated.acquire().await;
                match try_in_child(pool, &request, &body).await {
                    Ok(()) => self.read_here(task.clone(), head, body).await,
                    Err(why) => Err(ReadFailure::Child(why)),
                }
            }
            None => self.read_here(task.clone(), head, body).await,
        };
        let read = read.map_err(|failure| {
            match failure {
                ReadFailure::Exhausted(why) => {
                    tracing::info!(url = %task.url, %why, "page is too complex");
                }
                ReadFailure::Child(why) => {
                    tracing::info!(url = %task.url, why, "page is too complex for an isolated reader");
                }
                ReadFailure::Overdue => {
                    tracing::warn!(
                        url = %task.url,
                        "reading a page passed no checkpoint in time; the run is isolated"
                    );
                    run.isolate(true);
                }
            }
            metrics::counter!("trawl_too_complex_pages_total").increment(1);
            Cause::TooComplex
        });
        (task, read)
    }

    async fn read_here(
        &self,
        task: Task,
        head: AnswerHead,
        body: Bytes,
    ) -> Result<Reading, ReadFailure> {
        let ReaderShared { settings, places, memory, .. } = &*self.shared;
        let page_bytes = match task.purpose {
            Purpose::Url { want, .. } => page_bytes(want, &body),
            Purpose::Robots { .. } => body.len(),
        };
        // Never more than there is: it would wait for ever.
        let units = page_bytes.min(settings.memory).div_ceil(MEMORY_UNIT).max(1);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let (Ok(memory), Ok(place)) = (
            Arc::clone(memory).acquire_many_owned(units).await,
            Arc::clone(places).acquire_owned().await,
        ) else {
            unreachable!("the semaphores of readers are never closed")
        };
        let cpu = settings.cpu;
        let place = Place::new(place);
        let (start, started) = oneshot::channel();
        let held = (place.clone(), memory);
        let reading = tokio::task::spawn_blocking(move || {
            // Nobody waits for it any more when a run was aborted meanwhile.
            let _ = start.send(());
            let end = cpu_time() + cpu;
            let budget = PageBudget::for_page(page_bytes).with_checkpoint(move || cpu_time() > end);
            let reading = budget::with(budget, || Reading::of(&task, head, &body));
            let (place, _memory) = held;
            place.free();
            reading
        });
        // The wait for a thread is not the page's fault.
        let _ = started.await;
        match timeout(cpu * CLOCK_FACTOR, reading).await {
            Ok(Ok(reading)) => reading.map_err(ReadFailure::Exhausted),
            Ok(Err(error)) => match error.try_into_panic() {
                // The caller knows the task by its handle.
                Ok(panic) => resume_unwind(panic),
                // The process is ending.
                Err(_) => std::future::pending().await,
            },
            Err(_) => {
                // Its thread goes on; others must be read all the same. Its memory stays counted.
                place.free();
                metrics::counter!("trawl_overdue_pages_total").increment(1);
                Err(ReadFailure::Overdue)
            }
        }
    }
}

/// Has a child process read a page. Fails closed: a page of an isolated run is not read here
/// because no child can be started.
async fn try_in_child(
    pool: &ReaderPool,
    request: &ReadRequest,
    body: &[u8],
) -> Result<(), &'static str> {
    for attempt in 1.. {
        match pool.try_read(request, body).await {
            Trial::Survived => return Ok(()),
            Trial::TooComplex(why) => return Err(why),
            Trial::Retry if attempt < POOL_ATTEMPTS => {}
            Trial::Unavailable(error) if attempt < POOL_ATTEMPTS => {
                tracing::warn!(%error, "isolated reader cannot be started; trying again");
                sleep(POOL_PAUSE).await;
            }
            Trial::Unavailable(error) => {
                tracing::error!(%error, "isolated reader cannot be started");
                break;
            }
            Trial::Retry => break,
        }
    }
    Err("no reader process can be started for it")
}

/// Why a page was not read.
enum ReadFailure {
    Exhausted(Exhausted),
    Child(&'static str),
    Overdue,
}

/// A place among the readers: freed by the thread that reads, or by the clock for a thread
/// that does not come back. A caller that stops waiting frees nothing.
#[derive(Clone)]
struct Place(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Place {
    fn new(permit: OwnedSemaphorePermit) -> Self {
        Self(Arc::new(Mutex::new(Some(permit))))
    }

    fn free(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The CPU time of this thread.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}
