//! The browser pool: one browser per account. A browser process never serves two accounts.
//!
//! There are at most as many browsers as tabs, so that a page with a tab permit always gets one: the
//! browser of its account, a new one, or a new one after an idle browser of another account was
//! killed.
//!
//! All browsers share one memory budget and one CPU budget. Above the memory budget the largest
//! browser is killed. When the CPU budget is used up, no further page starts; when it is overdrawn by
//! as much again, the browser with the highest recent CPU use is killed.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use super::RenderSettings;
use super::browser::{Browser, BrowserLease, StartError};
use super::cpu_budget::{CpuBudget, CpuBudgetState};
use super::process_group::members_of;
use net::{FetchResult, HttpFetch, RenderFault};

/// First and longest wait after a failed start.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Interval of the search for dead and idle browsers.
const REAP_INTERVAL: Duration = Duration::from_secs(1);

/// Interval of measuring memory and CPU time. A page can allocate some gigabytes per second.
const MEASURE_INTERVAL: Duration = Duration::from_millis(250);

/// Wait for a process permit before idle browsers are searched again.
const IDLE_RECHECK: Duration = Duration::from_millis(50);

/// The isolation key of a request, usually the account.
type IsolationKey = Option<Arc<str>>;

/// The browser of an account, locked while it starts.
type AccountSlot = Arc<tokio::sync::Mutex<SlotState>>;

#[derive(Debug, Default)]
struct SlotState {
    browser: Option<Arc<Browser>>,
    /// Failure of the last start.
    failure: Option<StartFailure>,
}

/// All browsers of a renderer.
#[derive(Debug)]
pub(crate) struct BrowserPool {
    chromium: PathBuf,
    settings: Arc<RenderSettings>,
    http: HttpFetch,
    slots: Mutex<HashMap<IsolationKey, AccountSlot>>,
    /// Every started browser, also those that were removed from their slot.
    running: Mutex<Vec<Weak<Browser>>>,
    /// One permit per browser process group.
    processes: Arc<Semaphore>,
    cpu: Mutex<CpuBudget>,
    /// Whether the CPU budget is used up.
    out_of_cpu: AtomicBool,
    /// Failure that affects every account, for example a missing sandbox.
    failure: Mutex<Option<StartFailure>>,
    pub(crate) starts: AtomicU64,
    pub(crate) failed_starts: AtomicU64,
    /// Failed starts since the last success.
    failed_in_a_row: AtomicU64,
    supervised: AtomicBool,
}

#[derive(Debug)]
struct StartFailure {
    why: String,
    wait: Duration,
    until: Instant,
}

impl StartFailure {
    /// The next failure after `before`, with twice its wait.
    fn after(before: Option<&Self>, why: String) -> Self {
        let wait = before.map_or(BACK_OFF.0, |failure| BACK_OFF.1.min(failure.wait * 2));
        Self { why, wait, until: Instant::now() + wait }
    }

    /// Fails while the wait of the last failure lasts.
    fn check(failure: Option<&Self>) -> FetchResult<()> {
        match failure.filter(|failure| Instant::now() < failure.until) {
            Some(failure) => Err(RenderFault::Unavailable(failure.why.clone()).into()),
            None => Ok(()),
        }
    }
}

impl BrowserPool {
    pub(crate) fn new(chromium: PathBuf, settings: Arc<RenderSettings>, http: HttpFetch) -> Self {
        let now = std::time::Instant::now();
        let cpu = CpuBudget::new(settings.browser_cores, settings.browser_cpu_burst, now);
        Self {
            chromium,
            http,
            slots: Mutex::default(),
            running: Mutex::default(),
            processes: Arc::new(Semaphore::new(settings.tabs.max(1))),
            cpu: Mutex::new(cpu),
            out_of_cpu: AtomicBool::new(false),
            settings,
            failure: Mutex::default(),
            starts: AtomicU64::new(0),
            failed_starts: AtomicU64::new(0),
            failed_in_a_row: AtomicU64::new(0),
            supervised: AtomicBool::new(false),
        }
    }

    /// Whether the last start of a browser succeeded.
    pub(crate) fn is_healthy(&self) -> bool {
        self.failed_in_a_row.load(Ordering::Relaxed) == 0
    }

    /// Leases the browser of an account for one page; starts one if there is no usable one.
    pub(crate) async fn lease(
        self: &Arc<Self>,
        account: &IsolationKey,
    ) -> FetchResult<BrowserLease> {
        while self.out_of_cpu.load(Ordering::Relaxed) {
            sleep(MEASURE_INTERVAL).await;
        }
        let slot = Arc::clone(self.slots.lock().entry(account.clone()).or_default());
        let mut state = slot.lock().await;
        if let Some(browser) = state.browser.as_ref().filter(|browser| browser.is_usable()) {
            return Ok(BrowserLease::new(browser));
        }
        if let Some(unusable) = &state.browser {
            // An account has at most one browser process.
            unusable.until_idle().await;
        }
        if let Some(unusable) = state.browser.take() {
            discard(unusable).await;
        }
        StartFailure::check(self.failure.lock().as_ref())?;
        StartFailure::check(state.failure.as_ref())?;
        let process_permit = self.process_permit().await;
        match Browser::start(&self.chromium, &self.settings, &self.http, process_permit).await {
            Ok(browser) => {
                self.starts.fetch_add(1, Ordering::Relaxed);
                self.failed_in_a_row.store(0, Ordering::Relaxed);
                *self.failure.lock() = None;
                state.failure = None;
                let lease = BrowserLease::new(&browser);
                self.running.lock().push(Arc::downgrade(&browser));
                state.browser = Some(browser);
                self.supervise();
                Ok(lease)
            }
            Err(error) => {
                self.failed_starts.fetch_add(1, Ordering::Relaxed);
                self.failed_in_a_row.fetch_add(1, Ordering::Relaxed);
                let why = match error {
                    StartError::Installation(why) => {
                        let mut failure = self.failure.lock();
                        *failure = Some(StartFailure::after(failure.as_ref(), why.clone()));
                        why
                    }
                    // The machine may be busy with other accounts: only this account waits.
                    StartError::Start(why) => {
                        let before = state.failure.as_ref();
                        state.failure = Some(StartFailure::after(before, why.clone()));
                        self.supervise();
                        why
                    }
                };
                tracing::warn!(why, "failed to start Chromium");
                Err(RenderFault::Unavailable(why).into())
            }
        }
    }

    pub(crate) fn running(&self) -> Vec<Arc<Browser>> {
        let mut running = self.running.lock();
        running.retain(|browser| browser.strong_count() > 0);
        let browsers = running.iter().filter_map(Weak::upgrade);
        browsers.filter(|browser| browser.is_alive()).collect()
    }

    /// Memory of all browser processes in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let leaders = self.running().iter().map(|browser| browser.process_id()).collect();
        members_of(&leaders).values().flatten().map(|member| member.memory).sum()
    }

    /// Waits for the permit of one more browser process.
    async fn process_permit(&self) -> OwnedSemaphorePermit {
        loop {
            let free = Arc::clone(&self.processes).try_acquire_owned();
            if let Ok(permit) = free {
                return permit;
            }
            if let Some(idle) = self.take(|browser| browser.is_idle()) {
                discard(idle).await;
                continue;
            }
            let next = Arc::clone(&self.processes).acquire_owned();
            if let Ok(Ok(permit)) = timeout(IDLE_RECHECK, next).await {
                return permit;
            }
        }
    }

    /// Removes from its slot the least recently used browser that `wanted` accepts. A locked slot is
    /// in use and skipped.
    fn take(&self, wanted: impl Fn(&Browser) -> bool) -> Option<Arc<Browser>> {
        let slots = self.slots.lock();
        let found = slots.values().filter_map(|slot| {
            let state = slot.try_lock().ok()?;
            let browser = state.browser.as_ref().filter(|browser| wanted(browser))?;
            Some((browser.last_used(), slot))
        });
        let (_, slot) = found.min_by_key(|(used, _)| *used)?;
        let mut state = slot.try_lock().ok()?;
        state.browser.take_if(|browser| wanted(browser))
    }

    /// Starts the background tasks that kill idle browsers and those over their limits.
    fn supervise(self: &Arc<Self>) {
        if !self.supervised.swap(true, Ordering::Relaxed) {
            tokio::spawn(reap(Arc::downgrade(self)));
            tokio::spawn(enforce_limits(Arc::downgrade(self)));
        }
    }

    fn take_unused(&self) -> Option<Arc<Browser>> {
        let idle = self.settings.browser_idle;
        let unused = self.take(|browser| {
            browser.is_idle() && (!browser.is_usable() || browser.last_used().elapsed() >= idle)
        });
        if unused.is_none() {
            // Remove accounts without a browser, a waiting page or a recent failure.
            self.slots.lock().retain(|_, slot| {
                let is_used = |state: &SlotState| {
                    let is_fresh =
                        |failure: &StartFailure| Instant::now() < failure.until + BACK_OFF.1;
                    state.browser.is_some() || state.failure.as_ref().is_some_and(is_fresh)
                };
                Arc::strong_count(slot) > 1 || slot.try_lock().map_or(true, |it| is_used(&it))
            });
        }
        unused
    }

    /// Kills browsers over their limits. Blocks a few milliseconds to read `/proc`.
    fn enforce_resource_limits(&self) {
        let browsers = self.running();
        let now = std::time::Instant::now();
        let mut memory = vec![0; browsers.len()];
        let mut used = Duration::ZERO;
        if browsers.iter().any(|browser| browser.may_use_resources()) {
            let leaders: HashSet<u32> = browsers.iter().map(|it| it.process_id()).collect();
            let groups = members_of(&leaders);
            for (browser, memory) in browsers.iter().zip(&mut memory) {
                let members = groups.get(&browser.process_id()).map_or(&[][..], Vec::as_slice);
                let taken = browser.measure(members);
                *memory = taken.0;
                used += taken.1;
            }
        }
        if let Some(largest) = largest_over_limit(&memory, self.settings.browser_memory) {
            browsers[largest].kill_over_limit("browsers exceed browser_memory, this one uses most");
        }
        let mut cpu = self.cpu.lock();
        let state = cpu.charge(used, now);
        self.out_of_cpu.store(state == CpuBudgetState::UsedUp, Ordering::Relaxed);
        if state == CpuBudgetState::Exceeded {
            cpu.refill();
            let most = browsers.iter().max_by(|a, b| a.recent_cpu().total_cmp(&b.recent_cpu()));
            if let Some(browser) = most {
                browser.kill_over_limit("browsers exceed browser_cpus, this one used most");
            }
        }
    }
}

/// The index of the largest browser if all together exceed `limit`.
fn largest_over_limit(memory: &[u64], limit: u64) -> Option<usize> {
    let all: u64 = memory.iter().sum();
    let largest = memory.iter().enumerate().max_by_key(|(_, bytes)| **bytes)?;
    (all > limit).then_some(largest.0)
}

async fn reap(pool: Weak<BrowserPool>) {
    loop {
        sleep(REAP_INTERVAL).await;
        loop {
            let Some(pool) = pool.upgrade() else { return };
            let unused = pool.take_unused();
            drop(pool);
            match unused {
                Some(unused) => discard(unused).await,
                None => break,
            }
        }
    }
}

async fn enforce_limits(pool: Weak<BrowserPool>) {
    let mut ticks = interval(MEASURE_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(pool) = pool.upgrade() else { return };
        let _ = tokio::task::spawn_blocking(move || pool.enforce_resource_limits()).await;
    }
}

/// Kills an idle browser and waits, on a blocking thread, until its processes are gone.
async fn discard(browser: Arc<Browser>) {
    let _ = tokio::task::spawn_blocking(move || browser.tear_down()).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_browser_is_chosen_when_the_sum_exceeds_the_limit() {
        assert_eq!(largest_over_limit(&[600, 700, 500], 2_000), None);
        assert_eq!(largest_over_limit(&[600, 700, 800], 2_000), Some(2));
        assert_eq!(largest_over_limit(&[2_001], 2_000), Some(0));
        assert_eq!(largest_over_limit(&[], 0), None);
    }

    #[test]
    fn each_failed_start_doubles_the_wait() {
        let first = StartFailure::after(None, "slow".to_owned());
        let second = StartFailure::after(Some(&first), "slow".to_owned());
        assert_eq!((first.wait, second.wait), (BACK_OFF.0, 2 * BACK_OFF.0));
        assert!(StartFailure::check(Some(&first)).is_err() && StartFailure::check(None).is_ok());
    }
}
