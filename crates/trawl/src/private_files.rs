//! Files that only the user of the service can read: they contain personal data and secrets.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::Mode;
use rustix::process::umask;

/// Makes every file that this process creates readable by its owner only (umask).
pub fn restrict_new_files() {
    umask(Mode::from_raw_mode(0o077));
}

/// Creates a folder and its parents, accessible by their owner only. An existing folder is
/// unchanged.
pub fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The permissions of a folder that other users can read; `None` if they cannot.
pub fn mode_if_readable_by_others(folder: &Path) -> Option<u32> {
    let mode = std::fs::metadata(folder).ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Writes a file that only its owner can read, replacing an existing one.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // `create_new` does not follow a symbolic link that another user may have placed there.
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Makes a rename in the folder of this file durable.
pub fn sync_folder_of(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
