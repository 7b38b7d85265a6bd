//! Account commands next to a running server: suspend, resume, delete, passwords, keys, audit log.

use std::time::Duration;

use lab::{Catalogue, Lab};
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, wait_for};

const OPERATOR: &str = "operator@localhost";

fn admin(setup: &Setup, words: &[&str]) -> (Option<i32>, String, String) {
    let ended = output(setup.other().args(words));
    (ended.status.code(), text(&ended.stdout), text(&ended.stderr))
}

fn json_of(setup: &Setup, words: &[&str]) -> Value {
    let (code, said, complained) = admin(setup, words);
    assert_eq!(code, Some(0), "{complained}");
    serde_json::from_str(&said).unwrap_or_else(|_| panic!("no JSON: {said}"))
}

async fn status(server: &Server, path: &str, key: &str) -> (u16, Value) {
    let answer = server.request(reqwest::Method::GET, path, key).send().await.expect("an answer");
    (answer.status().as_u16(), answer.json().await.expect("JSON"))
}

async fn suspended_account_stops_its_run_and_resume_continues_it(kind: Kind) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("big.lab", Catalogue::plain(1_500));
    lab.with_latency("big.lab", Duration::from_millis(10));
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", database::fresh(kind).await)
        .with("TRAWL_RESOLVE", lab.name_table());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://big.lab/", json!({})).await;
    wait_for(async || {
        let job = server.get(&format!("/v1/jobs/{job}"), &key).await;
        (job["counts"]["results"].as_u64()? > 0).then_some(())
    })
    .await;
    let (code, said, _) = admin(&setup, &["account", "suspend", OPERATOR]);
    assert_eq!(code, Some(0));
    assert!(said.contains("is suspended"), "{said}");
    let (refused, problem) = status(&server, &format!("/v1/jobs/{job}"), &key).await;
    assert_eq!((refused, &problem["code"]), (403, &json!("account_suspended")));
    // Another process suspended it: the worker notices within 2 s and stops requesting.
    wait_for(async || {
        let before = lab.request_count();
        tokio::time::sleep(Duration::from_millis(500)).await;
        (lab.request_count() == before).then_some(())
    })
    .await;
    assert!(lab.request_count() < 1_500, "it ran to its end");

    assert_eq!(admin(&setup, &["account", "resume", OPERATOR]).0, Some(0));
    let done = server.wait(&key, &job, &["completed", "failed", "aborted"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    let items = server.results(&key, &job).await;
    assert_eq!(done["credits_used"], items.len(), "paid once for each");
    let follow = json_lines(&setup, &["audit", "--account", OPERATOR, "--json"]);
    let actions: Vec<_> = follow.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    let suspended = actions.iter().position(|action| *action == "account.suspended");
    let resumed = actions.iter().position(|action| *action == "account.resumed");
    assert!(suspended.is_some() && suspended < resumed, "{actions:?}");
}

fn json_lines(setup: &Setup, words: &[&str]) -> Vec<Value> {
    let (code, said, complained) = admin(setup, words);
    assert_eq!(code, Some(0), "{complained}");
    said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn suspended_account_stops_its_run_and_resume_continues_it_on_sqlite() {
    suspended_account_stops_its_run_and_resume_continues_it(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn suspended_account_stops_its_run_and_resume_continues_it_on_postgres() {
    suspended_account_stops_its_run_and_resume_continues_it(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_manages_passwords_keys_and_accounts() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path());
    let mut server = Server::start(&setup).await;
    server.first_key();
    let email = "ada@example.com";
    let made = json_of(&setup, &["account", "create", "--email", email, "--json"]);
    let sign_in = async |password: &str| {
        let body = json!({"email": email, "password": password});
        let answer = server.post("/session", "", &body).await;
        (answer.status().as_u16(), answer.json::<Value>().await.expect("JSON"))
    };
    let (opened, session) = sign_in(made["password"].as_str().expect("a password")).await;
    assert_eq!(opened, 201);
    let token = session["token"].as_str().expect("a token");
    assert_eq!(status(&server, "/sessions", token).await.0, 200);
    let set = json_of(&setup, &["account", "password", email, "--json"]);
    assert_eq!(set["sessions_ended"], 1);
    assert_eq!(status(&server, "/sessions", token).await.0, 401);
    assert_eq!(sign_in(made["password"].as_str().expect("a password")).await.0, 401);
    assert_eq!(sign_in(set["password"].as_str().expect("a password")).await.0, 201);

    let key = json_of(&setup, &["key", "create", "--email", email, "--json"]);
    let (secret, id) = (key["key"].as_str().expect("one"), key["id"].as_str().expect("one"));
    let (_, listed, _) = admin(&setup, &["key", "list", email]);
    assert!(listed.contains(id) && !listed.contains(secret), "{listed}");
    assert_eq!(admin(&setup, &["key", "revoke", id]).0, Some(0));
    assert_eq!(status(&server, "/v1/account", secret).await.0, 401);
    assert_eq!(admin(&setup, &["key", "revoke", "key_1"]).0, Some(2));
    let (code, said, _) = admin(&setup, &["key", "revoke", id, "--pause"]);
    assert!(code == Some(0) && said.contains("its schedules are paused"), "{said}");

    let (code, _, said) = admin(&setup, &["account", "delete", email]);
    assert_eq!(code, Some(2), "no terminal to ask on");
    assert!(said.contains("--yes"), "{said}");
    let deleted = json_of(&setup, &["account", "delete", email, "--yes", "--json"]);
    assert_eq!(deleted["account_id"], made["account_id"]);
    assert_eq!(sign_in(set["password"].as_str().expect("a password")).await.0, 401);
    let (code, _, said) = admin(&setup, &["account", "delete", email, "--yes"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("there is no account ada@example.com"), "{said}");

    let entries = json_lines(&setup, &["audit", "--action", "account.deleted", "--json"]);
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["actor"]["kind"], "operator");
    let (code, said, _) = admin(&setup, &["audit", "--limit", "3"]);
    assert_eq!((code, said.lines().count()), (Some(0), 3));
    assert_eq!(admin(&setup, &["audit", "--action", "key.stolen"]).0, Some(2));
    assert_eq!(admin(&setup, &["audit", "--account", email]).0, Some(1));
    assert_eq!(admin(&setup, &["audit", "--from", "soon"]).0, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn unconfigured_proxy_is_warned_about_once() {
    for (behind_proxy, warnings) in [("false", 1), ("true", 0)] {
        let folder = tempfile::tempdir().expect("a folder");
        let setup = Setup::new(folder.path()).with("TRAWL_BEHIND_PROXY", behind_proxy);
        let server = Server::start(&setup).await;
        for header in ["x-forwarded-for", "forwarded", "x-forwarded-for"] {
            let request = reqwest::Client::new().get(format!("{}/healthz", server.url));
            request.header(header, "for=203.0.113.7").send().await.expect("an answer");
        }
        let logged = server.logged.lock().expect("no panic").clone();
        assert_eq!(logged.matches("behind_proxy is off").count(), warnings, "{logged}");
        assert!(server.terminate().success());
    }
}
