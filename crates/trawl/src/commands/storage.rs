//! `trawl storage`: moves and checks the files of pages in object storage.

use anyhow::bail;
use contract::Clock;
use runtime::SystemClock;
use store::{StorageMove, Store};

use super::backup::require_database;
use super::{Exit, settings_with_key, verify};
use crate::cli::{GlobalArgs, StorageCommand, StorageMoveArgs};
use crate::printing::outln;
use crate::settings::Settings;

/// Bytes between two lines of progress.
const REPORT_EVERY: u64 = 256 << 20;

pub async fn run(global: &GlobalArgs, command: &StorageCommand) -> anyhow::Result<Exit> {
    let settings = settings_with_key(global)?;
    require_database(&settings)?;
    if let StorageCommand::Move(args) = command {
        require_target(&settings, args)?;
    }
    let store = Store::new(settings.store())?;
    let outcome = match command {
        StorageCommand::Move(_) => {
            store.prepare().await?;
            move_files(&store).await
        }
        StorageCommand::Verify(args) => {
            store.open_unchanged().await?;
            let check = store.verify_storage().await?;
            verify::print(args, vec![check])
        }
    };
    store.close().await;
    outcome
}

/// Fails unless the settings write to the target: the servers have the same.
fn require_target(settings: &Settings, args: &StorageMoveArgs) -> anyhow::Result<()> {
    let current = settings.storage.current.as_ref();
    let current = current.map_or_else(|| "db".to_owned(), |one| one.location().to_string());
    let wanted = match args.to.as_str() {
        "db" => "db".to_owned(),
        url => url.parse::<bucket::Location>()?.to_string(),
    };
    if current != wanted {
        bail!(
            "the servers write to {current}: set TRAWL_STORAGE to {wanted} on each node, and \
             TRAWL_STORAGE_ALSO to the old place unless it is db, restart them, and repeat"
        );
    }
    Ok(())
}

async fn move_files(store: &Store) -> anyhow::Result<Exit> {
    let mut reported = 0;
    let report = |done: &StorageMove| {
        if done.bytes >= reported + REPORT_EVERY {
            reported = done.bytes;
            outln!("{} MiB moved", done.bytes >> 20);
        }
    };
    let done = store.move_storage(|| SystemClock.now(), report).await?;
    let StorageMove { parts, objects, bytes, left } = done;
    outln!(
        "moved {parts} parts of files and {objects} objects, {} MiB in total",
        bytes.div_ceil(1 << 20)
    );
    if left > 0 {
        outln!(
            "{left} parts of page calls stay where they are until their links expire; repeat the \
             command in an hour before you remove TRAWL_STORAGE_ALSO"
        );
    }
    Ok(Exit::Done)
}
