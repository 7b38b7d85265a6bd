//! Untrusted documents are read off the async runtime.

use std::fs;

use crate::workspace::{crates, root, rust_files, shown};

/// Functions that read untrusted documents.
const DOCUMENT_READERS: &[&str] = &[
    "parse_response(",
    "read_page(",
    // Also `MarkdownPage`, `ProductPage` and `ContactPage`.
    "Page::read(",
    "ContactPage::read_card(",
    "read_sitemap(",
    "Robots::parse(",
    "detect_protection(",
    "Shell::of(",
    "budget::with(",
    "request.read(",
];

/// The files that own a path off the async runtime, with the readers that each calls there, and
/// what takes them there.
const OFF_RUNTIME: &[(&str, &[&str], &str)] = &[
    // The readings of runs and estimates all go through the executor.
    ("crates/service/reader/src/lib.rs", &["budget::with("], "spawn_blocking("),
    ("crates/service/runner/src/page_reader.rs", &["parse_response("], "executor.run("),
    // A separate process, without a runtime.
    (
        "crates/service/runner/src/isolated_reader.rs",
        &["budget::with(", "request.read("],
        "thread::Builder",
    ),
    // Called in closures that `ProbeSession::read` in `lib.rs` passes to the executor.
    (
        "crates/service/probe/src/reading.rs",
        &["read_sitemap(", "read_page(", "Robots::parse(", "detect_protection("],
        "`ProbeSession::read`",
    ),
    // Pages of the user of the command; `extract.rs` spawns it.
    (
        "crates/trawl/src/commands/extract/record.rs",
        &["read_page(", "Page::read(", "ContactPage::read_card("],
        "saved.body",
    ),
];

/// Pure crates have no runtime. The others read untrusted documents only in the files of
/// [`OFF_RUNTIME`], because such a document decides how long its reading takes.
#[test]
fn pages_are_read_off_the_runtime_only() {
    let has_runtime = |layer: &str| layer == "service" || layer == "trawl";
    for package in crates().iter().filter(|package| has_runtime(&package.layer)) {
        let files = rust_files(&package.folder.join("src"));
        for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
            let shown = shown(file);
            let text = fs::read_to_string(file).expect("text");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            let owned = OFF_RUNTIME.iter().find(|(end, ..)| shown == *end);
            let allowed = owned.map_or(&[][..], |(_, readers, _)| *readers);
            // A function of the same name is declared, not called.
            let calls = |reader: &str| text.replace(&format!("fn {reader}"), "").contains(reader);
            for reader in DOCUMENT_READERS.iter().filter(|reader| calls(reader)) {
                assert!(allowed.contains(reader), "{shown} calls {reader}…) on the async runtime");
            }
        }
    }
    for (end, readers, way) in OFF_RUNTIME {
        let text = fs::read_to_string(root().join(end)).expect(end);
        for used in readers.iter().chain([way]) {
            assert!(text.contains(used), "{end} does not use {used} any more");
        }
    }
    let probe = fs::read_to_string(root().join("crates/service/probe/src/lib.rs")).expect("text");
    for reader in ["reading::robots(", "reading::protection(", "add_sitemap("] {
        for line in probe.lines().filter(|line| line.contains(reader)) {
            let is_handed_over = line.contains(".read(") && line.contains("move ||");
            assert!(is_handed_over, "probe reads on the async runtime: {line}");
        }
    }
}
