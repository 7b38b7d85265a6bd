//! Runs readers of untrusted documents off the async runtime.
//!
//! The content of pages, sitemaps and robots.txt files decides how long reading takes. A
//! [`ReadExecutor`] runs each read on a blocking thread under a budget of steps, bytes and CPU time
//! (`html::budget`), and limits the number of concurrent reads and the bytes that they read. Runs
//! and estimates of a node share one executor, and accounts take turns by the CPU time of their
//! documents (`fair_queue`).
//!
//! A read that passes no checkpoint is abandoned by the wall clock: the caller gets
//! [`ReadFailure::Overdue`] and its slot is released. Its thread ends when the read ends; until
//! then its bytes stay counted. Threads cannot be killed: if overdue reads take too many resources,
//! [`ReadExecutor::overloaded`] returns, and the process has to restart.
//!
//! A new reader runs through [`ReadExecutor::run`]; its adversarial inputs go to
//! `tests/adversarial`.

mod fair_queue;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use html::budget::{self, Exhausted, PageBudget};
use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

use fair_queue::{CpuShare, FairQueue, SlotPermit};

/// Wall clock limit as a multiple of the CPU budget, because the machine may be busy.
const WALL_CLOCK_FACTOR: u32 = 10;

/// Minimum wall clock limit: a thread may wait for a core longer than it computes.
const WALL_CLOCK_MIN: Duration = Duration::from_secs(1);

/// The bytes of one memory permit.
const MEMORY_UNIT: usize = 64 << 10;

/// The limits of an executor.
#[derive(Debug, Clone)]
pub struct ReadSettings {
    /// Concurrent reads; more than there are cores gains nothing.
    pub at_a_time: usize,
    /// Maximum CPU time of one read.
    pub cpu: Duration,
    /// Decompressed bytes of all concurrent reads.
    pub memory: usize,
}

impl Default for ReadSettings {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self { at_a_time: cores.max(2), cpu: Duration::from_secs(2), memory: 256 << 20 }
    }
}

/// Why a document was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ReadFailure {
    /// It exceeds its budget.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// The read passed no checkpoint in time.
    #[error("the read passed no checkpoint before its wall clock limit")]
    Overdue,
}

/// Runs reads within its limits. Cheap to clone; all clones share the limits.
#[derive(Debug, Clone)]
pub struct ReadExecutor {
    shared: Arc<ExecutorShared>,
    /// The CPU time of the account whose documents are read.
    share: Arc<CpuShare>,
}

#[derive(Debug)]
struct ExecutorShared {
    settings: ReadSettings,
    queue: Arc<FairQueue>,
    overdue: watch::Sender<OverdueReads>,
}

/// Overdue reads whose threads have not ended.
#[derive(Debug, Clone, Copy, Default)]
struct OverdueReads {
    threads: usize,
    /// Memory permits that they hold.
    units: u32,
}

impl Default for ReadExecutor {
    fn default() -> Self {
        Self::new(ReadSettings::default())
    }
}

impl ReadExecutor {
    /// An executor with these limits.
    #[must_use]
    pub fn new(settings: ReadSettings) -> Self {
        let queue = FairQueue::new(settings.at_a_time, units(settings.memory));
        let overdue = watch::Sender::new(OverdueReads::default());
        let shared = Arc::new(ExecutorShared { settings, queue, overdue });
        Self { shared, share: Arc::default() }
    }

    /// An executor with the same limits for the documents of one account.
    #[must_use]
    pub fn for_account(&self, account: &str) -> Self {
        let share = self.shared.queue.share_of(account);
        Self { share, ..self.clone() }
    }

    /// Maximum number of concurrent reads.
    #[must_use]
    pub fn at_a_time(&self) -> usize {
        self.shared.settings.at_a_time
    }

    /// Number of overdue reads whose threads have not ended.
    #[must_use]
    pub fn overdue(&self) -> usize {
        self.shared.overdue.borrow().threads
    }

    /// Waits until overdue reads have occupied as many threads as there are slots, or half of the
    /// memory, for as long as a read may take. Too little is then left for other documents.
    pub async fn overloaded(&self) {
        let ReadSettings { at_a_time, memory, .. } = self.shared.settings;
        let is_overloaded = move |overdue: &OverdueReads| {
            overdue.threads >= at_a_time || overdue.units as usize * MEMORY_UNIT > memory / 2
        };
        let mut overdue = self.shared.overdue.subscribe();
        loop {
            let _ = overdue.wait_for(is_overloaded).await;
            // Reads of a machine that was suspended are overdue, but end soon after.
            let relieved =
                async { overdue.wait_for(|overdue| !is_overloaded(overdue)).await.is_ok() };
            if timeout(self.wall_limit(), relieved).await.is_err() {
                return;
            }
        }
    }

    /// Wall clock limit of a read.
    fn wall_limit(&self) -> Duration {
        (self.shared.settings.cpu * WALL_CLOCK_FACTOR).max(WALL_CLOCK_MIN)
    }

    /// Runs `read` over a document of at most `bytes` decompressed bytes, as soon as a slot is
    /// free. Dropping the future does not stop a read that has begun.
    ///
    /// # Errors
    /// [`ReadFailure`] if the document is too complex.
    ///
    /// # Panics
    /// If `read` panics.
    pub async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ReadFailure> {
        let ExecutorShared { settings, queue, .. } = &*self.shared;
        // Never more than there is, which would wait for ever.
        let units = units(bytes.min(settings.memory)).max(1);
        let (slot, memory) = queue.acquire(&self.share, units).await;
        let cpu = settings.cpu;
        let progress = Mutex::new(ReadProgress { permit: Some(slot), overdue: false });
        let slot = Arc::new(ReadSlot { shared: Arc::clone(&self.shared), units, progress });
        let (start, started) = oneshot::channel();
        let held = (ThreadSlot(Arc::clone(&slot)), memory);
        let share = Arc::clone(&self.share);
        let reading = tokio::task::spawn_blocking(move || {
            // Dropped when the read ends, also by a panic. The CPU time is declared last, so that
            // it is counted before the slot is free.
            let (_slot, _memory) = held;
            let _cpu_time = CountedCpu { share, since: cpu_time() };
            // The caller may have been dropped meanwhile.
            let _ = start.send(());
            budget::with(page_budget(bytes, cpu), read)
        });
        let mut caller = WaitingCaller { slot: Some(slot), wall_limit: self.wall_limit() };
        // Waiting for a thread does not count against the document.
        let _ = started.await;
        let read = timeout(self.wall_limit(), reading).await;
        let slot = caller.slot.take();
        match read {
            Ok(Ok(reading)) => reading.map_err(ReadFailure::from),
            Ok(Err(error)) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The process is shutting down.
                Err(_) => std::future::pending().await,
            },
            Err(_) => {
                if let Some(slot) = slot {
                    slot.abandon();
                }
                Err(ReadFailure::Overdue)
            }
        }
    }
}

/// The memory permits of a document of this many bytes.
fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(MEMORY_UNIT)).unwrap_or(u32::MAX)
}

/// Adds the CPU time of this thread to a share on drop.
struct CountedCpu {
    share: Arc<CpuShare>,
    since: Duration,
}

impl Drop for CountedCpu {
    fn drop(&mut self) {
        self.share.add(cpu_time().saturating_sub(self.since));
    }
}

/// The budget of a document of this many bytes, with a checkpoint for the CPU time of this thread
/// from now on.
#[must_use]
pub fn page_budget(bytes: usize, cpu: Duration) -> PageBudget {
    let end = cpu_time() + cpu;
    PageBudget::for_page(bytes).with_checkpoint(move || cpu_time() > end)
}

/// CPU time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}

/// The slot of a read: released by the reading thread, or by the wall clock if the thread does not
/// return. Dropping the caller releases nothing, and its clock keeps running.
struct ReadSlot {
    shared: Arc<ExecutorShared>,
    /// Memory permits of the read.
    units: u32,
    progress: Mutex<ReadProgress>,
}

/// Whether a read is running, overdue or has ended.
struct ReadProgress {
    /// `None` once the read is overdue or has ended.
    permit: Option<SlotPermit>,
    /// It is counted as overdue.
    overdue: bool,
}

impl ReadSlot {
    /// Releases the slot of an overdue read, unless it has ended meanwhile. Its thread continues,
    /// but other documents must be read.
    fn abandon(&self) {
        let mut progress = self.progress.lock();
        if progress.permit.take().is_some() {
            progress.overdue = true;
            metrics::counter!("trawl_overdue_pages_total").increment(1);
            self.shared.overdue.send_modify(|overdue| {
                overdue.threads += 1;
                overdue.units += self.units;
            });
        }
    }

    /// Releases the slot of a read that has ended.
    fn end(&self) {
        let mut progress = self.progress.lock();
        progress.permit = None;
        if std::mem::take(&mut progress.overdue) {
            self.shared.overdue.send_modify(|overdue| {
                overdue.threads -= 1;
                overdue.units -= self.units;
            });
        }
    }
}

/// The waiting caller of a read, which starts a clock task if it is dropped.
struct WaitingCaller {
    slot: Option<Arc<ReadSlot>>,
    wall_limit: Duration,
}

impl Drop for WaitingCaller {
    fn drop(&mut self) {
        // Without a runtime the process is shutting down.
        if let (Some(slot), Ok(runtime)) = (self.slot.take(), Handle::try_current()) {
            let wall_limit = self.wall_limit;
            runtime.spawn(async move {
                sleep(wall_limit).await;
                slot.abandon();
            });
        }
    }
}

/// The slot as held by the reading thread.
struct ThreadSlot(Arc<ReadSlot>);

impl Drop for ThreadSlot {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests;
