//! `trawl restore`: unpacks a backup into an empty data folder.
//!
//! Nothing is written before the backup is known to be readable by this release. The files get their
//! names when all of them are complete and their checksum is correct, the database last.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use store::newest_schema;

use super::backup::{BackupManifest, DATABASE, FORMAT, MANIFEST};
use super::{Exit, secret_key, settings};
use crate::archive::ArchiveReader;
use crate::cli::{GlobalArgs, RestoreArgs};
use crate::printing::outln;
use crate::settings::Settings;
use crate::{preconditions, private_files};

/// Ending of files that are not complete yet.
const PARTIAL: &str = "restoring";

/// Maximum bytes of the manifest and of a key.
const SMALL_FILE: u64 = 64 << 10;

pub async fn run(global: &GlobalArgs, args: &RestoreArgs) -> anyhow::Result<Exit> {
    let settings = settings(global, &[])?;
    if !settings.is_embedded() {
        bail!(
            "`trawl restore` writes a data folder, but a database is configured; leave out \
             --database and TRAWL_DATABASE. docs/operations.md has the order for PostgreSQL"
        );
    }
    let (file, folder) = (args.file.clone(), settings.data.clone());
    let restored = tokio::task::spawn_blocking(move || restore(&file, &folder)).await?;
    let manifest = restored.with_context(|| format!("cannot restore {}", args.file.display()))?;
    report(&manifest, &settings);
    Ok(Exit::Done)
}

fn report(manifest: &BackupManifest, settings: &Settings) {
    let folder = settings.data.display();
    outln!(
        "restored the backup of {} (release {}) to {folder}",
        manifest.created_at,
        manifest.release
    );
    if !manifest.has_secret_key {
        outln!("it has no secret key: set TRAWL_SECRET_KEY to that of the service before a start");
    }
    if manifest.schema < newest_schema() {
        outln!("its schema is older: `trawl migrate --apply --data {folder}` migrates it");
    }
    outln!(
        "check it with `trawl verify --data {folder}`; never run it beside the original, because \
         both would send webhooks and start schedules"
    );
}

fn restore(file: &Path, folder: &Path) -> anyhow::Result<BackupManifest> {
    let mut archive = ArchiveReader::new(File::open(file)?).context(NO_BACKUP)?;
    let manifest = read_manifest(&mut archive)?;
    check_release(&manifest)?;
    check_folder(folder)?;
    private_files::create_folder(folder).context("cannot create the data folder")?;
    check_space(&manifest, folder)?;
    let mut files = Vec::new();
    let unpacked = unpack(&mut archive, folder, &mut files);
    if let Err(error) = unpacked.and_then(|()| name_files(&files)) {
        for (partial, _) in &files {
            // The error that led here is reported; the next restore replaces a leftover file.
            let _ = fs::remove_file(partial);
        }
        return Err(error);
    }
    Ok(manifest)
}

const NO_BACKUP: &str = "the file is damaged, or no backup of `trawl backup`";

fn read_manifest(archive: &mut ArchiveReader<File>) -> anyhow::Result<BackupManifest> {
    let first = archive.next_file().context(NO_BACKUP)?;
    let Some(first) = first.filter(|file| file.name == MANIFEST && file.bytes <= SMALL_FILE) else {
        bail!(NO_BACKUP);
    };
    let mut text = Vec::new();
    archive.copy(&first, &mut text).context(NO_BACKUP)?;
    serde_json::from_slice(&text).context(NO_BACKUP)
}

/// Fails if only a newer release can read the backup.
fn check_release(manifest: &BackupManifest) -> anyhow::Result<()> {
    let BackupManifest { format, release, schema, .. } = manifest;
    let newest = newest_schema();
    if *format > FORMAT || *schema > newest {
        bail!(
            "release {release} wrote it, which is newer than this one ({}): format {format}, schema \
             {schema}; this release knows format {FORMAT} and schema {newest}. Restore it with \
             release {release}",
            env!("CARGO_PKG_VERSION")
        );
    }
    Ok(())
}

/// Fails if the folder has files other than those of an interrupted restore.
fn check_folder(folder: &Path) -> anyhow::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", folder.display()));
        }
    };
    for entry in entries {
        let name = PathBuf::from(entry?.file_name());
        if name.extension().is_none_or(|ending| ending != PARTIAL)
            && name != Path::new("lost+found")
        {
            bail!(
                "the data folder {} is not empty: it has {}; nothing is overwritten, so choose an \
                 empty folder with --data",
                folder.display(),
                name.display()
            );
        }
    }
    Ok(())
}

fn check_space(manifest: &BackupManifest, folder: &Path) -> anyhow::Result<()> {
    let free = preconditions::free_bytes(folder).unwrap_or(u64::MAX);
    if free < manifest.database_bytes {
        bail!(
            "the disk of {} has {} MiB free and the backup needs {}; free space, or choose another \
             folder with --data",
            folder.display(),
            free >> 20,
            manifest.database_bytes.div_ceil(1 << 20)
        );
    }
    Ok(())
}

/// Unpacks database and keys under temporary names; `files` has these with their final ones, the
/// database last.
fn unpack(
    archive: &mut ArchiveReader<File>,
    folder: &Path,
    files: &mut Vec<(PathBuf, PathBuf)>,
) -> anyhow::Result<()> {
    while let Some(entry) = archive.next_file().context(NO_BACKUP)? {
        let is_known = entry.name == DATABASE
            || (secret_key::FILES.contains(&entry.name.as_str()) && entry.bytes <= SMALL_FILE);
        if !is_known {
            bail!("{NO_BACKUP}: it contains {}", entry.name);
        }
        let path = folder.join(&entry.name);
        let partial = folder.join(format!("{}.{PARTIAL}", entry.name));
        let mut options = OpenOptions::new();
        let out = options.write(true).create(true).truncate(true).mode(0o600).open(&partial);
        let mut out = out.with_context(|| format!("cannot write {}", partial.display()))?;
        files.push((partial.clone(), path));
        archive.copy(&entry, &mut out).map_err(|error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                anyhow::Error::new(error).context(format!("cannot write {}", partial.display()))
            }
            _ => anyhow::Error::new(error).context(NO_BACKUP),
        })?;
        out.flush()?;
        out.sync_all()?;
    }
    if files.last().is_none_or(|(_, path)| !path.ends_with(DATABASE)) {
        bail!(NO_BACKUP);
    }
    Ok(())
}

fn name_files(files: &[(PathBuf, PathBuf)]) -> anyhow::Result<()> {
    for (partial, path) in files {
        fs::rename(partial, path)?;
        private_files::sync_folder_of(path)?;
    }
    Ok(())
}
