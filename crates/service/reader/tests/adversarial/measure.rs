//! Cost of reading a page: CPU time of the thread, and peak of allocated bytes.
//!
//! Times are compared, never judged alone: the same page is read at n and at 2n bytes, and a linear
//! reader takes twice as long. The clock counts the CPU time of the thread, so that other processes
//! do not count; their effect on caches and clock rates is noise that only adds. Therefore the
//! minimum of several runs counts, runs of both sizes alternate, and a page is suspect only if the
//! ratio of the minimum times stays above the limit in all [`MAX_ROUNDS`] rounds. Below
//! [`NOISE_FLOOR`] a ratio is meaningless. A suspect page fails if it exceeds the same limit over
//! three doublings: noise that looks like growth does not add up, growth does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Maximum ratio of the times at twice the size.
const MAX_GROWTH: f64 = 2.7;

/// Size of the page that confirms a suspicion, as a multiple of the smaller page.
const CONFIRMING_SIZE: usize = 8;

/// Maximum ratio of the times at [`CONFIRMING_SIZE`]: three doublings.
const MAX_CONFIRMED_GROWTH: f64 = MAX_GROWTH * MAX_GROWTH * MAX_GROWTH;

/// Pages that take less CPU time at twice the size are not compared.
const NOISE_FLOOR: Duration = Duration::from_millis(8);

/// Number of rounds before a page fails.
const MAX_ROUNDS: usize = 9;

/// Maximum peak of allocated bytes, whatever the page.
const MAX_PEAK: usize = 400 * 1024 * 1024;

/// Maximum peak for pages of this suite: per byte, and for the smallest.
const PEAK_PER_BYTE: usize = 256;
const MIN_PEAK: usize = 16 * 1024 * 1024;

/// Counts the bytes that a thread has allocated and not freed.
pub struct CountingAllocator;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // The counter is gone while the thread ends.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

#[expect(unsafe_code, reason = "counting allocations needs a global allocator")]
// SAFETY: every call is forwarded to the system allocator unchanged; only sizes are counted.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, location: *mut u8, layout: Layout) {
        count(-signed(layout.size()));
        unsafe { System.dealloc(location, layout) }
    }

    unsafe fn realloc(&self, location: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count(signed(bytes) - signed(layout.size()));
        unsafe { System.realloc(location, layout, bytes) }
    }
}

/// CPU time and peak memory of a run.
#[derive(Debug, Clone, Copy)]
struct Cost {
    time: Duration,
    peak: usize,
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a time of a thread")
}

fn cost(run: impl FnOnce()) -> Cost {
    let before = HELD.get();
    PEAK.set(before);
    let began = cpu_time();
    run();
    Cost { time: cpu_time() - began, peak: usize::try_from(PEAK.get() - before).unwrap_or(0) }
}

/// Peak of allocated bytes during a run.
pub fn peak(run: impl FnOnce()) -> usize {
    cost(run).peak
}

/// Smallest power of two of calls that take [`NOISE_FLOOR`] together, on any machine and profile.
pub fn calls_above_noise_floor(call: impl Fn()) -> usize {
    let mut calls = 1;
    while cost(|| (0..calls).for_each(|_| call())).time < NOISE_FLOOR {
        calls *= 2;
    }
    calls
}

/// Checks the cost of `read` for a page of `bytes` and for one of twice the size; returns why it is
/// too high. `page` makes the page of a size.
pub fn excess(
    bytes: usize,
    page: impl Fn(usize) -> String,
    read: impl Fn(&[u8]),
) -> Option<String> {
    let half = page(bytes);
    let ratio = match growth(half.as_bytes(), page(2 * bytes).as_bytes(), MAX_GROWTH, &read) {
        Growth::Bounded => return None,
        Growth::OutOfMemory(text) => return Some(text),
        Growth::Exceeded(ratio) => ratio,
    };
    let large = page(CONFIRMING_SIZE * bytes);
    match growth(half.as_bytes(), large.as_bytes(), MAX_CONFIRMED_GROWTH, &read) {
        Growth::Bounded => None,
        Growth::OutOfMemory(text) => Some(text),
        Growth::Exceeded(confirmed) => Some(format!(
            "{} bytes: {ratio:.1} times the time at twice the size, {confirmed:.1} times at \
             {CONFIRMING_SIZE} times the size",
            half.len()
        )),
    }
}

enum Growth {
    Bounded,
    Exceeded(f64),
    OutOfMemory(String),
}

/// Compares the cost of two pages.
fn growth(small: &[u8], large: &[u8], limit: f64, read: impl Fn(&[u8])) -> Growth {
    let mut least = [Duration::MAX; 2];
    let mut ratio = f64::INFINITY;
    for _ in 0..MAX_ROUNDS {
        for (least, page) in least.iter_mut().zip([large, small]) {
            let cost = cost(|| read(page));
            let allowed = MAX_PEAK.min(MIN_PEAK + PEAK_PER_BYTE * page.len());
            if cost.peak > allowed {
                let text = format!("{} bytes took {} of memory", page.len(), cost.peak);
                return Growth::OutOfMemory(text);
            }
            *least = cost.time.min(*least);
            // The larger page comes first: most need no comparison.
            if page.len() == large.len() && *least < NOISE_FLOOR {
                return Growth::Bounded;
            }
        }
        let [large, small] = least.map(|time| time.as_secs_f64());
        ratio = large / small.max(f64::EPSILON);
        if ratio <= limit {
            return Growth::Bounded;
        }
    }
    Growth::Exceeded(ratio)
}
