//! `trawl mcp` as a child: what goes where, and what is said when something is missing.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::{Scene, scene};
use crate::server::{text, trawl};

/// Starts `trawl mcp`, says these messages and nothing more, and waits for its end.
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
    let mut messages = greeting();
    let params = json!({"name": name, "arguments": {}});
    messages.push(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    messages
}

/// The answers, which are all that standard output may hold.
fn answers(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout);
    lines
        .lines()
        .map(|line| {
            serde_json::from_str(line).unwrap_or_else(|_| panic!("not of the protocol: {line}"))
        })
        .collect()
}

/// What the call was told when it was refused.
fn refusal(output: &Output) -> Value {
    let answers = answers(output);
    let result = &answers.iter().find(|answer| answer["id"] == 1).expect("an answer")["result"];
    assert_eq!(result["isError"], true, "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_output_carries_the_protocol_and_nothing_else() {
    let Scene { server, key, _folder, .. } = scene().await;
    let mut command = trawl();
    // However much is logged.
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
async fn a_key_that_is_missing_or_wrong_is_told_to_both() {
    let Scene { server, _folder, .. } = scene().await;
    let mut missing = trawl();
    missing.env("TRAWL_URL", &server.url);
    let output = converse(&mut missing, &with_call("get_account"));
    assert_eq!(refusal(&output)["code"], "unauthorized");
    assert!(text(&output.stderr).contains("TRAWL_KEY"), "{}", text(&output.stderr));

    let mut wrong = trawl();
    wrong.env("TRAWL_URL", &server.url).env("TRAWL_KEY", "key_live_nobodys");
    let output = converse(&mut wrong, &with_call("get_account"));
    let told = refusal(&output);
    assert_eq!(told["code"], "unauthorized");
    assert!(told["what_to_do"].as_str().is_some_and(|text| text.contains("API key")), "{told}");
    assert_eq!(told["docs"], format!("{}/docs/errors#unauthorized", server.url));
    let said = text(&output.stderr);
    assert!(said.contains("refuses the key") && said.contains("/docs/errors#"), "{said}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let mut command = trawl();
    command.env("TRAWL_URL", &url).env("TRAWL_KEY", "key_live_nobodys");
    let output = converse(&mut command, &with_call("list_runs"));
    let told = refusal(&output);
    assert_eq!(told["code"], "unreachable");
    assert!(told["message"].as_str().is_some_and(|text| text.contains(&url)), "{told}");
    assert!(text(&output.stderr).contains(&url), "{}", text(&output.stderr));

    let mut command = trawl();
    let output = converse(command.env("TRAWL_URL", "ftp://nowhere"), &greeting());
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("TRAWL_URL"), "{}", text(&output.stderr));
}
