//! Webhooks of crawls that Firecrawl clients start: order, retries, a restart, signature and headers. The
//! official clients are tested by `scripts/sdk-tests`.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;

use fixture::{ReceivedRequest, ReceiverBehavior};
use lab::{Handbook, Lab};
use serde_json::{Value, json};

use super::harness::{Scene, body_of};
use crate::database::Kind;
use crate::server::{Server, wait_for};

const SITE: Handbook = Handbook { chapters: 3, sections: 4 };

fn hook(name: &str) -> String {
    format!("https://{name}.hooks.test/in?token=hush")
}

async fn scene(
    kind: Kind,
    settings: &[(&str, &str)],
    behavior: impl Fn(&ReceivedRequest) -> ReceiverBehavior + Send + Sync + 'static,
) -> Scene {
    let sites = |lab: &Lab| {
        lab.serve("one.lab", SITE).serve("two.lab", SITE);
    };
    Scene::over(kind, sites, settings, behavior).await
}

async fn start(scene: &Scene, path: &str, body: Value) -> (String, String) {
    let answer = scene.server.post(path, &scene.key, &body).await;
    let status = answer.status();
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(status, 200, "{answer}");
    let text = |name: &str| answer[name].as_str().expect("a text").to_owned();
    (text("id"), text("webhookSecret"))
}

/// The deliveries of a receiver up to an event of this type that was accepted.
async fn until(scene: &Scene, name: &str, kind: &str, times: usize) -> Vec<ReceivedRequest> {
    wait_for(async || {
        let mut received = scene.receiver.received();
        received.retain(|one| one.host.starts_with(name));
        let ends = received.iter().filter(|one| body_of(one)["type"] == kind).count();
        (ends >= times).then_some(received)
    })
    .await
}

fn types(received: &[ReceivedRequest]) -> Vec<String> {
    received.iter().map(|one| body_of(one)["type"].as_str().expect("a type").to_owned()).collect()
}

/// Whether there is a signature. Its value is verified in `service/firecrawl/src/webhook.rs`, and with
/// other programs by `scripts/sdk-tests`.
fn is_signed(received: &ReceivedRequest) -> bool {
    let given = received.header("x-firecrawl-signature").and_then(|it| it.strip_prefix("sha256="));
    given.is_some_and(|mac| mac.len() == 64 && mac.chars().all(|digit| digit.is_ascii_hexdigit()))
}

async fn crawl_is_delivered_in_order_with_signature_and_headers(kind: Kind) {
    let scene = scene(kind, &[], |_| ReceiverBehavior::Status(204)).await;
    let webhook = json!({"url": hook("one"), "metadata": {"run": "7"},
        "headers": {"Authorization": "Bearer hush-hush", "X-Run": "7"}});
    let body = json!({"url": "http://one.lab/", "limit": 10, "webhook": webhook});
    let (id, secret) = start(&scene, "/v2/crawl", body).await;
    let urls: Vec<_> =
        SITE.texts().keys().take(3).map(|path| format!("http://two.lab{path}")).collect();
    let body =
        json!({"urls": urls, "webhook": {"url": hook("two"), "events": ["page", "completed"]}});
    let (batch, of_batch) = start(&scene, "/firecrawl/v1/batch/scrape", body).await;
    assert_eq!(secret, of_batch, "a receiver knows the secret of a key in advance");

    let received = until(&scene, "one.", "crawl.completed", 1).await;
    let pages = vec!["crawl.page".to_owned(); 10];
    let whole = [vec!["crawl.started".to_owned()], pages, vec!["crawl.completed".to_owned()]];
    assert_eq!(types(&received), whole.concat());
    let mut texts = BTreeMap::new();
    for delivery in &received {
        let body = body_of(delivery);
        assert_eq!((&body["id"], &body["success"]), (&json!(id), &json!(true)));
        assert_eq!(body["metadata"], json!({"run": "7"}));
        assert!(is_signed(delivery));
        assert_eq!(delivery.header("authorization"), Some("Bearer hush-hush"));
        assert_eq!(delivery.header("x-run"), Some("7"));
        assert_eq!(delivery.header("x-service-signature"), None);
        for page in body["data"].as_array().expect("documents") {
            let url = page["metadata"]["sourceURL"].as_str().expect("a URL").to_owned();
            assert_eq!(texts.insert(url, page["markdown"].clone()), None, "each page once");
        }
    }
    let status = scene.get(&format!("/v2/crawl/{id}")).await;
    let documents = status["data"].as_array().expect("documents");
    let stored: BTreeMap<_, _> = documents
        .iter()
        .map(|page| {
            let url = page["metadata"]["sourceURL"].as_str().expect("a URL").to_owned();
            (url, page["markdown"].clone())
        })
        .collect();
    assert_eq!(texts, stored);
    let received = until(&scene, "two.", "batch_scrape.completed", 1).await;
    let pages = vec!["batch_scrape.page".to_owned(); 3];
    assert_eq!(types(&received), [pages, vec!["batch_scrape.completed".to_owned()]].concat());
    assert!(received.iter().all(|one| body_of(one)["id"] == json!(batch)));

    // Secrets are in no answer.
    let shown = scene.get(&format!("/v1/jobs/{id}")).await.to_string();
    assert!(shown.contains("one.hooks.test") && shown.contains("(hidden)"), "{shown}");
    assert!(!shown.contains("hush-hush") && !shown.contains(&secret));
    let listed = scene.get("/v1/webhooks").await;
    assert_eq!(listed, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_is_delivered_in_order_with_signature_and_headers_on_sqlite() {
    crawl_is_delivered_in_order_with_signature_and_headers(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn crawl_is_delivered_in_order_with_signature_and_headers_on_postgres() {
    crawl_is_delivered_in_order_with_signature_and_headers(Kind::Postgres).await;
}

/// A receiver that refuses the first attempt of every delivery, and a server that is killed meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn every_page_arrives_before_the_end_despite_refusals_and_a_crash() {
    let refused = Mutex::new(HashSet::new());
    let behavior = move |request: &ReceivedRequest| {
        let id = body_of(request)["webhookId"].as_str().expect("an id").to_owned();
        let is_first = refused.lock().expect("no panic").insert(id);
        ReceiverBehavior::Status(if is_first { 503 } else { 200 })
    };
    let settings = [("TRAWL_WEBHOOK_RETRIES", "0.2,0.2,0.2,0.2,0.2,0.2")];
    let scene = scene(Kind::Sqlite, &settings, behavior).await;
    let body = json!({"url": "http://one.lab/", "limit": 12, "webhook": hook("one")});
    let (id, _) = start(&scene, "/v2/crawl", body).await;
    until(&scene, "one.", "crawl.page", 4).await;
    let Scene { server, setup, key, receiver, lab, database, folder } = scene;
    server.kill();
    let server = Server::start(&setup).await;
    let scene = Scene { server, setup, key, receiver, lab, database, folder };
    let received = until(&scene, "one.", "crawl.completed", 2).await;
    let mut bodies = BTreeMap::<String, Vec<u8>>::new();
    for delivery in &received {
        let body = body_of(delivery);
        assert_eq!(body["id"], json!(id));
        assert!(is_signed(delivery));
        let delivery_id = body["webhookId"].as_str().expect("an id").to_owned();
        let first = bodies.entry(delivery_id).or_insert_with(|| delivery.body.clone());
        assert_eq!(first, &delivery.body, "every attempt sends the same");
    }
    let kinds: Vec<_> = bodies
        .values()
        .map(|raw| {
            let body: Value = serde_json::from_slice(raw).expect("JSON");
            body["type"].as_str().expect("a type").to_owned()
        })
        .collect();
    let count = |kind: &str| kinds.iter().filter(|one| *one == kind).count();
    assert_eq!((count("crawl.started"), count("crawl.page"), count("crawl.completed")), (1, 12, 1));
    let order = types(&received);
    let last_start = order.iter().rposition(|kind| kind == "crawl.started");
    let first_page = order.iter().position(|kind| kind == "crawl.page");
    let last_page = order.iter().rposition(|kind| kind == "crawl.page");
    let first_end = order.iter().position(|kind| kind == "crawl.completed");
    assert!(last_start < first_page && last_page < first_end, "{order:?}");
}
