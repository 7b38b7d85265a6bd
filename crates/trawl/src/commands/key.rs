//! `trawl key`.

use contract::{Clock, KeyPrefix, SystemClock};
use store::NewKey;

use super::{Exit, open_store, print_json};
use crate::cli::{Key, Place};
use crate::printing::outln;

pub async fn run(place: &Place, command: Key) -> anyhow::Result<Exit> {
    let Key::Create { email, name, source, test, json } = command;
    let (store, settings) = open_store(place).await?;
    if name.is_empty() || name.chars().count() > 100 {
        eprintln!("trawl: a name has 1 to 100 characters");
        return Ok(Exit::Usage);
    }
    if !settings.sources.contains(&source) {
        eprintln!("trawl: the source is one of {}", settings.sources.join(", "));
        return Ok(Exit::Usage);
    }
    let Some(account) = store.account_by_email(&email).await? else {
        eprintln!("trawl: no account has the e-mail {email}; `trawl account list` shows all");
        return Ok(Exit::Nothing);
    };
    let prefix = if test { KeyPrefix::Test } else { KeyPrefix::Live };
    let new = NewKey { name, source, prefix };
    let Some(key) = store.create_key(&account.id, new, SystemClock.now()).await? else {
        eprintln!("trawl: the account has {} live keys already; revoke one", settings.limits.keys);
        return Ok(Exit::Nothing);
    };
    if json {
        print_json(&key)?;
    } else {
        outln!("{}", key.key);
        eprintln!("key {} of {}, shown once", key.details.id, account.email);
    }
    Ok(Exit::Done)
}
