//! `trawl secret rotate`: changes the key that encrypts stored secrets.
//!
//! A key that is a file of the data folder is changed here as a whole, without a server: the next key is
//! written beside it, all values are encrypted again, and then it replaces the file. A key that is a
//! setting is changed by the operator, in three steps between which all nodes keep running.

use anyhow::bail;
use contract::Clock;
use runtime::SystemClock;
use store::{AuditOrigin, KeyRotation, Store};

use super::backup::require_database;
use super::serve::lock_data_folder;
use super::{Exit, layers, secret_key};
use crate::cli::{GlobalArgs, SecretCommand};
use crate::printing::outln;
use crate::settings::Settings;

pub async fn run(global: &GlobalArgs, command: &SecretCommand) -> anyhow::Result<Exit> {
    match command {
        SecretCommand::Rotate => rotate(global).await,
    }
}

async fn rotate(global: &GlobalArgs) -> anyhow::Result<Exit> {
    let mut layers = layers(global, &[])?;
    let settings = Settings::of(&layers)?;
    require_database(&settings)?;
    let is_file = secret_key::is_file(&settings);
    let lock = if is_file {
        if secret_key::existing(&settings)?.is_none() {
            bail!(
                "there is no secret key in {}: restore the file from a backup, or start the server \
                 once if it has never run",
                settings.data.display()
            );
        }
        // A server that has only the old key could not read values of the new one.
        let lock = lock_data_folder(&settings)?;
        secret_key::create_next(&settings)?;
        lock
    } else {
        if settings.webhooks.next_secret_key.is_none() {
            bail!(
                "TRAWL_NEXT_SECRET_KEY is not set: generate a key with `openssl rand -hex 32`, set it \
                 on each node beside TRAWL_SECRET_KEY, restart all nodes, and repeat this command"
            );
        }
        None
    };
    secret_key::load(&mut layers)?;
    let store = Store::new(Settings::of(&layers)?.store())?;
    store.open_unchanged().await?;
    let acting = store.acting(AuditOrigin::command_line());
    let KeyRotation { reencrypted, unreadable } =
        acting.rotate_secret_key(SystemClock.now()).await?;
    store.close().await;
    if is_file {
        secret_key::adopt_next(&settings)?;
    }
    drop(lock);
    outln!("{reencrypted} stored secrets are encrypted with the new key");
    if unreadable > 0 {
        outln!(
            "{unreadable} could not be decrypted with the old key either and are unchanged; \
             `trawl verify` names them"
        );
    }
    match is_file {
        true => outln!("the key is in the data folder; make a backup, older ones have the old key"),
        false => outln!(
            "now set TRAWL_SECRET_KEY to the new key on each node, remove TRAWL_NEXT_SECRET_KEY, and \
             restart all nodes; keep the old key as long as backups that need it"
        ),
    }
    Ok(Exit::Done)
}
