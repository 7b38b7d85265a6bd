//! The child process of a [`ReaderPool`](crate::ReaderPool): enters a sandbox, then reads pages from
//! its standard input until that is closed.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use html::budget;
use page::ReadRequest;
use reader::page_budget;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::reader_pool::{EXHAUSTED, READY, SURVIVED};

/// Maximum size of a header and of a body.
const FRAME_BYTES: u32 = 256 << 20;

/// Stack of the reading thread. Smaller than that of the server's threads, so that a recursion that
/// fits here fits there.
const STACK_BYTES: usize = 3 << 19;

/// Resource limits of the process.
#[derive(Debug, Clone, Copy)]
pub struct ReaderLimits {
    pub memory: u64,
    pub cpu: Duration,
}

/// Reads pages until standard input ends.
///
/// # Errors
/// If the limits cannot be set, or standard input or output fail.
pub fn read_isolated(limits: ReaderLimits) -> io::Result<()> {
    let reader = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || read_all(limits))?;
    reader.join().unwrap_or_else(|_| Err(io::Error::other("reader thread panicked")))
}

fn read_all(limits: ReaderLimits) -> io::Result<()> {
    confine(limits.memory)?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    output.write_all(&[READY])?;
    output.flush()?;
    while let Some(lengths) = next_lengths(&mut input)? {
        let [header, body] = lengths.map(|length| vec![0; length as usize]);
        let (mut header, mut body) = (header, body);
        input.read_exact(&mut header)?;
        input.read_exact(&mut body)?;
        allow_cpu(limits.cpu)?;
        let request: ReadRequest = postcard::from_bytes(&header).map_err(io::Error::other)?;
        let budget = page_budget(request.page_bytes(&body), limits.cpu);
        let read = || budget::with(budget, || request.read(&body, registry::extractor));
        let outcome = match catch_unwind(AssertUnwindSafe(read)) {
            // A panic is a bug, which the server reports when it reads the page.
            Ok(Ok(_)) | Err(_) => SURVIVED,
            Ok(Err(_)) => EXHAUSTED,
        };
        output.write_all(&[outcome, 0, 0, 0, 0])?;
        output.flush()?;
    }
    Ok(())
}

/// The lengths of the next frame; `None` at the end of the input.
fn next_lengths(input: &mut impl Read) -> io::Result<Option<[u32; 2]>> {
    let mut lengths = [0; 8];
    match input.read_exact(&mut lengths) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let [a, b, c, d, e, f, g, h] = lengths;
    let lengths = [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])];
    if lengths.iter().any(|length| *length > FRAME_BYTES) {
        return Err(io::Error::other("frame exceeds the size limit"));
    }
    Ok(Some(lengths))
}

/// Raises the CPU limit by `cpu` and two seconds. The budget ends a read at a checkpoint; this limit
/// ends a read without one.
fn allow_cpu(cpu: Duration) -> io::Result<()> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let until = u64::try_from(used.tv_sec).unwrap_or(0) + cpu.as_secs() + 2;
    let maximum = getrlimit(Resource::Cpu).maximum;
    let current = Some(maximum.map_or(until, |maximum| until.min(maximum)));
    Ok(setrlimit(Resource::Cpu, Rlimit { current, maximum })?)
}

/// Drops all rights that reading a page does not need.
fn confine(memory: u64) -> io::Result<()> {
    // First, because it opens a file.
    if let Some(mapped) = sandbox::mapped_bytes()?
        && mapped > memory
    {
        // Mapped memory stays usable beyond the limit.
        return Err(io::Error::other(format!(
            "the memory limit of {memory} bytes is not effective: the allocator has mapped {mapped} \
             bytes in advance; set MIMALLOC_ARENA_EAGER_COMMIT=0"
        )));
    }
    LAYERS.iter().try_for_each(|layer| layer.apply(memory))
}

/// A layer of the sandbox of the child process, applied before it reads its first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SandboxLayer {
    /// Landlock: no file can be opened.
    Files,
    /// rlimits on memory, open files and written bytes.
    Resources,
    /// seccomp: only system calls for computation are allowed.
    SystemCalls,
}

/// All layers in the order of their application: each removes rights that earlier ones need.
const LAYERS: [SandboxLayer; 3] =
    [SandboxLayer::Files, SandboxLayer::Resources, SandboxLayer::SystemCalls];

impl SandboxLayer {
    fn apply(self, memory: u64) -> io::Result<()> {
        match self {
            Self::Files => sandbox::forbid_files(),
            Self::Resources => limit_resources(memory),
            Self::SystemCalls => sandbox::forbid_system_calls(),
        }
    }
}

fn limit_resources(memory: u64) -> io::Result<()> {
    let limit = |resource, value| {
        setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
    };
    limit(Resource::Data, memory)?;
    limit(Resource::Nofile, 3)?;
    limit(Resource::Fsize, 0)?;
    Ok(limit(Resource::Core, 0)?)
}

#[cfg(target_os = "linux")]
mod sandbox {
    use std::collections::BTreeMap;
    use std::io;

    use landlock::{ABI, Access, AccessFs, Ruleset, RulesetAttr};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch, apply_filter_all_threads,
    };

    /// Allowed system calls: memory, clocks, exit. [`rules`] adds those that depend on their
    /// arguments. None opens files, creates sockets, or starts or signals processes.
    const ALLOWED: &[i64] = &[
        libc::SYS_close,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_clock_gettime,
        libc::SYS_getrandom,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    /// Bytes that the kernel counts towards the memory limit: writable private mappings.
    pub fn mapped_bytes() -> io::Result<Option<u64>> {
        let status = std::fs::read_to_string("/proc/self/status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmData:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        let kib = kib.ok_or_else(|| io::Error::other("/proc/self/status has no VmData"))?;
        Ok(Some(kib * 1024))
    }

    /// Forbids opening files (Landlock). On a kernel without Landlock the seccomp filter alone
    /// forbids it.
    pub fn forbid_files() -> io::Result<()> {
        Ruleset::default()
            .handle_access(AccessFs::from_all(ABI::V1))
            .and_then(Ruleset::create)
            .and_then(|rules| rules.restrict_self())
            .map_err(io::Error::other)?;
        Ok(())
    }

    /// Forbids all system calls but those of [`rules`] (seccomp).
    pub fn forbid_system_calls() -> io::Result<()> {
        let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
        let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let filter = SeccompFilter::new(rules()?, refuse, SeccompAction::Allow, arch)
            .map_err(io::Error::other)?;
        let program = BpfProgram::try_from(filter).map_err(io::Error::other)?;
        apply_filter_all_threads(&program).map_err(io::Error::other)
    }

    fn rules() -> io::Result<BTreeMap<i64, Vec<SeccompRule>>> {
        let mut rules: BTreeMap<_, _> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
        // Only the pipes to the server. A supervisor may have left other descriptors open.
        let descriptor = |number| when(vec![argument(0, SeccompCmpOp::Eq, number)?]);
        rules.insert(libc::SYS_read, vec![descriptor(0)?]);
        rules.insert(libc::SYS_write, vec![descriptor(1)?, descriptor(2)?]);
        // No executable memory, and no shared memory, which does not count towards the limit.
        let executable = u64::from(libc::PROT_EXEC.unsigned_abs());
        let not_executable = argument(2, SeccompCmpOp::MaskedEq(executable), 0)?;
        let kind = u64::from(libc::MAP_TYPE.unsigned_abs());
        let private = u64::from(libc::MAP_PRIVATE.unsigned_abs());
        let private = argument(3, SeccompCmpOp::MaskedEq(kind), private)?;
        rules.insert(libc::SYS_mmap, vec![when(vec![not_executable.clone(), private])?]);
        rules.insert(libc::SYS_mprotect, vec![when(vec![not_executable])?]);
        // Only its own CPU limit: root could raise the others.
        let own = argument(0, SeccompCmpOp::Eq, 0)?;
        let cpu = argument(1, SeccompCmpOp::Eq, libc::RLIMIT_CPU as u64)?;
        rules.insert(libc::SYS_prlimit64, vec![when(vec![own, cpu])?]);
        // Only signals to itself, for abort.
        let own = argument(0, SeccompCmpOp::Eq, u64::from(std::process::id()))?;
        rules.insert(libc::SYS_tgkill, vec![when(vec![own])?]);
        Ok(rules)
    }

    /// Allows a call if all conditions hold.
    fn when(conditions: Vec<SeccompCondition>) -> io::Result<SeccompRule> {
        SeccompRule::new(conditions).map_err(io::Error::other)
    }

    fn argument(index: u8, is: SeccompCmpOp, value: u64) -> io::Result<SeccompCondition> {
        SeccompCondition::new(index, SeccompCmpArgLen::Dword, is, value).map_err(io::Error::other)
    }
}

#[cfg(not(target_os = "linux"))]
mod sandbox {
    /// Unknown on this system.
    pub fn mapped_bytes() -> std::io::Result<Option<u64>> {
        Ok(None)
    }

    /// Not available on this system; only the rlimits apply.
    pub fn forbid_files() -> std::io::Result<()> {
        Ok(())
    }

    /// Not available on this system; only the rlimits apply.
    pub fn forbid_system_calls() -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
