//! `trawl secret rotate`: refused beside a server, repeated after a kill, finished with one key.

use std::path::Path;
use std::time::Duration;

use rand::RngExt;
use serde_json::json;

use crate::server::{Server, Setup, output, text};

fn key_of(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("secret.key")).expect("a key")
}

/// The line of the check of stored secrets.
fn verified(setup: &Setup) -> String {
    let ended = output(setup.other().arg("verify"));
    assert!(ended.status.success(), "{} {}", text(&ended.stdout), text(&ended.stderr));
    let said = text(&ended.stdout);
    said.lines().find(|line| line.contains("secrets")).expect("a line").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn rotation_is_repeated_after_kills_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_SECRET_KEY", "")
        .with("TRAWL_RESOLVE", "hooks.test=127.0.0.1:1")
        .with("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1:1");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    for _ in 0..20 {
        let hook = server
            .post(
                "/v1/webhooks",
                &key,
                &json!({"url": "https://hooks.test/", "events": ["job.completed"]}),
            )
            .await;
        assert_eq!(hook.status(), 201);
    }
    let old = key_of(folder.path());
    let refused = output(setup.other().args(["secret", "rotate"]));
    assert_eq!(refused.status.code(), Some(3));
    assert!(text(&refused.stderr).contains("another `trawl serve` uses"), "with its server");
    assert_eq!(key_of(folder.path()), old);
    assert!(server.terminate().success());

    for _ in 0..10 {
        let mut command = setup.other();
        let mut child = command.args(["secret", "rotate"]).spawn().expect("it starts");
        let wait = rand::rng().random_range(0..300);
        tokio::time::sleep(Duration::from_millis(wait)).await;
        child.kill().expect("it is killed or has ended");
        child.wait().expect("it is gone");
        let line = verified(&setup);
        assert!(line.contains("20 values can be decrypted"), "after {wait} ms: {line}");
    }
    // A server works between the attempts.
    assert!(Server::start(&setup).await.terminate().success());
    let ended = output(setup.other().args(["secret", "rotate"]));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert_ne!(key_of(folder.path()), old);
    assert!(!folder.path().join("secret.key.next").exists());
    assert!(verified(&setup).contains("20 values can be decrypted"));
    assert!(Server::start(&setup).await.terminate().success());

    let configured = setup.with("TRAWL_SECRET_KEY", old);
    let ended = output(configured.other().args(["secret", "rotate"]));
    assert!(text(&ended.stderr).contains("TRAWL_NEXT_SECRET_KEY is not set"), "a setting");
    let ended = output(configured.other().arg("verify"));
    let said = text(&ended.stdout);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("set TRAWL_SECRET_KEY"), "the remedy: {said}");
    assert_eq!(output(&mut configured.command()).status.code(), Some(3), "no start with another");
}
