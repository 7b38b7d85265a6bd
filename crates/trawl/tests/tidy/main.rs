//! Rules of the workspace: direction of dependencies, pure crates, file names and sizes, and
//! conventions that no compiler checks.

mod client_texts;
mod dependencies;
mod document_readers;
mod ignored_tests;
mod import_circles;
mod layers;
mod metrics;
mod modes;
mod names;
mod workspace;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use workspace::{crates, root, rust_files, shown};

/// File names that do not describe the content.
const BANNED: &[&str] =
    &["utils.rs", "util.rs", "common.rs", "helpers.rs", "manager.rs", "types.rs", "mod.rs"];

/// Maximum lines of a file: a longer one has more than one subject.
const LINES: usize = 500;

/// Maximum lines of an example: it shows one thing.
const EXAMPLE_LINES: usize = 60;

#[test]
fn files_are_short_and_start_with_a_comment() {
    for package in crates() {
        for part in ["src", "tests", "benches"] {
            for file in rust_files(&package.folder.join(part)) {
                let shown = shown(&file);
                let base = file.file_name().expect("a name").to_string_lossy().into_owned();
                assert!(!BANNED.contains(&base.as_str()), "{shown}: the name is too general");
                let text = fs::read_to_string(&file).expect("text");
                let lines = text.lines().count();
                assert!(lines <= LINES, "{shown} has {lines} lines, more than {LINES}");
                assert!(
                    text.trim_start().starts_with("//!") || base == "tests.rs",
                    "{shown} does not start with a `//!` comment"
                );
            }
        }
    }
}

#[test]
fn examples_are_short_and_listed() {
    let list = fs::read_to_string(root().join("examples/README.md")).expect("text");
    let examples = rust_files(&root().join("examples"));
    assert_eq!(examples.len(), 5);
    for file in examples {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(list.contains(&format!("({name})")), "examples/README.md does not list {name}");
        let lines = fs::read_to_string(&file).expect("text").lines().count();
        assert!(lines <= EXAMPLE_LINES, "{name} has {lines} lines, more than {EXAMPLE_LINES}");
    }
}

#[test]
fn promised_documents_exist() {
    for name in [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "justfile",
        "rust-toolchain.toml",
        ".editorconfig",
        "docs/README.md",
        "docs/DEPENDENCIES.md",
        "docs/GLOSSARY.md",
        "docs/ARCHITECTURE.md",
        "docs/STATES.md",
        "docs/BENCHMARKS.md",
        "docs/webhooks.md",
        "docs/products.md",
        "docs/progress.md",
        "docs/top-up.md",
        "docs/contacts.md",
        "docs/mcp.md",
        "docs/firecrawl.md",
        "docs/oauth.md",
        "docs/schedules.md",
        "docs/console.md",
        "docs/accounts.md",
        "SECURITY.md",
        "deny.toml",
        ".ci/run",
    ] {
        assert!(root().join(name).exists(), "{name} is missing");
    }
}

/// Maximum lines of documents that a newcomer reads first.
const DOCUMENT_LINES: &[(&str, usize)] = &[("README.md", 150), ("CONTRIBUTING.md", 40)];

/// Maximum lines of the test sites: recorded pages are data, and their server stays small.
const LAB_LINES: usize = 6_000;

#[test]
fn first_documents_and_the_lab_are_short() {
    let lines = |file: &PathBuf| fs::read_to_string(file).expect("text").lines().count();
    for (name, most) in DOCUMENT_LINES {
        let found = lines(&root().join(name));
        assert!(found <= *most, "{name} has {found} lines, more than {most}");
    }
    let lab: usize = rust_files(&root().join("testing/lab")).iter().map(lines).sum();
    assert!(lab <= LAB_LINES, "testing/lab has {lab} lines of Rust, more than {LAB_LINES}");
}

/// The audit log is append-only: entries are deleted after their retention and with their
/// account, and nowhere changed.
#[test]
fn audit_entries_are_deleted_in_two_places_and_never_updated() {
    let mut deleting = Vec::new();
    for file in crates().iter().flat_map(|package| rust_files(&package.folder.join("src"))) {
        let text = fs::read_to_string(&file).expect("text");
        let shown = shown(&file);
        assert!(!text.contains("UPDATE audit"), "{shown} updates the audit log");
        if text.contains("DELETE FROM audit ") {
            deleting.push(file.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    deleting.sort();
    assert_eq!(deleting, ["account_deletion.rs", "audit_log.rs"]);
}

/// Crates whose messages reach clients, and their files whose messages are for operators or for the
/// user of a command.
const FOR_CLIENTS: &[&str] =
    &["api", "console", "contract", "crawl", "export", "firecrawl", "job", "mcp", "probe", "urls"];
const FOR_OPERATORS: &[&str] = &[
    "console/src/pages/operator/refusals.rs",
    // A variable of the shell of the user.
    "console/src/pages/new_run/curl.rs",
    "console/src/pages/run/use_from.rs",
    // The URL that `trawl mcp` was started with.
    "mcp/src/tool_error.rs",
];

#[test]
fn client_messages_never_name_operator_settings() {
    let interface = rust_files(&root().join("crates/core/contract/src"));
    let read = |file: &PathBuf| fs::read_to_string(file).expect("text");
    let settings = client_texts::setting_names(
        &read(&root().join("crates/trawl/settings.toml")),
        &interface.iter().map(read).collect::<Vec<_>>(),
    );
    assert!(settings.len() > 50 && settings.contains("egress_proxy"), "{settings:?}");
    for package in crates().iter().filter(|package| FOR_CLIENTS.contains(&package.name.as_str())) {
        for file in rust_files(&package.folder.join("src")) {
            let shown = shown(&file);
            if FOR_OPERATORS.iter().any(|path| shown.ends_with(path)) || shown.ends_with("tests.rs")
            {
                continue;
            }
            let text = fs::read_to_string(&file).expect("text");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for text in client_texts::client_literals(code) {
                assert_names_no_setting(&shown, text, &settings);
            }
        }
    }
    let guides = root().join("crates/core/contract/data/error_guides.tsv");
    let lines = read(&guides);
    let cells =
        lines.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split('\t'));
    assert!(cells.clone().count() > 100, "no guides");
    cells.for_each(|cell| assert_names_no_setting(&shown(&guides), cell, &settings));
}

fn assert_names_no_setting(shown: &str, text: &str, settings: &BTreeSet<String>) {
    assert!(!text.contains("TRAWL_"), "{shown} names a setting to clients: {text}");
    let named = client_texts::named(text, settings);
    assert_eq!(named, None, "{shown} names a setting to clients: {text}");
}
