//! Each sandbox layer in real child processes: they run [`confined_child`] of this test program, which
//! enters the sandbox, makes one attempt and exits with its outcome.

use std::fs::File;
use std::hint::black_box;
use std::net::UdpSocket;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, exit};
use std::ptr::null_mut;
use std::time::Instant;

use super::*;

const CHILD: &str = "isolated_reader::tests::confined_child";

/// Variables with the attempt of the child and the layers to omit.
const ATTEMPT: &str = "CONFINED_ATTEMPT";
const LEFT_OUT: &str = "CONFINED_WITHOUT";

/// Exit code of a successful attempt. Other codes are the errno.
const ALLOWED: i32 = 200;

const MEMORY: u64 = 256 << 20;

/// A forbidden action that a child attempts.
#[derive(Debug, Clone, Copy)]
enum Attempt {
    OpenFile,
    ReadOpenFile,
    WriteOpenFile,
    OpenSocket,
    StartThread,
    StartProcess,
    ExceedMemory,
    ExceedCpu,
    MapSharedMemory,
    MapExecutableMemory,
    ChangeLimit,
}

const ATTEMPTS: [Attempt; 11] = [
    Attempt::OpenFile,
    Attempt::ReadOpenFile,
    Attempt::WriteOpenFile,
    Attempt::OpenSocket,
    Attempt::StartThread,
    Attempt::StartProcess,
    Attempt::ExceedMemory,
    Attempt::ExceedCpu,
    Attempt::MapSharedMemory,
    Attempt::MapExecutableMemory,
    Attempt::ChangeLimit,
];

impl Attempt {
    /// `open` is a file that was opened before the confinement.
    fn perform(self, mut open: File) -> io::Result<()> {
        match self {
            Self::OpenFile => {
                File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).map(drop)
            }
            Self::ReadOpenFile => open.read(&mut [0]).map(drop),
            Self::WriteOpenFile => open.write_all(b"x"),
            Self::OpenSocket => UdpSocket::bind(("127.0.0.1", 0)).map(drop),
            Self::StartThread => thread::Builder::new().spawn(|| ()).map(drop),
            Self::StartProcess => Command::new("/bin/sh").args(["-c", ":"]).status().map(drop),
            Self::ExceedMemory => {
                let mut bytes = Vec::<u8>::new();
                let reserved = bytes.try_reserve_exact(2 * MEMORY as usize);
                black_box(&bytes);
                reserved.map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))
            }
            Self::ExceedCpu => {
                allow_cpu(Duration::ZERO)?;
                // Longer than the CPU limit, even on a busy machine.
                let end = Instant::now() + Duration::from_secs(300);
                while Instant::now() < end {
                    std::hint::spin_loop();
                }
                Ok(())
            }
            Self::MapSharedMemory => map(libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED),
            Self::MapExecutableMemory => map(libc::PROT_READ | libc::PROT_EXEC, libc::MAP_PRIVATE),
            // Lowering a limit needs no privilege: only the seccomp filter forbids it.
            Self::ChangeLimit => {
                let limit = Rlimit { current: Some(2), maximum: Some(2) };
                Ok(setrlimit(Resource::Nofile, limit)?)
            }
        }
    }

    /// Runs a child that attempts this without the layers `left_out`.
    fn in_child_without(self, left_out: &[SandboxLayer]) -> ExitStatus {
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", CHILD, "--nocapture"])
            .env(ATTEMPT, format!("{self:?}"))
            .env(LEFT_OUT, format!("{left_out:?}"))
            .output();
        let child = child.expect("the child starts");
        let status = child.status;
        let stderr = String::from_utf8_lossy(&child.stderr);
        assert!(!matches!(status.code(), Some(0 | 101)), "{self:?}: no attempt was made: {stderr}");
        status
    }
}

#[expect(unsafe_code, reason = "no safe interface maps memory of a certain kind")]
fn map(protection: i32, kind: i32) -> io::Result<()> {
    let flags = kind | libc::MAP_ANONYMOUS;
    // SAFETY: the kernel chooses the address of the new mapping, and nothing refers to it.
    let mapped = unsafe { libc::mmap(null_mut(), 4096, protection, flags, -1, 0) };
    if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[expect(unsafe_code, reason = "no safe interface asks for the version of Landlock")]
fn kernel_has_landlock() -> bool {
    const VERSION: u32 = 1;
    let none = null_mut::<u8>();
    // SAFETY: with this flag the call takes no attributes and returns the version.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0_usize, VERSION) > 0 }
}

/// Does nothing unless [`Attempt::in_child_without`] runs it in a child process.
#[test]
fn confined_child() {
    let (Ok(attempt), Ok(left_out)) = (std::env::var(ATTEMPT), std::env::var(LEFT_OUT)) else {
        return;
    };
    let attempt = ATTEMPTS.into_iter().find(|known| format!("{known:?}") == attempt);
    let attempt = attempt.expect("an attempt");
    let open = tempfile::tempfile().expect("a file");
    for layer in LAYERS.iter().filter(|layer| !left_out.contains(&format!("{layer:?}"))) {
        layer.apply(MEMORY).expect("it is applied");
    }
    let code = match attempt.perform(open) {
        Ok(()) => ALLOWED,
        Err(error) => error.raw_os_error().expect("an error of the system"),
    };
    exit(code);
}

#[test]
fn sandbox_forbids_files_sockets_threads_and_processes() {
    for attempt in [
        Attempt::OpenFile,
        Attempt::ReadOpenFile,
        Attempt::WriteOpenFile,
        Attempt::OpenSocket,
        Attempt::StartThread,
        Attempt::StartProcess,
        Attempt::MapSharedMemory,
        Attempt::MapExecutableMemory,
        Attempt::ChangeLimit,
    ] {
        let status = attempt.in_child_without(&[]);
        assert_eq!(status.code(), Some(libc::EPERM), "{attempt:?}: {status}");
        // The seccomp filter refuses it, not another restriction of the machine.
        let status = attempt.in_child_without(&LAYERS);
        assert_eq!(status.code(), Some(ALLOWED), "{attempt:?} without confinement: {status}");
    }
}

#[test]
fn sandbox_limits_memory_cpu_time_and_written_bytes() {
    let status = Attempt::ExceedMemory.in_child_without(&[]);
    assert_eq!(status.code(), Some(libc::ENOMEM), "{status}");
    let status = Attempt::ExceedCpu.in_child_without(&[]);
    assert_eq!(status.signal(), Some(libc::SIGXCPU), "{status}");
    // Without the filter, which would refuse it first.
    let status = Attempt::WriteOpenFile.in_child_without(&[SandboxLayer::SystemCalls]);
    assert_eq!(status.signal(), Some(libc::SIGXFSZ), "{status}");
}

#[test]
fn each_layer_alone_forbids_opening_files() {
    let alone = |layer| {
        let others: Vec<_> = LAYERS.into_iter().filter(|other| *other != layer).collect();
        Attempt::OpenFile.in_child_without(&others).code()
    };
    assert_eq!(alone(SandboxLayer::SystemCalls), Some(libc::EPERM));
    assert_eq!(alone(SandboxLayer::Resources), Some(libc::EMFILE));
    if kernel_has_landlock() {
        assert_eq!(alone(SandboxLayer::Files), Some(libc::EACCES));
    }
}
