//! Commands for operators of a machine, and messages to the service manager.

use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::server::{PATIENCE, Server, Setup, output, text, trawl};

/// Waits for a message to the service manager that contains `part`; returns those before it.
fn wait_for(manager: &UnixDatagram, part: &str) -> Vec<String> {
    let mut before = Vec::new();
    loop {
        let mut message = [0; 512];
        let length = manager.recv(&mut message).unwrap_or_else(|error| {
            panic!("no message with {part:?} after {before:?}: {error}");
        });
        let message = String::from_utf8_lossy(&message[..length]).into_owned();
        if message.contains(part) {
            return before;
        }
        before.push(message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn service_manager_learns_of_readiness_watchdog_and_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("notify");
    let manager = UnixDatagram::bind(&socket).expect("bound");
    manager.set_read_timeout(Some(PATIENCE)).expect("set");
    let setup = Setup::new(&folder.path().join("data"))
        .with("NOTIFY_SOCKET", socket.display())
        .with("WATCHDOG_USEC", 200_000);
    let server = Server::start_unready(&setup);
    let before = wait_for(&manager, "READY=1\nSTATUS=listening on 127.0.0.1:");
    assert!(before.iter().all(|message| message == "WATCHDOG=1"), "{before:?}");
    // Ready means that requests are answered, without a retry.
    let ready = reqwest::get(format!("{}/readyz", server.url)).await.expect("an answer");
    assert_eq!(ready.status(), 200);
    wait_for(&manager, "WATCHDOG=1");
    wait_for(&manager, "WATCHDOG=1");
    assert!(server.terminate().success());
    wait_for(&manager, "STOPPING=1");
}

/// The findings of `trawl doctor`, by the name of the check.
fn findings(command: &mut Command) -> (Option<i32>, Vec<Value>) {
    let ended = output(command.args(["doctor", "--json", "--host", "host.test"]));
    let findings = serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| {
        panic!("{error}: {} {}", text(&ended.stdout), text(&ended.stderr));
    });
    (ended.status.code(), findings)
}

fn finding<'f>(findings: &'f [Value], check: &str) -> &'f Value {
    findings.iter().find(|finding| finding["check"] == check).expect(check)
}

/// Settings that need neither Chromium nor a name server.
fn offline(setup: Setup) -> Setup {
    setup.with("TRAWL_CHROMIUM", "none").with("TRAWL_RESOLVE", "host.test=127.0.0.1:443")
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_passes_before_and_beside_a_server_and_creates_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let setup = offline(Setup::new(&data)).with("TRAWL_LISTEN", "127.0.0.1:0");
    let (code, before) = findings(&mut setup.other());
    assert_eq!(code, Some(0), "{before:?}");
    assert!(!data.exists(), "the folder is not created");

    let server = Server::start(&setup).await;
    let address = server.url.trim_start_matches("http://").to_owned();
    let (code, beside) = findings(&mut setup.clone().with("TRAWL_LISTEN", &address).other());
    assert_eq!(code, Some(0), "{beside:?}");
    for check in ["clock", "database", "schema", "rights", "secret key", "dns", "listener"] {
        assert_eq!(finding(&beside, check)["verdict"], "ok", "{beside:?}");
    }
    let health = output(setup.other().args(["health", "--listen", &address]));
    assert!(health.status.success(), "{}", text(&health.stderr));
    assert!(server.terminate().success());
    let health = output(setup.other().args(["health", "--listen", &address]));
    assert_eq!(health.status.code(), Some(1));
    assert!(text(&health.stderr).contains("is not ready"), "{}", text(&health.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_names_a_remedy_for_each_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = offline(Setup::new(folder.path()));
    assert!(Server::start(&setup).await.terminate().success());
    let other_program = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let setup = setup
        .with("TRAWL_SECRET_KEY", "another key for tests, with more than 32 characters")
        .with("TRAWL_LISTEN", other_program.local_addr().expect("an address"))
        .with("TRAWL_PUBLIC_URL", "https://crawl.example.com")
        .with("TRAWL_RESOLVE", "")
        .with("TRAWL_DNS", "127.0.0.1:1");
    let (code, all) = findings(&mut setup.other());
    assert_eq!(code, Some(3), "{all:?}");
    let keys: Vec<_> = all.iter().filter(|one| one["check"] == "secret key").collect();
    assert!(keys.iter().any(|one| one["verdict"] == "failed"), "{keys:?}");
    for (check, verdict, remedy) in [
        ("dns", "failed", "TRAWL_DNS"),
        ("listener", "failed", "choose another address"),
        ("reverse proxy", "warning", "TRAWL_BEHIND_PROXY=true"),
    ] {
        let found = finding(&all, check);
        assert_eq!(found["verdict"], verdict, "{found}");
        assert!(found["remedy"].as_str().is_some_and(|text| text.contains(remedy)), "{found}");
    }
    let (code, invalid) = findings(setup.with("TRAWL_RUNS", "none").other().arg("--data=x"));
    assert_eq!(code, Some(3));
    assert!(finding(&invalid, "settings")["detail"].to_string().contains("TRAWL_RUNS"));
}

#[test]
#[ignore = "needs Chromium: scripts/test installs it"]
fn doctor_renders_a_page_in_chromium() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = offline(Setup::new(folder.path())).with("TRAWL_LISTEN", "127.0.0.1:0");
    let (code, found) = findings(setup.with("TRAWL_CHROMIUM", "").other().arg("--data=x"));
    assert_eq!(finding(&found, "chromium")["verdict"], "ok", "{found:?}");
    assert_eq!(code, Some(0), "{found:?}");
    let setup = offline(Setup::new(folder.path())).with("TRAWL_LISTEN", "127.0.0.1:0");
    let (code, found) =
        findings(setup.with("TRAWL_CHROMIUM", "/bin/false").other().arg("--data=x"));
    let chromium = finding(&found, "chromium");
    assert_eq!((&chromium["verdict"], code), (&"failed".into(), Some(3)), "{found:?}");
    assert!(chromium["remedy"].to_string().contains("user namespaces"), "{chromium}");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = output(trawl().arg("man").arg(folder.path()));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    for page in ["trawl.1", "trawl-serve.1", "trawl-doctor.1", "trawl-account-create.1"] {
        let page = folder.path().join(page);
        let text = std::fs::read_to_string(&page).expect("a page");
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{}", page.display());
    }
    assert!(!folder.path().join("trawl-read-pages.1").exists(), "it is an internal command");
    assert!(text(&output(trawl().arg("man")).stdout).contains(".TH"));
}

/// The line of a start that failed.
fn failed_start(setup: &Setup) -> String {
    let ended = output(&mut setup.command());
    assert_eq!(ended.status.code(), Some(3));
    let said = text(&ended.stderr);
    let lines: Vec<_> = said.lines().filter(|line| line.starts_with("trawl: ")).collect();
    assert_eq!(lines.len(), 1, "one line: {said}");
    lines[0].to_owned()
}

#[test]
fn unknown_key_of_the_settings_file_is_named_with_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("trawl.toml");
    std::fs::write(&file, "lissten = \"127.0.0.1:0\"\n").expect("written");
    let setup = Setup::new(&folder.path().join("data")).with("TRAWL_CONFIG", file.display());
    let said = failed_start(&setup);
    assert!(
        said.contains("trawl.toml: there is no setting lissten; did you mean listen?"),
        "{said}"
    );
    assert!(!folder.path().join("data").exists(), "nothing is created");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_a_newer_release_is_refused_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path());
    assert!(Server::start(&setup).await.terminate().success());
    let url = format!("sqlite:{}", folder.path().join("trawl.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it opens");
    sqlx::query("INSERT INTO schema_version (step) VALUES (9999)")
        .execute(&pool)
        .await
        .expect("ok");
    pool.close().await;
    let said = failed_start(&setup);
    assert!(said.contains("written by a newer release; start that release"), "{said}");
    let (code, found) = findings(&mut offline(setup).with("TRAWL_LISTEN", "127.0.0.1:0").other());
    assert_eq!((code, &finding(&found, "schema")["verdict"]), (Some(3), &"failed".into()));
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it opens");
    let rows: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM jobs").fetch_one(&pool).await.expect("ok");
    assert_eq!(rows, 0, "the tables are still there");
    tokio::time::timeout(Duration::from_secs(60), pool.close()).await.expect("closed");
}

#[test]
#[ignore = "needs libfaketime: scripts/test installs it"]
fn clock_in_1970_stops_the_start_and_creates_nothing() {
    let library = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
        .map(|machine| format!("/usr/lib/{machine}/faketime/libfaketime.so.1"))
        .into_iter()
        .find(|path| std::path::Path::new(path).exists());
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let setup = offline(Setup::new(&data))
        .with("LD_PRELOAD", library.expect("libfaketime is installed"))
        .with("FAKETIME", "@1970-01-01 00:05:00")
        .with("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let said = failed_start(&setup);
    assert!(
        said.contains("clock of this machine is wrong") && said.contains("1970-01-01"),
        "{said}"
    );
    assert!(said.contains("timedatectl set-ntp true"), "{said}");
    assert!(!data.exists(), "nothing is created");
    let (code, found) = findings(&mut setup.with("TRAWL_LISTEN", "127.0.0.1:0").other());
    assert_eq!((code, &finding(&found, "clock")["verdict"]), (Some(3), &"failed".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_secret_key_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_RESOLVE", "example.com=93.184.215.14:443");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let hook = serde_json::json!({"url": "https://example.com/hook", "events": ["job.completed"]});
    assert_eq!(server.post("/v1/webhooks", &key, &hook).await.status(), 201);
    assert!(server.terminate().success());
    let other = setup.clone().with("TRAWL_SECRET_KEY", "another key, with more than 32 characters");
    let said = failed_start(&other);
    assert!(said.contains("encrypted with another secret key"), "{said}");
    assert!(said.contains("TRAWL_SECRET_KEY"), "{said}");
    let server = Server::start(&setup).await;
    let hooks = server.get("/v1/webhooks", &key).await;
    assert_eq!(hooks.to_string().matches("https://example.com/hook").count(), 1, "{hooks}");
    assert!(server.terminate().success());
}
