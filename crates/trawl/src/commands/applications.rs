//! `trawl account applications`: OAuth applications connected to an account.

use contract::{Clock, ConnectedApplication};
use runtime::SystemClock;
use store::Store;

use super::account_lookup::find;
use super::{Exit, print_json};
use crate::printing::{or_dash, print_table};

/// Lists the applications of an account, by its e-mail or identifier.
pub async fn list(store: &Store, account: &str, json: bool) -> anyhow::Result<Exit> {
    let id = find(store, account).await?;
    let connected = store.connected_applications(&id, SystemClock.now()).await?;
    if json {
        print_json(&connected)?;
        return Ok(Exit::Done);
    }
    let columns = "application:36, connected:24, last used:24, name:32, scopes";
    let cells = |one: &ConnectedApplication| {
        let scopes: Vec<_> = one.scopes.iter().map(ToString::to_string).collect();
        let (connected, used) = (one.connected_at.to_string(), or_dash(one.last_used_at));
        [one.id.to_string(), connected, used, one.name.clone(), scopes.join(" ")]
    };
    print_table(columns, connected.iter().map(cells));
    Ok(Exit::Done)
}
