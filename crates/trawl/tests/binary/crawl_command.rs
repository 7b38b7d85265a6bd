//! `trawl crawl` and `trawl demo`: runs without a server.

use std::collections::BTreeSet;
use std::process::Stdio;

use lab::{Broken, Catalogue, Empty, Handbook, Lab, Refusing};
use serde_json::Value;

use crate::server::{output, text, trawl};

const QUICK: [&str; 2] = ["--delay", "0"];

fn urls(lines: &str) -> BTreeSet<String> {
    lines
        .lines()
        .map(|line| {
            let item: Value = serde_json::from_str(line).expect("one item a line");
            item["url"].as_str().expect("a url").to_owned()
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_delivers_exactly_the_pages_of_the_site() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::mixed(200));
    let truth = lab.truth("site.lab").expect("a site");
    let ended = output(
        trawl()
            .args(["crawl", &lab.url("/"), "--mode", "links", "--concurrency", "16"])
            .args(QUICK),
    );
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let expected: BTreeSet<String> = truth.delivered.keys().map(|path| lab.url(path)).collect();
    assert_eq!(urls(&text(&ended.stdout)), expected);
    for seen in lab.requests() {
        let forbidden = truth.never.iter().find(|never| seen.path.starts_with(never.as_str()));
        assert_eq!(forbidden, None, "{} was asked for", seen.path);
        assert!(seen.user_agent.is_some_and(|agent| agent.starts_with("Trawl/")));
    }
    assert!(text(&ended.stderr).contains("results ·"), "a summary on standard error");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_format_writes_an_array_to_a_file() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(12));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("items.json");
    let ended = output(
        trawl()
            .args(["crawl", &lab.url("/"), "--mode", "links", "--format", "json", "-q", "-o"])
            .arg(&file)
            .args(QUICK),
    );
    assert!(ended.status.success());
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{}", text(&ended.stderr));
    let items: Vec<Value> =
        serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("an array");
    assert_eq!(items.len(), lab.truth("site.lab").expect("a site").delivered.len());
    let linked: u64 = items.iter().filter_map(|item| item["inlinks"].as_u64()).sum();
    let last = items.last().expect("an item");
    assert!(linked > 12 && last["inlinks"].as_u64() > Some(0), "known at the end: {linked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_have_the_names_of_the_api() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(30));
    let run = |flags: &[&str]| {
        let url = lab.url("/");
        let mut words = vec!["crawl", url.as_str(), "--mode", "links", "-q"];
        words.extend_from_slice(flags);
        let ended = output(trawl().args(&words).args(QUICK));
        assert!(ended.status.success(), "{flags:?}: {}", text(&ended.stderr));
        text(&ended.stdout).lines().count()
    };
    assert_eq!(run(&["--one-page"]), 1);
    assert_eq!(run(&["--one_page"]), 1);
    assert!(run(&["--discovery", "false"]) > 1, "links are recorded, though not followed");
    assert_eq!(run(&["--sample-size", "7"]), 7);
    assert_eq!(run(&["--max-pages", "5"]), 5);
    assert!(run(&["--include_broken", "--include_query_strings"]) >= 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn selectors_choose_the_parts_of_pages() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Handbook { chapters: 1, sections: 2 });
    let run = |flags: &[&str]| {
        let url = lab.url("/");
        let mut words = vec!["crawl", url.as_str(), "--mode", "markdown", "-q"];
        words.extend_from_slice(flags);
        output(trawl().args(&words).args(QUICK))
    };
    let headings = run(&["--include-selectors", "h1, h2", "--exclude-selectors", "h2"]);
    assert!(headings.status.success(), "{}", text(&headings.stderr));
    let items = text(&headings.stdout);
    let items = items.lines().map(|line| serde_json::from_str(line).expect("an item"));
    // A plain text has no elements.
    let is_page = |item: &Value| item["extraction"]["method"] != "plain_text";
    let pages: Vec<Value> = items.filter(is_page).collect();
    assert!(pages.len() > 1, "{}", pages.len());
    for item in pages {
        let markdown = item["markdown"].as_str().expect("a text");
        assert!(markdown.starts_with("# ") && markdown.lines().count() == 1, "{markdown}");
    }
    let invalid = run(&["--exclude-selectors", "h1 + p"]);
    assert_eq!(invalid.status.code(), Some(2));
    let message = text(&invalid.stderr);
    assert!(message.contains("character 4") && message.contains("children"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn run_without_results_prints_error_code_and_exits_with_1() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("refusing.lab", Refusing::Everything).serve("empty.lab", Empty);
    for (host, code) in [("refusing.lab", "target_blocked"), ("empty.lab", "no_data")] {
        let ended = output(
            trawl()
                .args(["crawl", &format!("http://{host}/"), "--mode", "links"])
                .args(QUICK)
                .env("TRAWL_RESOLVE", lab.name_table()),
        );
        assert_eq!(ended.status.code(), Some(1), "{host}");
        let said = text(&ended.stderr);
        assert!(said.contains(code), "{host}: {said}");
        assert!(said.contains(&format!("trawl explain {code}")), "the remedy is named: {said}");
        assert!(ended.stdout.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_urls_are_reported_per_url_and_do_not_fail_the_run() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("broken.lab", Broken::default());
    let truth = lab.truth("broken.lab").expect("a site");
    let ended = output(
        trawl()
            .args(["crawl", &lab.url("/"), "--mode", "links", "--include-broken", "-q"])
            .args(QUICK)
            .args(["--concurrency", "16"])
            .env("TRAWL_RETRY_MS", "10")
            .env("TRAWL_RATE_LIMIT_MS", "1000")
            .env("TRAWL_PAGE_MS", "3000")
            .env("TRAWL_FIRST_BYTE_MS", "2000"),
    );
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let found = urls(&text(&ended.stdout));
    for path in truth.delivered.keys() {
        assert!(found.contains(&lab.url(path)), "{path} is missing");
    }
    for (path, why) in &truth.skipped {
        if path == "/to-private" {
            // A redirect to another site is not followed, in particular not to such an address.
            assert!(!found.contains(&lab.url(path)));
        } else if matches!(why, lab::ExpectedSkip::Status(_) | lab::ExpectedSkip::Fault(_)) {
            assert!(found.contains(&lab.url(path)), "{path} ({why:?}) is missing");
        }
    }
}

#[test]
fn invalid_targets_are_rejected_with_a_message() {
    for (url, mode, said) in [
        ("ftp://example.com/", "links", "http"),
        ("https://user:secret@example.com/", "links", "a user name or a password"),
        ("http://10.0.0.1/", "links", "10.0.0.1"),
        ("http://0x7f.1/", "links", "127.0.0.1 in another spelling"),
        ("https://example.com/", "contacts", "--accept-legal-basis"),
        ("https://example.com/", "everything", "no mode"),
    ] {
        let ended = output(trawl().args(["crawl", url, "--mode", mode]));
        assert_eq!(ended.status.code(), Some(2), "{url}");
        let sentence = text(&ended.stderr);
        assert!(sentence.contains(said), "{url}: {sentence}");
        assert!(!sentence.contains("secret"), "a password is not repeated: {sentence}");
    }
    let unwritable =
        ["crawl", "http://127.0.0.1:9999/", "--mode", "links", "-o", "/no/such/folder/x"];
    let ended = output(trawl().args(unwritable));
    assert_eq!(ended.status.code(), Some(3));
    assert!(text(&ended.stderr).contains("cannot write /no/such/folder/x"));
}

#[test]
fn demo_shows_every_mode_without_network() {
    let ended = output(trawl().args(["demo"]));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let shown = text(&ended.stdout);
    assert!(shown.contains("status") && shown.contains("URLs delivered"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("/de/  ")), "{shown}");
    for mode in registry::MODES {
        assert!(shown.contains(&format!("Mode {mode}:")), "{shown}");
    }
    assert!(shown.contains("products delivered") && shown.contains(" EUR "), "{shown}");
    assert!(shown.contains("/changes") && shown.contains("@shop.lab.test"), "{shown}");
}

#[test]
fn closed_pipe_does_not_panic() {
    let completions = &["completions", "bash"];
    let demo = &["demo", "--pages", "5"];
    for command in [&demo[..], &["explain"], &["config", "--default"], completions] {
        let mut trawl = trawl();
        let trawl = trawl.args(command).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = trawl.spawn().expect("the binary runs");
        drop(child.stdout.take());
        let ended = child.wait_with_output().expect("it ends");
        assert!(ended.status.success(), "{command:?}: {}", text(&ended.stderr));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn estimate_works_without_a_server() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(5));
    let ended = output(trawl().args(["estimate", &lab.url("/"), "--mode", "links", "--json"]));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let estimate: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(
        (&estimate["credit_per_unit"], &estimate["estimated_pages"]),
        (&1.into(), &5.into()),
        "{estimate}"
    );
    let sample = ["estimate", &lab.url("/"), "--mode", "links", "--json", "--sample-size", "2"];
    let ended = output(trawl().args(sample));
    let estimate: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(estimate["estimated_credits_max"], 2, "{estimate}");
    assert_eq!(
        output(trawl().args(["estimate", "nonsense", "--mode", "links"])).status.code(),
        Some(2)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn map_lists_urls_without_a_server() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(5));
    let map = |arguments: &[&str]| output(trawl().args(["map", &lab.url("/")]).args(arguments));
    let ended = map(&["--json"]);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let found: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let urls = found["urls"].as_array().expect("URLs").clone();
    assert_eq!(
        urls[0],
        serde_json::json!({"url": lab.url("/"), "title": urls[0]["title"], "source": "start"})
    );
    assert!(urls.len() > 1, "{found}");
    let lines = map(&["--limit", "1"]);
    assert_eq!(text(&lines.stdout).lines().count(), 1);
    assert!(text(&lines.stderr).contains("URLs may be missing"), "{}", text(&lines.stderr));
    assert_eq!(map(&["--search", "no such page"]).status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn parquet_format_follows_from_the_name_of_the_file() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(12));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("items.parquet");
    let ended = output(
        trawl()
            .args(["crawl", &lab.url("/"), "--mode", "links", "-q", "-o"])
            .arg(&file)
            .args(QUICK),
    );
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let bytes = std::fs::read(&file).expect("a file");
    assert_eq!((&bytes[..4], &bytes[bytes.len() - 4..]), (&b"PAR1"[..], &b"PAR1"[..]));
}
