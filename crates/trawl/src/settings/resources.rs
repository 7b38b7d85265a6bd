//! Limits of CPU time and memory for pages and runs.

use std::path::PathBuf;
use std::time::Duration;

use crawl::{Ceilings, FetchAllowance};
use reader::ReadSettings;
use runner::ReaderPoolSettings;

use super::{Layers, SettingError};

/// Limits of pages, of runs, and of all runs of a node.
#[derive(Debug, Clone)]
pub struct ResourceSettings {
    /// CPU time for reading one page.
    pub page_cpu: Duration,
    pub isolated_readers: usize,
    pub isolated_reader_bytes: u64,
    pub ceilings: Ceilings,
    pub frontier_bytes: usize,
    /// Bytes of the cache of pages; 0 for none.
    pub page_cache_bytes: usize,
}

impl ResourceSettings {
    pub(super) fn of(layers: &Layers) -> Result<Self, SettingError> {
        Ok(Self {
            page_cpu: layers.millis("page_cpu_ms", 1)?,
            isolated_readers: layers.number("isolated_readers", 0..=1_000)?,
            isolated_reader_bytes: layers
                .number("isolated_reader_bytes", 16_777_216..=1_099_511_627_776)?,
            ceilings: Ceilings {
                urls: layers.number("run_urls", 1..=4_000_000_000)?,
                url_bytes: layers.number("run_url_bytes", 1_024..=usize::MAX)?,
                fetches: Some(FetchAllowance {
                    base: layers.number("fetch_allowance", 1..=u64::MAX)?,
                    per_unit: layers.number("fetch_allowance_per_unit", 0..=u64::MAX)?,
                }),
                robots_bytes: layers.number("run_robots_bytes", 1_024..=usize::MAX)?,
            },
            frontier_bytes: layers.number("frontier_bytes", 1_048_576..=usize::MAX)?,
            page_cache_bytes: layers.number("page_cache_bytes", 0..=usize::MAX)?,
        })
    }

    /// Settings for reading pages and sitemaps in this process.
    #[must_use]
    pub fn reading(&self) -> ReadSettings {
        ReadSettings { cpu: self.page_cpu, ..ReadSettings::default() }
    }

    /// Settings of the child processes that read pages of isolated runs; `None` if disabled.
    #[must_use]
    pub fn pool(&self) -> Option<ReaderPoolSettings> {
        (self.isolated_readers > 0).then(|| ReaderPoolSettings {
            program: own_program(),
            arguments: vec!["read-pages".to_owned()],
            children: self.isolated_readers,
            cpu: self.page_cpu,
            memory: self.isolated_reader_bytes,
        })
    }
}

/// The running program; on Linux also if its file was replaced or removed.
fn own_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("trawl"))
}
