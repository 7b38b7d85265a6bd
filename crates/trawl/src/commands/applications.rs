//! `trawl account applications`: OAuth applications connected to an account.

use contract::Clock;
use runtime::SystemClock;
use store::Store;

use super::account_lookup::find;
use super::{Exit, print_json};
use crate::printing::outln;

/// Lists the applications of an account, by its e-mail or identifier.
pub async fn list(store: &Store, account: &str, json: bool) -> anyhow::Result<Exit> {
    let id = find(store, account).await?;
    let connected = store.connected_applications(&id, SystemClock.now()).await?;
    if json {
        print_json(&connected)?;
        return Ok(Exit::Done);
    }
    outln!("{:36}  {:24}  {:24}  {:32}  scopes", "application", "connected", "last used", "name");
    for one in &connected {
        let scopes: Vec<_> = one.scopes.iter().map(ToString::to_string).collect();
        outln!(
            "{:36}  {:24}  {:24}  {:32}  {}",
            one.id.as_str(),
            one.connected_at.to_string(),
            one.last_used_at.map_or_else(|| "-".to_owned(), |at| at.to_string()),
            one.name,
            scopes.join(" ")
        );
    }
    Ok(Exit::Done)
}
