//! Object storage: nothing is lost, doubled or charged twice while it fails, deleted bytes leave it, and
//! its errors are never empty answers.

mod faults;
mod places;
mod removal;

use contract::{JobId, PageFileFormat};
use job::{JobCommand, RunEnding};
use store::{Appended, DataCheck, Lease, Store};

use crate::harness::{Harness, NOW};
use crate::run_pages::{append, download, raw};

const RAW: PageFileFormat = PageFileFormat::RawHtml;

/// The names of the objects with files.
async fn packs(harness: &Harness) -> Vec<String> {
    let names = harness.storage.names().await;
    names.into_iter().filter(|name| name.contains("/packs/")).collect()
}

/// All compressed files of all objects, as one text.
async fn stored_text(harness: &Harness) -> String {
    let mut text = String::new();
    let objects = harness.storage.contents("/packs/").await;
    for object in objects.iter().filter(|object| object.starts_with(b"TPK1")) {
        let bytes = zstd::stream::decode_all(&object[4..]).expect("frames of zstd");
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    text
}

/// The text of the page of an item.
fn text_of(item: u64) -> String {
    format!("<p>page {item} {}</p>", "x".repeat(usize::try_from(item % 7).expect("small") * 40))
}

/// Appends pages with these numbers, each with its text, until it is stored.
async fn append_until_stored(store: &Store, lease: &mut Lease, numbers: std::ops::Range<u32>) {
    let kept: Vec<_> = numbers
        .clone()
        .enumerate()
        .map(|(position, n)| (position, raw("https://a.test/", &text_of(u64::from(n)))))
        .collect();
    for _ in 0..1_000 {
        match append(store, lease, numbers.clone(), &kept).await {
            Ok(Appended::Stored) => return,
            Ok(other) => panic!("{other:?}"),
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
    }
    panic!("it is never stored");
}

/// Asserts that each item has its file.
async fn assert_files(store: &Store, job: &JobId, items: std::ops::Range<u64>) {
    for item in items {
        assert_eq!(download(store, job, item, RAW).await, Some(text_of(item)), "item {item}");
    }
}

async fn finish(harness: &Harness, lease: &Lease) {
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(lease, &done, NOW).await.expect("it ends");
}

async fn assert_clean(store: &Store) {
    let checks = store.verify_data().await.expect("it answers");
    let problems: Vec<_> =
        checks.into_iter().flat_map(|DataCheck { problems, .. }| problems).collect();
    assert!(problems.is_empty(), "{problems:?}");
}
