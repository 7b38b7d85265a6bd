//! Reads answers away from the async runtime, each under a budget.
//!
//! Three walls keep a page from taking the node down. The readers of `extract` spend from a
//! budget of steps and bytes, and of CPU time where they pass a checkpoint. A reading that
//! passes none is given up by the clock; its thread ends when it ends. And the pages of a run
//! that is *isolated* are read by a child process first ([`ReaderPool`]): reading is a pure
//! function of the page, so what a child survives within its limits, this process survives too.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use crawl::{AnswerHead, ReadRequest, Reading, Task};
use extract::SitemapLimits;
use extract::budget::{self, PageBudget};
use journal::Cause;
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::reader_pool::{ReaderPool, Trial};

/// How many times its CPU budget a reading may take by the clock: the machine may be busy.
const CLOCK_FACTOR: u32 = 10;

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
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: ReadSettings,
    places: Arc<Semaphore>,
    /// One permit for each [`MEMORY_UNIT`].
    memory: Arc<Semaphore>,
    pool: Option<ReaderPool>,
}

/// What a permit for memory stands for.
const MEMORY_UNIT: usize = 64 << 10;

/// Whether the pages of a run are tried in a child process first. Shared by all requests of
/// the run.
#[derive(Debug, Clone, Default)]
pub struct Isolation(Arc<AtomicBool>);

impl Isolation {
    /// Isolated from the start, or not.
    #[must_use]
    pub fn new(isolated: bool) -> Self {
        Self(Arc::new(AtomicBool::new(isolated)))
    }

    fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn turn_on(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl PageReader {
    /// A reader with these limits, and a pool for isolated runs where there is one.
    #[must_use]
    pub fn new(settings: ReadSettings, pool: Option<ReaderPool>) -> Self {
        let places = Arc::new(Semaphore::new(settings.at_a_time));
        let memory = Arc::new(Semaphore::new(settings.memory.div_ceil(MEMORY_UNIT)));
        Self { shared: Arc::new(Shared { settings, places, memory, pool }) }
    }

    /// Reads an answer to `task`.
    pub(crate) async fn read(
        &self,
        task: Task,
        head: AnswerHead,
        body: Bytes,
        isolation: &Isolation,
    ) -> (Task, Result<Reading, Cause>) {
        let is_isolated = isolation.is_on();
        if is_isolated
            && let Some(request) = ReadRequest::of(&task, &head)
            && !self.is_survived(&task, &request, &body).await
        {
            return (task, Err(Cause::TooComplex));
        }
        match self.read_here(task.clone(), head, body).await {
            Ok(reading) => (task, Ok(reading)),
            Err(Unread::Exhausted(why)) => {
                tracing::info!(url = %task.url, %why, "page is too complex");
                (task, Err(Cause::TooComplex))
            }
            Err(Unread::Overdue) => {
                tracing::warn!(
                    url = %task.url,
                    "reading a page passed no checkpoint in time; the run is isolated from here on"
                );
                isolation.turn_on();
                (task, Err(Cause::TooComplex))
            }
        }
    }

    /// Whether a child process can read the page within its limits.
    async fn is_survived(&self, task: &Task, request: &ReadRequest, body: &[u8]) -> bool {
        let Some(pool) = &self.shared.pool else { return true };
        match pool.try_read(request, body).await {
            Trial::Survived => true,
            Trial::TooComplex(why) => {
                tracing::info!(url = %task.url, why, "page is too complex for an isolated reader");
                metrics::counter!("trawl_isolated_pages_total", "outcome" => "too_complex")
                    .increment(1);
                false
            }
            Trial::Unavailable(error) => {
                tracing::error!(%error, "isolated readers cannot be started; reading without them");
                true
            }
        }
    }

    async fn read_here(
        &self,
        task: Task,
        head: AnswerHead,
        body: Bytes,
    ) -> Result<Reading, Unread> {
        let Shared { settings, places, memory, .. } = &*self.shared;
        let page_bytes = unpacked_bytes(&body);
        // Never more than there is: it would wait for ever.
        let units = page_bytes.min(settings.memory).div_ceil(MEMORY_UNIT).max(1);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let (Ok(_place), Ok(weight)) = (
            Arc::clone(places).acquire_owned().await,
            Arc::clone(memory).acquire_many_owned(units).await,
        ) else {
            unreachable!("the semaphores of readers are never closed")
        };
        let cpu = settings.cpu;
        let reading = tokio::task::spawn_blocking(move || {
            // Held by the thread: memory is free when the thread is done, not when the page is
            // given up.
            let _weight = weight;
            let end = cpu_time() + cpu;
            let budget = PageBudget::for_page(page_bytes).with_checkpoint(move || cpu_time() > end);
            budget::with(budget, || Reading::of(&task, head, &body))
        });
        match timeout(cpu * CLOCK_FACTOR, reading).await {
            Ok(Ok(Ok(reading))) => Ok(reading),
            Ok(Ok(Err(why))) => Err(Unread::Exhausted(why)),
            Ok(Err(error)) => match error.try_into_panic() {
                // The caller knows the task by its handle.
                Ok(panic) => resume_unwind(panic),
                // The process is ending.
                Err(_) => std::future::pending().await,
            },
            Err(_) => Err(Unread::Overdue),
        }
    }
}

/// Why a page was not read.
enum Unread {
    Exhausted(budget::Exhausted),
    Overdue,
}

/// The most bytes that a body unpacks to: sitemaps come compressed.
pub(crate) fn unpacked_bytes(body: &[u8]) -> usize {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    /// The most that DEFLATE packs into one byte.
    const DEFLATE_RATIO: usize = 1_032;
    if body.starts_with(&GZIP) {
        body.len().saturating_mul(DEFLATE_RATIO).min(SitemapLimits::default().bytes)
    } else {
        body.len()
    }
}

/// The CPU time of this thread.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}
