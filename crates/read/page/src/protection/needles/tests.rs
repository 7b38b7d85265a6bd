use proptest::prelude::*;

use super::*;

fn all() -> impl Iterator<Item = &'static str> {
    ANY.iter().chain(&REFUSAL).map(|(needle, _)| *needle)
}

#[test]
fn no_needle_hides_another() {
    for one in all() {
        for other in all().filter(|other| *other != one) {
            assert!(!one.starts_with(other), "{other} hides {one}");
        }
    }
}

#[test]
fn this_machine_looks_for_all_at_once() {
    // The other way is right as well, but several times as slow.
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert!(OF_ANY.searcher.is_some() && OF_REFUSAL.searcher.is_some());
    }
}

proptest! {
    #[test]
    fn both_ways_find_the_same(pieces in prop::collection::vec(prop_oneof![
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
