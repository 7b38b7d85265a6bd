//! `markdown` runs: from the request to a document, over kills, and on the command line.

use std::collections::BTreeSet;
use std::time::Duration;

use lab::{Copies, Handbook, Lab};
use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text, trawl};

const SITE: Handbook = Handbook { chapters: 6, sections: 10 };

/// The pages that a run on the handbook delivers, by path.
fn expected() -> BTreeSet<String> {
    let plain = Handbook::plain_texts().map(|(path, _)| path.to_owned());
    SITE.texts().into_keys().chain(plain).chain(["/".to_owned()]).collect()
}

fn paths(lab: &Lab, items: &[Value]) -> BTreeSet<String> {
    let origin = lab.url("/");
    let path = |item: &Value| {
        let url = item["url"].as_str().expect("a url");
        format!("/{}", url.strip_prefix(&origin).unwrap_or_else(|| panic!("{url}")))
    };
    let paths: BTreeSet<_> = items.iter().map(path).collect();
    assert_eq!(paths.len(), items.len(), "nothing is delivered twice");
    paths
}

async fn served() -> (Lab, tempfile::TempDir, Setup) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SITE);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_ALLOW_NETWORKS", lab.address().to_string());
    (lab, folder, setup)
}

#[tokio::test(flavor = "multi_thread")]
async fn markdown_run_delivers_pages_and_exports_a_document() {
    let (lab, _folder, setup) = served().await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, &lab.url("/"), json!({"mode": "markdown"})).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    let items = server.results(&key, &job).await;
    assert_eq!(paths(&lab, &items), expected());
    assert_eq!(done["counts"]["results"], items.len());
    assert_eq!(done["credit_per_unit"], 2);
    assert_eq!(done["credits_used"], items.len() * 2, "two credits per page");
    for item in &items {
        for member in ["url", "title", "markdown", "content_hash", "extraction", "fetched_at"] {
            assert!(item.get(member).is_some(), "{member} of {item}");
        }
        assert_eq!(item["rendered"], false);
        // A short page may have too little text to detect its language.
        if item["extraction"]["method"] != "plain_text" {
            assert_eq!(item["language"], "en", "{item}");
        }
    }
    let skipped = server.get(&format!("/v1/jobs/{job}/skipped"), &key).await;
    assert_eq!(skipped["reasons"], json!({"broken": 1, "file": 1, "no_text": 1}));

    let body = json!({"format": "md"});
    let answer = server.post(&format!("/v1/jobs/{job}/export"), &key, &body).await;
    let answer: Value = answer.json().await.expect("JSON");
    let file = reqwest::get(answer["url"].as_str().expect("an address")).await.expect("a file");
    let document = file.text().await.expect("text");
    for (path, truth) in SITE.texts() {
        assert!(document.contains(&format!("Source: <{}>", lab.url(&path))), "{path}");
        assert!(document.contains(&truth.text[0]), "{path}");
    }
    assert_eq!(document.matches("\nSource: <").count(), items.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_run_keeps_its_repeated_blocks() {
    let (lab, _folder, setup) = served().await;
    lab.with_latency("site.lab", Duration::from_millis(60));
    // Small, so that the run is also restored from snapshots.
    let setup = setup.with("TRAWL_LEASE_MS", 500).with("TRAWL_SNAPSHOT_BYTES", 8_000);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, &lab.url("/"), json!({"mode": "markdown"})).await;
    for enough in [8, 25] {
        server = server.killed_after(&setup, &key, &job, enough).await;
    }
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    let items = server.results(&key, &job).await;
    assert_eq!(paths(&lab, &items), expected());
    assert_eq!(done["credits_used"], items.len() * 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn duplicate_pages_are_skipped_with_their_original_and_free() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Copies);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_ALLOW_NETWORKS", lab.address().to_string());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let more = json!({"mode": "markdown", "scope": {"include_query_strings": true}});
    let job = server.create(&key, &lab.url("/"), more).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    let items = server.results(&key, &job).await;
    assert_eq!(done["credits_used"], items.len() * 2);
    let delivered = paths(&lab, &items);
    for group in Copies.groups() {
        let all = group.others.iter().chain(&group.kept);
        let count = all.filter(|path| delivered.contains(**path)).count();
        assert_eq!(count, 1, "{group:?}");
    }
    let path = format!("/v1/jobs/{job}/skipped?reason=duplicate&page_size=100");
    let skipped = server.get(&path, &key).await;
    let copies: usize = Copies
        .groups()
        .iter()
        .map(|group| group.others.len() - usize::from(group.kept.is_none()))
        .sum();
    assert_eq!(skipped["total"], copies);
    for line in skipped["items"].as_array().expect("items") {
        assert_eq!(line["found_on"], lab.url("/"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_command_writes_jsonl_and_markdown() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SITE);
    let folder = tempfile::tempdir().expect("a folder");
    let run = |file: &str| {
        let path = folder.path().join(file);
        let ended = output(
            trawl()
                .args(["crawl", &lab.url("/"), "--mode", "markdown", "--delay", "0", "-q", "-o"])
                .arg(&path),
        );
        assert!(ended.status.success(), "{}", text(&ended.stderr));
        std::fs::read_to_string(path).expect("a file")
    };
    let lines = run("pages.jsonl");
    let items: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("an item")).collect();
    assert_eq!(paths(&lab, &items), expected());
    let document = run("pages.md");
    assert_eq!(document.matches("\nSource: <").count(), items.len());
    let table = run("pages.csv");
    assert!(table.contains("token_estimate"), "{}", &table[..200]);
}

#[tokio::test(flavor = "multi_thread")]
async fn estimate_uses_the_markdown_rate() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SITE);
    let ended = output(trawl().args(["estimate", &lab.url("/"), "--mode", "markdown", "--json"]));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let estimate: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!((&estimate["mode"], &estimate["credit_per_unit"]), (&json!("markdown"), &json!(2)));
}
