//! `trawl backup`: database and secret key in one file, beside a running server.
//!
//! The file is a tar archive, compressed by zstd: `manifest.json`, `secret.key` and `trawl.db`, in this
//! order. It is written under a temporary name and renamed when it is complete, so that the backup
//! before is kept until then.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use contract::{Clock, Millis};
use runtime::SystemClock;
use serde::{Deserialize, Serialize};
use store::{CopiedDatabase, Store};

use super::output_file::part_of;
use super::{Exit, secret_key, settings};
use crate::archive::ArchiveWriter;
use crate::cli::{BackupArgs, GlobalArgs};
use crate::printing::outln;
use crate::private_files;
use crate::settings::Settings;

/// Version of the format of backups. A change of the names or the order of the files raises it.
pub const FORMAT: u32 = 1;

pub const MANIFEST: &str = "manifest.json";
pub const DATABASE: &str = "trawl.db";

/// The first file of a backup: what it contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupManifest {
    pub format: u32,
    /// The release that wrote the backup.
    pub release: String,
    /// Schema migrations of the database.
    pub schema: usize,
    /// The start of the backup: all that was committed before is in it.
    pub created_at: Millis,
    pub database_bytes: u64,
    /// Whether the secret key is in the backup; not if it is a setting of the operator.
    pub has_secret_key: bool,
}

pub async fn run(global: &GlobalArgs, args: &BackupArgs) -> anyhow::Result<Exit> {
    let settings = settings(global, &[])?;
    if settings.is_postgres() {
        bail!(
            "`trawl backup` is for SQLite; back up PostgreSQL with pg_dump or continuous archiving, \
             and keep TRAWL_SECRET_KEY: docs/operations.md has the order, also for object storage"
        );
    }
    require_database(&settings)?;
    let file = args.file.as_path();
    let manifest = write(&settings, file)
        .await
        .with_context(|| format!("cannot write the backup {}", file.display()))?;
    outln!(
        "{}: release {}, schema {}, {} MiB of data, {}",
        file.display(),
        manifest.release,
        manifest.schema,
        manifest.database_bytes.div_ceil(1 << 20),
        match manifest.has_secret_key {
            true => "with the secret key: keep it as safe as the key",
            false => "without the secret key, which is in your settings: keep it as well",
        }
    );
    for bucket in settings.storage.current.iter().chain(&settings.storage.also) {
        outln!(
            "files of pages are not in it: now copy {} as well, after the database (docs/operations.md)",
            bucket.location()
        );
    }
    Ok(Exit::Done)
}

/// Fails if the SQLite database of the settings does not exist: opening it would create it.
pub fn require_database(settings: &Settings) -> anyhow::Result<()> {
    let path = settings.data.join(DATABASE);
    if settings.is_embedded() && !path.exists() {
        bail!("there is no database {}; name its folder with --data or TRAWL_DATA", path.display());
    }
    Ok(())
}

async fn write(settings: &Settings, file: &Path) -> anyhow::Result<BackupManifest> {
    let (part, locked) = lock_part(file)?;
    let copy = copy_of(&part);
    // Left by a backup that was killed.
    remove_if_exists(&copy)?;
    let created_at = SystemClock.now();
    // Before and after: a rotation of the key may end between the copy and the second look.
    let before = secret_key::files(settings)?;
    let store = Store::new(settings.store())?;
    let copied = store.copy_to(&copy).await;
    store.close().await;
    let written = match copied {
        Ok(CopiedDatabase { schema }) => {
            let copy = copy.clone();
            let after = secret_key::files(settings);
            tokio::task::spawn_blocking(move || {
                let keys = secret_key::united(before, after?)?;
                pack(locked, &copy, &keys, schema, created_at)
            })
            .await?
        }
        Err(error) => Err(error.into()),
    };
    remove_if_exists(&copy)?;
    let manifest = match written {
        Ok(manifest) => manifest,
        Err(error) => {
            remove_if_exists(&part)?;
            return Err(error);
        }
    };
    fs::rename(&part, file)?;
    private_files::sync_folder_of(file)?;
    Ok(manifest)
}

/// The path of the uncompressed copy of the database, beside the part file.
fn copy_of(part: &Path) -> PathBuf {
    let mut name = part.file_name().unwrap_or_default().to_owned();
    name.push("-db");
    part.with_file_name(name)
}

/// Creates the part file of a backup, which only its owner can read, and locks it.
fn lock_part(file: &Path) -> anyhow::Result<(PathBuf, File)> {
    let part = part_of(file);
    let mut options = OpenOptions::new();
    let locked = options.write(true).create(true).truncate(false).mode(0o600).open(&part)?;
    match locked.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => bail!("another `trawl backup` is writing it"),
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    locked.set_len(0)?;
    Ok((part, locked))
}

fn pack(
    out: File,
    copy: &Path,
    keys: &[(&str, String)],
    schema: usize,
    created_at: Millis,
) -> anyhow::Result<BackupManifest> {
    let database = File::open(copy)?;
    let manifest = BackupManifest {
        format: FORMAT,
        release: env!("CARGO_PKG_VERSION").to_owned(),
        schema,
        created_at,
        database_bytes: database.metadata()?.len(),
        has_secret_key: !keys.is_empty(),
    };
    let mut archive = ArchiveWriter::new(BufWriter::new(out), created_at)?;
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    archive.add(MANIFEST, text.len() as u64, text.as_bytes())?;
    for (name, key) in keys {
        archive.add(name, key.len() as u64, key.as_bytes())?;
    }
    archive.add(DATABASE, manifest.database_bytes, database)?;
    let mut out = archive.finish()?;
    out.flush()?;
    out.get_ref().sync_all()?;
    Ok(manifest)
}

fn remove_if_exists(file: &Path) -> std::io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
