//! Templates as they are kept.

use proptest::prelude::*;

use super::super::{Entry, Template};

fn template() -> Template {
    let entry = |field, key| Entry { field, score: 200, key };
    Template { pages: 8, entries: vec![entry(0, 5), entry(0, 7), entry(3, u64::MAX)] }
}

#[test]
fn a_template_is_kept_and_found_again() {
    let template = template();
    assert_eq!(Template::decode(&template.encode()), Some(template.clone()));
    assert_eq!(template.id(), template.id());
    assert_ne!(template.id(), Template { pages: 8, entries: Vec::new() }.id());
}

#[test]
fn what_is_broken_is_none() {
    let bytes = template().encode();
    for length in 0..bytes.len() {
        let cut = Template::decode(&bytes[..length]);
        assert!(cut.is_none() || (length - 8) % 10 == 0);
    }
    assert_eq!(Template::decode(b"TPL1\0\0\0\0"), None);
    assert_eq!(Template::decode(&[&b"TPL2\0\0\0\0"[..], &[99; 10]].concat()), None);
    assert_eq!(Template::decode(&[&b"TPL2\0\0\0\0"[..], &[0; 10_000]].concat()), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Template::decode(&bytes);
        let _ = Template::decode(&[&b"TPL2"[..], &bytes].concat());
    }
}
