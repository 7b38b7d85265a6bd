//! Browsers, one for each account: a browser process never serves pages of two accounts.
//!
//! There are at most as many processes as pages are shown at a time, so that a page that has its
//! turn always gets one: a browser of its account, a free place, or the place of an idle browser
//! of another account, which is ended first.
//!
//! All browsers together have one budget of memory and one of CPU time. Above the first, the
//! largest browser is ended. When the second is used up, no further page begins; when as much
//! again was used, the browser that used most of it lately is ended.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use super::RenderSettings;
use super::browser::{Browser, Lease, StartError};
use super::cpu_budget::{CpuBudget, CpuStand};
use super::process_group::members_of;
use net::{FetchError, HttpFetch, RenderFault};

/// How long a browser that did not start is left alone, at first and at most.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// How often browsers that ended or are idle are looked for.
const REAP: Duration = Duration::from_secs(1);

/// How often memory and CPU time are looked at. A page takes some gigabytes a second at most.
const LOOK: Duration = Duration::from_millis(250);

/// How long the wait for a free place is before idle browsers are looked for again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The account that pages are fetched for.
type Account = Option<Arc<str>>;

/// The browser of an account. The lock is held while it is started.
type Slot = Arc<tokio::sync::Mutex<SlotState>>;

#[derive(Debug, Default)]
struct SlotState {
    browser: Option<Arc<Browser>>,
    /// Why the last one did not start.
    failure: Option<StartFailure>,
}

/// The browsers of a renderer.
#[derive(Debug)]
pub(crate) struct Pool {
    chromium: PathBuf,
    settings: Arc<RenderSettings>,
    http: HttpFetch,
    slots: Mutex<HashMap<Account, Slot>>,
    /// Every browser that was started, also those that are in no slot any more.
    running: Mutex<Vec<Weak<Browser>>>,
    /// One permit for each browser process group that may exist.
    processes: Arc<Semaphore>,
    cpu: Mutex<CpuBudget>,
    /// The CPU budget is used up.
    out_of_cpu: AtomicBool,
    /// Why no browser at all can start on this machine.
    failure: Mutex<Option<StartFailure>>,
    pub(crate) starts: AtomicU64,
    pub(crate) failed_starts: AtomicU64,
    /// Failed starts in a row.
    failing: AtomicU64,
    supervised: AtomicBool,
}

#[derive(Debug)]
struct StartFailure {
    why: String,
    wait: Duration,
    until: Instant,
}

impl StartFailure {
    /// One more failure after `before`: the wait doubles.
    fn after(before: Option<&Self>, why: String) -> Self {
        let wait = before.map_or(BACK_OFF.0, |failure| BACK_OFF.1.min(failure.wait * 2));
        Self { why, wait, until: Instant::now() + wait }
    }

    /// Refuses to try again too early.
    fn check(failure: Option<&Self>) -> Result<(), FetchError> {
        match failure.filter(|failure| Instant::now() < failure.until) {
            Some(failure) => Err(RenderFault::Unavailable(failure.why.clone()).into()),
            None => Ok(()),
        }
    }
}

impl Pool {
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
            failing: AtomicU64::new(0),
            supervised: AtomicBool::new(false),
        }
    }

    /// Whether the last browser that was to be started did start.
    pub(crate) fn is_healthy(&self) -> bool {
        self.failing.load(Ordering::Relaxed) == 0
    }

    /// The browser of an account, for one page; it is started if there is none that is fit.
    pub(crate) async fn lease(self: &Arc<Self>, account: &Account) -> Result<Lease, FetchError> {
        while self.out_of_cpu.load(Ordering::Relaxed) {
            sleep(LOOK).await;
        }
        let slot = Arc::clone(self.slots().entry(account.clone()).or_default());
        let mut place = slot.lock().await;
        if let Some(browser) = place.browser.as_ref().filter(|browser| browser.is_fit()) {
            return Ok(Lease::new(browser));
        }
        if let Some(unfit) = &place.browser {
            // An account never has two browser processes.
            unfit.until_idle().await;
        }
        if let Some(unfit) = place.browser.take() {
            discard(unfit).await;
        }
        StartFailure::check(locked(&self.failure).as_ref())?;
        StartFailure::check(place.failure.as_ref())?;
        let process = self.process().await;
        match Browser::start(&self.chromium, &self.settings, &self.http, process).await {
            Ok(browser) => {
                self.starts.fetch_add(1, Ordering::Relaxed);
                self.failing.store(0, Ordering::Relaxed);
                *locked(&self.failure) = None;
                place.failure = None;
                let lease = Lease::new(&browser);
                locked(&self.running).push(Arc::downgrade(&browser));
                place.browser = Some(browser);
                self.supervise();
                Ok(lease)
            }
            Err(error) => {
                self.failed_starts.fetch_add(1, Ordering::Relaxed);
                self.failing.fetch_add(1, Ordering::Relaxed);
                let why = match error {
                    StartError::Installation(why) => {
                        let mut failure = locked(&self.failure);
                        *failure = Some(StartFailure::after(failure.as_ref(), why.clone()));
                        why
                    }
                    // Pages of other accounts may keep the machine busy: no reason to refuse all.
                    StartError::Start(why) => {
                        let before = place.failure.as_ref();
                        place.failure = Some(StartFailure::after(before, why.clone()));
                        self.supervise();
                        why
                    }
                };
                tracing::warn!(why, "Chromium does not start");
                Err(RenderFault::Unavailable(why).into())
            }
        }
    }

    /// Every browser that runs.
    pub(crate) fn running(&self) -> Vec<Arc<Browser>> {
        let mut running = locked(&self.running);
        running.retain(|browser| browser.strong_count() > 0);
        let browsers = running.iter().filter_map(Weak::upgrade);
        browsers.filter(|browser| browser.is_alive()).collect()
    }

    /// The memory of all their processes, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let leaders = self.running().iter().map(|browser| browser.process_id()).collect();
        members_of(&leaders).values().flatten().map(|member| member.memory).sum()
    }

    /// A place for one more browser process.
    async fn process(&self) -> OwnedSemaphorePermit {
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
            if let Ok(Ok(permit)) = timeout(LOOK_AGAIN, next).await {
                return permit;
            }
        }
    }

    /// Takes the longest unused of the browsers that `wanted` accepts out of its slot. A slot that
    /// is locked is being served, and left alone.
    fn take(&self, wanted: impl Fn(&Browser) -> bool) -> Option<Arc<Browser>> {
        let slots = self.slots();
        let found = slots.values().filter_map(|slot| {
            let place = slot.try_lock().ok()?;
            let browser = place.browser.as_ref().filter(|browser| wanted(browser))?;
            Some((browser.last_used(), slot))
        });
        let (_, slot) = found.min_by_key(|(used, _)| *used)?;
        let mut place = slot.try_lock().ok()?;
        place.browser.take_if(|browser| wanted(browser))
    }

    /// Ends browsers that are no longer used or take too much, from now on.
    fn supervise(self: &Arc<Self>) {
        if !self.supervised.swap(true, Ordering::Relaxed) {
            tokio::spawn(reap(Arc::downgrade(self)));
            tokio::spawn(bound(Arc::downgrade(self)));
        }
    }

    fn take_unused(&self) -> Option<Arc<Browser>> {
        let idle = self.settings.browser_idle;
        let unused = self.take(|browser| {
            browser.is_idle() && (!browser.is_fit() || browser.last_used().elapsed() >= idle)
        });
        if unused.is_none() {
            // Accounts without a browser, without a page that waits for one and without a failure
            // that makes the next wait longer.
            self.slots().retain(|_, slot| {
                let is_used = |place: &SlotState| {
                    let is_fresh =
                        |failure: &StartFailure| Instant::now() < failure.until + BACK_OFF.1;
                    place.browser.is_some() || place.failure.as_ref().is_some_and(is_fresh)
                };
                Arc::strong_count(slot) > 1 || slot.try_lock().map_or(true, |it| is_used(&it))
            });
        }
        unused
    }

    /// Ends what takes too much. Reading `/proc` takes a few milliseconds of a thread.
    fn bound_resources(&self) {
        let browsers = self.running();
        let now = std::time::Instant::now();
        let mut memory = vec![0; browsers.len()];
        let mut used = Duration::ZERO;
        if browsers.iter().any(|browser| browser.is_at_work()) {
            let leaders: HashSet<u32> = browsers.iter().map(|it| it.process_id()).collect();
            let groups = members_of(&leaders);
            for (browser, memory) in browsers.iter().zip(&mut memory) {
                let members = groups.get(&browser.process_id()).map_or(&[][..], Vec::as_slice);
                let taken = browser.measure(members);
                *memory = taken.0;
                used += taken.1;
            }
        }
        if let Some(largest) = over_limit(&memory, self.settings.browser_memory) {
            browsers[largest].end_over_limit(
                "the browsers take more memory than browser_memory allows, and this one most",
            );
        }
        let mut cpu = locked(&self.cpu);
        let stand = cpu.charge(used, now);
        self.out_of_cpu.store(stand == CpuStand::UsedUp, Ordering::Relaxed);
        if stand == CpuStand::Exceeded {
            cpu.refill();
            let most = browsers.iter().max_by(|a, b| a.recent_cpu().total_cmp(&b.recent_cpu()));
            if let Some(browser) = most {
                browser.end_over_limit(
                    "the browsers take more CPU time than browser_cpus allows, and this one most",
                );
            }
        }
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<Account, Slot>> {
        locked(&self.slots)
    }
}

/// The browser that takes most memory, where all together take more than `limit`.
fn over_limit(memory: &[u64], limit: u64) -> Option<usize> {
    let all: u64 = memory.iter().sum();
    let largest = memory.iter().enumerate().max_by_key(|(_, bytes)| **bytes)?;
    (all > limit).then_some(largest.0)
}

async fn reap(pool: Weak<Pool>) {
    loop {
        sleep(REAP).await;
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

async fn bound(pool: Weak<Pool>) {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        look.tick().await;
        let Some(pool) = pool.upgrade() else { return };
        let _ = tokio::task::spawn_blocking(move || pool.bound_resources()).await;
    }
}

/// Ends a browser that shows no page. Waits until its processes are gone, on a thread that may
/// wait.
async fn discard(browser: Arc<Browser>) {
    let _ = tokio::task::spawn_blocking(move || browser.tear_down()).await;
}

/// Nothing here can be left half done by a panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_browser_gives_way_although_each_is_small() {
        assert_eq!(over_limit(&[600, 700, 500], 2_000), None);
        assert_eq!(over_limit(&[600, 700, 800], 2_000), Some(2));
        assert_eq!(over_limit(&[2_001], 2_000), Some(0));
        assert_eq!(over_limit(&[], 0), None);
    }

    #[test]
    fn each_failure_in_a_row_doubles_the_wait() {
        let first = StartFailure::after(None, "slow".to_owned());
        let second = StartFailure::after(Some(&first), "slow".to_owned());
        assert_eq!((first.wait, second.wait), (BACK_OFF.0, 2 * BACK_OFF.0));
        assert!(StartFailure::check(Some(&first)).is_err() && StartFailure::check(None).is_ok());
    }
}
