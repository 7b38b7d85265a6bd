//! Assistants: the official client of the protocol, over both transports and both of its
//! lifecycles, and what the gate keeps out.

mod gate;
mod stdio;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use lab::{Catalogue, Lab};
use serde_json::{Value, json};

use crate::server::{Server, Setup, text};

/// The Python with the official client, which `scripts/test` installs.
fn python() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python-tools");
    let tools = std::env::var_os("TRAWL_PYTHON_TOOLS").map_or(here, PathBuf::from);
    tools.join("bin/python")
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
        .serve("slow.lab", Catalogue::plain(2_000));
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

/// What the assistant of `assistant.py` reports.
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
        .env("SLOW_SITE", "http://slow.lab/");
    run(command).await
}

/// What a program prints, which is JSON.
async fn run(mut command: Command) -> Value {
    let ended = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic");
    let output = ended.unwrap_or_else(|error| panic!("{error}; scripts/test installs it"));
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Holds what an assistant found against the truth about the site.
async fn hold(scene: &Scene, told: &Value, site: &str) {
    let truth = scene.lab.truth(site).expect("a site");
    let expected: BTreeSet<_> =
        truth.delivered.keys().map(|path| format!("http://{site}{path}")).collect();
    let urls = told["urls"].as_array().expect("URLs");
    let found: BTreeSet<_> =
        urls.iter().map(|url| url.as_str().expect("text").to_owned()).collect();
    assert_eq!(found, expected);
    assert_eq!(urls.len(), expected.len(), "each was read once");
    assert_eq!((&told["total"], &told["spent"]), (&urls.len().into(), &urls.len().into()));
    assert_eq!((&told["rate"], &told["run"]["status"]), (&1.into(), &"completed".into()));
    assert_eq!(told["run"]["source"], "mcp", "the channel of the key");
    assert!(told["batches"].as_u64() >= Some(3) && told["pieces"].as_u64() > Some(3), "{told}");
    let progress = told["progress"].as_array().expect("progress");
    assert!(!progress.is_empty(), "nothing was told while it waited");
    for step in progress {
        assert!(step[0].as_f64() <= step[1].as_f64() && step[2].is_string(), "{step}");
    }
    assert_eq!(
        told["refusals"],
        json!([
            "not_found",
            "not_found",
            "invalid_arguments",
            "invalid_arguments",
            "conflict",
            "legal_basis_required",
            "validation_failed",
            "validation_failed",
            "invalid_arguments",
            "invalid_arguments",
        ])
    );
    let file = told["file"].as_str().expect("an address");
    let file = reqwest::get(file).await.expect("a file").text().await.expect("text");
    assert_eq!(file.lines().count(), urls.len() + 1, "a row for each, and the header");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_crawls_over_http() {
    let scene = scene().await;
    let told = assistant(&scene, "http", "auto", "one.lab").await;
    assert_eq!(told["protocol"], "2026-07-28");
    hold(&scene, &told, "one.lab").await;
    let told = assistant(&scene, "http", "legacy", "two.lab").await;
    assert_eq!(told["protocol"], "2025-11-25");
    hold(&scene, &told, "two.lab").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_crawls_by_standard_input() {
    let scene = scene().await;
    for (lifecycle, site) in [("auto", "one.lab"), ("legacy", "two.lab")] {
        let told = assistant(&scene, "stdio", lifecycle, site).await;
        hold(&scene, &told, site).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_that_has_only_an_address_asks_its_user_for_consent() {
    let Scene { mut server, _folder, .. } = scene().await;
    let password = server.first_password();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binary/mcp/by_consent.py");
    let mut command = Command::new(python());
    command.arg(script).args([server.url.as_str(), "operator@localhost", &password]);
    let told = run(command).await;
    // By the challenge of the 401 and the metadata behind it, and for the tools alone.
    assert_eq!(told["asked"]["resource"], json!([format!("{}/mcp", server.url)]));
    assert_eq!(told["account"]["auth_method"], "oauth");
    assert_eq!(told["account"]["key"], Value::Null);
    let needed = json!(["jobs:read", "jobs:write", "account:read"]);
    assert_eq!(told["account"]["scopes"], needed, "what the tools need, and no more");
    assert_eq!(told["refused"], "validation_failed", "it was let in, and the URL was not");
    assert_eq!(told["elsewhere"], 401, "a token for the tools opens nothing else");
}
