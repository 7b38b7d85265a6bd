//! The browser's processes: they share a group, which is read from `/proc` and ended
//! as one.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// How long a process that was ended may take to be gone.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// Clock ticks a second in `/proc/*/stat`: `USER_HZ`, which is 100 on every Linux.
const TICKS: u64 = 100;

/// The processes of one browser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessGroup {
    leader: Pid,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Member {
    pid: Pid,
    /// Memory that is its own: without the program and what is mapped of files.
    pub(crate) memory: u64,
    /// CPU time that it and those of its children that ended have taken.
    pub(crate) cpu: Duration,
    /// Whether pages live in it.
    pub(crate) shows_pages: bool,
}

impl ProcessGroup {
    /// The group that a process leads.
    pub(crate) fn led_by(pid: u32) -> Option<Self> {
        Pid::from_raw(i32::try_from(pid).ok()?).map(|leader| Self { leader })
    }

    pub(crate) fn leader(self) -> u32 {
        self.leader.as_raw_nonzero().get().unsigned_abs()
    }

    /// Those that live.
    pub(crate) fn members(self) -> Vec<Member> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| self.member(&entry.path())).collect()
    }

    fn member(self, folder: &Path) -> Option<Member> {
        let pid: i32 = folder.file_name()?.to_str()?.parse().ok()?;
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        // The name stands in parentheses and may hold anything, also parentheses.
        let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
        let state = fields.next()?;
        let group: i32 = fields.nth(1)?.parse().ok()?;
        if group != self.leader.as_raw_nonzero().get() || matches!(state, "Z" | "X") {
            return None;
        }
        // User and system time, its own and that of children that were waited for.
        let ticks: u64 = fields.skip(8).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
        let cpu = Duration::from_millis(ticks.saturating_mul(1000 / TICKS));
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let memory = ["RssAnon:", "RssShmem:"].iter().filter_map(|name| kib(&status, name)).sum();
        let command = fs::read(folder.join("cmdline")).ok()?;
        // Chromium writes the arguments of its children anew, with spaces between them.
        let mut words = command.split(|byte| matches!(byte, 0 | b' '));
        let shows_pages = words.any(|word| word == b"--type=renderer");
        Some(Member { pid: Pid::from_raw(pid)?, memory, cpu, shows_pages })
    }

    /// Ends all of them.
    pub(crate) fn end(self) {
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// Ends all of them, and waits for a moment until they are gone.
    pub(crate) fn end_and_wait(self) {
        let end = Instant::now() + LAST_BREATH;
        self.end();
        while !self.members().is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Member {
    /// Ends this one alone.
    pub(crate) fn end(&self) {
        let _ = kill_process(self.pid, Signal::KILL);
    }
}

/// A line of `/proc/*/status` in bytes.
fn kib(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}
