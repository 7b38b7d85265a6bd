//! The house is in order: arrows run downward, pure rooms stay pure, no file is a drawer.

#[path = "tidy/client_texts.rs"]
mod client_texts;
#[path = "tidy/dependencies.rs"]
mod dependencies;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each crate may use of the others, besides `contract`. The plan of the house:
/// docs/ARCHITECTURE.md shows it, this test keeps it.
const ARROWS: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("site", &[]),
    ("job", &[]),
    ("export", &[]),
    ("schedule", &[]),
    ("lab", &[]),
    ("journal", &["site"]),
    ("extract", &["site"]),
    ("net", &["site"]),
    ("reader", &["extract"]),
    ("crawl", &["site", "job", "journal", "extract"]),
    ("store", &["site", "job", "journal", "schedule"]),
    ("worker", &["site", "job", "journal", "extract", "crawl", "store", "net", "reader"]),
    ("probe", &["site", "net", "extract", "reader"]),
    ("samples", &["site", "net"]),
    ("notify", &["store", "net"]),
    // As its neighbour: what it asks of a provider it finds and writes in the store.
    ("billing", &["store", "net"]),
    // One place knows whom TLS trusts.
    ("client", &["net"]),
    ("mcp", &["client"]),
    ("console", &["client", "job", "store"]),
    ("api", &["site", "net", "job", "store", "export", "probe", "reader", "schedule"]),
    ("fixture", &["job", "journal", "store"]),
    ("sim", &["site", "job", "journal", "crawl"]),
    (
        "trawl",
        &[
            "lab", "site", "job", "export", "journal", "extract", "crawl", "store", "net", "probe",
            "reader", "schedule", "worker", "notify", "billing", "api", "client", "console", "mcp",
            "samples",
        ],
    ),
];

/// Crates that know neither clock nor network nor database.
const PURE: &[&str] =
    &["contract", "site", "job", "schedule", "journal", "extract", "crawl", "export", "sim"];

/// What a pure crate has no use for.
const IMPURE: &[&str] = &["tokio", "sqlx", "hyper", "hyper-util", "reqwest", "axum", "rand"];

/// Names that say nothing about what is inside.
const BANNED: &[&str] =
    &["utils.rs", "util.rs", "common.rs", "helpers.rs", "manager.rs", "types.rs", "mod.rs"];

/// A file that is longer holds more than one noun.
const LINES: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn dependencies(name: &str) -> Vec<String> {
    let path = root().join("crates").join(name).join("Cargo.toml");
    let manifest: toml::Table =
        fs::read_to_string(&path).expect("a manifest").parse().expect("TOML");
    let table = manifest.get("dependencies").and_then(toml::Value::as_table);
    table.map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

fn crates() -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(root().join("crates"))
        .expect("the crates")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn arrows_run_as_planned() {
    let plan: BTreeMap<_, _> = ARROWS.iter().copied().collect();
    let names = crates();
    assert_eq!(names.len(), plan.len(), "a crate is missing from the plan: {names:?}");
    for name in &names {
        let allowed = plan.get(name.as_str()).unwrap_or_else(|| panic!("{name} is not planned"));
        for used in dependencies(name).iter().filter(|used| names.contains(used)) {
            assert!(
                used == "contract" || allowed.contains(&used.as_str()),
                "{name} uses {used}, which the plan does not allow"
            );
        }
    }
}

#[test]
fn pure_crates_stay_pure() {
    for name in PURE {
        for used in dependencies(name) {
            assert!(!IMPURE.contains(&used.as_str()), "{name} is pure and uses {used}");
        }
    }
}

#[test]
fn files_are_nouns_and_not_drawers() {
    for name in crates() {
        let mut files = Vec::new();
        let folder = root().join("crates").join(&name);
        for part in ["src", "tests", "benches"] {
            sources(&folder.join(part), &mut files);
        }
        for file in files {
            let shown = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
            let base = file.file_name().expect("a name").to_string_lossy().into_owned();
            assert!(!BANNED.contains(&base.as_str()), "{shown}: the name says nothing");
            let text = fs::read_to_string(&file).expect("text");
            let lines = text.lines().count();
            assert!(lines <= LINES, "{shown} has {lines} lines; at most {LINES} fit into a room");
            assert!(
                text.trim_start().starts_with("//!") || base == "tests.rs",
                "{shown} does not say what it is"
            );
        }
    }
}

/// What reads documents of strangers.
const DOCUMENT_READERS: &[&str] = &[
    "Reading::of(",
    // Also `MarkdownPage`, `ProductPage` and `ContactPage`.
    "Page::read(",
    "ContactPage::read_card(",
    "SitemapFile::read(",
    "Robots::parse(",
    "ProtectionMarker::of(",
    "Shell::of(",
    "budget::with(",
    "request.read(",
];

/// The files that own a path off the async runtime, with the readers that each calls there, and
/// what takes them there.
const OFF_RUNTIME: &[(&str, &[&str], &str)] = &[
    // The readings of runs and estimates all go through the executor.
    ("reader/src/lib.rs", &["budget::with("], "spawn_blocking("),
    ("worker/src/page_reader.rs", &["Reading::of("], "executor.run("),
    // A process of its own, without a runtime.
    ("worker/src/isolated_reader.rs", &["budget::with(", "request.read("], "thread::Builder"),
    // Called in closures that `Look::read` in `lib.rs` hands to the executor.
    (
        "probe/src/reading.rs",
        &["SitemapFile::read(", "Robots::parse(", "ProtectionMarker::of("],
        "`Look::read`",
    ),
    // Pages of the one who calls the command; `extract.rs` spawns it.
    (
        "trawl/src/commands/extract/record.rs",
        &["Page::read(", "ContactPage::read_card("],
        "saved.body",
    ),
];

/// Crates that are pure have no runtime; every other one reads documents of strangers only in
/// the files of [`OFF_RUNTIME`], because such a document decides how long its reading takes.
#[test]
fn pages_are_read_off_the_runtime_only() {
    for name in crates().iter().filter(|name| !PURE.contains(&name.as_str())) {
        let mut files = Vec::new();
        sources(&root().join("crates").join(name).join("src"), &mut files);
        for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
            let shown = file.display().to_string();
            let text = fs::read_to_string(file).expect("text");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            let owned = OFF_RUNTIME.iter().find(|(end, ..)| shown.ends_with(end));
            let allowed = owned.map_or(&[][..], |(_, readers, _)| *readers);
            for reader in DOCUMENT_READERS.iter().filter(|reader| text.contains(**reader)) {
                assert!(allowed.contains(reader), "{shown} calls {reader}…) on the async runtime");
            }
        }
    }
    for (end, readers, way) in OFF_RUNTIME {
        let text = fs::read_to_string(root().join("crates").join(end)).expect(end);
        for used in readers.iter().chain([way]) {
            assert!(text.contains(used), "{end} does not use {used} any more");
        }
    }
    let probe = fs::read_to_string(root().join("crates/probe/src/lib.rs")).expect("text");
    for reader in ["Rules::read(", "reading::protection(", "add_sitemap("] {
        for line in probe.lines().filter(|line| line.contains(reader)) {
            let is_handed_over = line.contains(".read(") && line.contains("move ||");
            assert!(is_handed_over, "probe reads on the async runtime: {line}");
        }
    }
}

#[test]
fn documents_that_readers_are_promised_exist() {
    for name in [
        "README.md",
        "CHANGELOG.md",
        "docs/ARCHITECTURE.md",
        "docs/STATES.md",
        "docs/BENCHMARKS.md",
        "docs/webhooks.md",
        "docs/products.md",
        "docs/progress.md",
        "docs/top-up.md",
        "docs/contacts.md",
        "docs/mcp.md",
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

/// The audit log is append-only: entries are deleted after their retention and with their
/// account, and nowhere changed.
#[test]
fn audit_entries_are_deleted_in_two_places_and_never_updated() {
    let mut files = Vec::new();
    for name in crates() {
        sources(&root().join("crates").join(name).join("src"), &mut files);
    }
    let mut deleting = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("text");
        let shown = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
        assert!(!text.contains("UPDATE audit"), "{shown} updates the audit log");
        if text.contains("DELETE FROM audit ") {
            deleting.push(file.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    deleting.sort();
    assert_eq!(deleting, ["account_deletion.rs", "audit_log.rs"]);
}

/// Crates whose texts reach clients, and their files that speak to operators or to whoever runs
/// a command.
const FOR_CLIENTS: &[&str] =
    &["api", "console", "contract", "crawl", "export", "job", "mcp", "probe", "site"];
const FOR_OPERATORS: &[&str] = &[
    "console/src/pages/operator/refusals.rs",
    // A variable of the reader's own shell.
    "console/src/pages/new_run/curl.rs",
    // The address that `trawl mcp` was started with.
    "mcp/src/trouble.rs",
];

#[test]
fn client_messages_never_name_operator_settings() {
    let mut interface = Vec::new();
    sources(&root().join("crates/contract/src"), &mut interface);
    let read = |file: &PathBuf| fs::read_to_string(file).expect("text");
    let settings = client_texts::setting_names(
        &read(&root().join("crates/trawl/settings.toml")),
        &interface.iter().map(read).collect::<Vec<_>>(),
    );
    assert!(settings.len() > 50 && settings.contains("egress_proxy"), "{settings:?}");
    for name in FOR_CLIENTS {
        let mut files = Vec::new();
        sources(&root().join("crates").join(name).join("src"), &mut files);
        for file in files {
            let shown = file.display().to_string().replace('\\', "/");
            if FOR_OPERATORS.iter().any(|path| shown.ends_with(path)) || shown.ends_with("tests.rs")
            {
                continue;
            }
            let text = fs::read_to_string(&file).expect("text");
            let spoken = text.split("#[cfg(test)]").next().unwrap_or_default();
            for text in client_texts::literals(spoken) {
                assert!(!text.contains("TRAWL_"), "{shown} names a setting to clients: {text}");
                let named = client_texts::named(text, &settings);
                assert_eq!(named, None, "{shown} names a setting to clients: {text}");
            }
        }
    }
}
