//! Every event of a job: delivered once, signed, equal to `GET`, without secrets.

use std::collections::BTreeMap;
use std::path::Path;

use contract::{Clock, Millis};
use lab::{Catalogue, Lab, ProtectionPage, Reply, Site, SiteTruth};
use runtime::SystemClock;
use serde_json::{Value, json};

use super::harness::{Scene, body_of};
use super::verifiers::Verifiers;
use crate::database::{self, Kind};
use crate::server::{Server, wait_for};
use fixture::ReceiverBehavior;

/// A site with one response for all URLs.
#[derive(Debug)]
struct Only(Reply);

impl Site for Only {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow:\n"),
            _ => self.0.clone(),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

fn sites(lab: &Lab) {
    lab.serve("good.lab", Catalogue::plain(20));
    lab.serve("none.lab", Only(Reply::status(404)));
    lab.serve(
        "walled.lab",
        Only(ProtectionPage::named("cloudflare_challenge").expect("a protection page").reply()),
    );
}

/// The job waits for a confirmation that never comes.
const SETTINGS: &[(&str, &str)] = &[
    ("TRAWL_BATCH_SIZE", "15"),
    ("TRAWL_PROTECTED_TIER", "proxy"),
    ("TRAWL_PROTECTED_PROXY", "http://127.0.0.1:9"),
    ("TRAWL_LOG", "trace"),
];

async fn every_event_is_delivered_once_and_signed(kind: Kind) {
    let scene = Scene::over(kind, sites, SETTINGS, |_| ReceiverBehavior::Status(204)).await;
    let (server, key) = (&scene.server, &scene.key);
    let all = scene.hook("all", Value::Null).await;
    let ends = scene.hook("ends", json!(["job.completed", "job.failed"])).await;

    let good = server.create(key, "http://good.lab/", json!({})).await;
    let stopped = server.wait(key, &good, &["paused", "completed", "failed"]).await;
    assert_eq!(stopped["batch_ready"], true, "{stopped}");
    let go_on = json!({"continue_batch": true});
    server.post(&format!("/v1/jobs/{good}/confirm"), key, &go_on).await;
    server.wait(key, &good, &["completed"]).await;
    let none = server.create(key, "http://none.lab/", json!({})).await;
    server.wait(key, &none, &["failed"]).await;
    let walled = server.create(key, "http://walled.lab/", json!({})).await;
    server.wait(key, &walled, &["awaiting_confirmation"]).await;
    let slow = scene.abort_one().await;
    let store = database::open(&scene.database, scene.folder.path()).await;
    let account = scene.get("/v1/account").await;
    let account = account["account_id"].as_str().expect("an id").parse().expect("an account");
    let reason = "the card expired";
    store.emit_recharge_failed(&account, reason, SystemClock.now()).await.expect("it answers");

    let events = scene.events().await;
    let mut kinds: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for event in &events {
        let job = event["data"]["job"]["job_id"].as_str().unwrap_or("none");
        *kinds.entry((job, event["type"].as_str().expect("a type"))).or_default() += 1;
    }
    for (job, kind) in [
        (good.as_str(), "job.batch_ready"),
        (&good, "job.completed"),
        (&none, "job.failed"),
        (&walled, "job.awaiting_confirmation"),
        (&slow, "job.aborted"),
        ("none", "billing.recharge_failed"),
    ] {
        assert_eq!(kinds.get(&(job, kind)), Some(&1), "{kind}: {kinds:?}");
    }
    assert_progress_interval(&events, &good);

    // All events of the list arrive once.
    let of_ends = events.iter().filter(|event| {
        ["job.completed", "job.failed"].contains(&event["type"].as_str().expect("a type"))
    });
    let superseded = wait_for(async || {
        let mut superseded = 0;
        for hook in [&all, &ends] {
            for delivery in scene.deliveries(hook).await {
                match delivery["state"].as_str() {
                    Some("delivered") => {}
                    Some("superseded") => superseded += 1,
                    _ => return None,
                }
            }
        }
        Some(superseded)
    })
    .await;
    let expected = events.len() + of_ends.count() - superseded;
    let received = scene.asked(expected).await;
    assert_eq!(received.len(), expected, "no event is delivered twice");
    let verifiers = Verifiers::new();
    for delivery in &received {
        let event = body_of(delivery);
        assert!(events.contains(&event), "{event} is not in the list of events");
        assert_eq!(
            delivery.path,
            format!("/in?token=hush-{}", &delivery.host[..delivery.host.len() - 11])
        );
        assert_eq!(delivery.header("content-type"), Some("application/json"));
        assert!(delivery.header("user-agent").expect("a name").starts_with("Trawl/"));
        let secret = if delivery.host.starts_with("all.") { &all.secret } else { &ends.secret };
        let signature = delivery.header("x-service-signature").expect("a signature");
        assert!(verifiers.accept(secret, signature, &delivery.body), "{signature}");
    }
    assert_forgeries_are_rejected(&verifiers, &all.secret, &received[0]);
    let completed = events.iter().find(|event| event["type"] == "job.completed").expect("one");
    let mut job = scene.get(&format!("/v1/jobs/{good}")).await;
    // Only `GET` repeats the request.
    for member in ["scope", "options", "on_protected"] {
        assert!(job.as_object_mut().expect("an object").remove(member).is_some(), "{member}");
    }
    assert_eq!(completed["data"]["job"], job, "as GET shows it");

    assert_no_secret_is_exposed(&scene, kind, &[&all.secret, &ends.secret, "hush-all"]).await;
}

/// `job.progress` at most every 12 s, the first with the first commit.
fn assert_progress_interval(events: &[Value], job: &str) {
    let times: Vec<Millis> = events
        .iter()
        .filter(|event| event["type"] == "job.progress" && event["data"]["job"]["job_id"] == job)
        .map(|event| serde_json::from_value(event["emitted_at"].clone()).expect("an instant"))
        .collect();
    assert!(!times.is_empty());
    assert!(times.windows(2).all(|pair| pair[1].since(pair[0]).as_secs() >= 12), "{times:?}");
}

fn assert_forgeries_are_rejected(
    verifiers: &Verifiers,
    secret: &str,
    delivery: &fixture::ReceivedRequest,
) {
    let signature = delivery.header("x-service-signature").expect("a signature");
    let (timestamp, mac) = signature.split_once(',').expect("two parts");
    let mut altered = delivery.body.clone();
    altered[10] ^= 1;
    assert!(!verifiers.accept(secret, signature, &altered), "an altered body");
    let other = secret.replace(&secret[10..12], "__");
    assert!(!verifiers.accept(&other, signature, &delivery.body), "another secret");
    for wrong in [
        "",
        "nonsense",
        timestamp,
        mac,
        &format!("t=1,{mac}"),
        &format!("t=99999999999,{mac}"),
        &format!("{timestamp},v1=00"),
        &format!("{timestamp},v1="),
    ] {
        assert!(!verifiers.accept(secret, wrong, &delivery.body), "{wrong}");
    }
}

/// No secret in the log at its most verbose level, in lists, or in database files.
async fn assert_no_secret_is_exposed(scene: &Scene, kind: Kind, secrets: &[&str]) {
    let logged = scene.server.logged.lock().expect("no panic").clone();
    let printed = scene.server.printed.lock().expect("no panic").clone();
    assert!(logged.contains("webhook.id="), "deliveries are logged");
    for secret in secrets {
        assert!(!logged.contains(secret) && !printed.contains(secret), "{secret} is in the log");
    }
    let listed = scene.get("/v1/webhooks").await.to_string();
    assert!(!listed.contains("whsec_"));
    if kind == Kind::Sqlite {
        for file in ["trawl.db", "trawl.db-wal"] {
            let bytes = std::fs::read(scene.folder.path().join(file)).unwrap_or_default();
            assert!(memchr::memmem::find(&bytes, b"whsec_").is_none(), "{file} holds a secret");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Python and Node.js: scripts/test installs them"]
async fn every_event_is_delivered_once_and_signed_on_sqlite() {
    every_event_is_delivered_once_and_signed(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL, Python and Node.js: scripts/test sets them up"]
async fn every_event_is_delivered_once_and_signed_on_postgres() {
    every_event_is_delivered_once_and_signed(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Python and Node.js: scripts/test installs them"]
async fn secret_key_is_stored_in_the_data_folder() {
    let scene = Scene::start(&[("TRAWL_SECRET_KEY", "")], |_| ReceiverBehavior::Status(200)).await;
    let hook = scene.hook("kept", json!(["job.aborted"])).await;
    let file = scene.folder.path().join("secret.key");
    assert_private(&file);
    let made = std::fs::read_to_string(&file).expect("a key");
    assert_eq!(made.len(), 64);
    let Scene { server, setup, key, receiver, lab, database, folder } = scene;
    assert!(server.terminate().success());
    let server = Server::start(&setup).await;
    let scene = Scene { server, setup, key, receiver, lab, database, folder };
    scene.abort_one().await;
    let received = scene.asked(1).await.remove(0);
    let signature = received.header("x-service-signature").expect("a signature");
    assert!(Verifiers::new().accept(&hook.secret, signature, &received.body));
    assert_eq!(std::fs::read_to_string(&file).expect("a key"), made, "the same after a restart");
    // With another key the secrets could not be decrypted: the server must not start.
    let Scene { server, setup, .. } = scene;
    server.terminate();
    let other = setup.with("TRAWL_SECRET_KEY", "some other key, also long enough to be one");
    let ended = crate::server::output(&mut other.command());
    let said = crate::server::text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(said.contains("encrypted with another secret key"), "{said}");
}

fn assert_private(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
