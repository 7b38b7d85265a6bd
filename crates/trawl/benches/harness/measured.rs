//! CPU time and peak memory of a process, read from `/proc` at its end.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Clock ticks per second in `/proc/<pid>/stat`: 100 on Linux.
const TICKS: f64 = 100.0;

#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub cpu: f64,
    pub user: f64,
    pub wall: Duration,
    pub peak_bytes: u64,
}

/// Runs a command and returns its cost.
pub fn measure(command: &mut Command) -> Cost {
    let started = Instant::now();
    let mut child = command.spawn().expect("it starts");
    let mut peak_bytes = 0;
    // An ended process keeps its times until it is waited for.
    while !has_ended(&child) {
        peak_bytes = peak(child.id()).max(peak_bytes);
        std::thread::sleep(Duration::from_millis(5));
    }
    let wall = started.elapsed();
    let (user, cpu) = times(child.id());
    assert!(child.wait().expect("an end").success(), "{command:?} failed");
    Cost { cpu, user, wall, peak_bytes }
}

fn stat(pid: u32) -> Vec<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("Linux");
    let (_, fields) = stat.rsplit_once(')').expect("a name in brackets");
    fields.split_whitespace().map(str::to_owned).collect()
}

fn has_ended(child: &Child) -> bool {
    stat(child.id())[0] == "Z"
}

/// User time, and user plus system time, in seconds.
pub fn times(pid: u32) -> (f64, f64) {
    let fields = stat(pid);
    let ticks = |at: usize| fields[at].parse::<f64>().expect("ticks") / TICKS;
    (ticks(11), ticks(11) + ticks(12))
}

/// Peak memory of a process in bytes.
pub fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}
