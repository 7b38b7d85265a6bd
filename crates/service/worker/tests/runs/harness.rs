//! Test harness: a database, responses of sites, and waiting with a timeout.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Version};
use net::{Encoding, FetchResponse};
use store::{Store, StoreSettings};

/// Timeout of every wait in a test.
const PATIENCE: Duration = Duration::from_secs(120);

/// The file of the database in its directory.
pub const DATABASE: &str = "trawl.db";

/// A new SQLite database in a temporary directory.
pub async fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = store_in(folder.path()).await;
    (folder, store)
}

/// The SQLite database in a directory.
pub async fn store_in(folder: &Path) -> Store {
    let url = format!("sqlite:{}/{DATABASE}?mode=rwc", folder.display());
    let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
    store.prepare().await.expect("the tables are made");
    store
}

/// A response with an HTML page.
pub fn html(status: u16, body: String) -> FetchResponse {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
    FetchResponse {
        status,
        version: Version::HTTP_11,
        headers,
        wire_bytes: body.len() as u64,
        body: Bytes::from(body),
        body_truncated: false,
        encoding: Encoding::Identity,
        remote: ([127, 0, 0, 1], 80).into(),
        first_byte: Duration::ZERO,
        elapsed: Duration::ZERO,
    }
}

/// Polls until `ask` returns a value.
pub async fn wait_for<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = ask().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("{what}: not in time"))
}
