use std::collections::BTreeSet;

use super::*;

#[test]
fn every_misdeed_is_linked_once_and_has_one_truth() {
    let site = Hostile::default();
    let Reply::Full(start) = site.answer("/") else { panic!("the start page is whole") };
    let html = String::from_utf8(start.body.to_vec()).expect("it is sound");
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
        let told = truth.delivered.contains_key(path) || truth.skipped.contains_key(path);
        let passed_on = redirects::INSIDE.iter().any(|(from, _)| from == path);
        assert!(told != passed_on, "{path}");
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
fn every_misdeed_has_an_answer() {
    let site = Hostile::default();
    for path in site.titles().keys().chain(site.skipped().keys()) {
        let missing = matches!(site.answer(path), Reply::Full(whole) if whole.status == 404);
        assert!(!missing, "{path}");
    }
}
