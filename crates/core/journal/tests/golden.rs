//! Golden files of stored payloads: `tests/golden/TYPE.vVERSION.bin`, and its value as JSON beside
//! it. A name may say more after the version if a version has several layouts.

use golden::{GoldenFolder, decompressed};
use journal::{Commit, JournalError, Overlay, PayloadType, Segment};
use serde::de::DeserializeOwned;

/// Bytes before the compressed body, since version 2.
const HEADER: usize = 2;

const TYPES: [(&str, PayloadType); 3] = [
    ("commit", PayloadType::Commit),
    ("overlay", PayloadType::Overlay),
    ("segment", PayloadType::Segment),
];

#[derive(Debug, PartialEq)]
enum GoldenValue {
    Commit(Commit),
    Overlay(Overlay),
    Segment(Vec<String>),
}

impl GoldenValue {
    /// The value in the JSON file of this name.
    fn expected(name: &str) -> Self {
        let json = folder().read(&format!("{name}.json"));
        match payload_type(name) {
            PayloadType::Commit => Self::Commit(parse(&json)),
            PayloadType::Overlay => Self::Overlay(parse(&json)),
            PayloadType::Segment => Self::Segment(parse(&json)),
            other => panic!("the golden files of a {other} are in the crate of its state"),
        }
    }

    fn decode(payload: PayloadType, stored: &[u8]) -> Result<Self, JournalError> {
        Ok(match payload {
            PayloadType::Commit => Self::Commit(Commit::decode(stored)?),
            PayloadType::Overlay => Self::Overlay(Overlay::decode(stored)?),
            PayloadType::Segment => Self::Segment(Segment::lines(stored)?),
            other => panic!("the golden files of a {other} are in the crate of its state"),
        })
    }

    fn encode(&self) -> Result<Vec<u8>, JournalError> {
        match self {
            Self::Commit(commit) => commit.encode(),
            Self::Overlay(overlay) => overlay.encode(),
            Self::Segment(lines) => Ok(Segment::pack_lines(lines)?.bytes),
        }
    }
}

fn folder() -> GoldenFolder {
    GoldenFolder::of(env!("CARGO_MANIFEST_DIR"))
}

fn parse<T: DeserializeOwned>(json: &[u8]) -> T {
    serde_json::from_slice(json).expect("a value in JSON")
}

fn payload_type(name: &str) -> PayloadType {
    let found = TYPES.iter().find(|(start, _)| name.split('.').next() == Some(*start));
    found.unwrap_or_else(|| panic!("{name}: unknown type")).1
}

#[test]
fn golden_payloads_of_every_version_are_decoded() {
    let files = folder().names(".bin");
    for (start, payload) in TYPES {
        for version in 1..payload.version() {
            assert!(files.contains(&format!("{start}.v{version}.bin")), "{start} {version}");
        }
    }
    for file in files {
        let name = file.trim_end_matches(".bin");
        let found = GoldenValue::decode(payload_type(name), &folder().read(&file));
        assert_eq!(found.expect("it is read"), GoldenValue::expected(name), "{file}");
    }
}

#[test]
fn golden_payloads_of_the_newest_version_are_written_byte_for_byte() {
    for (start, payload) in TYPES {
        let name = format!("{start}.v{}", payload.version());
        let written = GoldenValue::expected(&name).encode().expect("it encodes");
        let stored = folder().read_or_write(&format!("{name}.bin"), &written);
        assert_eq!(decompressed(&written, HEADER), decompressed(&stored, HEADER), "{name}");
    }
}
