//! The stored format of templates.

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

proptest! {
    #[test]
    fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = ExtractionTemplate::decode(&bytes);
        let _ = ExtractionTemplate::decode(&[&b"TPL2"[..], &bytes].concat());
    }
}
