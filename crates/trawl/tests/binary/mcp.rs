//! MCP with the official client: both transports, both lifecycles, and rejected requests.

mod http;
mod stdio;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use lab::{Catalogue, Lab, Reply, Site, SiteTruth};
use serde_json::{Value, json};

use crate::server::{Server, Setup, text};

/// The Python that has the official client, installed by `scripts/test`.
fn python() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python-tools");
    let tools = std::env::var_os("TRAWL_PYTHON_TOOLS").map_or(here, PathBuf::from);
    tools.join("bin/python")
}

const LONG_PAGE: &str = "http://long.lab/text";

/// A page whose text does not fit into a small context.
#[derive(Debug)]
struct LongText;

impl Site for LongText {
    fn answer(&self, path: &str) -> Reply {
        if path != "/text" {
            return Reply::status(404);
        }
        let paragraph = |number: usize| {
            format!("<p>Paragraph {number} says \"quoted\" words that no other paragraph says.</p>")
        };
        let text: String = (0..60).map(paragraph).collect();
        Reply::html(format!("<title>Long</title><main><h1>A long text</h1>{text}</main>"))
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

struct Scene {
    lab: Lab,
    server: Server,
    key: String,
    setup: Setup,
    _folder: tempfile::TempDir,
}

async fn scene() -> Scene {
    scene_with(&[]).await
}

async fn scene_with(settings: &[(&str, &str)]) -> Scene {
    let lab = Lab::start().await.expect("a port");
    lab.serve("one.lab", Catalogue::mixed(90))
        .serve("two.lab", Catalogue::mixed(90))
        .serve("slow.lab", Catalogue::plain(2_000))
        .serve("long.lab", LongText);
    lab.with_latency("slow.lab", Duration::from_millis(50));
    let folder = tempfile::tempdir().expect("a folder");
    let mut setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_BATCH_SIZE", 40);
    for (name, value) in settings {
        setup = setup.with(name, value);
    }
    let mut server = Server::start(&setup).await;
    let operator = server.first_key();
    assert!(operator.starts_with("key_live_"));
    let mut key = setup.other();
    key.args(["key", "create", "--email", "operator@localhost", "--source", "mcp", "--json"]);
    let made = crate::server::output(&mut key);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let key = made["key"].as_str().expect("a key").to_owned();
    Scene { lab, server, key, setup, _folder: folder }
}

/// Runs `assistant.py` and returns its report.
async fn assistant(scene: &Scene, transport: &str, lifecycle: &str, site: &str) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binary/mcp/assistant.py");
    let mut command = Command::new(python());
    command
        .arg(script)
        .args([transport, lifecycle])
        .env("TRAWL_URL", &scene.server.url)
        .env("TRAWL_KEY", &scene.key)
        .env("TRAWL_BIN", env!("CARGO_BIN_EXE_trawl"))
        .env("SITE", format!("http://{site}/"))
        .env("SLOW_SITE", "http://slow.lab/")
        .env("LONG_PAGE", LONG_PAGE);
    run(command).await
}

/// Runs a program that prints JSON.
async fn run(mut command: Command) -> Value {
    let ended = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic");
    let output = ended.unwrap_or_else(|error| panic!("{error}; scripts/test installs it"));
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Compares the report with the pages of the site.
async fn assert_report(scene: &Scene, report: &Value, site: &str) {
    let truth = scene.lab.truth(site).expect("a site");
    let expected: BTreeSet<_> =
        truth.delivered.keys().map(|path| format!("http://{site}{path}")).collect();
    let urls = report["urls"].as_array().expect("URLs");
    let found: BTreeSet<_> =
        urls.iter().map(|url| url.as_str().expect("text").to_owned()).collect();
    assert_eq!(found, expected);
    assert_eq!(urls.len(), expected.len(), "each was read once");
    assert_eq!((&report["total"], &report["spent"]), (&urls.len().into(), &urls.len().into()));
    assert_eq!((&report["rate"], &report["run"]["status"]), (&1.into(), &"completed".into()));
    assert_eq!(report["run"]["source"], "mcp", "the channel of the key");
    assert!(
        report["batches"].as_u64() >= Some(3) && report["pieces"].as_u64() > Some(3),
        "{report}"
    );
    let progress = report["progress"].as_array().expect("progress");
    assert!(!progress.is_empty(), "no progress was reported while waiting");
    for step in progress {
        assert!(step[0].as_f64() <= step[1].as_f64() && step[2].is_string(), "{step}");
    }
    assert_eq!(
        report["refusals"],
        json!([
            "not_found",
            "not_found",
            "invalid_arguments",
            "invalid_arguments",
            "conflict",
            "not_found",
            "legal_basis_required",
            "validation_failed",
            "validation_failed",
            "invalid_arguments",
            "invalid_arguments",
        ])
    );
    assert_eq!(report["explained"]["disposition"], "delivered", "{}", report["explained"]);
    assert_eq!(report["missing"]["disposition"], "never_found", "{}", report["missing"]);
    let body = json!({"url": LONG_PAGE});
    let answer = scene.server.post("/v1/pages", &scene.key, &body).await;
    let page: Value = answer.json().await.expect("JSON");
    assert_eq!(report["page"], page["item"]["markdown"], "the parts make the page of the API");
    assert!(report["page_parts"].as_u64() > Some(1), "{}", report["page_parts"]);
    let file = report["file"].as_str().expect("an address");
    let file = reqwest::get(file).await.expect("a file").text().await.expect("text");
    assert_eq!(file.lines().count(), urls.len() + 1, "a row for each, and the header");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Python and its MCP client: scripts/test installs them"]
async fn assistant_crawls_over_http() {
    let scene = scene().await;
    let report = assistant(&scene, "http", "auto", "one.lab").await;
    assert_eq!(report["protocol"], "2026-07-28");
    assert_report(&scene, &report, "one.lab").await;
    let report = assistant(&scene, "http", "legacy", "two.lab").await;
    assert_eq!(report["protocol"], "2025-11-25");
    assert_report(&scene, &report, "two.lab").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Python and its MCP client: scripts/test installs them"]
async fn assistant_crawls_over_stdio() {
    let scene = scene().await;
    for (lifecycle, site) in [("auto", "one.lab"), ("legacy", "two.lab")] {
        let report = assistant(&scene, "stdio", lifecycle, site).await;
        assert_report(&scene, &report, site).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Python and its MCP client: scripts/test installs them"]
async fn assistant_with_only_a_url_gets_access_by_oauth_consent() {
    let Scene { mut server, _folder, .. } = scene().await;
    let password = server.first_password();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binary/mcp/by_consent.py");
    let mut command = Command::new(python());
    command.arg(script).args([server.url.as_str(), "operator@localhost", &password]);
    let report = run(command).await;
    // The 401 challenge leads to the metadata; the token is valid for the tools only.
    assert_eq!(report["asked"]["resource"], json!([format!("{}/mcp", server.url)]));
    assert_eq!(report["account"]["auth_method"], "oauth");
    assert_eq!(report["account"]["key"], Value::Null);
    let needed = json!(["jobs:read", "jobs:write", "account:read"]);
    assert_eq!(report["account"]["scopes"], needed, "exactly the scopes of the tools");
    assert_eq!(report["refused"], "validation_failed", "authenticated, and the URL was rejected");
    assert_eq!(report["elsewhere"], 401, "the token is valid for the tools only");
}
