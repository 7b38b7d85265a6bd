//! A running Chromium with its process group, DevTools pipe, guard proxy and profile, which all end
//! together.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
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
use super::pipe::{DevToolsEvent, Pipe};
use super::process_group::{GroupMember, ProcessGroup};
use super::profile::{self, BrowserProfile};
use net::HttpFetch;
use runtime::InFlight;

/// Interval of closing idle contexts.
const SWEEP_INTERVAL: Duration = Duration::from_millis(250);

/// How long a browser is measured after its last page: closing tabs takes a moment.
const COOL_DOWN: Duration = Duration::from_secs(30);

/// Bytes of Chromium's stderr that are kept for the error message.
const STDERR_BYTES: usize = 4 * 1024;

/// Prefix of the error if Chromium cannot create its sandbox.
const NO_USABLE_SANDBOX: &str = "Chromium's sandbox does not work here: allow unprivileged user \
    namespaces (kernel.unprivileged_userns_clone = 1, kernel.apparmor_restrict_unprivileged_userns \
    = 0; in a container a seccomp profile that permits them), or set TRAWL_CHROMIUM_NO_SANDBOX=1 to \
    do without it; ";

/// Why a browser did not start.
#[derive(Debug)]
pub(crate) enum StartError {
    /// A problem of this machine, for every account.
    Installation(String),
    /// This process was too slow, or ended.
    Start(String),
}

/// A browser; dropping it kills its processes.
#[derive(Debug)]
pub(crate) struct Browser {
    pub(crate) pipe: Pipe,
    pub(crate) proxy: GuardProxy,
    pub(crate) contexts: Contexts,
    group: ProcessGroup,
    pages: AtomicU32,
    /// Number of current leases.
    leases: AtomicUsize,
    /// Notifies when the last lease is dropped.
    became_idle: Notify,
    last_used: Mutex<Instant>,
    killed: AtomicBool,
    /// Whether it was killed because of the memory or CPU limit.
    over_limit: AtomicBool,
    cpu: Mutex<CpuMeter>,
    pub(crate) settings: Arc<RenderSettings>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    cleanup: Mutex<Option<BrowserCleanup>>,
    _counted: InFlight,
}

/// Cleanup at the end of a browser. Dropping it waits until the processes are gone, because the
/// profile can be deleted only when none of them writes to it.
#[derive(Debug)]
struct BrowserCleanup {
    group: ProcessGroup,
    child: Child,
    _profile: BrowserProfile,
    /// Released last, after processes and profile are gone.
    _process: OwnedSemaphorePermit,
}

impl Drop for BrowserCleanup {
    fn drop(&mut self) {
        self.group.kill_and_wait();
        let _ = self.child.try_wait();
    }
}

/// A browser in use by one page; it is not idle until this is dropped.
#[derive(Debug)]
pub(crate) struct BrowserLease(Arc<Browser>);

impl BrowserLease {
    pub(crate) fn new(browser: &Arc<Browser>) -> Self {
        browser.leases.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(browser))
    }

    pub(crate) fn browser(&self) -> &Arc<Browser> {
        &self.0
    }
}

impl Drop for BrowserLease {
    fn drop(&mut self) {
        *self.0.last_used.lock() = Instant::now();
        if self.0.leases.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.became_idle.notify_waiters();
        }
    }
}

impl Browser {
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
                let late = format!("no response within {:?} of its start", settings.start);
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
            .map_err(|error| StartError::Start(format!("cannot start the guard proxy: {error}")))?;
        let profile_settings = Arc::clone(settings);
        // On a blocking thread: deletes the profiles of killed servers first.
        let profile = spawn_blocking(move || make_profile(&profile_settings, user))
            .await
            .unwrap_or_else(|_| Err("cannot create its profile".to_owned()))
            .map_err(StartError::Installation)?;
        let user_agent = &http.settings().user_agent;
        let mut child =
            command_line::command(chromium, settings, &profile, user, proxy.address(), user_agent)
                .spawn()
                .map_err(|error| format!("{}: {error}", chromium.display()))
                .map_err(StartError::Installation)?;
        let (Some(input), Some(output), Some(stderr), Some(group)) = (
            child.stdin.take(),
            child.stdout.take(),
            child.stderr.take(),
            child.id().and_then(ProcessGroup::of_leader),
        ) else {
            return Err(StartError::Start("the process ended at once".to_owned()));
        };
        // The largest message is a page; JSON escapes a byte with at most six.
        let max_bytes = http.settings().body_bytes.saturating_mul(6).saturating_add(1 << 20);
        let (pipe, io_task) = Pipe::new(input, output, settings.reply, max_bytes);
        let captured = Arc::new(Mutex::new(Vec::new()));
        let tasks = vec![
            tokio::spawn(io_task),
            tokio::spawn(capture_stderr(stderr, Arc::clone(&captured))),
        ];
        let contexts = Contexts::new(pipe.clone(), settings);
        let cleanup = BrowserCleanup { group, child, _profile: profile, _process: process };
        let browser = Arc::new(Self {
            pipe,
            proxy,
            contexts,
            group,
            pages: AtomicU32::new(0),
            leases: AtomicUsize::new(0),
            became_idle: Notify::new(),
            last_used: Mutex::new(Instant::now()),
            killed: AtomicBool::new(false),
            over_limit: AtomicBool::new(false),
            cpu: Mutex::default(),
            settings: Arc::clone(settings),
            tasks: Mutex::new(tasks),
            cleanup: Mutex::new(Some(cleanup)),
            _counted: InFlight::new("trawl_browsers"),
        });
        browser.initialize().await.map_err(|error| {
            let captured = captured.lock();
            let captured = String::from_utf8_lossy(&captured);
            let captured = captured.trim();
            if captured.contains("No usable sandbox") {
                let why = format!("{NO_USABLE_SANDBOX}{error}; stderr: {captured}");
                return StartError::Installation(why);
            }
            StartError::Start(format!("{error}; stderr: {captured}"))
        })?;
        Ok(browser)
    }

    /// Waits until the browser responds, then starts supervising its targets.
    async fn initialize(self: &Arc<Self>) -> Result<(), String> {
        let version = self.pipe.begin("", "Browser.getVersion", json!({})).await;
        version.map_err(|error| error.to_string())?;
        let events = self.pipe.subscribe("");
        // Pop-ups, and workers that would outlive their page.
        let filter = json!([
            {"type": "page"}, {"type": "service_worker"}, {"type": "shared_worker"},
            {"exclude": true},
        ]);
        let watch = json!({"discover": true, "filter": filter});
        let heard = self.pipe.begin("", "Target.setDiscoverTargets", watch).await;
        heard.map_err(|error| error.to_string())?;
        let supervisor = tokio::spawn(supervise_targets(Arc::downgrade(self), events));
        self.tasks.lock().push(supervisor);
        Ok(())
    }

    /// Whether it may render another page. After `browser_pages` pages it is replaced as soon as it is
    /// idle, so that an account has one browser process at a time; after twice as many it accepts no
    /// page until then.
    pub(crate) fn is_usable(&self) -> bool {
        let pages = self.pages.load(Ordering::Relaxed);
        let most = self.settings.browser_pages;
        let is_worn = pages >= most && (self.is_idle() || pages >= most.saturating_mul(2));
        !is_worn && self.is_alive()
    }

    /// Whether it was not killed and its pipe is open.
    pub(crate) fn is_alive(&self) -> bool {
        !self.killed.load(Ordering::Relaxed) && !self.pipe.is_closed()
    }

    /// Kills it at once, with all of its pages.
    pub(crate) fn kill(&self, why: &str) {
        tracing::warn!(why, "killing browser");
        self.killed.store(true, Ordering::Relaxed);
        // After its processes were reaped, the group id may belong to other processes.
        if self.cleanup.lock().is_some() {
            self.group.kill();
        }
    }

    /// Kills it because the browsers exceed a limit.
    pub(crate) fn kill_over_limit(&self, why: &str) {
        self.over_limit.store(true, Ordering::Relaxed);
        self.kill(why);
    }

    /// Kills it and blocks until its processes and its profile are gone.
    pub(crate) fn tear_down(&self) {
        self.killed.store(true, Ordering::Relaxed);
        let cleanup = self.cleanup.lock().take();
        drop(cleanup);
    }

    pub(crate) fn count_page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.group.leader()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.leases.load(Ordering::Acquire) == 0
    }

    pub(crate) async fn until_idle(&self) {
        loop {
            // Created before the check, so that no notification is lost in between.
            let became_idle = self.became_idle.notified();
            if self.is_idle() {
                return;
            }
            became_idle.await;
        }
    }

    /// Whether open or recently closed pages may use memory and CPU time.
    pub(crate) fn may_use_resources(&self) -> bool {
        !self.is_idle() || self.last_used().elapsed() < COOL_DOWN
    }

    /// End of its last page, or its start.
    pub(crate) fn last_used(&self) -> Instant {
        *self.last_used.lock()
    }

    pub(crate) fn is_over_limit(&self) -> bool {
        self.over_limit.load(Ordering::Relaxed)
    }

    /// Kills renderer processes over `page_memory`. Returns the memory in bytes of the others, and
    /// the CPU time of all since the last call.
    pub(crate) fn measure(&self, members: &[GroupMember]) -> (u64, Duration) {
        let mut memory = 0;
        for member in members {
            if member.is_renderer && member.memory > self.settings.page_memory {
                tracing::info!(
                    bytes = member.memory,
                    "killing renderer process over page memory limit"
                );
                member.kill();
            } else {
                memory += member.memory;
            }
        }
        let times = members.iter().map(|member| (member.id(), member.cpu)).collect();
        (memory, self.cpu.lock().used(times))
    }

    /// Recent CPU use in seconds, older use weighted less.
    pub(crate) fn recent_cpu(&self) -> f64 {
        self.cpu.lock().recent()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        for task in self.tasks.get_mut() {
            task.abort();
        }
        let cleanup = self.cleanup.get_mut().take();
        let Some(cleanup) = cleanup else { return };
        self.group.kill();
        match Handle::try_current() {
            // Waiting and deleting would block the runtime. A runtime that shuts down waits for the
            // task, or drops it right here.
            Ok(runtime) => drop(runtime.spawn_blocking(move || drop(cleanup))),
            Err(_) => drop(cleanup),
        }
    }
}

/// Creates a profile and checks that the user of the browser can enter it.
fn make_profile(
    settings: &RenderSettings,
    user: Option<BrowserUser>,
) -> Result<BrowserProfile, String> {
    let scratch = settings.profiles();
    let profile = BrowserProfile::create(&scratch, user)
        .map_err(|error| format!("cannot create a profile in {}: {error}", scratch.display()))?;
    match user.and_then(|user| profile::first_inaccessible(&scratch, user)) {
        Some(closed) => Err(format!(
            "Chromium runs as user {}, which has no access to {}: set chromium_profiles to a \
             directory that this user can enter",
            settings.user,
            closed.display()
        )),
        None => Ok(profile),
    }
}

/// Keeps the last [`STDERR_BYTES`] of stderr.
async fn capture_stderr(mut stderr: impl AsyncRead + Unpin, captured: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
        let mut captured = captured.lock();
        captured.extend_from_slice(&chunk[..length]);
        let excess = captured.len().saturating_sub(STDERR_BYTES);
        captured.drain(..excess);
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

/// Closes pop-ups and workers of pages, and idle contexts.
async fn supervise_targets(browser: Weak<Browser>, mut events: mpsc::Receiver<DevToolsEvent>) {
    let mut ticks = interval(SWEEP_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            _ = ticks.tick() => {
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
