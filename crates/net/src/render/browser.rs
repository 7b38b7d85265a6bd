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
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::RenderSettings;
use super::contexts::Contexts;
use super::cpu_budget::CpuBudget;
use super::guard_proxy::GuardProxy;
use super::pipe::{Event, Pipe};
use super::process_group::ProcessGroup;
use super::profile::{self, Profile};
use super::{browser_user, command_line};
use crate::HttpFetch;
use crate::under_way::UnderWay;

/// How often memory and CPU time are looked at. A page takes some gigabytes a second at most.
const LOOK: Duration = Duration::from_millis(250);

/// How much of what Chromium complains about is kept.
const COMPLAINTS: usize = 4 * 1024;

/// What stands before the complaint of a Chromium that cannot make its sandbox.
const NO_USABLE_SANDBOX: &str = "Chromium's sandbox does not work here: allow unprivileged user \
    namespaces (kernel.unprivileged_userns_clone = 1, kernel.apparmor_restrict_unprivileged_userns \
    = 0; in a container a seccomp profile that permits them), or set TRAWL_CHROMIUM_NO_SANDBOX=1 to \
    do without it; ";

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
    last_used: Mutex<Instant>,
    /// No further page is shown in it.
    retired: AtomicBool,
    /// It was ended because it took more memory or CPU time than it may.
    over_limit: AtomicBool,
    cpu: Mutex<CpuBudget>,
    pub(crate) settings: Arc<RenderSettings>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    child: Mutex<Child>,
    _profile: Profile,
    _counted: UnderWay,
    /// Released last, when processes and profile are gone.
    _process: OwnedSemaphorePermit,
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
        self.0.leases.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Browser {
    /// Starts one. The error says why there is none.
    pub(crate) async fn start(
        chromium: &Path,
        settings: &Arc<RenderSettings>,
        http: &HttpFetch,
        process: OwnedSemaphorePermit,
    ) -> Result<Arc<Self>, String> {
        let starting = Self::launch(chromium, settings, http, process);
        match timeout(settings.start, starting).await {
            Ok(started) => started,
            Err(_) => Err(format!("no answer within {:?} of its start", settings.start)),
        }
    }

    async fn launch(
        chromium: &Path,
        settings: &Arc<RenderSettings>,
        http: &HttpFetch,
        process: OwnedSemaphorePermit,
    ) -> Result<Arc<Self>, String> {
        let user = browser_user::find(&settings.user)?;
        if settings.no_sandbox {
            tracing::warn!("{}", super::NO_SANDBOX);
        }
        let proxy = GuardProxy::start(http.connector().clone(), http.settings())
            .await
            .map_err(|error| format!("no proxy: {error}"))?;
        let scratch = settings.profiles();
        let profile = Profile::create(&scratch, user)
            .map_err(|error| format!("no profile in {}: {error}", scratch.display()))?;
        if let Some(closed) = user.and_then(|user| profile::barrier(&scratch, user)) {
            return Err(format!(
                "Chromium runs as the user {}, who cannot enter {}: set chromium_profiles to a \
                 folder that this user can enter",
                settings.user,
                closed.display()
            ));
        }
        let user_agent = &http.settings().user_agent;
        let mut child =
            command_line::command(chromium, settings, &profile, user, proxy.address(), user_agent)
                .spawn()
                .map_err(|error| format!("{}: {error}", chromium.display()))?;
        let (Some(input), Some(output), Some(complaints), Some(group)) = (
            child.stdin.take(),
            child.stdout.take(),
            child.stderr.take(),
            child.id().and_then(ProcessGroup::led_by),
        ) else {
            return Err("it ended at once".to_owned());
        };
        // The longest answer is a page, and JSON spells a byte with six at worst.
        let longest = http.settings().body_bytes.saturating_mul(6).saturating_add(1 << 20);
        let (pipe, carry) = Pipe::new(input, output, settings.reply, longest);
        let said = Arc::new(Mutex::new(Vec::new()));
        let tasks = vec![tokio::spawn(carry), tokio::spawn(hear(complaints, Arc::clone(&said)))];
        let contexts = Contexts::new(pipe.clone(), settings);
        let now = Instant::now();
        let browser = Arc::new(Self {
            pipe,
            proxy,
            contexts,
            group,
            pages: AtomicU32::new(0),
            leases: AtomicUsize::new(0),
            last_used: Mutex::new(now),
            retired: AtomicBool::new(false),
            over_limit: AtomicBool::new(false),
            cpu: Mutex::new(CpuBudget::new(
                settings.browser_cores,
                settings.browser_cpu_burst,
                now,
            )),
            settings: Arc::clone(settings),
            tasks: Mutex::new(tasks),
            child: Mutex::new(child),
            _profile: profile,
            _counted: UnderWay::new("trawl_browsers"),
            _process: process,
        });
        browser.greet().await.map_err(|error| {
            let said = said.lock().unwrap_or_else(PoisonError::into_inner);
            let said = String::from_utf8_lossy(&said);
            let hint = if said.contains("No usable sandbox") { NO_USABLE_SANDBOX } else { "" };
            format!("{hint}{error}; it said: {}", said.trim())
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

    /// Whether another page may be shown in it.
    pub(crate) fn is_fit(&self) -> bool {
        !self.retired.load(Ordering::Relaxed) && !self.pipe.is_closed()
    }

    /// No further page is shown in it; it ends with its last one.
    pub(crate) fn retire(&self, why: &str) {
        if !self.retired.swap(true, Ordering::Relaxed) {
            tracing::info!(why, "a fresh browser takes over");
        }
    }

    /// Ends it at once, with all of its pages.
    pub(crate) fn end(&self, why: &str) {
        tracing::warn!(why, "ending the browser");
        self.retired.store(true, Ordering::Relaxed);
        self.group.end();
    }

    /// One more page. The last one of its life is still shown.
    pub(crate) fn count_page(&self) {
        if self.pages.fetch_add(1, Ordering::Relaxed) + 1 >= self.settings.browser_pages {
            self.retire("it has shown its pages");
        }
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.group.leader()
    }

    /// The memory of all its processes, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.group.members().iter().map(|member| member.memory).sum()
    }

    /// Whether no page is shown in it.
    pub(crate) fn is_idle(&self) -> bool {
        self.leases.load(Ordering::Relaxed) == 0
    }

    /// When its last page was done, or it started.
    pub(crate) fn last_used(&self) -> Instant {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was ended because it took too much.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.over_limit.load(Ordering::Relaxed)
    }

    /// Ends the processes of pages that take too much, and the browser with all of its pages
    /// when its processes together do.
    fn bound_resources(&self) {
        let (mut memory, mut cpu) = (0, Duration::ZERO);
        for member in self.group.members() {
            cpu += member.cpu;
            if member.shows_pages && member.memory > self.settings.page_memory {
                tracing::info!(bytes = member.memory, "ending the process of a page");
                member.end();
            } else {
                memory += member.memory;
            }
        }
        let within_cpu = {
            let mut budget = self.cpu.lock().unwrap_or_else(PoisonError::into_inner);
            budget.charge(cpu, Instant::now())
        };
        if memory > self.settings.browser_memory {
            self.over_limit.store(true, Ordering::Relaxed);
            self.end("it takes more memory than browser_memory allows");
        } else if !within_cpu {
            self.over_limit.store(true, Ordering::Relaxed);
            self.end("it takes more CPU time than browser_cpus allows");
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        for task in self.tasks.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
        // Waits for a moment, here and now: the profile can be deleted only when nobody
        // writes to it any more, and there may be no later.
        self.group.end_and_wait();
        let _ = self.child.get_mut().unwrap_or_else(PoisonError::into_inner).try_wait();
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

/// Closes what pages open beside themselves, and keeps an eye on memory and contexts.
async fn attend(browser: Weak<Browser>, mut events: mpsc::Receiver<Event>) {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            _ = look.tick() => {
                let Some(browser) = browser.upgrade() else { return };
                browser.contexts.sweep();
                if browser.contexts.are_in_use() {
                    // Reading /proc takes a few milliseconds of a thread.
                    let _ = tokio::task::spawn_blocking(move || browser.bound_resources()).await;
                }
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
