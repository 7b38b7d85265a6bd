//! `trawl secret rotate`: refused beside a server, repeated after a kill, finished with one key.

use std::path::Path;
use std::time::Duration;

use fixture::{ReceiverBehavior, WebhookReceiver};
use rand::RngExt;
use serde_json::json;

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, wait_for};

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

/// The steps of docs/operations.md, "Secret key", for several nodes.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn key_of_two_running_nodes_is_rotated_without_a_break_on_postgres() {
    let receiver =
        WebhookReceiver::start(&["*.hooks.test"], |_| ReceiverBehavior::Status(200)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new) =
        ("the old key, with more than 32 characters", "the new key, with more than 32 characters");
    let database = database::fresh(Kind::Postgres).await;
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", &database)
        .with("TRAWL_RESOLVE", format!("*.hooks.test={}", receiver.address))
        .with("TRAWL_EXTRA_CA", receiver.authority().display())
        .with("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1")
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_SECRET_KEY", old);
    let both = setup.clone().with("TRAWL_NEXT_SECRET_KEY", new);
    let only_new = setup.clone().with("TRAWL_SECRET_KEY", new);
    let mut nodes = [Server::start(&setup).await, Server::start(&setup).await];
    let key = nodes[0].first_key();
    let hook = json!({"url": "https://all.hooks.test/", "events": ["job.completed"]});
    let hook = nodes[0].post("/v1/webhooks", &key, &hook).await;
    assert_eq!(hook.status(), 201);
    let mut events = 0;
    // A job ends, and its event is signed with the secret of the endpoint.
    let mut delivers = async |nodes: &[Server]| {
        events += 1;
        let more = json!({"if_busy": "queue"});
        let job = nodes[events % 2].create(&key, "https://shop.lab.test/", more).await;
        nodes[(events + 1) % 2].wait(&key, &job, &["completed"]).await;
        wait_for(async || (receiver.received().len() >= events).then_some(())).await;
    };
    delivers(&nodes[..]).await;
    for (step, setup) in [&both, &only_new].into_iter().enumerate() {
        for node in 0..2 {
            let replacement = Server::start(setup).await;
            assert!(std::mem::replace(&mut nodes[node], replacement).terminate().success());
            delivers(&nodes[..]).await;
        }
        if step == 0 {
            let ended = output(both.other().args(["secret", "rotate"]));
            assert!(ended.status.success(), "{}", text(&ended.stderr));
            delivers(&nodes[..]).await;
        }
    }
    assert!(verified(&only_new).contains("can be decrypted"));
    let refused = output(&mut setup.command());
    assert_eq!(refused.status.code(), Some(3), "the old key alone: {}", text(&refused.stderr));
}
