//! `/v1/webhooks`.

use http::Method;
use net::NameTable;
use serde_json::{Value, json};
use urls::{AllowedNetworks, DeniedNetworks};

use crate::harness::{TestApi, bearer};

const URL: &str = "https://hooks.public.test/trawl?tenant=7&utm_source=x";

/// A service that knows names of every kind.
pub async fn api() -> TestApi {
    TestApi::with(|settings| {
        settings.known_names = NameTable::parse(
            "*.public.test=93.184.216.34,private.test=10.0.0.7,loop.test=127.0.0.1:8443,\
             sixth.test=::1,own.test=127.0.0.9:8443,localhost=127.0.0.1,denied.test=93.184.217.1",
        )
        .expect("a table");
        let denied = DeniedNetworks::parse("93.184.217.0/24").expect("a network");
        settings.webhook_networks =
            AllowedNetworks::parse("127.0.0.9:8443").expect("a network").denying(denied);
        settings.limits.request_burst = 10_000;
    })
    .await
}

impl TestApi {
    /// A new endpoint, as its id.
    pub async fn webhook(&self) -> String {
        let created = self.post("/v1/webhooks", &json!({"url": URL})).await;
        assert_eq!(created.status, 201, "{}", created.text);
        created.body["id"].as_str().expect("an id").to_owned()
    }

    pub async fn delete(&self, path: &str) -> crate::harness::ApiReply {
        self.delete_as(&self.key, path).await
    }
}

#[tokio::test]
async fn webhook_is_created_listed_changed_and_deleted() {
    let api = api().await;
    let body = json!({"url": format!(" {URL} "), "events": ["job.failed", "job.completed"]});
    let created = api.post("/v1/webhooks", &body).await;
    assert_eq!(created.status, 201);
    insta::assert_json_snapshot!("created", created.stable());
    let secret = created.body["secret"].as_str().expect("a secret").to_owned();
    assert_eq!((secret.len(), secret.starts_with("whsec_")), (49, true));
    api.pass(std::time::Duration::from_millis(1));
    let all = api.webhook().await;
    let listed = api.get("/v1/webhooks").await;
    insta::assert_json_snapshot!("listed", listed.stable());
    assert!(!listed.text.contains("secret") && !listed.text.contains(&secret));

    let path = format!("/v1/webhooks/{all}");
    let off = api.patch(&path, &json!({"active": false})).await;
    assert_eq!((off.status, &off.body["active"]), (200, &json!(false)));
    assert_eq!(off.body["events"].as_array().map(Vec::len), Some(7), "the others stay");
    let changed = api.patch(&path, &json!({"active": true, "events": ["job.aborted"]})).await;
    insta::assert_json_snapshot!("changed", changed.stable());
    let same = api.patch(&path, &json!({})).await;
    assert_eq!((same.status, &same.body), (200, &changed.body));

    let gone = api.delete(&path).await;
    assert_eq!((gone.status, gone.text.as_str()), (200, ""), "an empty body");
    assert_eq!(api.delete(&path).await.refusal(), (404, "not_found"));
    assert_eq!(api.get("/v1/webhooks").await.body.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn omitted_events_subscribe_to_all() {
    let api = api().await;
    for body in [json!({"url": URL}), json!({"url": URL, "events": null})] {
        let created = api.post("/v1/webhooks", &body).await;
        let events = created.body["events"].as_array().expect("events").clone();
        assert_eq!(events.len(), 7);
        assert!(events.contains(&json!("billing.recharge_failed")));
    }
}

#[tokio::test]
async fn unsafe_webhook_urls_are_rejected() {
    let api = api().await;
    for (url, said) in [
        ("http://hooks.public.test/", "https://"),
        ("hooks.public.test", "https://"),
        ("ftp://hooks.public.test/", "https://"),
        ("//hooks.public.test/", "https://"),
        ("", "https://"),
        ("https://", "host"),
        ("https://user:password@hooks.public.test/", "user name"),
        ("https://hooks.public.test:22/", "port 22"),
        ("https://hooks.public.test:6000/", "port 6000"),
        ("https://hooks.public.test:99999/", "port"),
        ("https://hooks.public\n.test/", "control character"),
        ("https://127.0.0.1/", "not public"),
        ("https://127.0.0.1:8443/", "not public"),
        ("https://10.0.0.1/", "not public"),
        ("https://192.168.1.1/", "not public"),
        ("https://169.254.169.254/latest/meta-data/", "not public"),
        ("https://100.64.0.1/", "not public"),
        ("https://[::1]/", "not public"),
        ("https://[fd00::1]/", "not public"),
        ("https://[::ffff:127.0.0.1]/", "not public"),
        ("https://2130706433/", "dotted decimal"),
        ("https://0x7f.1/", "dotted decimal"),
        ("https://printer.local/", "local use"),
        ("https://db.internal/", "local use"),
        ("https://intranet/", "full domain name"),
        // Names that lead to where nothing may be delivered.
        ("https://private.test/", "the address of private.test is not public"),
        ("https://loop.test/", "the address of loop.test is not public"),
        ("https://sixth.test/", "the address of sixth.test is not public"),
        ("https://localhost/", "the address of localhost is not public"),
        // Public addresses that the operator denies.
        ("https://denied.test/", "denied.test: its operator denies this network"),
        ("https://93.184.217.9/", "93.184.217.9: its operator denies this network"),
    ] {
        let answer = api.post("/v1/webhooks", &json!({"url": url})).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"), "{url}: {}", answer.text);
        assert_eq!(answer.fields(), ["url"], "{url}");
        let message = answer.body["errors"][0]["message"].as_str().expect("a message");
        assert!(message.contains(said), "{url}: {message}");
    }
    let long = format!("https://hooks.public.test/{}", "a".repeat(2_048));
    assert_eq!(api.post("/v1/webhooks", &json!({"url": long})).await.status, 422);
    // What the operator has opened may be delivered to.
    for url in ["https://own.test/", "https://127.0.0.9:8443/"] {
        assert_eq!(api.post("/v1/webhooks", &json!({"url": url})).await.status, 201, "{url}");
    }
    assert_eq!(api.get("/v1/webhooks").await.body.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn unresolvable_webhook_host_is_url_not_resolved() {
    let api = api().await;
    let answer = api.post("/v1/webhooks", &json!({"url": "https://gone.example/"})).await;
    assert_eq!((answer.refusal(), answer.fields()), ((422, "url_not_resolved"), vec!["url"]));
}

#[tokio::test]
async fn invalid_webhook_bodies_are_reported_by_field() {
    let api = api().await;
    for (body, fields) in [
        (json!({}), vec!["url"]),
        (json!({"url": null}), vec!["url"]),
        (json!({"url": 7}), vec!["url"]),
        (json!({"url": URL, "events": []}), vec!["events"]),
        (json!({"url": URL, "events": "job.failed"}), vec!["events"]),
        (json!({"url": URL, "events": ["job.done"]}), vec!["events[0]"]),
        (json!({"url": URL, "events": ["webhook.test"]}), vec!["events[0]"]),
        (json!({"url": URL, "events": ["job.failed", 7]}), vec!["events[1]"]),
        (json!({"url": URL, "events": ["job.failed", "job.failed"]}), vec!["events[1]"]),
        (json!({"url": URL, "event": ["job.failed"]}), vec!["event"]),
        (json!({"url": URL, "secret": "mine"}), vec!["secret"]),
        (json!({"url": "http://x.example/", "events": []}), vec!["url", "events"]),
        (json!([]), vec!["body"]),
    ] {
        let answer = api.post("/v1/webhooks", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{body}");
    }
    let path = format!("/v1/webhooks/{}", api.webhook().await);
    for (body, field) in [
        (json!({"active": "yes"}), "active"),
        (json!({"events": []}), "events"),
        (json!({"events": ["job.done"]}), "events[0]"),
        (json!({"url": "https://elsewhere.example/"}), "url"),
    ] {
        let answer = api.patch(&path, &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{body}");
    }
    assert_eq!(api.post_text("/v1/webhooks", "{").await.refusal(), (400, "invalid_json"));
    assert_eq!(api.post_text("/v1/webhooks", "").await.refusal(), (400, "invalid_json"));
}

#[tokio::test]
async fn number_of_webhooks_is_limited() {
    let api = api().await;
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(api.webhook().await);
    }
    let answer = api.post("/v1/webhooks", &json!({"url": URL})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
    api.delete(&format!("/v1/webhooks/{}", ids[0])).await;
    api.webhook().await;
    assert_eq!(api.get("/v1/account").await.body["limits"]["webhooks"], 20);
}

#[tokio::test]
async fn webhook_of_another_account_is_404() {
    let api = api().await;
    let id = api.webhook().await;
    let test = api.post(&format!("/v1/webhooks/{id}/test"), &json!({})).await;
    let delivery = test.body["id"].as_str().expect("an id").to_owned();
    let (_, bob) = api.account("bob@example.com", 5).await;
    let headers = [("authorization", bearer(&bob)), ("content-type", "application/json".into())];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let unknown = "whk_00000000000000000000000000000000";
    for id in [id.as_str(), unknown, "1", "job_00000000000000000000000000000000"] {
        let webhook = format!("/v1/webhooks/{id}");
        for (method, path) in [
            (Method::DELETE, webhook.clone()),
            (Method::PATCH, webhook.clone()),
            (Method::GET, format!("{webhook}/deliveries")),
            (Method::POST, format!("{webhook}/test")),
            (Method::POST, format!("{webhook}/deliveries/{delivery}/redeliver")),
        ] {
            let answer = api.send(method.clone(), &path, &headers, "{}").await;
            assert_eq!(answer.refusal(), (404, "not_found"), "{method} {path}");
        }
    }
    assert_eq!(api.get_as(&bob, "/v1/webhooks").await.body, json!([]));
    assert_eq!(api.get("/v1/webhooks").await.body[0]["active"], true);
}

#[tokio::test]
async fn webhooks_need_a_key_not_a_session() {
    let api = api().await;
    let session = api.session().await;
    for token in ["", "key_live_wrong", &session] {
        for path in ["/v1/webhooks", "/v1/events"] {
            assert_eq!(api.get_as(token, path).await.refusal(), (401, "unauthorized"));
        }
        let made = api.post_as(token, "/v1/webhooks", &json!({"url": URL})).await;
        assert_eq!(made.refusal(), (401, "unauthorized"));
    }
}

#[tokio::test]
async fn webhooks_are_503_without_a_database() {
    let api = api().await;
    api.store.close().await;
    for path in ["/v1/webhooks", "/v1/events"] {
        assert_eq!(api.get(path).await.refusal(), (503, "unavailable"));
    }
    let made: Value = api.post("/v1/webhooks", &json!({"url": URL})).await.body;
    assert_eq!(made["code"], "unavailable");
}
