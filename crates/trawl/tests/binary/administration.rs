//! Commands for accounts, keys and jobs next to a running server.

use std::io::Write;
use std::ops::Range;
use std::process::Stdio;

use fixture::NOW;
use serde_json::Value;
use store::{Appended, Store, StoreSettings};

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, trawl, wait_for};

fn admin(setup: &Setup, words: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = trawl();
    command.args(words).env("TRAWL_DATA", &setup.data).envs(setup.environment.iter().cloned());
    let ended = output(&mut command);
    let parsed = serde_json::from_slice(&ended.stdout).unwrap_or(Value::Null);
    (ended.status.code(), parsed, text(&ended.stderr))
}

async fn administration_works_beside_a_running_server(kind: Kind) {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", database::fresh(kind).await)
        // An unknown account is reported at once.
        .with("TRAWL_RESOLVE", "*=127.0.0.1:1")
        .with("TRAWL_RETRY_MS", 10);
    let mut server = Server::start(&setup).await;
    // The first command creates the first account.
    server.first_key();

    let create = ["account", "create", "--email", "ada@example.com", "--credits", "50", "--json"];
    let (code, account, _) = admin(&setup, &create);
    assert_eq!((code, &account["credits"]), (Some(0), &50.into()));
    assert!(account["password"].as_str().is_some_and(|password| password.len() >= 16));
    let (code, _, said) = admin(&setup, &create);
    assert_eq!(code, Some(1));
    assert!(said.contains("already"), "{said}");

    let grant = ["account", "grant", "--email", "Ada@example.com", "25", "--json"];
    assert_eq!(admin(&setup, &grant).1["credits"], 75);
    let (code, ..) = admin(&setup, &["account", "grant", "--email", "nobody@example.com", "1"]);
    assert_eq!(code, Some(1));
    let (code, ..) = admin(&setup, &["account", "grant", "--email", "ada@example.com", "0"]);
    assert_eq!(code, Some(2));

    let key =
        ["key", "create", "--email", "ada@example.com", "--source", "mcp", "--test", "--json"];
    let (code, key, _) = admin(&setup, &key);
    assert_eq!(code, Some(0));
    let secret = key["key"].as_str().expect("a secret");
    assert!(secret.starts_with("key_test_"));
    let seen = server.get("/v1/account", secret).await;
    assert_eq!((&seen["credits"], &seen["key"]["source"]), (&75.into(), &"mcp".into()));
    let limited = [
        "key",
        "create",
        "--email",
        "ada@example.com",
        "--scope",
        "account:read",
        "--mode",
        "links",
        "--network",
        "127.0.0.0/8",
        "--expires",
        "2099-01-31",
        "--daily-credits",
        "7",
        "--total-credits",
        "9",
        "--json",
    ];
    let (code, limited, _) = admin(&setup, &limited);
    assert_eq!((code, &limited["daily_credits"]), (Some(0), &7.into()));
    let seen = server.get("/v1/account", limited["key"].as_str().expect("a secret")).await;
    assert_eq!(
        (&seen["scopes"][0], &seen["key"]["total_credits"]),
        (&"account:read".into(), &9.into())
    );
    let past = ["key", "create", "--email", "ada@example.com", "--expires", "2020-01-31"];
    assert_eq!(admin(&setup, &past).0, Some(2));
    let (code, _, said) =
        admin(&setup, &["key", "create", "--email", "ada@example.com", "--mode", "books"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("links, sitemap"), "{said}");
    let (code, _, said) =
        admin(&setup, &["key", "create", "--email", "ada@example.com", "--source", "carrier"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("direct, mcp, zapier"), "{said}");

    let (_, list, _) = admin(&setup, &["account", "list", "--json"]);
    assert_eq!(list.as_array().expect("accounts").len(), 2);

    let external = serde_json::json!({"external": {"user_id": "u7", "run_id": "r9", "x": [1]}});
    let job = server.create(secret, "http://name.invalid-tld-for-tests.org/", external).await;
    // Log lines of start and end contain the external ids of the caller.
    for edge in ["run starts", "run stops"] {
        wait_for(async || {
            let logged = server.logged.lock().expect("no panic").clone();
            let words = [edge, job.as_str(), "external.user_id=\"u7\"", "external.run_id=\"r9\""];
            logged.lines().any(|line| words.iter().all(|word| line.contains(word))).then_some(())
        })
        .await;
    }
    let (_, jobs, _) = admin(&setup, &["job", "list", "--email", "ada@example.com", "--json"]);
    assert_eq!(jobs[0]["job_id"], job.as_str());
    let (code, shown, _) = admin(&setup, &["job", "show", &job, "--json"]);
    assert_eq!((code, &shown["external"]["user_id"]), (Some(0), &"u7".into()));
    assert_eq!(shown["external"]["x"], serde_json::json!([1]));
    assert_eq!(shown["account_id"], account["account_id"]);
    let (code, ..) = admin(&setup, &["job", "show", "job_unknown"]);
    assert_eq!(code, Some(1));
    let (code, ..) = admin(&setup, &["job", "list", "--status", "lost"]);
    assert_eq!(code, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn administration_works_beside_a_running_server_on_sqlite() {
    administration_works_beside_a_running_server(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn administration_works_beside_a_running_server_on_postgres() {
    administration_works_beside_a_running_server(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn job_skipped_lists_urls_with_reasons() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path());
    let job = run_with_skips(&setup, 0..25).await;

    let (code, page, _) = admin(&setup, &["job", "skipped", &job, "--json"]);
    assert_eq!((code, &page["total"]), (Some(0), &25.into()));
    let (_, page, _) = admin(&setup, &["job", "skipped", &job, "--reason", "robots", "--json"]);
    let expected: Vec<_> = [0, 10, 20].map(fixture::skipped_url).to_vec();
    assert_eq!(page["items"], serde_json::to_value(expected).expect("JSON"));

    let mut shown = trawl();
    shown.args(["job", "skipped", &job, "--limit", "2"]).env("TRAWL_DATA", &setup.data);
    let shown = output(&mut shown);
    let lines = "    urls  reason
       3  robots
      10  external
      12  image

url                            reason              status  cause                found_on
https://example.com/skipped/0  robots                   -  -                    -
https://example.com/skipped/1  image                    -  -                    https://example.com/0
";
    assert_eq!(text(&shown.stdout), lines);
    assert!(text(&shown.stderr).contains("23 more"));

    assert_eq!(admin(&setup, &["job", "skipped", "job_unknown"]).0, Some(1));
    let (code, _, said) = admin(&setup, &["job", "skipped", &job, "--reason", "bored"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("robots, broken"), "{said}");
}

/// Creates a job with these skipped URLs and returns its id.
async fn run_with_skips(setup: &Setup, skipped: Range<u32>) -> String {
    std::fs::create_dir_all(&setup.data).expect("a folder");
    let url = format!("sqlite:{}?mode=rwc", setup.data.join("trawl.db").display());
    let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
    store.prepare().await.expect("the tables are made");
    let account = fixture::account(&store, 50).await;
    let new_job = fixture::new_job(&account, "example.com");
    let mut lease = fixture::running(&store, &new_job).await;
    let (commit, items) = fixture::pages_commit(0..1);
    let skipped: Vec<_> = skipped.map(fixture::skipped_url).collect();
    let appended = store.append(&mut lease, &commit, &items, &skipped, NOW).await;
    assert_eq!(appended.expect("it answers"), Appended::Stored);
    store.close().await;
    lease.job.to_string()
}

#[test]
fn password_from_stdin_is_not_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let create = |password: &str| {
        let mut child = trawl()
            .args(["account", "create", "--email", "bob@example.com", "--password-stdin", "--json"])
            .env("TRAWL_DATA", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        child.stdin.take().expect("a pipe").write_all(password.as_bytes()).expect("written");
        child.wait_with_output().expect("it ends")
    };
    let short = create("short\n");
    assert_eq!(short.status.code(), Some(2));
    assert!(text(&short.stderr).contains("8 to 1,024 characters"));
    let good = create("a good long password\n");
    assert!(good.status.success());
    assert!(!text(&good.stdout).contains("password"));
    let mut wrong = trawl();
    wrong.args(["account", "create", "--email", "not an address"]).env("TRAWL_DATA", folder.path());
    assert_eq!(output(&mut wrong).status.code(), Some(2));
}
