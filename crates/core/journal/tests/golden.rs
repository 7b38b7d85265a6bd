//! Golden files of the stored formats.

use std::collections::BTreeMap;

use contract::Alternate;
use golden::{GoldenFolder, decompressed};
use journal::{Commit, OptionalTail, Overlay, Revision, Segment};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct OverlayValue {
    revisions: Vec<Revision>,
    translations: BTreeMap<u64, Vec<Alternate>>,
    sitemap_unread: bool,
}

fn folder() -> GoldenFolder {
    GoldenFolder::of(env!("CARGO_MANIFEST_DIR"))
}

fn value<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_slice(&folder().read(&format!("{name}.json"))).expect("JSON of the type")
}

fn check(name: &str, present: &[u8]) {
    let stored = folder().read_or_write(&format!("{name}.bin"), present);
    assert_eq!(decompressed(present, 1), decompressed(&stored, 1), "{name}");
}

/// A value in the format of version 1.
fn version_1(value: &impl Serialize) -> Vec<u8> {
    let bytes = postcard::to_stdvec(value).expect("it encodes");
    [vec![1], zstd::encode_all(bytes.as_slice(), 3).expect("it packs")].concat()
}

#[test]
fn golden_files_are_written_as_by_the_present_code() {
    let commit: Commit = value("commit.v1");
    check("commit.v1", &commit.encode().expect("it encodes"));
    let lines: Vec<String> = value("segment.v1");
    check("segment.v1", &Segment::pack_lines(&lines).expect("it packs").bytes);
    let found: OverlayValue = value("overlay.v1");
    let overlay = Overlay {
        revisions: found.revisions,
        translations: found.translations,
        sitemap_unread: OptionalTail(found.sitemap_unread),
    };
    check("overlay.v1", &overlay.encode().expect("it encodes"));
    let found: OverlayValue = value("overlay.v1-without-sitemap");
    check("overlay.v1-without-sitemap", &version_1(&(found.revisions, found.translations)));
    let found: OverlayValue = value("overlay.v1-without-translations");
    check("overlay.v1-without-translations", &version_1(&(found.revisions,)));
}
