//! The process group of a browser, read from `/proc` and killed as a whole.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::cpu_budget::CpuTimes;

/// How long to wait for killed processes to end.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

/// Clock ticks per second in `/proc/*/stat`: `USER_HZ`, which is 100 on every Linux.
const TICKS: u64 = 100;

/// All processes of one browser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessGroup {
    leader: Pid,
}

#[derive(Debug)]
pub(crate) struct GroupMember {
    pid: Pid,
    is_zombie: bool,
    /// Anonymous and shared memory in bytes, without mapped files.
    pub(crate) memory: u64,
    pub(crate) cpu: CpuTimes,
    /// Whether it is a renderer process, which executes pages.
    pub(crate) is_renderer: bool,
}

impl ProcessGroup {
    pub(crate) fn of_leader(pid: u32) -> Option<Self> {
        Pid::from_raw(i32::try_from(pid).ok()?).map(|leader| Self { leader })
    }

    pub(crate) fn leader(self) -> u32 {
        number(self.leader)
    }

    pub(crate) fn kill(self) {
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// Kills all processes and waits up to [`KILL_TIMEOUT`].
    pub(crate) fn kill_and_wait(self) {
        let deadline = Instant::now() + KILL_TIMEOUT;
        self.kill();
        while self.is_alive() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_alive(self) -> bool {
        let members = members_of(&HashSet::from([self.leader()]));
        members.values().flatten().any(|member| !member.is_zombie)
    }
}

/// The processes of the groups of `leaders`, by leader. Reads all of `/proc` once.
pub(crate) fn members_of(leaders: &HashSet<u32>) -> HashMap<u32, Vec<GroupMember>> {
    let mut groups: HashMap<u32, Vec<GroupMember>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if let Some((leader, member)) = member(&entry.path(), leaders) {
            groups.entry(leader).or_default().push(member);
        }
    }
    groups
}

/// A process of one of the groups, with its leader.
fn member(folder: &Path, leaders: &HashSet<u32>) -> Option<(u32, GroupMember)> {
    let pid: i32 = folder.file_name()?.to_str()?.parse().ok()?;
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name is in parentheses and may contain any character, parentheses included.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?;
    let leader: u32 = fields.nth(1)?.parse().ok()?;
    if !leaders.contains(&leader) {
        return None;
    }
    // User and system time, its own and that of reaped children.
    let mut ticks = fields.skip(8).map_while(|field| field.parse::<u64>().ok());
    let mut both = || {
        let sum = ticks.next().unwrap_or(0).saturating_add(ticks.next().unwrap_or(0));
        Duration::from_millis(sum.saturating_mul(1000 / TICKS))
    };
    let (own, children) = (both(), both());
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let memory =
        ["RssAnon:", "RssShmem:"].iter().filter_map(|name| status_bytes(&status, name)).sum();
    let command = fs::read(folder.join("cmdline")).ok()?;
    // Chromium rewrites the arguments of its children, separated by spaces.
    let mut words = command.split(|byte| matches!(byte, 0 | b' '));
    let is_renderer = words.any(|word| word == b"--type=renderer");
    let (pid, is_zombie) = (Pid::from_raw(pid)?, matches!(state, "Z" | "X"));
    let cpu = CpuTimes { own, children };
    Some((leader, GroupMember { pid, is_zombie, memory, cpu, is_renderer }))
}

impl GroupMember {
    pub(crate) fn id(&self) -> u32 {
        number(self.pid)
    }

    pub(crate) fn kill(&self) {
        let _ = kill_process(self.pid, Signal::KILL);
    }
}

fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

/// A line of `/proc/*/status` in bytes.
fn status_bytes(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_ascii_whitespace()
        .next()?
        .parse::<u64>()
        .ok()
        .map(|status_bytes| status_bytes * 1024)
}
