//! Code that differs by mode is in the crate of the mode. `Mode::Links` and the others are named in
//! the contract, the registry, the rate card, and a short list of other files.

use std::fs;

use contract::Mode;

use crate::workspace::{crates, rust_files, shown};

/// Files and folders that name modes, with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/core/contract/src/", "options, texts and properties of each mode"),
    ("crates/core/job/src/rate.rs", "one rate per mode"),
    ("crates/modes/registry/src/lib.rs", "selects the crate of a mode"),
    ("crates/modes/contacts/src/extractor.rs", "its own mode, for the registry to decode it"),
    ("crates/modes/markdown/src/extractor.rs", "its own mode, for the registry to decode it"),
    ("crates/modes/products/src/extractor.rs", "its own mode, for the registry to decode it"),
    ("crates/service/console/src/pages/run/result_view.rs", "columns and filters of each mode"),
    ("crates/service/console/src/pages/run/results.rs", "one web page per kind of item"),
    ("crates/service/console/src/pages/welcome.rs", "one run on a sample site per mode"),
    ("crates/trawl/src/commands/demo/scene.rs", "one scene of the demo per mode"),
    ("crates/trawl/src/commands/extract.rs", "one reader of saved pages per mode"),
];

#[test]
fn modes_are_named_in_contract_registry_and_rate_card_only() {
    let names = names();
    let mut used = Vec::new();
    for package in crates().iter().filter(|package| package.layer != "testing") {
        for file in rust_files(&package.folder.join("src")) {
            let shown = shown(&file);
            if shown.ends_with("tests.rs") || shown.contains("/tests/") {
                continue;
            }
            let text = fs::read_to_string(&file).expect("text");
            let Some(line) = first_line_that_names(&text, &names) else { continue };
            let allowed = ALLOWED.iter().position(|(path, _)| shown.starts_with(path));
            let allowed = allowed.unwrap_or_else(|| {
                panic!(
                    "{shown} names a mode: {line}\nUse a property of `Mode`, or put what differs into \
                     the crate of the mode and return it from the registry."
                )
            });
            used.push(allowed);
        }
    }
    for (number, (path, _)) in ALLOWED.iter().enumerate() {
        assert!(used.contains(&number), "{path} names no mode any more: remove it from the list");
    }
}

/// `Mode::Links` and so on, and the imports after which the variants need no prefix.
fn names() -> Vec<String> {
    let variants = Mode::ALL.iter().map(|mode| format!("{mode:?}"));
    variants.chain(["*".to_owned(), "{".to_owned()]).map(|name| format!("Mode::{name}")).collect()
}

/// The first line of product code with one of these names; comments and tests do not count.
fn first_line_that_names<'t>(text: &'t str, names: &[String]) -> Option<&'t str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    lines.find(|line| names.iter().any(|name| has_name(line, name)))
}

fn has_name(line: &str, name: &str) -> bool {
    let is_part_of_a_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_whole = name.ends_with('{') || !after.starts_with(is_part_of_a_name);
        is_whole && !before.ends_with(is_part_of_a_name)
    })
}

#[test]
fn names_of_modes_are_found_in_code_but_not_in_comments_tests_or_other_types() {
    for (text, found) in [
        ("    if mode == Mode::Links {", true),
        ("matches!(mode, contract::Mode::Sitemap)", true),
        ("use contract::Mode::*;", true),
        ("use contract::Mode::{Links, Sitemap};", true),
        ("// as in Mode::Links", false),
        ("LinkMode::Links", false),
        ("Mode::ALL, Mode::LinksAndMore", false),
        ("fn a() {}\n#[cfg(test)]\nmod tests { Mode::Links }", false),
    ] {
        assert_eq!(first_line_that_names(text, &names()).is_some(), found, "{text}");
    }
}
