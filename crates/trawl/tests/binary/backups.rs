//! Backup beside a running server, restore to another folder, and the check of all data.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use lab::{Catalogue, Lab};
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, wait_for};

const PAGES: usize = 300;

/// The parts of items that must not depend on an interruption.
fn essence(items: &[Value]) -> BTreeSet<String> {
    let essence: BTreeSet<String> = items
        .iter()
        .map(|item| format!("{} {} {}", item["url"], item["status_code"], item["content_hash"]))
        .collect();
    assert_eq!(essence.len(), items.len(), "nothing is delivered twice");
    essence
}

fn run(setup: &Setup, arguments: &[&str]) -> Output {
    output(setup.other().args(arguments))
}

/// Standard output of a command that succeeds.
fn done(setup: &Setup, arguments: &[&str]) -> String {
    let ended = run(setup, arguments);
    assert!(ended.status.success(), "{arguments:?}: {}", text(&ended.stderr));
    text(&ended.stdout)
}

/// The only line of the error of a command that cannot run.
fn refused(setup: &Setup, arguments: &[&str]) -> String {
    let ended = run(setup, arguments);
    assert_eq!(ended.status.code(), Some(3), "{arguments:?}: {}", text(&ended.stdout));
    let said = text(&ended.stderr);
    assert_eq!(said.trim_end().lines().count(), 1, "one line: {said}");
    said
}

fn path(file: &Path) -> &str {
    file.to_str().expect("UTF-8")
}

/// A server with a generated secret key on a slow site.
async fn slow_site(data: &Path) -> (Lab, Setup) {
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false).serve("site.lab", Catalogue::mixed(PAGES));
    lab.with_latency("site.lab", Duration::from_millis(20));
    let setup = Setup::new(data)
        .with("TRAWL_SECRET_KEY", "")
        .with("TRAWL_ALLOW_NETWORKS", lab.address().to_string())
        .with("TRAWL_RESOLVE", "hooks.test=127.0.0.1:1")
        .with("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1:1")
        // Small, so that the log in the backup has a snapshot.
        .with("TRAWL_SNAPSHOT_BYTES", 8_000);
    (lab, setup)
}

#[tokio::test(flavor = "multi_thread")]
async fn run_continues_from_a_backup_that_was_made_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let backup = folder.path().join("trawl.tar.zst");
    let (lab, setup) = slow_site(&first).await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let hook = server
        .post(
            "/v1/webhooks",
            &key,
            &json!({"url": "https://hooks.test/", "events": ["job.completed"]}),
        )
        .await;
    assert_eq!(hook.status(), 201);
    let job = server.create(&key, &lab.url("/"), json!({})).await;
    wait_for(async || {
        let seen = server.get(&format!("/v1/jobs/{job}"), &key).await;
        (seen["counts"]["results"].as_u64() > Some(20)).then_some(())
    })
    .await;
    let said = done(&setup, &["backup", path(&backup)]);
    assert!(said.contains("with the secret key"), "{said}");
    let mode = std::fs::metadata(&backup).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 2, "no temporary file is left: {left:?}");
    // The server was not disturbed, and its data are consistent while it works.
    let verified = done(&setup, &["verify"]);
    assert!(verified.contains("is consistent"), "{verified}");
    server.wait(&key, &job, &["completed"]).await;
    let undisturbed = server.results(&key, &job).await;
    assert!(server.terminate().success());

    let elsewhere = Setup { data: second.clone(), ..setup.clone() };
    let said = done(&elsewhere, &["restore", path(&backup)]);
    assert!(said.contains("trawl verify --data"), "{said}");
    let findings: Vec<Value> =
        serde_json::from_str(&done(&elsewhere, &["verify", "--json"])).expect("JSON");
    assert!(findings.iter().all(|one| one["verdict"] == "ok"), "{findings:?}");
    let again = refused(&elsewhere, &["restore", path(&backup)]);
    assert!(again.contains("is not empty: it has "), "{again}");
    let key_file = |folder: &Path| std::fs::read(folder.join("secret.key")).expect("a key");
    assert_eq!(key_file(&first), key_file(&second));

    let server = Server::start(&elsewhere).await;
    let done = server.wait(&key, &job, &["completed", "failed", "paused"]).await;
    assert_eq!((&done["status"], &done["error"]), (&"completed".into(), &Value::Null));
    let restored = server.results(&key, &job).await;
    assert_eq!(essence(&restored), essence(&undisturbed));
    assert!(server.terminate().success());
    assert!(run(&elsewhere, &["verify"]).status.success());
}

/// Runs a program of PostgreSQL with the address of a database.
fn postgres(program: &str, database: &str, arguments: &[&str]) {
    let ended = output(Command::new(program).args(arguments).args(["--dbname", database]));
    assert!(ended.status.success(), "{program}: {}", text(&ended.stderr));
}

/// The steps of docs/operations.md, "PostgreSQL".
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn run_continues_from_a_dump_of_postgres_that_was_made_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let (lab, setup) = slow_site(folder.path()).await;
    let original = database::fresh(Kind::Postgres).await;
    let setup = setup
        .with("TRAWL_SECRET_KEY", "a key for tests, with more than 32 characters")
        .with("TRAWL_LEASE_MS", 2_000)
        .with("TRAWL_DATABASE", &original);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, &lab.url("/"), json!({})).await;
    wait_for(async || {
        let shown = server.get(&format!("/v1/jobs/{job}"), &key).await;
        (shown["counts"]["results"].as_u64() >= Some(20)).then_some(())
    })
    .await;
    let dump = folder.path().join("trawl.dump");
    postgres("pg_dump", &original, &["-Fc", "-f", path(&dump)]);
    server.wait(&key, &job, &["completed"]).await;
    let undisturbed = server.results(&key, &job).await;
    assert!(server.terminate().success());

    let copy = database::fresh(Kind::Postgres).await;
    postgres("pg_restore", &copy, &["--no-owner", path(&dump)]);
    let elsewhere = setup.with("TRAWL_DATABASE", &copy);
    let findings: Vec<Value> =
        serde_json::from_str(&done(&elsewhere, &["verify", "--json"])).expect("JSON");
    assert!(findings.iter().all(|one| one["verdict"] == "ok"), "{findings:?}");
    let server = Server::start(&elsewhere).await;
    let shown = server.get(&format!("/v1/jobs/{job}"), &key).await;
    assert!(shown["counts"]["results"].as_u64() < Some(PAGES as u64), "made meanwhile: {shown}");
    let ended = server.wait(&key, &job, &["completed", "failed", "paused"]).await;
    assert_eq!((&ended["status"], &ended["error"]), (&"completed".into(), &Value::Null));
    assert_eq!(essence(&server.results(&key, &job).await), essence(&undisturbed));
    assert!(server.terminate().success());
    assert!(run(&elsewhere, &["verify"]).status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn newer_damaged_and_foreign_files_are_not_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backup) = (folder.path().join("data"), folder.path().join("backup"));
    let setup = Setup::new(&data);
    let missing = refused(&setup, &["backup", path(&backup)]);
    assert!(missing.contains("there is no database"), "{missing}");
    assert!(!data.exists(), "nothing is created");
    assert!(Server::start(&setup).await.terminate().success());
    let said = done(&setup, &["backup", path(&backup)]);
    assert!(said.contains("without the secret key"), "it is a setting: {said}");
    let whole = std::fs::read(&backup).expect("a backup");

    let target = Setup { data: folder.path().join("target"), ..setup.clone() };
    for (name, content) in
        [("truncated", &whole[..whole.len() - 9]), ("foreign", &b"no backup at all"[..])]
    {
        let file = folder.path().join(name);
        std::fs::write(&file, content).expect("written");
        let said = refused(&target, &["restore", path(&file)]);
        assert!(said.contains("the file is damaged, or no backup"), "{name}: {said}");
        let left = std::fs::read_dir(&target.data).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{name}: nothing is left");
    }

    // As a newer release would write it.
    let url = format!("sqlite:{}", data.join("trawl.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it opens");
    let newer = sqlx::query("INSERT INTO schema_version (step) VALUES (9999)");
    newer.execute(&pool).await.expect("ok");
    pool.close().await;
    done(&setup, &["backup", path(&backup)]);
    let said = refused(&target, &["restore", path(&backup)]);
    assert!(said.contains("newer than this one") && said.contains("schema 9999"), "{said}");
    assert!(!target.data.join("trawl.db").exists());
    let said = refused(&setup, &["verify"]);
    assert!(said.contains("written by a newer release"), "{said}");

    let postgres = setup.with("TRAWL_DATABASE", "postgres://me@127.0.0.1:1/trawl");
    let said = refused(&postgres, &["backup", path(&backup)]);
    assert!(said.contains("pg_dump") && said.contains("docs/operations.md"), "{said}");
    let said = refused(&postgres, &["restore", path(&backup)]);
    assert!(said.contains("writes a data folder"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_names_damaged_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let (lab, setup) = slow_site(folder.path()).await;
    lab.with_latency("site.lab", Duration::ZERO);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, &lab.url("/"), json!({})).await;
    server.wait(&key, &job, &["completed"]).await;
    assert!(server.terminate().success());
    assert!(run(&setup, &["verify"]).status.success());

    let url = format!("sqlite:{}", folder.path().join("trawl.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it opens");
    // The checksum at the end of a segment, a balance, and a row without its job.
    for damage in [
        "UPDATE segments SET body = CAST(substr(body, 1, length(body) - 1) || \
         CASE WHEN substr(body, -1) = x'00' THEN x'01' ELSE x'00' END AS BLOB) \
         WHERE first_item = 0",
        "UPDATE accounts SET balance = balance + 1",
        "INSERT INTO overlays (job_id, first_item, count, body) VALUES ('job_none', 0, 0, x'00')",
    ] {
        sqlx::query(damage).execute(&pool).await.expect(damage);
    }
    pool.close().await;
    let ended = run(&setup, &["verify"]);
    assert_eq!(ended.status.code(), Some(1), "{}", text(&ended.stderr));
    let said = text(&ended.stdout);
    for part in [
        &format!("job {job}: results from 0: "),
        "balance 99",
        "1 rows of overlays.job_id refer to no row of jobs",
        "restore the last backup",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
