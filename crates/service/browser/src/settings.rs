//! The limits of a renderer and their defaults.

use std::path::PathBuf;
use std::time::Duration;

use super::machine;

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
    /// The memory of all browsers together, in bytes. Above it the largest is ended with its
    /// pages.
    pub browser_memory: u64,
    /// The processor cores that all browsers together may use for long, and the CPU time that they
    /// may use at once beyond that. Above it no further page begins; when as much again was used, the
    /// browser that used most is ended with its pages.
    pub browser_cores: f64,
    pub browser_cpu_burst: Duration,
    /// After how long an unused browser is ended.
    pub browser_idle: Duration,
    /// After how many pages a fresh browser takes its place, as soon as no page is open.
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

/// The CPU time at once for each core that browsers may use for long.
const CPU_BURST: Duration = Duration::from_secs(30);

impl Default for RenderSettings {
    /// Memory and cores are those of a part of this machine.
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
    /// The memory of all browsers together where nothing else is set: a quarter of the machine's,
    /// at least 512 MiB and at most 2 GiB.
    #[must_use]
    pub fn default_memory() -> u64 {
        memory_of(machine::memory())
    }

    /// Their processor cores: half of the machine's, at least one.
    #[must_use]
    pub fn default_cores() -> u32 {
        u32::try_from(machine::cores() / 2).unwrap_or(u32::MAX).max(1)
    }

    /// The memory of a page's process where all browsers have `browser_memory`: half of it, at
    /// most 1 GiB.
    #[must_use]
    pub fn page_memory_of(browser_memory: u64) -> u64 {
        (browser_memory / 2).min(1 << 30)
    }

    /// The burst of CPU time for this number of cores.
    #[must_use]
    pub fn burst_of(cores: u32) -> Duration {
        CPU_BURST.saturating_mul(cores)
    }

    /// The folder that profiles are made in.
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
    fn browsers_take_a_part_of_the_machine_by_default() {
        const GIB: u64 = 1 << 30;
        let memory = [None, Some(GIB), Some(4 * GIB), Some(64 * GIB)].map(memory_of);
        assert_eq!(memory, [2 * GIB, GIB / 2, GIB, 2 * GIB]);
        assert_eq!([GIB, 8 * GIB].map(RenderSettings::page_memory_of), [GIB / 2, GIB]);
        let settings = RenderSettings::default();
        let cores = f64::from(u32::try_from(machine::cores()).expect("a number"));
        assert!(settings.browser_cores >= 1.0 && settings.browser_cores <= (cores / 2.0).max(1.0));
    }
}
