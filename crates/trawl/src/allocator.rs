//! The global allocator and its delay for returning memory to the system.

use libmimalloc_sys::{mi_option_set, mi_option_t};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay` of mimalloc 3, in milliseconds. The crate has no name for it.
const PURGE_DELAY: mi_option_t = 15;

/// Makes the allocator return freed memory at once instead of after a second: pages of a megabyte
/// are allocated and freed many times in that second, and every thread would keep the memory of
/// its last ones. Under the attacks of the soak test the server uses half of the memory for the
/// same CPU time (docs/BENCHMARKS.md, "Hostile sites").
#[expect(unsafe_code, reason = "the allocator has no safe interface for its options")]
pub fn release_memory_at_once() {
    // SAFETY: sets a number that the allocator reads. `main` calls it before there is a second
    // thread.
    unsafe { mi_option_set(PURGE_DELAY, 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resident memory of this process in bytes.
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").expect("a file of the kernel");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
        let kilobytes = line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number");
        kilobytes << 10
    }

    #[test]
    fn freed_memory_is_returned_to_the_system_at_once() {
        release_memory_at_once();
        let before = resident();
        let blocks: Vec<_> = (0..2_000).map(|_| vec![1_u8; 64 << 10]).collect();
        assert!(resident() > before + (100 << 20), "125 MiB are in use");
        drop(blocks);
        assert!(resident() < before + (50 << 20), "most is returned");
    }
}
