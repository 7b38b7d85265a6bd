//! What the machine must provide before a server writes anything: a set clock, and free disk space.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use contract::Millis;
use tokio_util::sync::CancellationToken;

/// 2026-01-01: a clock before it has not been set. Ids, leases and retention depend on the time.
const EARLIEST: Millis = Millis(1_767_225_600_000);

/// Bytes that must be free for the embedded database to start.
const LEAST_FREE: u64 = 32 << 20;

/// Whether the clock of the machine has been set.
pub fn is_clock_set(now: Millis) -> bool {
    now >= EARLIEST
}

/// Fails if the clock of the machine has not been set.
pub fn check_clock(now: Millis) -> anyhow::Result<()> {
    if !is_clock_set(now) {
        bail!(
            "the clock of this machine is wrong: it shows {now}; set it, for example with \
             `timedatectl set-ntp true`, and start again"
        );
    }
    Ok(())
}

/// Bytes on the disk of a folder that this user can still write.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Whether the embedded database can work with this free space.
pub fn is_enough_space(free: u64) -> bool {
    free >= LEAST_FREE
}

/// Fails if the disk of the data folder is full.
pub fn check_free_space(folder: &Path) -> anyhow::Result<()> {
    let free = free_bytes(folder).unwrap_or(u64::MAX);
    if !is_enough_space(free) {
        bail!(
            "the disk of the data folder {} is full: {} KiB are free, at least {} MiB are needed; \
             free space, or choose another folder with --data or TRAWL_DATA",
            folder.display(),
            free >> 10,
            LEAST_FREE >> 20
        );
    }
    Ok(())
}

/// Interval of measuring the free space.
const MEASURE_EVERY: Duration = Duration::from_secs(15);

/// Reports the free space of the embedded database until `stop`.
pub async fn report_free_space(folder: PathBuf, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Ok(free) = free_bytes(&folder) {
            #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
            metrics::gauge!("trawl_data_free_bytes").set(free as f64);
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(MEASURE_EVERY) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_that_was_never_set_is_an_error_with_its_remedy() {
        let error = check_clock(Millis(5_000)).expect_err("1970").to_string();
        assert!(error.contains("1970-01-01") && error.contains("timedatectl"), "{error}");
        assert!(!error.contains('\n'));
        check_clock(EARLIEST).expect("set");
    }

    #[test]
    fn free_space_is_measured() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(free_bytes(folder.path()).expect("measured") > 0);
        assert!(!is_enough_space(LEAST_FREE - 1) && is_enough_space(LEAST_FREE));
        free_bytes(&folder.path().join("missing")).expect_err("no folder");
    }
}
