//! Memory and CPU cores of this machine or container.

use std::fs;

/// CPU cores that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Memory in bytes; `None` if unknown.
pub(crate) fn memory() -> Option<u64> {
    let all = total(&fs::read_to_string("/proc/meminfo").ok()?)?;
    // Without a limit the file has the text `max`.
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = limit.and_then(|text| text.trim().parse().ok());
    Some(limit.map_or(all, |limit| all.min(limit)))
}

fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_meminfo() {
        let text = "MemTotal:       24542304 kB\nMemFree:         7654321 kB\n";
        assert_eq!(total(text), Some(24_542_304 * 1024));
        assert_eq!(total("MemFree: 1 kB"), None);
        assert!(memory().is_some_and(|bytes| bytes > 64 << 20) && cores() > 0);
    }
}
