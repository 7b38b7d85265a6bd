//! Commands that look after the data of a service: migrations, retention, support bundle.

use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text};

/// Standard output of a command that succeeds.
fn done(setup: &Setup, arguments: &[&str]) -> String {
    let ended = output(setup.other().args(arguments));
    assert!(ended.status.success(), "{arguments:?}: {}", text(&ended.stderr));
    text(&ended.stdout)
}

/// Executes SQL in the database of a server that is stopped.
async fn execute(setup: &Setup, statement: &'static str) {
    let url = format!("sqlite:{}", setup.data.join("trawl.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it opens");
    sqlx::raw_sql(statement).execute(&pool).await.expect(statement);
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn migrations_are_shown_and_applied_and_a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path());
    let server = Server::start(&setup).await;
    let shown = done(&setup, &["migrate", "--plan"]);
    assert!(shown.contains("nothing to do"), "{shown}");
    let beside = output(setup.other().args(["migrate", "--apply"]));
    assert_eq!(beside.status.code(), Some(3));
    assert!(text(&beside.stderr).contains("another `trawl serve` uses"), "with its server");
    assert!(server.terminate().success());

    // As the release before the last migration left it.
    execute(
        &setup,
        "DROP TABLE installation; DROP TABLE storage_places; DROP TABLE pack_changes; \
         DROP TABLE blob_parts; DROP TABLE packs; \
         DELETE FROM schema_version WHERE step = (SELECT MAX(step) FROM schema_version)",
    )
    .await;
    let shown = done(&setup, &["migrate", "--plan"]);
    assert!(shown.contains("1 migrations are pending"), "{shown}");
    assert!(shown.contains("0032_storage") && shown.contains("expands"), "{shown}");
    let refused = output(setup.other().arg("verify"));
    assert!(text(&refused.stderr).contains("`trawl migrate --apply`"), "it migrates nothing");
    assert_eq!(done(&setup, &["migrate", "--plan"]), shown, "nothing was changed");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let backup = elsewhere.path().join("backup").display().to_string();
    done(&setup, &["backup", &backup]);
    let older = Setup { data: elsewhere.path().join("data"), ..setup.clone() };
    let restored = done(&older, &["restore", &backup]);
    assert!(restored.contains("its schema is older: `trawl migrate --apply"), "{restored}");
    done(&older, &["migrate", "--apply"]);
    done(&older, &["verify"]);
    let applied = done(&setup, &["migrate", "--apply"]);
    assert!(applied.contains("1 migrations were applied"), "{applied}");
    assert!(done(&setup, &["migrate", "--apply"]).contains("nothing to do"));
    done(&setup, &["verify"]);

    execute(&setup, "INSERT INTO schema_version (step, needs) VALUES (9998, 1)").await;
    let usable = done(&setup, &["migrate", "--plan"]);
    assert!(usable.contains("schema 9998: nothing to do"), "it only expanded: {usable}");
    assert!(Server::start(&setup).await.terminate().success(), "the release before starts again");
    execute(&setup, "INSERT INTO schema_version (step, needs) VALUES (9999, 9999)").await;
    for arguments in [["migrate", "--plan"], ["migrate", "--apply"]] {
        let refused = output(setup.other().args(arguments));
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(3), "{said}");
        assert!(said.contains("written by a newer release; start that release"), "{said}");
    }
    assert_eq!(output(setup.other().arg("migrate")).status.code(), Some(2), "one of the flags");
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_of_an_account_is_set_shown_and_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path());
    assert!(Server::start(&setup).await.terminate().success());
    let retention = |more: &[&str]| -> Value {
        let arguments =
            [&["account", "retention", "operator@localhost", "--json"][..], more].concat();
        serde_json::from_str(&done(&setup, &arguments)).expect("JSON")
    };
    assert_eq!(retention(&[])["results_days"], Value::Null);
    let set = retention(&["--results-days", "90", "--page-files-days", "3"]);
    assert_eq!((&set["results_days"], &set["page_files_days"]), (&json!(90), &json!(3)));
    let set = retention(&["--page-files-days", "0", "--events-days", "7"]);
    let expected = json!({"results_days": 90, "page_files_days": null, "run_log_days": null,
        "events_days": 7, "audit_days": null});
    assert_eq!((&set, &retention(&[])), (&expected, &expected));
    let log = done(&setup, &["audit", "--action", "settings.changed", "--json"]);
    assert_eq!(log.lines().count(), 2, "each change once: {log}");
    let unknown = output(setup.other().args(["account", "retention", "none@x.org"]));
    assert_eq!(unknown.status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn support_bundle_has_no_secret_and_no_data_of_customers() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(&folder.path().join("data"))
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_LISTEN", "127.0.0.1:0")
        .with("TRAWL_RESOLVE", "host.test=127.0.0.1:443,refused.test=127.0.0.1:1")
        .with("TRAWL_ALLOW_NETWORKS", "127.0.0.0/8")
        .with("TRAWL_OBJECTIONS", "ada@firm.test")
        .with("TRAWL_PROTECTED_PROXY", "http://me:hush@127.0.0.1:9");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://refused.test/", json!({})).await;
    server.wait(&key, &job, &["failed"]).await;
    assert!(server.terminate().success());
    let log = folder.path().join("trawl.log");
    std::fs::write(&log, "INFO started\nERROR cannot claim\n").expect("written");
    let file = folder.path().join("support.json");
    let (file_name, log_name) = (file.to_str().expect("UTF-8"), log.to_str().expect("UTF-8"));
    let arguments = ["support", "--host", "host.test", "--log", log_name, "-o", file_name];
    assert!(done(&setup, &arguments).contains("read it before you send it"));
    let bundle = std::fs::read_to_string(&file).expect("a file");
    for hidden in
        ["hush", "a key for tests", "ada@firm.test", "refused.test", "operator@", job.as_str()]
    {
        assert!(!bundle.contains(hidden), "{hidden}: {bundle}");
    }
    let bundle: Value = serde_json::from_str(&bundle).expect("JSON");
    assert_eq!(bundle["release"], env!("CARGO_PKG_VERSION"));
    assert_eq!(bundle["settings"]["protected_proxy"]["value"], "(set)");
    assert_eq!(bundle["log"], json!(["ERROR cannot claim"]));
    let numbers = &bundle["database"]["numbers"];
    let errors = numbers["recent_errors"].as_array().expect("a list");
    assert_eq!((errors.len(), &errors[0]["jobs"]), (1, &json!(1)), "{errors:?}");
    let tables = numbers["tables"].as_array().expect("a list");
    let jobs = tables.iter().find(|table| table["value"] == "jobs").expect("a row");
    assert_eq!(jobs["rows"], 1);
    let doctor = bundle["doctor"].as_array().expect("findings");
    assert!(doctor.iter().any(|one| one["check"] == "schema" && one["verdict"] == "ok"));

    // Without a database it still says what it finds.
    let none = Setup { data: folder.path().join("none"), ..setup };
    let bundle = done(&none, &["support", "--host", "host.test"]);
    assert!(bundle.contains("there is no database"), "{bundle}");
}
