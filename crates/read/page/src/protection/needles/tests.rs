//! The needle search with and without vector instructions.

use proptest::prelude::*;

use super::*;

fn all() -> impl Iterator<Item = &'static str> {
    ANY.iter().chain(&REFUSAL).map(|(needle, _)| *needle)
}

#[test]
fn no_needle_contains_another() {
    for one in all() {
        for other in all().filter(|other| *other != one) {
            assert!(!one.starts_with(other), "{other} hides {one}");
        }
    }
}

#[test]
fn vector_searcher_is_available() {
    // The fallback is correct as well, but several times slower.
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert!(OF_ANY.searcher.is_some() && OF_REFUSAL.searcher.is_some());
    }
}

proptest! {
    #[test]
    fn vector_and_fallback_search_agree(pieces in prop::collection::vec(prop_oneof![
        4 => prop::sample::select(all().collect::<Vec<_>>()),
        1 => prop::sample::select(vec![
            "<script src=\"", "<iframe src='", "\">", "<p ", " id=\"", "window", "The requested ",
            "Request unsuccessful. ", ": 123", "orchestrate", "challenge.js", "/c", "1020", " ",
        ]),
    ], 0..24)) {
        let body = pieces.concat();
        for needles in [&*OF_ANY, &*OF_REFUSAL] {
            prop_assert_eq!(needles.signs(body.as_bytes()), needles.signs_one_by_one(body.as_bytes()));
        }
    }
}
