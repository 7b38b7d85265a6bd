//! Start of the server: output, permissions, and errors.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text, trawl, wait_for};

#[tokio::test(flavor = "multi_thread")]
async fn first_start_writes_credentials_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("trawl-data");
    let mut server = Server::start(&Setup::new(&data)).await;
    let key = server.first_key();
    let password = server.first_password();
    server.credentials_line("operator@localhost");
    let curl = server.credentials_line("curl -s ");
    let file = server.credentials_file();
    assert_eq!(mode_of(&file), 0o600);
    let printed = server.printed.lock().expect("no panic").clone();
    assert!(!printed.contains(&key) && !printed.contains(&password), "no secret: {printed}");
    assert!(curl.contains(&server.url), "{curl}");
    let account = server.get("/v1/account", &key).await;
    assert_eq!(account["credits"], 100_000);

    let session = serde_json::json!({"email": "operator@localhost", "password": password});
    let session = server.post("/session", "none", &session).await;
    assert_eq!(session.status(), 201);
    assert!(server.terminate().success());

    let server = Server::start(&Setup::new(&data)).await;
    assert_eq!(server.get("/v1/account", &key).await["credits"], 100_000, "the same account");
    let printed = server.printed.lock().expect("no panic").clone();
    assert_eq!(printed.lines().count(), 3, "where it listens, console, browser: {printed}");
    assert!(printed.contains(&format!("Console: {}/ ", server.url)), "{printed}");
    let logged = server.logged.lock().expect("no panic").clone();
    assert!(!logged.contains(&key) && !printed.contains("key_"), "no secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn disabled_browser_sandbox_is_warned_about_at_each_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("trawl-data");
    let with = Setup::new(&data).with("TRAWL_CHROMIUM", "/bin/true");
    let without = with.clone().with("TRAWL_CHROMIUM_NO_SANDBOX", "1");
    for (setup, is_warned) in [(&without, true), (&without, true), (&with, false)] {
        let server = Server::start(setup).await;
        let logged = server.logged.lock().expect("no panic").clone();
        assert_eq!(logged.contains("chromium_no_sandbox is on"), is_warned, "{logged}");
        assert!(server.terminate().success());
    }
}

fn mode_of(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread")]
async fn data_files_are_readable_by_their_owner_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("new/trawl-data");
    let setup = Setup::new(&data).with("TRAWL_SECRET_KEY", "");
    let mut server = Server::start(&setup).await;
    server.first_key();
    assert_eq!(mode_of(&data), 0o700);
    for entry in std::fs::read_dir(&data).expect("the folder") {
        let path = entry.expect("an entry").path();
        assert_eq!(mode_of(&path) & 0o077, 0, "{}", path.display());
    }
    let logged = server.logged.lock().expect("no panic").clone();
    assert!(!logged.contains("can be read by other users"), "{logged}");
    assert!(server.terminate().success());

    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).expect("opened");
    let server = Server::start(&setup).await;
    let logged = server.logged.lock().expect("no panic").clone();
    assert!(
        logged.contains("can be read by other users of this machine; run `chmod 700 "),
        "{logged}"
    );
    assert_eq!(mode_of(&data), 0o755, "the operator decides");
}

#[tokio::test(flavor = "multi_thread")]
async fn free_disk_space_and_waits_for_connections_are_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&Setup::new(folder.path())).await;
    let key = server.first_key();
    server.get("/v1/jobs", &key).await;
    let metrics = wait_for(async || {
        Some(server.metrics().await).filter(|text| text.contains("trawl_data_free_bytes "))
    })
    .await;
    for pool in ["read", "write"] {
        let series = format!("trawl_pool_wait_seconds_count{{pool=\"{pool}\"}}");
        assert!(metrics.contains(&series), "{metrics}");
    }
    assert!(server.terminate().success());
}

#[test]
fn short_secret_key_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup =
        Setup::new(folder.path()).with("TRAWL_SECRET_KEY", "thirty-one characters, not more");
    let ended = output(&mut setup.command());
    let said = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(said.contains("needs at least 32") && said.contains("openssl rand"), "{said}");
    assert!(!said.contains("thirty-one"), "the key itself is not shown: {said}");
}

#[test]
fn database_password_is_never_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    for url in
        ["postgres://me:hush@127.0.0.1:1/trawl", "postgres://me@127.0.0.1:1/trawl?password=hush"]
    {
        let setup = Setup::new(folder.path()).with("TRAWL_DATABASE", url);
        for command in [&["config"][..], &["config", "--json"], &["account", "list"]] {
            let ended = output(setup.other().args(command));
            let said = text(&ended.stderr) + &text(&ended.stdout);
            assert!(!said.contains("hush"), "{command:?}: {said}");
        }
    }
    let setup = Setup::new(folder.path()).with("TRAWL_DATABASE", "mysql://me:hush@127.0.0.1/trawl");
    let ended = output(&mut setup.command());
    let said = text(&ended.stderr);
    assert!(said.contains("it must begin with sqlite: or postgres://"), "{said}");
    assert!(!said.contains("hush"), "{said}");
}

#[test]
fn read_only_data_folder_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a-file");
    std::fs::write(&file, "").expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o400)).expect("read-only");
    let ended = output(&mut Setup::new(&file).command());
    assert_eq!(ended.status.code(), Some(3));
    let said = text(&ended.stderr);
    assert!(said.contains("; choose another with --data"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_server_on_the_same_folder_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = Server::start(&Setup::new(folder.path())).await;
    let second = output(&mut Setup::new(folder.path()).command());
    assert_eq!(second.status.code(), Some(3));
    let said = text(&second.stderr);
    assert!(said.contains("another `trawl serve` uses the data folder"), "{said}");
    let key = first.first_key();
    first.get("/v1/account", &key).await;
}

#[test]
fn port_in_use_is_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let ended =
        output(trawl().args(["serve", "--listen", &address]).env("TRAWL_DATA", folder.path()));
    assert_eq!(ended.status.code(), Some(3));
    let said = text(&ended.stderr);
    assert!(said.contains(&format!("cannot listen on {address}; choose another")), "{said}");
}

#[test]
fn invalid_setting_is_reported_and_stops_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_ALLOW_NETWORKS", "127.0.0.1/64");
    let ended = output(&mut setup.command());
    assert_eq!(ended.status.code(), Some(3));
    let said = text(&ended.stderr);
    assert!(said.contains("allow_networks (from TRAWL_ALLOW_NETWORKS)"), "{said}");
}

#[test]
fn postgres_requires_a_secret_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", "postgres://trawl@127.0.0.1:1/trawl")
        .with("TRAWL_SECRET_KEY", "");
    let ended = output(&mut setup.command());
    assert_eq!(ended.status.code(), Some(3));
    let said = text(&ended.stderr);
    assert!(said.contains("TRAWL_SECRET_KEY is not set"), "{said}");
    assert!(said.contains("openssl rand -hex 32"), "{said}");
}

#[test]
fn config_shows_values_and_origins() {
    let ended = output(trawl().args(["config", "--json", "--data", "here"]).env("TRAWL_RUNS", "5"));
    assert!(ended.status.success());
    let rows: Vec<Value> = serde_json::from_slice(&ended.stdout).expect("JSON");
    let row = |key: &str| rows.iter().find(|row| row["key"] == key).expect("a row").clone();
    assert_eq!((&row("runs")["value"], &row("runs")["from"]), (&"5".into(), &"TRAWL_RUNS".into()));
    assert_eq!(row("data")["from"], "--data");
    assert_eq!(row("batch_size")["from"], "the defaults");
    let wrong = output(trawl().arg("config").env("TRAWL_RUNS", "none"));
    assert_eq!(wrong.status.code(), Some(3));
    let defaults = text(&output(trawl().args(["config", "--default"])).stdout);
    assert!(defaults.contains("listen = \"127.0.0.1:8080\""), "{defaults}");
}

#[test]
fn openapi_prints_the_document() {
    let ended = output(trawl().arg("openapi"));
    assert!(ended.status.success());
    let document: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "1.0.0");
    assert!(document["paths"]["/v1/jobs"]["post"].is_object());
}

#[test]
fn every_command_has_help() {
    for words in [
        vec!["--help"],
        vec!["serve", "--help"],
        vec!["crawl", "--help"],
        vec!["account", "--help"],
        vec!["account", "create", "--help"],
        vec!["account", "grant", "--help"],
        vec!["key", "create", "--help"],
        vec!["job", "list", "--help"],
        vec!["job", "show", "--help"],
        vec!["config", "--help"],
        vec!["openapi", "--help"],
    ] {
        let ended = output(trawl().args(&words));
        assert!(ended.status.success(), "{words:?}");
        assert!(text(&ended.stdout).contains("Usage:"), "{words:?}");
    }
    assert_eq!(output(trawl().arg("fly")).status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn json_log_lines_have_the_ids_of_job_and_account() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_LOG_FORMAT", "json");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let account = server.get("/v1/account", &key).await["account_id"].clone();
    let job = server.create(&key, "https://shop.lab.test/", json!({})).await;
    server.wait(&key, &job, &["completed"]).await;
    let spans = wait_for(async || {
        let logged = server.logged.lock().expect("no panic").clone();
        let lines = logged.lines().filter(|line| line.starts_with('{'));
        let mut lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let ended = lines.find(|line| line["fields"]["job.status"] == "completed")?;
        ended["spans"].as_array().cloned()
    })
    .await;
    let has = |name: &str, value: &Value| spans.iter().any(|span| span[name] == *value);
    assert!(has("job.id", &json!(job)) && has("account.id", &account), "{spans:?}");
    assert!(server.terminate().success());
}
