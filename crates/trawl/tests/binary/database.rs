//! A fresh database for a test, of either kind.

use std::path::Path;

use sqlx::any::AnyPoolOptions;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

/// The value of `TRAWL_DATABASE` for a new database: empty means SQLite in the data folder.
pub async fn fresh(kind: Kind) -> String {
    match kind {
        Kind::Sqlite => String::new(),
        Kind::Postgres => {
            sqlx::any::install_default_drivers();
            let server = std::env::var("TRAWL_TEST_POSTGRES")
                .expect("TRAWL_TEST_POSTGRES names a PostgreSQL server; scripts/test starts one");
            let name = format!("b{:032x}", rand::random::<u128>());
            let admin = AnyPoolOptions::new()
                .max_connections(1)
                .connect(&server)
                .await
                .expect("the server answers");
            sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
                .execute(&admin)
                .await
                .expect("a database is created");
            admin.close().await;
            let mut url = url::Url::parse(&server).expect("an address");
            url.set_path(&name);
            url.to_string()
        }
    }
}

/// A second look at a server's database, past the API.
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
