use std::collections::BTreeSet;

use super::*;

#[test]
fn every_case_is_linked_once_and_has_one_expected_outcome() {
    let site = Hostile::default();
    let Reply::Full(start) = site.answer("/") else { panic!("a raw reply") };
    let html = String::from_utf8(start.body.to_vec()).expect("UTF-8");
    let linked: Vec<String> = html
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(str::to_owned)
        .collect();
    let once: BTreeSet<_> = linked.iter().cloned().collect();
    assert_eq!(linked.len(), once.len());
    let truth = site.truth();
    for path in &once {
        let is_listed = truth.delivered.contains_key(path) || truth.skipped.contains_key(path);
        let redirects = redirects::INSIDE.iter().any(|(from, _)| from == path);
        assert!(is_listed != redirects, "{path}");
    }
    for path in truth.delivered.keys() {
        assert!(!truth.skipped.contains_key(path), "{path} is both");
        let reached = path == "/"
            || once.contains(path)
            || path.starts_with("/behind/")
            || redirects::INSIDE.iter().any(|(_, to)| to == path);
        assert!(reached, "nothing leads to {path}");
    }
    for path in truth.skipped.keys() {
        assert!(once.contains(path), "nothing leads to {path}");
    }
}

#[test]
fn every_case_has_a_reply() {
    let site = Hostile::default();
    for path in site.titles().keys().chain(site.skipped().keys()) {
        let missing = matches!(site.answer(path), Reply::Full(whole) if whole.status == 404);
        assert!(!missing, "{path}");
    }
}
