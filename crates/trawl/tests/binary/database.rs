//! A fresh database for a test, of either kind.

use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

/// The value of `TRAWL_DATABASE` for a new database: empty means SQLite in the data folder.
pub async fn fresh(kind: Kind) -> String {
    match kind {
        Kind::Sqlite => String::new(),
        Kind::Postgres => fixture::fresh_postgres().await,
    }
}

/// Opens the database of a server directly.
pub async fn open(database: &str, data: &Path) -> store::Store {
    let url = if database.is_empty() {
        format!("sqlite:{}", data.join("trawl.db").display())
    } else {
        database.to_owned()
    };
    let store = store::Store::new(store::StoreSettings::new(url)).expect("an address");
    store.prepare().await.expect("the database answers");
    store
}
