//! `trawl mcp` as a child process: output channels and error messages.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::{Scene, scene};
use crate::server::{text, trawl};

/// Starts `trawl mcp`, sends these messages, and waits for its end.
fn converse(command: &mut Command, messages: &[Value]) -> Output {
    let mut child = command
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("a pipe");
    for message in messages {
        writeln!(input, "{message}").expect("it reads");
    }
    drop(input);
    child.wait_with_output().expect("it ends")
}

fn greeting() -> Vec<Value> {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ]
}

fn with_call(name: &str) -> Vec<Value> {
    with_arguments(name, &json!({}))
}

fn with_arguments(name: &str, arguments: &Value) -> Vec<Value> {
    let mut messages = greeting();
    let params = json!({"name": name, "arguments": arguments});
    messages.push(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    messages
}

/// The responses; standard output contains nothing else.
fn answers(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout);
    lines
        .lines()
        .map(|line| {
            serde_json::from_str(line).unwrap_or_else(|_| panic!("not of the protocol: {line}"))
        })
        .collect()
}

/// The error of the call.
fn refusal(output: &Output) -> Value {
    let answers = answers(output);
    let result = &answers.iter().find(|answer| answer["id"] == 1).expect("an answer")["result"];
    assert_eq!(result["isError"], true, "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn stdout_contains_only_the_protocol() {
    let Scene { server, key, _folder, .. } = scene().await;
    let mut command = trawl();
    // Even with verbose logging.
    command.env("TRAWL_URL", &server.url).env("TRAWL_KEY", &key).env("TRAWL_LOG", "trace");
    let output = converse(&mut command, &with_call("get_account"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answers = answers(&output);
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "trawl");
    assert_eq!(answers[1]["result"]["structuredContent"]["credits"], 100_000);
    assert!(!text(&output.stderr).contains(&key), "the key is in the log");
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_or_wrong_key_is_reported_to_user_and_assistant() {
    let Scene { server, _folder, .. } = scene().await;
    let mut missing = trawl();
    missing.env("TRAWL_URL", &server.url);
    let output = converse(&mut missing, &with_call("get_account"));
    assert_eq!(refusal(&output)["code"], "unauthorized");
    assert!(text(&output.stderr).contains("TRAWL_KEY"), "{}", text(&output.stderr));

    let mut wrong = trawl();
    wrong.env("TRAWL_URL", &server.url).env("TRAWL_KEY", "key_live_nobodys");
    let output = converse(&mut wrong, &with_call("get_account"));
    let error = refusal(&output);
    assert_eq!(error["code"], "unauthorized");
    assert!(error["what_to_do"].as_str().is_some_and(|text| text.contains("API key")), "{error}");
    assert_eq!(error["docs"], format!("{}/docs/errors#unauthorized", server.url));
    let said = text(&output.stderr);
    assert!(said.contains("rejects the key") && said.contains("/docs/errors#"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stdio_assistant_cannot_accept_legal_basis_unless_enabled() {
    let Scene { mut server, setup, _folder, .. } = scene().await;
    let new_key = |scopes: &[&str]| {
        let mut command = setup.other();
        // The API cannot recognise that an assistant uses this key.
        command.args(["key", "create", "--email", "operator@localhost", "--json"]);
        command.args(scopes.iter().flat_map(|scope| ["--scope", scope]));
        let made = crate::server::output(&mut command);
        let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
        made["key"].as_str().expect("a key").to_owned()
    };
    let keys = [new_key(&[]), new_key(&["jobs:read", "jobs:write"])];
    let url = server.url.clone();
    let run = json!({"mode": "contacts", "domains": ["one.lab"], "legal_basis_accepted": true});
    let start = |key: &str| {
        let mut command = trawl();
        command.env("TRAWL_URL", &url).env("TRAWL_KEY", key);
        converse(&mut command, &with_arguments("start_run", &run))
    };
    for key in &keys {
        assert_eq!(refusal(&start(key))["code"], "legal_basis_required");
        assert_eq!(server.get("/v1/jobs", &keys[0]).await["total"], 0, "nothing was started");
    }
    let password = server.first_password();
    let body = json!({"email": "operator@localhost", "password": password});
    let session: Value = server.post("/session", "", &body).await.json().await.expect("JSON");
    let token = session["token"].as_str().expect("a token");
    let allow = server.request(reqwest::Method::PUT, "/assistant-settings", token);
    let allowed = allow.json(&json!({"may_accept_legal_basis": true})).send().await;
    assert_eq!(allowed.expect("an answer").status(), 200);
    // A key that cannot read the account cannot see the setting.
    assert_eq!(refusal(&start(&keys[1]))["code"], "legal_basis_required");
    let started = answers(&start(&keys[0]));
    let result = &started.iter().find(|answer| answer["id"] == 1).expect("an answer")["result"];
    assert!(result["structuredContent"]["job_id"].is_string(), "{result}");
}

#[test]
fn unreachable_server_is_reported_with_its_url() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let mut command = trawl();
    command.env("TRAWL_URL", &url).env("TRAWL_KEY", "key_live_nobodys");
    let output = converse(&mut command, &with_call("list_runs"));
    let error = refusal(&output);
    assert_eq!(error["code"], "unreachable");
    assert!(error["message"].as_str().is_some_and(|text| text.contains(&url)), "{error}");
    assert!(text(&output.stderr).contains(&url), "{}", text(&output.stderr));

    let mut command = trawl();
    let output = converse(command.env("TRAWL_URL", "ftp://nowhere"), &greeting());
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("TRAWL_URL"), "{}", text(&output.stderr));
}
