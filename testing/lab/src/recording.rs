//! Recorded sites: one compressed JSON file per site below `recorded/`, with pages and truth.
//!
//! `recorded/KIND/hosts.txt` lists the hosts of a kind in order. To look into a recording:
//! `zstdcat recorded/shops/HOST.json.zst | jq`. To add a site, add its file and its line.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::de::DeserializeOwned;

fn folder(kind: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/recorded")).join(kind)
}

/// The hosts of a kind, in the order of its list.
pub(crate) fn hosts(kind: &str) -> Vec<String> {
    let list = fs::read_to_string(folder(kind).join("hosts.txt")).expect("the list of hosts");
    list.lines().map(str::to_owned).collect()
}

/// A recording that is read from its file at the first access.
pub(crate) type LazyRecording<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

/// The recording of a host.
pub(crate) fn lazy<T>(kind: &'static str, host: &str) -> LazyRecording<T>
where
    T: DeserializeOwned + 'static,
{
    let host = host.to_owned();
    LazyLock::new(Box::new(move || read(kind, &host)))
}

fn read<T: DeserializeOwned>(kind: &str, host: &str) -> T {
    let path = folder(kind).join(format!("{host}.json.zst"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let json = BufReader::new(zstd::Decoder::new(file).expect("a decoder"));
    serde_json::from_reader(json).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
