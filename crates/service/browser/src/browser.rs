//! A running Chromium: its processes, its pipe, its proxy and its profile, which all
//! end together.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::RenderSettings;
use super::browser_user::{self, BrowserUser};
use super::command_line;
use super::contexts::Contexts;
use super::cpu_budget::CpuMeter;
use super::guard_proxy::GuardProxy;
use super::pipe::{Event, Pipe};
use super::process_group::{Member, ProcessGroup};
use super::profile::{self, Profile};
use net::HttpFetch;
use runtime::InFlight;

/// How often contexts that are not used are looked for.
const SWEEP: Duration = Duration::from_millis(250);

/// For how long after its last page a browser is still looked after: tabs take a moment to close.
const CALMING: Duration = Duration::from_secs(30);

/// How much of what Chromium complains about is kept.
const COMPLAINTS: usize = 4 * 1024;

/// What stands before the complaint of a Chromium that cannot make its sandbox.
const NO_USABLE_SANDBOX: &str = "Chromium's sandbox does not work here: allow unprivileged user \
    namespaces (kernel.unprivileged_userns_clone = 1, kernel.apparmor_restrict_unprivileged_userns \
    = 0; in a container a seccomp profile that permits them), or set TRAWL_CHROMIUM_NO_SANDBOX=1 to \
    do without it; ";

/// Why a browser does not start.
#[derive(Debug)]
pub(crate) enum StartError {
    /// Something is wrong with this machine, for every account.
    Installation(String),
    /// This one did not come up: it was too slow, or ended.
    Start(String),
}

/// A browser; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Browser {
    pub(crate) pipe: Pipe,
    pub(crate) proxy: GuardProxy,
    pub(crate) contexts: Contexts,
    group: ProcessGroup,
    pages: AtomicU32,
    /// Leases that are held now.
    leases: AtomicUsize,
    /// Wakes who waits for its last page.
    freed: Notify,
    last_used: Mutex<Instant>,
    ended: AtomicBool,
    /// It was ended because the browsers took more memory or CPU time than they may.
    over_limit: AtomicBool,
    cpu: Mutex<CpuMeter>,
    pub(crate) settings: Arc<RenderSettings>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    remains: Mutex<Option<Remains>>,
    _counted: InFlight,
}

/// What is left to do away with when a browser ends. Dropping it waits until the processes are
/// gone, because the profile can be deleted only when none of them writes to it any more.
#[derive(Debug)]
struct Remains {
    group: ProcessGroup,
    child: Child,
    _profile: Profile,
    /// Released last, when processes and profile are gone.
    _process: OwnedSemaphorePermit,
}

impl Drop for Remains {
    fn drop(&mut self) {
        self.group.end_and_wait();
        let _ = self.child.try_wait();
    }
}

/// A browser for one page; it is not idle until this is dropped.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Browser>);

impl Lease {
    pub(crate) fn new(browser: &Arc<Browser>) -> Self {
        browser.leases.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(browser))
    }

    pub(crate) fn browser(&self) -> &Arc<Browser> {
        &self.0
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        *self.0.last_used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        if self.0.leases.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.freed.notify_waiters();
        }
    }
}

impl Browser {
    /// Starts one. The error says why there is none.
    pub(crate) async fn start(
        chromium: &Path,
        settings: &Arc<RenderSettings>,
        http: &HttpFetch,
        process: OwnedSemaphorePermit,
    ) -> Result<Arc<Self>, StartError> {
        let starting = Self::launch(chromium, settings, http, process);
        match timeout(settings.start, starting).await {
            Ok(started) => started,
            Err(_) => {
                let late = format!("no answer within {:?} of its start", settings.start);
                Err(StartError::Start(late))
            }
        }
    }

    async fn launch(
        chromium: &Path,
        settings: &Arc<RenderSettings>,
        http: &HttpFetch,
        process: OwnedSemaphorePermit,
    ) -> Result<Arc<Self>, StartError> {
        let user = browser_user::find(&settings.user).map_err(StartError::Installation)?;
        if settings.no_sandbox {
            tracing::warn!("{}", super::NO_SANDBOX);
        }
        let proxy = GuardProxy::start(http.connector().clone(), http.settings())
            .await
            .map_err(|error| StartError::Start(format!("no proxy: {error}")))?;
        let making = Arc::clone(settings);
        // Deleting the profiles of killed servers takes a while.
        let profile = spawn_blocking(move || make_profile(&making, user))
            .await
            .unwrap_or_else(|_| Err("making its profile failed".to_owned()))
            .map_err(StartError::Installation)?;
        let user_agent = &http.settings().user_agent;
        let mut child =
            command_line::command(chromium, settings, &profile, user, proxy.address(), user_agent)
                .spawn()
                .map_err(|error| format!("{}: {error}", chromium.display()))
                .map_err(StartError::Installation)?;
        let (Some(input), Some(output), Some(complaints), Some(group)) = (
            child.stdin.take(),
            child.stdout.take(),
            child.stderr.take(),
            child.id().and_then(ProcessGroup::led_by),
        ) else {
            return Err(StartError::Start("it ended at once".to_owned()));
        };
        // The longest answer is a page, and JSON spells a byte with six at worst.
        let longest = http.settings().body_bytes.saturating_mul(6).saturating_add(1 << 20);
        let (pipe, carry) = Pipe::new(input, output, settings.reply, longest);
        let said = Arc::new(Mutex::new(Vec::new()));
        let tasks = vec![tokio::spawn(carry), tokio::spawn(hear(complaints, Arc::clone(&said)))];
        let contexts = Contexts::new(pipe.clone(), settings);
        let remains = Remains { group, child, _profile: profile, _process: process };
        let browser = Arc::new(Self {
            pipe,
            proxy,
            contexts,
            group,
            pages: AtomicU32::new(0),
            leases: AtomicUsize::new(0),
            freed: Notify::new(),
            last_used: Mutex::new(Instant::now()),
            ended: AtomicBool::new(false),
            over_limit: AtomicBool::new(false),
            cpu: Mutex::default(),
            settings: Arc::clone(settings),
            tasks: Mutex::new(tasks),
            remains: Mutex::new(Some(remains)),
            _counted: InFlight::new("trawl_browsers"),
        });
        browser.greet().await.map_err(|error| {
            let said = said.lock().unwrap_or_else(PoisonError::into_inner);
            let said = String::from_utf8_lossy(&said);
            let said = said.trim();
            if said.contains("No usable sandbox") {
                let why = format!("{NO_USABLE_SANDBOX}{error}; it said: {said}");
                return StartError::Installation(why);
            }
            StartError::Start(format!("{error}; it said: {said}"))
        })?;
        Ok(browser)
    }

    /// Waits until it answers, and looks after it from then on.
    async fn greet(self: &Arc<Self>) -> Result<(), String> {
        let answer = self.pipe.begin("", "Browser.getVersion", json!({})).await;
        answer.map_err(|error| error.to_string())?;
        let events = self.pipe.listen("");
        // Windows that pages open, and workers that would outlive them.
        let filter = json!([
            {"type": "page"}, {"type": "service_worker"}, {"type": "shared_worker"},
            {"exclude": true},
        ]);
        let watch = json!({"discover": true, "filter": filter});
        let heard = self.pipe.begin("", "Target.setDiscoverTargets", watch).await;
        heard.map_err(|error| error.to_string())?;
        let attendant = tokio::spawn(attend(Arc::downgrade(self), events));
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(attendant);
        Ok(())
    }

    /// Whether another page may be shown in it. One that has shown its pages is replaced when none
    /// is open, so that an account has one browser process at a time; after twice as many pages it
    /// takes no further one until then.
    pub(crate) fn is_fit(&self) -> bool {
        let pages = self.pages.load(Ordering::Relaxed);
        let most = self.settings.browser_pages;
        let is_worn = pages >= most && (self.is_idle() || pages >= most.saturating_mul(2));
        !is_worn && self.is_alive()
    }

    /// Whether it runs: it was not ended, and answers.
    pub(crate) fn is_alive(&self) -> bool {
        !self.ended.load(Ordering::Relaxed) && !self.pipe.is_closed()
    }

    /// Ends it at once, with all of its pages.
    pub(crate) fn end(&self, why: &str) {
        tracing::warn!(why, "ending the browser");
        self.ended.store(true, Ordering::Relaxed);
        // Once its processes were waited for, the number of their group may be another's.
        if self.remains.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            self.group.end();
        }
    }

    /// Ends it because the browsers together take more than they may.
    pub(crate) fn end_over_limit(&self, why: &str) {
        self.over_limit.store(true, Ordering::Relaxed);
        self.end(why);
    }

    /// Ends it and waits until its processes and its profile are gone. Not on the runtime.
    pub(crate) fn tear_down(&self) {
        self.ended.store(true, Ordering::Relaxed);
        let remains = self.remains.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(remains);
    }

    /// One more page.
    pub(crate) fn count_page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.group.leader()
    }

    /// Whether no page is shown in it.
    pub(crate) fn is_idle(&self) -> bool {
        self.leases.load(Ordering::Acquire) == 0
    }

    /// Waits until no page is shown in it.
    pub(crate) async fn until_idle(&self) {
        loop {
            // Made before the look: what happens in between wakes it as well.
            let freed = self.freed.notified();
            if self.is_idle() {
                return;
            }
            freed.await;
        }
    }

    /// Whether its pages, or what they leave behind, may take memory and CPU time.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.is_idle() || self.last_used().elapsed() < CALMING
    }

    /// When its last page was done, or it started.
    pub(crate) fn last_used(&self) -> Instant {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was ended because it took too much.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.over_limit.load(Ordering::Relaxed)
    }

    /// Ends the processes of pages that take too much. The memory in bytes that the others take, and
    /// the CPU time that all took since the last look.
    pub(crate) fn measure(&self, members: &[Member]) -> (u64, Duration) {
        let mut memory = 0;
        for member in members {
            if member.shows_pages && member.memory > self.settings.page_memory {
                tracing::info!(bytes = member.memory, "ending the process of a page");
                member.end();
            } else {
                memory += member.memory;
            }
        }
        let times = members.iter().map(|member| (member.id(), member.cpu)).collect();
        (memory, self.cpu.lock().unwrap_or_else(PoisonError::into_inner).used(times))
    }

    /// Seconds of CPU time that it took lately.
    pub(crate) fn recent_cpu(&self) -> f64 {
        self.cpu.lock().unwrap_or_else(PoisonError::into_inner).recent()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        for task in self.tasks.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
        let remains = self.remains.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(remains) = remains else { return };
        self.group.end();
        match Handle::try_current() {
            // Waiting and deleting would hold up the runtime. One that shuts down waits for it, or
            // drops it here and now.
            Ok(runtime) => drop(runtime.spawn_blocking(move || drop(remains))),
            Err(_) => drop(remains),
        }
    }
}

/// A fresh profile that the browser's user can reach.
fn make_profile(settings: &RenderSettings, user: Option<BrowserUser>) -> Result<Profile, String> {
    let scratch = settings.profiles();
    let profile = Profile::create(&scratch, user)
        .map_err(|error| format!("no profile in {}: {error}", scratch.display()))?;
    match user.and_then(|user| profile::barrier(&scratch, user)) {
        Some(closed) => Err(format!(
            "Chromium runs as the user {}, who cannot enter {}: set chromium_profiles to a folder \
             that this user can enter",
            settings.user,
            closed.display()
        )),
        None => Ok(profile),
    }
}

/// Keeps the last of what it says, to be told when it does not start.
async fn hear(mut complaints: impl AsyncRead + Unpin, said: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = [0; 1024];
    while let Ok(length @ 1..) = complaints.read(&mut chunk).await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.extend_from_slice(&chunk[..length]);
        let excess = said.len().saturating_sub(COMPLAINTS);
        said.drain(..excess);
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetCreated {
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    opener_id: Option<String>,
}

/// Closes what pages open beside themselves, and contexts that are not used.
async fn attend(browser: Weak<Browser>, mut events: mpsc::Receiver<Event>) {
    let mut look = interval(SWEEP);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            _ = look.tick() => {
                let Some(browser) = browser.upgrade() else { return };
                browser.contexts.sweep();
                continue;
            }
        };
        let (Some(event), Some(browser)) = (event, browser.upgrade()) else { return };
        if event.method != "Target.targetCreated" {
            continue;
        }
        let Some(TargetCreated { target_info: target }) = event.read() else { continue };
        if target.kind != "page" || target.opener_id.is_some() {
            let params = json!({"targetId": target.target_id});
            browser.pipe.send("", "Target.closeTarget", params);
        }
    }
}
