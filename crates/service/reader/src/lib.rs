//! Runs readers of untrusted documents off the async runtime.
//!
//! Pages, sitemaps and robots.txt files of strangers decide how long their reading takes. A
//! [`ReadExecutor`] therefore runs each reading on a blocking thread, under a budget of steps,
//! bytes and CPU time (`html::budget`), and limits how many readings run at a time and how
//! many bytes they read. Runs and estimates of a node share one executor, and accounts take turns
//! by the CPU time that their documents took (`places`).
//!
//! A reading that passes no checkpoint is given up by the clock: the caller gets
//! [`ReadFailure::Overdue`] and its place is free again. Its thread ends when the reading ends;
//! until then its bytes stay counted. Threads cannot be ended from outside: where overdue readings
//! take too much for others, [`ReadExecutor::overloaded`] returns, and the process has to restart.

mod places;

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use html::budget::{self, Exhausted, PageBudget};
use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

use places::{CpuShare, PlacePermit, Places};

/// How many times its CPU budget a reading may take by the clock: the machine may be busy.
const CLOCK_FACTOR: u32 = 10;

/// The shortest time by the clock: a thread may wait for a core longer than it computes.
const CLOCK_MIN: Duration = Duration::from_secs(1);

/// The bytes of one memory permit.
const MEMORY_UNIT: usize = 64 << 10;

/// The limits of all readings.
#[derive(Debug, Clone)]
pub struct ReadSettings {
    /// Readings at a time: more than there are cores gains nothing.
    pub at_a_time: usize,
    /// CPU time of one reading.
    pub cpu: Duration,
    /// Bytes of documents, unpacked, that are read at a time.
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
    /// The reading passed no checkpoint in time.
    #[error("the reading passed no checkpoint in time")]
    Overdue,
}

/// Runs readings within its limits. Cheap to clone; all clones share the limits.
#[derive(Debug, Clone)]
pub struct ReadExecutor {
    shared: Arc<ExecutorShared>,
    /// Of the account whose documents are read.
    share: Arc<CpuShare>,
}

#[derive(Debug)]
struct ExecutorShared {
    settings: ReadSettings,
    places: Arc<Places>,
    overdue: watch::Sender<OverdueReadings>,
}

/// The readings that are overdue and have not ended.
#[derive(Debug, Clone, Copy, Default)]
struct OverdueReadings {
    threads: usize,
    /// Permits for memory that they hold.
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
        let places = Places::new(settings.at_a_time, units(settings.memory));
        let overdue = watch::Sender::new(OverdueReadings::default());
        let shared = Arc::new(ExecutorShared { settings, places, overdue });
        Self { shared, share: Arc::default() }
    }

    /// The same for the documents of one account.
    #[must_use]
    pub fn for_account(&self, account: &str) -> Self {
        let share = self.shared.places.share_of(account);
        Self { share, ..self.clone() }
    }

    /// Readings at a time.
    #[must_use]
    pub fn at_a_time(&self) -> usize {
        self.shared.settings.at_a_time
    }

    /// The readings that are overdue and have not ended.
    #[must_use]
    pub fn overdue(&self) -> usize {
        self.shared.overdue.borrow().threads
    }

    /// Waits until overdue readings take as many threads as there are places, or half of the
    /// memory, for as long as a reading may take. Then too little is left for other documents.
    pub async fn overloaded(&self) {
        let ReadSettings { at_a_time, memory, .. } = self.shared.settings;
        let is_overloaded = move |overdue: &OverdueReadings| {
            overdue.threads >= at_a_time || overdue.units as usize * MEMORY_UNIT > memory / 2
        };
        let mut overdue = self.shared.overdue.subscribe();
        loop {
            let _ = overdue.wait_for(is_overloaded).await;
            // Readings of a machine that was suspended are overdue, and end soon after.
            let relieved =
                async { overdue.wait_for(|overdue| !is_overloaded(overdue)).await.is_ok() };
            if timeout(self.clock(), relieved).await.is_err() {
                return;
            }
        }
    }

    /// How long a reading may take by the clock.
    fn clock(&self) -> Duration {
        (self.shared.settings.cpu * CLOCK_FACTOR).max(CLOCK_MIN)
    }

    /// Runs `read` over a document that unpacks to at most `bytes`, as soon as there is a place
    /// for it. A caller that stops waiting does not stop a reading that has begun.
    ///
    /// # Errors
    /// [`ReadFailure`] when the document is too complex to be read.
    ///
    /// # Panics
    /// When `read` panics.
    pub async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ReadFailure> {
        let ExecutorShared { settings, places, .. } = &*self.shared;
        // Never more than there is: it would wait for ever.
        let units = units(bytes.min(settings.memory)).max(1);
        let (place, memory) = places.acquire(&self.share, units).await;
        let cpu = settings.cpu;
        let progress = Mutex::new(Progress { permit: Some(place), overdue: false });
        let place = Arc::new(Place { shared: Arc::clone(&self.shared), units, progress });
        let (start, started) = oneshot::channel();
        let held = (OnThread(Arc::clone(&place)), memory);
        let share = Arc::clone(&self.share);
        let reading = tokio::task::spawn_blocking(move || {
            // Dropped when the reading ends, also by a panic. The CPU time, which is declared
            // last, is counted before the place is free.
            let (_place, _memory) = held;
            let _cpu_time = CountedCpu { share, since: cpu_time() };
            // The caller may have stopped waiting meanwhile.
            let _ = start.send(());
            budget::with(page_budget(bytes, cpu), read)
        });
        let mut caller = Caller { place: Some(place), clock: self.clock() };
        // The wait for a thread is not the document's fault.
        let _ = started.await;
        let read = timeout(self.clock(), reading).await;
        let place = caller.place.take();
        match read {
            Ok(Ok(reading)) => reading.map_err(ReadFailure::from),
            Ok(Err(error)) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The process is ending.
                Err(_) => std::future::pending().await,
            },
            Err(_) => {
                if let Some(place) = place {
                    place.give_up();
                }
                Err(ReadFailure::Overdue)
            }
        }
    }
}

/// The units of memory for a document of this many bytes.
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

/// The budget of a document of this many bytes, with a checkpoint for CPU time of this thread
/// from now on.
#[must_use]
pub fn page_budget(bytes: usize, cpu: Duration) -> PageBudget {
    let end = cpu_time() + cpu;
    PageBudget::for_page(bytes).with_checkpoint(move || cpu_time() > end)
}

/// The CPU time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}

/// A place among the readings: freed by the thread that reads, or by the clock for a thread
/// that does not come back. A caller that stops waiting frees nothing, and its clock runs on.
struct Place {
    shared: Arc<ExecutorShared>,
    /// Permits for memory that the reading holds.
    units: u32,
    progress: Mutex<Progress>,
}

/// How far a reading is.
struct Progress {
    /// None once the reading is overdue or has ended.
    permit: Option<PlacePermit>,
    /// It is counted as overdue.
    overdue: bool,
}

impl Place {
    /// Frees the place of a reading that is overdue, unless it has ended meanwhile. Its thread
    /// goes on; other documents must be read all the same.
    fn give_up(&self) {
        let mut progress = self.progress();
        if progress.permit.take().is_some() {
            progress.overdue = true;
            metrics::counter!("trawl_overdue_pages_total").increment(1);
            self.shared.overdue.send_modify(|overdue| {
                overdue.threads += 1;
                overdue.units += self.units;
            });
        }
    }

    /// Frees the place of a reading that has ended.
    fn end(&self) {
        let mut progress = self.progress();
        progress.permit = None;
        if std::mem::take(&mut progress.overdue) {
            self.shared.overdue.send_modify(|overdue| {
                overdue.threads -= 1;
                overdue.units -= self.units;
            });
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The caller of a reading, with the place while the caller waits.
struct Caller {
    place: Option<Arc<Place>>,
    clock: Duration,
}

impl Drop for Caller {
    fn drop(&mut self) {
        // Without a runtime the process is ending.
        if let (Some(place), Ok(runtime)) = (self.place.take(), Handle::try_current()) {
            let clock = self.clock;
            runtime.spawn(async move {
                sleep(clock).await;
                place.give_up();
            });
        }
    }
}

/// The place as the thread holds it that reads.
struct OnThread(Arc<Place>);

impl Drop for OnThread {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests;
