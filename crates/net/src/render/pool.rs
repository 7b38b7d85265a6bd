//! Browsers, one for each account: a browser process never serves pages of two accounts.
//!
//! There are at most as many processes as pages are shown at a time, so that a page that has its
//! turn always gets one: a browser of its account, a free place, or the place of an idle browser
//! of another account, which is ended first.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};

use super::RenderSettings;
use super::browser::{Browser, Lease};
use crate::{FetchError, HttpFetch, RenderFault};

/// How long a browser that did not start is left alone, at first and at most.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// How often browsers that ended or are idle are looked for.
const REAP: Duration = Duration::from_secs(1);

/// How long the wait for a free place is before idle browsers are looked for again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The account that pages are fetched for.
type Account = Option<Arc<str>>;

/// The browser of an account. The lock is held while it is started.
type Slot = Arc<tokio::sync::Mutex<Option<Arc<Browser>>>>;

/// The browsers of a renderer.
#[derive(Debug)]
pub(crate) struct Pool {
    chromium: PathBuf,
    settings: Arc<RenderSettings>,
    http: HttpFetch,
    slots: Mutex<HashMap<Account, Slot>>,
    /// One permit for each browser process group that may exist.
    processes: Arc<Semaphore>,
    failure: Mutex<Option<StartFailure>>,
    pub(crate) starts: AtomicU64,
    pub(crate) failed_starts: AtomicU64,
    /// Failed starts in a row.
    failing: AtomicU64,
    reaping: AtomicBool,
}

#[derive(Debug)]
struct StartFailure {
    why: String,
    wait: Duration,
    until: Instant,
}

impl Pool {
    pub(crate) fn new(chromium: PathBuf, settings: Arc<RenderSettings>, http: HttpFetch) -> Self {
        Self {
            chromium,
            http,
            slots: Mutex::default(),
            processes: Arc::new(Semaphore::new(settings.tabs.max(1))),
            settings,
            failure: Mutex::default(),
            starts: AtomicU64::new(0),
            failed_starts: AtomicU64::new(0),
            failing: AtomicU64::new(0),
            reaping: AtomicBool::new(false),
        }
    }

    /// Whether the last browser that was to be started did start.
    pub(crate) fn is_healthy(&self) -> bool {
        self.failing.load(Ordering::Relaxed) == 0
    }

    /// The browser of an account, for one page; it is started if there is none that is fit.
    pub(crate) async fn lease(self: &Arc<Self>, account: &Account) -> Result<Lease, FetchError> {
        let slot = Arc::clone(self.slots().entry(account.clone()).or_default());
        let mut place = slot.lock().await;
        if let Some(browser) = place.as_ref().filter(|browser| browser.is_fit()) {
            return Ok(Lease::new(browser));
        }
        if let Some(unfit) = place.take() {
            // With pages in it, it lives on until the last of them is done.
            discard(unfit).await;
        }
        if let Some(failure) = &*locked(&self.failure)
            && Instant::now() < failure.until
        {
            return Err(RenderFault::Unavailable(failure.why.clone()).into());
        }
        let process = self.process().await;
        match Browser::start(&self.chromium, &self.settings, &self.http, process).await {
            Ok(browser) => {
                self.starts.fetch_add(1, Ordering::Relaxed);
                self.failing.store(0, Ordering::Relaxed);
                *locked(&self.failure) = None;
                let lease = Lease::new(&browser);
                *place = Some(browser);
                self.reap();
                Ok(lease)
            }
            Err(why) => {
                tracing::warn!(why, "Chromium does not start");
                self.failed_starts.fetch_add(1, Ordering::Relaxed);
                self.failing.fetch_add(1, Ordering::Relaxed);
                let mut failure = locked(&self.failure);
                let before = failure.as_ref();
                let wait = before.map_or(BACK_OFF.0, |failure| BACK_OFF.1.min(failure.wait * 2));
                let until = Instant::now() + wait;
                *failure = Some(StartFailure { why: why.clone(), wait, until });
                Err(RenderFault::Unavailable(why).into())
            }
        }
    }

    /// Every browser there is.
    pub(crate) fn browsers(&self) -> Vec<Arc<Browser>> {
        let slots: Vec<Slot> = self.slots().values().cloned().collect();
        slots.iter().filter_map(|slot| slot.try_lock().ok()?.clone()).collect()
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
            let browser = place.as_ref().filter(|browser| wanted(browser))?;
            Some((browser.last_used(), slot))
        });
        let (_, slot) = found.min_by_key(|(used, _)| *used)?;
        let mut place = slot.try_lock().ok()?;
        place.take_if(|browser| wanted(browser))
    }

    /// Ends browsers that are no longer used, from now on.
    fn reap(self: &Arc<Self>) {
        if !self.reaping.swap(true, Ordering::Relaxed) {
            tokio::spawn(reap(Arc::downgrade(self)));
        }
    }

    fn take_unused(&self) -> Option<Arc<Browser>> {
        let idle = self.settings.browser_idle;
        let unused = self.take(|browser| {
            browser.is_idle() && (!browser.is_fit() || browser.last_used().elapsed() >= idle)
        });
        if unused.is_none() {
            // Accounts without a browser, and without a page that waits for one.
            self.slots().retain(|_, slot| {
                Arc::strong_count(slot) > 1 || slot.try_lock().map_or(true, |it| it.is_some())
            });
        }
        unused
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<Account, Slot>> {
        locked(&self.slots)
    }
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

/// Ends a browser, unless pages are still shown in it. Waits until its processes are gone, on a
/// thread that may wait.
async fn discard(browser: Arc<Browser>) {
    let _ = tokio::task::spawn_blocking(move || drop(browser)).await;
}

/// Nothing here can be left half done by a panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
