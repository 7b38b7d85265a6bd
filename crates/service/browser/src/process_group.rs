//! The browser's processes: they share a group, which is read from `/proc` and ended
//! as one.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::cpu_budget::CpuTimes;

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
    /// It has ended, and its parent has not asked for it yet.
    is_zombie: bool,
    /// Memory that is its own: without the program and what is mapped of files.
    pub(crate) memory: u64,
    pub(crate) cpu: CpuTimes,
    /// Whether pages live in it.
    pub(crate) shows_pages: bool,
}

impl ProcessGroup {
    /// The group that a process leads.
    pub(crate) fn led_by(pid: u32) -> Option<Self> {
        Pid::from_raw(i32::try_from(pid).ok()?).map(|leader| Self { leader })
    }

    pub(crate) fn leader(self) -> u32 {
        number(self.leader)
    }

    /// Ends all of them.
    pub(crate) fn end(self) {
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// Ends all of them, and waits for a moment until they are gone.
    pub(crate) fn end_and_wait(self) {
        let end = Instant::now() + LAST_BREATH;
        self.end();
        while self.is_alive() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_alive(self) -> bool {
        let members = members_of(&HashSet::from([self.leader()]));
        members.values().flatten().any(|member| !member.is_zombie)
    }
}

/// The processes of the groups that `leaders` lead, by their leaders. Reads all of `/proc` once.
pub(crate) fn members_of(leaders: &HashSet<u32>) -> HashMap<u32, Vec<Member>> {
    let mut groups: HashMap<u32, Vec<Member>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if let Some((leader, member)) = member(&entry.path(), leaders) {
            groups.entry(leader).or_default().push(member);
        }
    }
    groups
}

/// A process of one of the groups, and who leads it.
fn member(folder: &Path, leaders: &HashSet<u32>) -> Option<(u32, Member)> {
    let pid: i32 = folder.file_name()?.to_str()?.parse().ok()?;
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name is in parentheses and may contain any character, parentheses included.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?;
    let leader: u32 = fields.nth(1)?.parse().ok()?;
    if !leaders.contains(&leader) {
        return None;
    }
    // User and system time, its own and that of children that were waited for.
    let mut ticks = fields.skip(8).map_while(|field| field.parse::<u64>().ok());
    let mut both = || {
        let sum = ticks.next().unwrap_or(0).saturating_add(ticks.next().unwrap_or(0));
        Duration::from_millis(sum.saturating_mul(1000 / TICKS))
    };
    let (own, children) = (both(), both());
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let memory = ["RssAnon:", "RssShmem:"].iter().filter_map(|name| kib(&status, name)).sum();
    let command = fs::read(folder.join("cmdline")).ok()?;
    // Chromium writes the arguments of its children anew, with spaces between them.
    let mut words = command.split(|byte| matches!(byte, 0 | b' '));
    let shows_pages = words.any(|word| word == b"--type=renderer");
    let (pid, is_zombie) = (Pid::from_raw(pid)?, matches!(state, "Z" | "X"));
    let cpu = CpuTimes { own, children };
    Some((leader, Member { pid, is_zombie, memory, cpu, shows_pages }))
}

impl Member {
    pub(crate) fn id(&self) -> u32 {
        number(self.pid)
    }

    /// Ends this one alone.
    pub(crate) fn end(&self) {
        let _ = kill_process(self.pid, Signal::KILL);
    }
}

fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

/// A line of `/proc/*/status` in bytes.
fn kib(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}
