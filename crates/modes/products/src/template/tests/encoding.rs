//! The stored format of templates.

use golden::GoldenFolder;
use proptest::prelude::*;

use super::super::{ExtractionTemplate, TemplateEntry};

fn template() -> ExtractionTemplate {
    let entry = |field, key| TemplateEntry { field, score: 200, key };
    ExtractionTemplate { pages: 8, entries: vec![entry(0, 5), entry(0, 7), entry(3, u64::MAX)] }
}

#[test]
fn encoded_template_is_decoded_to_the_same_template() {
    let template = template();
    assert_eq!(ExtractionTemplate::decode(&template.encode()), Some(template.clone()));
    assert_eq!(template.id(), template.id());
    assert_ne!(template.id(), ExtractionTemplate { pages: 8, entries: Vec::new() }.id());
}

#[test]
fn truncated_and_unknown_formats_are_rejected() {
    let bytes = template().encode();
    for length in 0..bytes.len() {
        let cut = ExtractionTemplate::decode(&bytes[..length]);
        assert!(cut.is_none() || (length - 8) % 10 == 0);
    }
    assert_eq!(ExtractionTemplate::decode(b"TPL1\0\0\0\0"), None);
    assert_eq!(ExtractionTemplate::decode(&[&b"TPL2\0\0\0\0"[..], &[99; 10]].concat()), None);
    assert_eq!(ExtractionTemplate::decode(&[&b"TPL2\0\0\0\0"[..], &[0; 10_000]].concat()), None);
}

/// Templates are kept for the next run over their site, which may be one of a later release.
#[test]
fn golden_template_is_decoded_and_written_byte_for_byte() {
    let folder = GoldenFolder::of(env!("CARGO_MANIFEST_DIR"));
    let stored = folder.read_or_write("template.v2.bin", &template().encode());
    assert_eq!(ExtractionTemplate::decode(&stored), Some(template()));
    assert_eq!(template().encode(), stored);
}

proptest! {
    #[test]
    fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = ExtractionTemplate::decode(&bytes);
        let _ = ExtractionTemplate::decode(&[&b"TPL2"[..], &bytes].concat());
    }
}
