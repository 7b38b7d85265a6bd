//! Commands on this machine: start URLs, formats, variables, and no database by reading.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::server::{output, text, trawl};

/// The binary in an empty folder.
fn trawl_in(folder: &Path) -> Command {
    let mut command = trawl();
    command.current_dir(folder);
    command
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).expect("a folder").next().is_none()
}

#[test]
fn reading_commands_never_create_a_database() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in [
        &["job", "list"][..],
        &["job", "show", "job_1"],
        &["watch", "job_1"],
        &["export", "job_1"],
        &["schedule", "list"],
        &["account", "list"],
        &["key", "list", "operator@localhost"],
        &["template", "list"],
        &["opt-out", "list"],
        &["audit"],
    ] {
        let ended = output(trawl_in(folder.path()).args(command));
        let said = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{command:?}: {said}");
        assert!(said.contains("there is no database"), "{command:?}: {said}");
        assert!(said.contains("--data") && said.contains("trawl login"), "{command:?}: {said}");
        assert!(ended.stdout.is_empty() && is_empty(folder.path()), "{command:?}");
    }
}

#[test]
fn account_create_creates_the_database_and_an_operator() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["account", "create", "--email", "ada@example.com", "--admin", "--json"];
    let created = output(trawl_in(folder.path()).args(words));
    assert!(created.status.success(), "{}", text(&created.stderr));
    let created: Value = serde_json::from_slice(&created.stdout).expect("JSON");
    assert_eq!(created["admin"], true, "{created}");
    assert!(folder.path().join("trawl-data/trawl.db").is_file());
    let listed = output(trawl_in(folder.path()).args(["account", "list"]));
    assert!(text(&listed.stdout).contains("ada@example.com"), "{}", text(&listed.stderr));
}

#[test]
fn unknown_extension_of_an_output_file_is_refused_with_the_known_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in [
        &["crawl", "docs.lab.test", "-o", "out.pdf"][..],
        &["export", "job_1", "-o", "out.pdf"],
        &["run", "docs.lab.test", "-o", "out.pdf"],
    ] {
        let ended = output(trawl_in(folder.path()).args(command));
        let said = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{command:?}: {said}");
        for known in [".jsonl", ".json", ".csv", ".md", ".xml", ".xlsx", ".parquet", "llms.txt"] {
            assert!(said.contains(known), "{command:?}: {known} is missing in {said}");
        }
        assert!(is_empty(folder.path()), "{command:?}");
    }
    let csv = ["crawl", "docs.lab.test/keys", "--one-page", "-o", "out.pdf", "--format", "csv"];
    let ended = output(trawl_in(folder.path()).args(csv));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(folder.path().join("out.pdf").is_file(), "the format was given");
}

#[test]
fn crawl_needs_neither_scheme_nor_mode() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = output(trawl_in(folder.path()).args(["crawl", "docs.lab.test/keys", "--one-page"]));
    let said = text(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    let item: Value = serde_json::from_slice(&ended.stdout).expect("one item");
    assert_eq!(item["url"], "https://docs.lab.test/keys");
    assert!(item["markdown"].is_string(), "{item}");
    assert!(said.contains("1 result ·"), "{said}");
    let read = output(trawl_in(folder.path()).args(["read", "docs.lab.test/keys"]));
    assert!(text(&read.stdout).starts_with("# "), "{}", text(&read.stderr));
    let estimate = output(trawl_in(folder.path()).args(["estimate", "docs.lab.test"]));
    let shown = text(&estimate.stdout);
    assert!(shown.starts_with("https://docs.lab.test/: "), "{shown}{}", text(&estimate.stderr));
    assert!(is_empty(folder.path()), "no database");
}

#[test]
fn start_url_with_a_path_limits_the_crawl_to_it() {
    let crawl = |more: &[&str]| {
        let ended =
            output(trawl().args(["crawl", "docs.lab.test/de/", "--mode", "links"]).args(more));
        assert!(ended.status.success(), "{}", text(&ended.stderr));
        let items = text(&ended.stdout);
        let url = |line| serde_json::from_str::<Value>(line).expect("an item")["url"].to_string();
        let urls: Vec<_> = items.lines().map(url).collect();
        (urls, text(&ended.stderr))
    };
    let (limited, said) = crawl(&[]);
    assert!(said.contains("only pages under /de; --whole-site"), "{said}");
    assert!(limited.iter().all(|url| url.contains("docs.lab.test/de/")), "{limited:?}");
    let (whole, said) = crawl(&["--whole-site"]);
    assert!(whole.len() > limited.len() && !limited.is_empty(), "{whole:?}");
    assert!(!said.contains("only pages under"), "{said}");
}

#[test]
fn unknown_variables_are_reported_with_the_nearest_name() {
    let ended = output(trawl().arg("config").env("TRAWL_LISTN", "hush"));
    assert!(ended.status.success());
    let said = text(&ended.stderr);
    assert!(said.contains("TRAWL_LISTN is unknown; did you mean TRAWL_LISTEN?"), "{said}");
    assert!(!said.contains("hush"), "the value may be a secret: {said}");
    let silent = output(trawl().arg("config").env("TRAWL_URL", "http://127.0.0.1:1"));
    assert!(silent.stderr.is_empty(), "{}", text(&silent.stderr));
}

#[test]
fn manual_pages_and_completions_know_the_commands_of_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = output(trawl().arg("man").arg(folder.path()));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    for page in ["trawl-run.1", "trawl-login.1", "trawl-logout.1", "trawl-schedule-create.1"] {
        assert!(folder.path().join(page).is_file(), "{page}");
    }
    let script = text(&output(trawl().args(["completions", "bash"])).stdout);
    for word in ["run", "login", "logout", "--whole-site", "--detach"] {
        assert!(script.contains(word), "{word}");
    }
}
