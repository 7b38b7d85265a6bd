//! The profile directory of a browser, deleted with it.
//!
//! The owner of a profile holds a lock on a file in it. A profile whose lock is free belongs to a
//! killed process and is removed when the next browser starts.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, chown,
};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use tempfile::TempDir;

use super::browser_user::BrowserUser;

const PREFIX: &str = "trawl-chromium-";
const LOCK: &str = "in-use";

/// A profile in use; dropping it deletes its directory.
///
/// The directory belongs to this process. Its subdirectory `home` belongs to the user that runs the
/// browser and is closed to other users.
#[derive(Debug)]
pub(crate) struct BrowserProfile {
    folder: TempDir,
    _lock: File,
}

impl BrowserProfile {
    /// Creates a profile under `scratch` for a browser that runs as `user`, and removes stale ones.
    pub(crate) fn create(scratch: &Path, user: Option<BrowserUser>) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(scratch)?;
        remove_stale_profiles(scratch);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(scratch)?;
        // Locked before it gets its name: no process sees an unlocked lock file.
        let unnamed = folder.path().join("new");
        let lock = File::create(&unnamed)?;
        lock.try_lock()?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        let profile = Self { folder, _lock: lock };
        DirBuilder::new().mode(0o700).create(profile.home())?;
        // Another user may pass through the directory but not list it. Set after the creation,
        // which is subject to the umask.
        let mode = if user.is_some() { 0o711 } else { 0o700 };
        fs::set_permissions(profile.folder.path(), Permissions::from_mode(mode))?;
        if let Some(BrowserUser { uid, gid }) = user {
            chown(profile.home(), Some(uid), Some(gid))?;
        }
        Ok(profile)
    }

    /// The home directory of the browser.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home().join("profile")
    }
}

/// The topmost directory of the path `scratch` that `user` cannot enter.
pub(crate) fn first_inaccessible(scratch: &Path, user: BrowserUser) -> Option<PathBuf> {
    let scratch = std::path::absolute(scratch).ok()?;
    scratch
        .ancestors()
        .filter(|folder| {
            folder.metadata().is_ok_and(|folder| {
                let class = match (folder.uid(), folder.gid()) {
                    (uid, _) if uid == user.uid => 0o100,
                    (_, gid) if gid == user.gid => 0o010,
                    _ => 0o001,
                };
                folder.mode() & class == 0
            })
        })
        .last()
        .map(Path::to_owned)
}

/// Removes profiles that no browser uses. In a directory that all users can write to, others can
/// create entries with our prefix: only entries of this user are removed.
pub(crate) fn remove_stale_profiles(scratch: &Path) {
    let entries = fs::read_dir(scratch).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let folder = entry.path();
        if !folder.symlink_metadata().is_ok_and(|it| it.is_dir() && is_own(it.uid())) {
            continue;
        }
        // A directory without the file is being created, or is not ours.
        let Ok(lock) = open_lock(&folder.join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            tracing::debug!(folder = %folder.display(), "removing stale browser profile");
            let _ = fs::remove_dir_all(folder);
        }
    }
}

fn is_own(user: u32) -> bool {
    rustix::process::geteuid().as_raw() == user
}

/// Opens a lock file. Does not block on a FIFO and follows no link.
fn open_lock(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let lock = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if lock.metadata()?.is_file() { Ok(lock) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_profile_is_removed_and_profile_in_use_is_kept() {
        let scratch = tempfile::tempdir().expect("a folder");
        let left = scratch.path().join(format!("{PREFIX}left"));
        fs::create_dir(&left).expect("a folder");
        fs::write(left.join(LOCK), "").expect("a file");
        let other = scratch.path().join("somebody-elses");
        fs::create_dir(&other).expect("a folder");
        fs::write(other.join(LOCK), "").expect("a file");

        let first = BrowserProfile::create(scratch.path(), None).expect("a profile");
        assert!(!left.exists() && other.exists());
        let second = BrowserProfile::create(scratch.path(), None).expect("a profile");
        assert!(first.home().exists() && second.home().exists());
        let mode = |path: &Path| path.metadata().expect("a folder").mode() & 0o777;
        assert_eq!((mode(first.folder.path()), mode(&first.home())), (0o700, 0o700));
        let kept = first.home();
        drop(first);
        assert!(!kept.exists() && second.home().exists());
    }

    #[test]
    fn directories_of_other_users_and_locks_that_are_no_files_are_kept() {
        let scratch = tempfile::tempdir().expect("a folder");
        let pipe = scratch.path().join(format!("{PREFIX}pipe"));
        let link = scratch.path().join(format!("{PREFIX}link"));
        let linked = scratch.path().join(format!("{PREFIX}linked"));
        for folder in [&pipe, &linked] {
            fs::create_dir(folder).expect("a folder");
        }
        let made = std::process::Command::new("mkfifo").arg(pipe.join(LOCK)).status();
        assert!(made.expect("it runs").success());
        std::os::unix::fs::symlink("/dev/null", linked.join(LOCK)).expect("a link");
        std::os::unix::fs::symlink(&linked, &link).expect("a link");
        // Blocks forever if it opens the FIFO like a file.
        remove_stale_profiles(scratch.path());
        assert!(pipe.exists() && linked.exists() && link.exists());
        let own = rustix::process::geteuid().as_raw();
        assert!(is_own(own) && !is_own(own + 1));
        if own == 0 {
            let other = scratch.path().join(format!("{PREFIX}other"));
            fs::create_dir(&other).expect("a folder");
            fs::write(other.join(LOCK), "").expect("a file");
            chown(&other, Some(65_534), None).expect("root may");
            remove_stale_profiles(scratch.path());
            assert!(other.exists());
        }
    }

    #[test]
    fn inaccessible_directory_is_reported() {
        let scratch = tempfile::tempdir().expect("a folder");
        let closed = scratch.path().join("closed");
        fs::create_dir_all(closed.join("below")).expect("folders");
        let mode = |mode| fs::set_permissions(&closed, Permissions::from_mode(mode)).expect("mode");
        let owner = closed.metadata().expect("a folder").uid();
        let other = BrowserUser { uid: owner + 7, gid: 4_000_007 };
        mode(0o700);
        assert_eq!(first_inaccessible(&closed.join("below"), other), Some(closed.clone()));
        mode(0o711);
        assert_eq!(first_inaccessible(&closed.join("below"), other), None);
    }
}
