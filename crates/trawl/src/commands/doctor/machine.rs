//! Checks of the machine: clock, limit of open files, data folder.

use std::io::ErrorKind;
use std::path::Path;

use contract::Clock;
use runtime::SystemClock;
use rustix::fs::Access;

use super::Finding;
use crate::open_files::OpenFiles;
use crate::settings::Settings;
use crate::{preconditions, private_files};

/// Open files below which a server serves fewer clients and sites than its settings allow.
const FEW_FILES: u64 = 16_384;

pub fn clock() -> Finding {
    let now = SystemClock.now();
    match preconditions::is_clock_set(now) {
        true => Finding::ok("clock", now),
        false => Finding::failed(
            "clock",
            format_args!("it shows {now}"),
            "set it, for example with `timedatectl set-ntp true`",
        ),
    }
}

pub fn open_files() -> Finding {
    let files = OpenFiles::allowed();
    let detail = format!(
        "{} at once: {} for clients, {} for requests to sites",
        files.number(),
        files.for_clients(),
        files.for_requests()
    );
    match files.number() >= FEW_FILES {
        true => Finding::ok("open files", detail),
        false => Finding::warning(
            "open files",
            detail,
            "raise the limit: LimitNOFILE=65536 in the systemd unit, or `ulimit -n 65536`",
        ),
    }
}

/// The data folder of the embedded database; nothing with another database.
pub fn data_folder(settings: &Settings) -> Vec<Finding> {
    if !settings.is_embedded() {
        return Vec::new();
    }
    let folder = &settings.data;
    let mut findings = vec![permissions(folder)];
    // The disk of the nearest folder that exists.
    if let Some(free) = folder.ancestors().find_map(free_bytes) {
        findings.push(disk(free));
    }
    findings
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    preconditions::free_bytes(folder).ok()
}

fn permissions(folder: &Path) -> Finding {
    let shown = folder.display();
    match std::fs::metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Finding::ok(
                "data folder",
                format_args!("{shown} is created at the first start"),
            );
        }
        Err(error) => {
            let remedy = "run as the user of the server, or choose another folder with --data";
            return Finding::failed("data folder", format_args!("{shown}: {error}"), remedy);
        }
        Ok(_) => {}
    }
    if rustix::fs::access(folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let remedy = "run as the user of the server; if it cannot write either, correct the owner \
                      with chown, or remount the disk for writing";
        return Finding::failed("data folder", format_args!("cannot write to {shown}"), remedy);
    }
    match private_files::mode_if_readable_by_others(folder) {
        Some(mode) => Finding::warning(
            "data folder",
            format_args!("other users of this machine can read {shown} (mode {mode:04o})"),
            format_args!("run `chmod 700 {shown}`"),
        ),
        None => Finding::ok("data folder", shown),
    }
}

/// Free bytes below which a warning is due: a large run needs about as much.
const LITTLE_SPACE: u64 = 1 << 30;

fn disk(free: u64) -> Finding {
    let detail = format!("{} MiB are free", free >> 20);
    let remedy = "free space, enlarge the disk, or shorten the retention (results_days)";
    match free {
        free if !preconditions::is_enough_space(free) => Finding::failed("disk", detail, remedy),
        ..LITTLE_SPACE => Finding::warning("disk", detail, remedy),
        _ => Finding::ok("disk", detail),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::Verdict;
    use super::*;

    #[test]
    fn full_disk_fails_and_little_space_warns() {
        assert_eq!(disk(1 << 20).verdict, Verdict::Failed);
        assert_eq!(disk(500 << 20).verdict, Verdict::Warning);
        assert_eq!(disk(5 << 30).verdict, Verdict::Ok);
    }

    #[test]
    fn data_folder_is_checked_and_not_created() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("data");
        assert_eq!(permissions(&folder).verdict, Verdict::Ok);
        assert!(!folder.exists());
        std::fs::create_dir(&folder).expect("created");
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).expect("opened");
        let open = permissions(&folder);
        assert_eq!(open.verdict, Verdict::Warning);
        assert!(open.remedy.is_some_and(|remedy| remedy.contains("chmod 700")));
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).expect("closed");
        assert_eq!(permissions(&folder).verdict, Verdict::Ok);
        std::fs::write(parent.path().join("file"), "").expect("written");
        assert_eq!(permissions(&parent.path().join("file/data")).verdict, Verdict::Failed);
    }
}
