//! Limits of the renderer with their defaults.

use std::path::PathBuf;
use std::time::Duration;

use super::machine;

/// Limits of a page, a browser and all browsers.
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// Maximum concurrent pages.
    pub tabs: usize,
    /// Maximum time of a page; then its current DOM is used.
    pub page_life: Duration,
    /// A loaded page is done after this time without requests.
    pub quiet: Duration,
    /// A loaded page with one or two pending requests is done after this time: they are streams or
    /// long polls.
    pub stalled: Duration,
    /// Timeout of a DevTools command.
    pub reply: Duration,
    /// Timeout of the start of a browser.
    pub start: Duration,
    /// Maximum JavaScript heap of a page in MiB.
    pub script_heap_mib: u32,
    /// Maximum memory of a renderer process in bytes. Above it the process is killed.
    pub page_memory: u64,
    /// Maximum memory of all browsers in bytes. Above it the largest is killed with its pages.
    pub browser_memory: u64,
    /// CPU cores that all browsers may use over time, and the CPU time that they may use at once
    /// beyond that. Above it no further page starts; when it is overdrawn by as much again, the
    /// browser that used most is killed with its pages.
    pub browser_cores: f64,
    pub browser_cpu_burst: Duration,
    /// An idle browser is killed after this time.
    pub browser_idle: Duration,
    /// A browser is replaced after this many pages, as soon as it is idle.
    pub browser_pages: u32,
    /// A context is closed after this many pages, with its cookies and storage.
    pub context_pages: u32,
    /// An idle context is closed after this time.
    pub context_idle: Duration,
    /// Directory of browser profiles; by default the system's directory for temporary files. If this
    /// process is root, `user` must be able to enter it.
    pub scratch: Option<PathBuf>,
    /// The user that runs Chromium if this process is root.
    pub user: String,
    /// Whether Chromium runs without its sandbox.
    pub no_sandbox: bool,
}

const CPU_BURST: Duration = Duration::from_secs(30);

impl Default for RenderSettings {
    /// Memory and cores are a part of this machine.
    fn default() -> Self {
        let cores = Self::default_cores();
        let browser_memory = Self::default_memory();
        Self {
            tabs: 4,
            page_life: Duration::from_secs(15),
            quiet: Duration::from_millis(500),
            stalled: Duration::from_secs(3),
            reply: Duration::from_secs(5),
            start: Duration::from_secs(20),
            script_heap_mib: 512,
            page_memory: Self::page_memory_of(browser_memory),
            browser_memory,
            browser_cores: f64::from(cores),
            browser_cpu_burst: Self::burst_of(cores),
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
    /// Default memory of all browsers: a quarter of the machine's, between 512 MiB and 2 GiB.
    #[must_use]
    pub fn default_memory() -> u64 {
        memory_of(machine::memory())
    }

    /// Default CPU cores of all browsers: half of the machine's, at least one.
    #[must_use]
    pub fn default_cores() -> u32 {
        u32::try_from(machine::cores() / 2).unwrap_or(u32::MAX).max(1)
    }

    /// Memory of a renderer process: half of `browser_memory`, at most 1 GiB.
    #[must_use]
    pub fn page_memory_of(browser_memory: u64) -> u64 {
        (browser_memory / 2).min(1 << 30)
    }

    /// The burst of CPU time for this number of cores.
    #[must_use]
    pub fn burst_of(cores: u32) -> Duration {
        CPU_BURST.saturating_mul(cores)
    }

    /// The directory of browser profiles.
    pub(crate) fn profiles(&self) -> PathBuf {
        self.scratch.clone().unwrap_or_else(std::env::temp_dir)
    }
}

fn memory_of(machine: Option<u64>) -> u64 {
    machine.map_or(2 << 30, |bytes| (bytes / 4).clamp(512 << 20, 2 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_limits_are_a_part_of_the_machine() {
        const GIB: u64 = 1 << 30;
        let memory = [None, Some(GIB), Some(4 * GIB), Some(64 * GIB)].map(memory_of);
        assert_eq!(memory, [2 * GIB, GIB / 2, GIB, 2 * GIB]);
        assert_eq!([GIB, 8 * GIB].map(RenderSettings::page_memory_of), [GIB / 2, GIB]);
        let settings = RenderSettings::default();
        let cores = f64::from(u32::try_from(machine::cores()).expect("a number"));
        assert!(settings.browser_cores >= 1.0 && settings.browser_cores <= (cores / 2.0).max(1.0));
    }
}
