//! `trawl key`: creates, lists and revokes API keys.

use contract::{AccountKey, Clock, KeyId, KeyPrefix};
use runtime::SystemClock;
use store::{NewKey, Store};

use super::account_lookup::{find, find_by_email};
use super::{Exit, open_store, print_json};
use crate::cli::{GlobalArgs, KeyCommand};
use crate::exit::fail;
use crate::printing::{or_dash, outln, print_table};

pub async fn run(global: &GlobalArgs, command: KeyCommand) -> anyhow::Result<Exit> {
    let (store, settings) = open_store(global).await?;
    let (email, name, source, test, limits, json) = match command {
        KeyCommand::Create { email, name, source, test, limits, json } => {
            (email, name, source, test, limits, json)
        }
        KeyCommand::List { account, json } => return list(&store, &account, json).await,
        KeyCommand::Revoke { id, pause } => return revoke(&store, &id, pause).await,
    };
    if name.is_empty() || name.chars().count() > 100 {
        fail!(Usage, "the name must have 1 to 100 characters");
    }
    if !settings.sources.contains(&source) {
        let known = settings.sources.join(", ");
        fail!(Usage, "the source must be one of {known}");
    }
    let now = SystemClock.now();
    if limits.expires().is_some_and(|at| at <= now) {
        fail!(Usage, "--expires must be in the future");
    }
    let account = find_by_email(&store, &email).await?;
    let prefix = if test { KeyPrefix::Test } else { KeyPrefix::Live };
    let new = NewKey { name, source, prefix, limits: limits.change() };
    let Some(key) = store.create_key(&account.id, new, now).await? else {
        let limit = settings.limits.keys;
        fail!(Nothing, "the account has reached its limit of {limit} live keys; revoke one");
    };
    if json {
        print_json(&key)?;
    } else {
        outln!("{}", key.key);
        eprintln!("key {} of {}, shown once", key.details.id, account.email);
    }
    Ok(Exit::Done)
}

async fn list(store: &Store, account: &str, json: bool) -> anyhow::Result<Exit> {
    let id = find(store, account).await?;
    let keys = store.keys(&id, SystemClock.now()).await?;
    if json {
        print_json(&keys)?;
        return Ok(Exit::Done);
    }
    let columns = "key:36, secret:18, source:10, last used:24, revoked:24, name";
    let cells = |key: &AccountKey| {
        let secret = format!("{}_…{}", key.prefix, key.last4);
        let (used, revoked) = (or_dash(key.last_used_at), or_dash(key.revoked_at));
        [key.id.to_string(), secret, key.source.clone(), used, revoked, key.name.clone()]
    };
    print_table(columns, keys.iter().map(cells));
    Ok(Exit::Done)
}

async fn revoke(store: &Store, id: &str, pause: bool) -> anyhow::Result<Exit> {
    let invalid = || format!("{id} is not a key identifier; `trawl key list` shows them");
    let missing = || format!("there is no key {id}; `trawl key list` shows those of an account");
    let key: KeyId = id.parse().map_err(|_| Exit::Usage.with(invalid()))?;
    let owner = store.owner_of_key(&key).await?;
    let owner = owner.ok_or_else(|| Exit::Nothing.with(missing()))?;
    let now = SystemClock.now();
    if pause {
        store.revoke_key_and_pause(&owner, &key, now).await?;
        outln!("{id} is revoked; its schedules are paused and its webhooks disabled");
    } else {
        store.revoke_key(&owner, &key, now).await?;
        outln!("{id} is revoked");
    }
    Ok(Exit::Done)
}
