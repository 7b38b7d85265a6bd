//! The limits of a renderer and their defaults.

use std::path::PathBuf;
use std::time::Duration;

/// What a page may cost, and what all of them together may.
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// How many pages are shown at a time.
    pub tabs: usize,
    /// How long a page may live. Then it is taken as it is.
    pub page_life: Duration,
    /// For how long a page that has loaded must ask for nothing before it counts as done.
    pub quiet: Duration,
    /// For how long it may wait for one or two answers that do not come: they are
    /// streams or long polls, and never will.
    pub stalled: Duration,
    /// How long the browser may take for an answer of its own.
    pub reply: Duration,
    /// How long it may take to start.
    pub start: Duration,
    /// The heap of a page's scripts, in MiB.
    pub script_heap_mib: u32,
    /// The memory of a page's process, in bytes. Above it the process is ended.
    pub page_memory: u64,
    /// The memory of a whole browser, in bytes. Above it the browser is ended with its pages.
    pub browser_memory: u64,
    /// The processor cores that a whole browser may use for long, and the CPU time that it may
    /// use at once beyond that. Above it the browser is ended with its pages.
    pub browser_cores: f64,
    pub browser_cpu_burst: Duration,
    /// After how long an unused browser is ended.
    pub browser_idle: Duration,
    /// After how many pages a fresh browser takes its place.
    pub browser_pages: u32,
    /// After how many pages a context is closed, and with it what its pages stored.
    pub context_pages: u32,
    /// How long an unused context is kept.
    pub context_idle: Duration,
    /// Where profiles are kept while a browser runs; the system's folder for temporary
    /// files when there is none. When this process is root, `user` must be able to enter it.
    pub scratch: Option<PathBuf>,
    /// The user as whom Chromium runs when this process is root.
    pub user: String,
    /// Whether Chromium runs without its sandbox.
    pub no_sandbox: bool,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self {
            tabs: 4,
            page_life: Duration::from_secs(15),
            quiet: Duration::from_millis(500),
            stalled: Duration::from_secs(3),
            reply: Duration::from_secs(5),
            start: Duration::from_secs(20),
            script_heap_mib: 512,
            page_memory: 1 << 30,
            browser_memory: 2 << 30,
            browser_cores: 4.0,
            browser_cpu_burst: Duration::from_secs(60),
            browser_idle: Duration::from_secs(300),
            browser_pages: 500,
            context_pages: 100,
            context_idle: Duration::from_secs(60),
            scratch: None,
            user: "nobody".to_owned(),
            no_sandbox: false,
        }
    }
}

impl RenderSettings {
    /// The folder that profiles are made in.
    pub(crate) fn profiles(&self) -> PathBuf {
        self.scratch.clone().unwrap_or_else(std::env::temp_dir)
    }
}
