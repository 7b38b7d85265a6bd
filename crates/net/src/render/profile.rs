//! The folder that a browser keeps its things in: fresh, and gone with it.
//!
//! Whoever uses a folder holds a lock on a file in it. One whose lock is free was left
//! behind by a process that was killed, and is removed when the next browser starts.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

const PREFIX: &str = "trawl-chromium-";
const LOCK: &str = "in-use";

/// A folder in use; dropping it deletes it.
#[derive(Debug)]
pub(crate) struct Profile {
    folder: TempDir,
    _lock: File,
}

impl Profile {
    /// A fresh folder under `scratch`; old ones there are removed.
    pub(crate) fn create(scratch: &Path) -> io::Result<Self> {
        remove_left_behind(scratch);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(scratch)?;
        // Locked before it has its name: nobody sees the one without the other.
        let unnamed = folder.path().join("new");
        let lock = File::create(&unnamed)?;
        lock.try_lock()?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        fs::create_dir(folder.path().join("profile"))?;
        Ok(Self { folder, _lock: lock })
    }

    /// What the browser may call its home.
    pub(crate) fn home(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("profile")
    }
}

fn remove_left_behind(scratch: &Path) {
    let entries = fs::read_dir(scratch).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        // A folder without the file is just being made, or is none of ours.
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            tracing::debug!(folder = %entry.path().display(), "removing an old profile");
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_with_their_users_and_only_then() {
        let scratch = tempfile::tempdir().expect("a folder");
        let left = scratch.path().join(format!("{PREFIX}left"));
        fs::create_dir(&left).expect("a folder");
        fs::write(left.join(LOCK), "").expect("a file");
        let other = scratch.path().join("somebody-elses");
        fs::create_dir(&other).expect("a folder");
        fs::write(other.join(LOCK), "").expect("a file");

        let first = Profile::create(scratch.path()).expect("a profile");
        assert!(!left.exists() && other.exists());
        let second = Profile::create(scratch.path()).expect("a profile");
        assert!(first.path().exists() && second.path().exists());
        let kept = first.home().to_owned();
        drop(first);
        assert!(!kept.exists() && second.path().exists());
    }
}
