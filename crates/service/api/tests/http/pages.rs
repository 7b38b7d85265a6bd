//! `POST /v1/pages`: one page at once.

use std::time::Duration;

use contract::{Credits, KeyPrefix};
use http::Method;
use lab::{Lab, Reply, Site, SiteTruth};
use net::NameTable;
use serde_json::{Value, json};
use store::{LimitChange, NewKey};

use crate::harness::{ApiReply, NOW, TestApi};

const TEXT: &str = "The harbour of the town has three cranes. Ships arrive in the morning and leave \
    in the evening, and the pilots guide them through the narrow channel between the islands. ";

/// A small site with a page of each outcome.
#[derive(Debug)]
struct Harbour;

impl Site for Harbour {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private"),
            "/" | "/moved-here" => Reply::html(format!(
                "<html lang=en><title>Harbour</title><meta name=description content=Cranes>\
                 <main><h1>The harbour</h1><p>{}</p><p>See <a href=/ships>the ships</a> and \
                 <a rel=nofollow href='https://other.example/'>another town</a>.</p></main>",
                TEXT.repeat(4)
            )),
            "/moved" => Reply::redirect(301, "/moved-here"),
            "/loop" => Reply::redirect(302, "/loop"),
            "/shop" => Reply::html(
                "<title>Anchor</title><script type=application/ld+json>{\"@context\":\
                 \"https://schema.org\",\"@type\":\"Product\",\"name\":\"Anchor\",\"sku\":\"A1\",\
                 \"offers\":{\"@type\":\"Offer\",\"price\":\"19.90\",\"priceCurrency\":\"EUR\"}}\
                 </script><h1>Anchor</h1><p>An anchor of steel.</p>",
            ),
            "/contact" => Reply::html(
                "<title>Contact</title><h1>Contact</h1><p>Harbour Ltd, 1 Quay Street</p>\
                 <a href='mailto:info@harbour-town.com'>info@harbour-town.com</a>",
            ),
            "/empty" => Reply::html("<title>Empty</title>"),
            "/picture.png" => Reply::typed(200, "image/png", &b"\x89PNG\r\n\x1a\n"[..]),
            "/broken" => Reply::status(500),
            "/refused" => Reply::status(403),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn with_lab(change: impl FnOnce(&mut api::ApiSettings)) -> (Lab, TestApi) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("harbour.lab", Harbour);
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let api = TestApi::with(|settings| {
        settings.known_names = names;
        change(settings);
    })
    .await;
    (lab, api)
}

fn page(path: &str, mode: &str) -> Value {
    json!({"url": format!("http://harbour.lab{path}"), "mode": mode})
}

async fn read(api: &TestApi, body: &Value, idempotency_key: &str) -> ApiReply {
    let bearer = format!("Bearer {}", api.key);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("idempotency-key", idempotency_key),
    ];
    api.send(Method::POST, "/v1/pages", &headers, &body.to_string()).await
}

async fn credits(api: &TestApi) -> i64 {
    api.get("/v1/account").await.body["credits"].as_i64().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn page_is_answered_with_its_item_and_charged_once() {
    let (_lab, api) = with_lab(|_| {}).await;
    // After the grant, so that the debit is the newest line of the ledger.
    api.pass(Duration::from_secs(1));
    let answer = api.post("/v1/pages", &json!({"url": "http://harbour.lab/"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let body = &answer.body;
    assert_eq!((&body["mode"], &body["url"]), (&json!("markdown"), &json!("http://harbour.lab/")));
    let markdown = body["item"]["markdown"].as_str().expect("a text");
    assert!(markdown.starts_with("# The harbour\n") && markdown.contains("three cranes"));
    assert_eq!((&body["credits_used"], &body["cached"]), (&json!(2), &json!(false)));
    assert!(body.get("links").is_none() && body.get("metadata").is_none(), "not requested");
    assert_eq!(credits(&api).await, 998);

    let lines = api.get("/v1/ledger").await.body;
    let line = &lines["items"][0];
    assert_eq!((&line["kind"], &line["amount"]), (&json!("debit"), &json!(-2)));
    assert_eq!((&line["page_id"], &line["job_id"]), (&body["page_id"], &Value::Null));
    api.pass(Duration::from_secs(1));
    let usage = api.get("/v1/usage?group_by=mode").await.body;
    assert_eq!(
        usage["items"],
        json!([{"group": "markdown", "jobs": 0, "pages": 1, "units": 1, "credits": 2}])
    );
    assert_eq!(api.get("/v1/jobs").await.body["total"], 0, "no job");
    let audit = api.store.audit_ledger(&api.account).await.expect("it answers").expect("sums");
    assert!(audit.is_consistent(), "{audit:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mode_has_its_item_and_price() {
    let (_lab, api) = with_lab(|_| {}).await;
    let mut left = credits(&api).await;
    for (path, mode, price, member) in [
        ("/", "markdown", 2, "markdown"),
        ("/", "links", 1, "status_code"),
        ("/shop", "products", 5, "name"),
        ("/contact", "contacts", 10, "emails"),
    ] {
        let mut body = page(path, mode);
        if mode == "contacts" {
            body["legal_basis_accepted"] = json!(true);
        }
        let answer = api.post("/v1/pages", &body).await;
        assert_eq!(answer.status, 200, "{mode}: {}", answer.text);
        assert!(!answer.body["item"][member].is_null(), "{mode}: {}", answer.text);
        assert_eq!(answer.body["credits_used"], price, "{mode}");
        left -= price;
        assert_eq!(credits(&api).await, left, "{mode}");
    }
    let contacts = api.store.acceptances(None, None).await.expect("it answers");
    assert_eq!(contacts.len(), 1);
    assert!(contacts[0].subject.starts_with("pag_"), "{}", contacts[0].subject);
}

#[tokio::test(flavor = "multi_thread")]
async fn contacts_of_a_page_read_this_page_only() {
    let (lab, api) = with_lab(|_| {}).await;
    let mut body = page("/contact", "contacts");
    body["legal_basis_accepted"] = json!(true);
    let answer = api.post("/v1/pages", &body).await;
    assert_eq!(answer.body["item"]["pages_checked"], 1, "{}", answer.text);
    let requested: Vec<_> = lab.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(requested, ["/robots.txt", "/contact"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn requested_formats_are_answered() {
    let (_lab, api) = with_lab(|_| {}).await;
    let mut body = page("/moved", "markdown");
    body["formats"] = json!(["metadata", "links"]);
    let answer = api.post("/v1/pages", &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.body.get("item").is_none(), "not requested");
    let metadata = &answer.body["metadata"];
    assert_eq!(metadata["final_url"], "http://harbour.lab/moved-here");
    assert_eq!((&metadata["title"], &metadata["language"]), (&json!("Harbour"), &json!("en")));
    assert_eq!((&metadata["status_code"], &metadata["rendered"]), (&json!(200), &json!(false)));
    assert_eq!(
        answer.body["links"],
        json!([
            {"url": "http://harbour.lab/ships", "text": "the ships", "nofollow": false},
            {"url": "https://other.example/", "text": "another town", "nofollow": true},
        ])
    );
    assert_eq!(answer.body["credits_used"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn options_change_how_the_page_is_read() {
    let (_lab, api) = with_lab(|_| {}).await;
    let mut markdown = Vec::new();
    for options in [json!({}), json!({"links": "none"})] {
        let mut body = page("/", "markdown");
        body["options"] = options;
        let answer = api.post("/v1/pages", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        markdown.push(answer.body["item"]["markdown"].as_str().expect("a text").to_owned());
    }
    assert!(markdown[0].contains("[the ships](http://harbour.lab/ships)"), "{}", markdown[0]);
    assert!(markdown[1].contains("See the ships and another town"), "{}", markdown[1]);
    let mut body = page("/", "markdown");
    body["options"] = json!({"sample_size": 3, "linsk": "none"});
    let answer = api.post("/v1/pages", &body).await;
    assert_eq!(answer.fields(), ["options.sample_size", "options.linsk"], "{}", answer.text);
    assert!(answer.text.contains("has no effect on a single page"), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn undelivered_pages_name_their_cause_and_are_free() {
    let (_lab, api) = with_lab(|_| {}).await;
    for (path, mode, refusal, reason) in [
        ("/private", "links", (422, "page_skipped"), json!("robots")),
        ("/empty", "markdown", (422, "page_skipped"), json!("no_text")),
        ("/", "products", (422, "page_skipped"), json!("no_product")),
        ("/picture.png", "markdown", (422, "page_skipped"), json!("image")),
        ("/missing", "markdown", (502, "page_failed"), json!("broken")),
        ("/broken", "links", (502, "page_failed"), json!("broken")),
        ("/refused", "links", (502, "page_failed"), json!("blocked")),
        ("/loop", "links", (502, "page_failed"), json!("broken")),
    ] {
        let answer = api.post("/v1/pages", &page(path, mode)).await;
        assert_eq!(answer.refusal(), refusal, "{path}: {}", answer.text);
        assert_eq!(answer.body["reason"], reason, "{path}: {}", answer.text);
        assert!(answer.body["cause"].is_string(), "{path}: {}", answer.text);
    }
    let missing = api.post("/v1/pages", &page("/missing", "links")).await;
    assert_eq!(missing.body["status_code"], 404);
    let contacts = json!({"url": "http://harbour.lab/missing", "mode": "contacts",
        "legal_basis_accepted": true});
    let answer = api.post("/v1/pages", &contacts).await;
    assert_eq!(answer.refusal(), (502, "page_failed"), "{}", answer.text);
    assert_eq!(credits(&api).await, 1_000, "all of them are free");
    assert_eq!(api.get("/v1/ledger").await.body["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_are_rejected_like_those_of_jobs() {
    let (lab, api) = with_lab(|settings| {
        settings.modes.retain(|mode| *mode != contract::Mode::Products);
    })
    .await;
    for (body, fields) in [
        (json!({}), vec!["url"]),
        (json!({"url": "harbour.lab"}), vec!["url"]),
        (json!({"url": "ftp://harbour.lab/"}), vec!["url"]),
        (json!({"url": "http://10.0.0.1/"}), vec!["url"]),
        (json!({"url": "http://127.0.0.1:1/"}), vec!["url"]),
        (json!({"url": "http://[::1]/"}), vec!["url"]),
        (json!({"url": "http://user:secret@harbour.lab/"}), vec!["url"]),
        (json!({"url": "http://harbour.lab/", "mode": "products"}), vec!["mode"]),
        (json!({"url": "http://harbour.lab/", "mode": "sitemap"}), vec!["mode"]),
        (
            json!({"url": "http://harbour.lab/", "render": "sometimes", "tmeout_ms": 1}),
            vec!["render", "tmeout_ms"],
        ),
        (
            json!({"url": "http://harbour.lab/", "max_credit_per_unit": 1}),
            vec!["max_credit_per_unit"],
        ),
        (
            json!({"url": "http://harbour.lab/", "on_protected": "auto"}),
            vec!["max_credit_per_unit"],
        ),
        (json!({"url": "http://harbour.lab/", "timeout_ms": 70_000}), vec!["timeout_ms"]),
    ] {
        let answer = api.post("/v1/pages", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{body} {}", answer.text);
    }
    let contacts = api.post("/v1/pages", &page("/", "contacts")).await;
    assert_eq!(contacts.refusal(), (422, "legal_basis_required"));
    let unknown = api.post("/v1/pages", &json!({"url": "http://nowhere.example/"})).await;
    assert_eq!(unknown.refusal(), (422, "url_not_resolved"), "{}", unknown.text);
    assert_eq!(lab.request_count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_beyond_the_balance_is_not_requested() {
    let (lab, api) = with_lab(|_| {}).await;
    let (_, key) = api.account("poor@example.com", 1).await;
    let answer = api.post_as(&key, "/v1/pages", &page("/", "markdown")).await;
    assert_eq!(answer.refusal(), (402, "insufficient_credits"));
    assert_eq!((&answer.body["required"], &answer.body["available"]), (&json!(2), &json!(1)));
    assert_eq!(lab.request_count(), 0);
    let cheaper = api.post_as(&key, "/v1/pages", &page("/", "links")).await;
    assert_eq!(cheaper.status, 200, "{}", cheaper.text);
    let again = api.post_as(&key, "/v1/pages", &page("/", "links")).await;
    assert_eq!(again.refusal(), (402, "insufficient_credits"));
}

#[tokio::test(flavor = "multi_thread")]
async fn budget_of_a_key_bounds_its_pages() {
    let (_lab, api) = with_lab(|_| {}).await;
    let limits = LimitChange { total_credits: Some(Some(Credits(3))), ..LimitChange::default() };
    let new = NewKey {
        name: "reader".to_owned(),
        source: "direct".to_owned(),
        prefix: KeyPrefix::Live,
        limits,
    };
    let created = api.store.create_key(&api.account, new, NOW).await.expect("it answers");
    let key = created.expect("room for a key").key;
    let first = api.post_as(&key, "/v1/pages", &page("/", "markdown")).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let second = api.post_as(&key, "/v1/pages", &page("/", "markdown")).await;
    assert_eq!(second.refusal(), (402, "insufficient_credits"));
    assert!(second.text.contains("budget of the key"), "{}", second.text);
    assert_eq!(credits(&api).await, 998, "the account has enough");
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_with_the_same_key_gets_the_same_answer() {
    let (lab, api) = with_lab(|_| {}).await;
    let first = read(&api, &page("/", "markdown"), "k1").await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (200, None));
    let requests = lab.request_count();
    let second = read(&api, &page("/", "markdown"), "k1").await;
    assert_eq!((second.status, second.header("idempotent-replayed")), (200, Some("true")));
    assert_eq!(second.text, first.text, "byte for byte");
    assert_eq!((lab.request_count(), credits(&api).await), (requests, 998));
    let other = read(&api, &page("/", "links"), "k1").await;
    assert_eq!(other.refusal(), (422, "idempotency_key_reused"));
    let job = api.create(&json!({"mode": "links", "url": "http://harbour.lab/"}), "k1").await;
    assert_eq!(job.refusal(), (422, "idempotency_key_reused"), "one list of keys");
    // An error leaves the key free.
    let failed = read(&api, &page("/broken", "links"), "k2").await;
    assert_eq!(failed.refusal(), (502, "page_failed"));
    assert_eq!(read(&api, &page("/", "links"), "k2").await.status, 200);
    api.pass(Duration::from_secs(25 * 60 * 60));
    let later = read(&api, &page("/", "markdown"), "k1").await;
    assert_eq!((later.status, later.header("idempotent-replayed")), (200, None), "a day later");
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_retries_are_charged_once() {
    let (lab, api) = with_lab(|_| {}).await;
    lab.with_latency("harbour.lab", Duration::from_millis(20));
    let body = page("/", "markdown");
    let calls = (0..20).map(|_| read(&api, &body, "same"));
    let answers = futures_util::future::join_all(calls).await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.text), (200, &answers[0].text));
    }
    let fresh = answers.iter().filter(|answer| answer.header("idempotent-replayed").is_none());
    assert_eq!((fresh.count(), credits(&api).await), (1, 998));
    let pages = lab.requests().into_iter().filter(|request| request.path == "/");
    assert_eq!(pages.count(), 1, "the retries wait for the first call");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_parallel_calls_for_one_host_are_all_answered() {
    let (lab, api) = with_lab(|_| {}).await;
    lab.with_latency("harbour.lab", Duration::from_millis(5));
    let body = page("/", "links");
    let calls = (0..50).map(|_| api.post("/v1/pages", &body));
    for answer in futures_util::future::join_all(calls).await {
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert!(lab.max_in_flight("harbour.lab") <= 4, "the host gate bounds them");
    assert_eq!(credits(&api).await, 950);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_beyond_the_limit_of_the_account_are_refused() {
    let (lab, api) = with_lab(|settings| settings.account_pages = 3).await;
    lab.with_latency("harbour.lab", Duration::from_millis(200));
    let body = page("/", "links");
    let calls = (0..8).map(|_| api.post("/v1/pages", &body));
    let answers = futures_util::future::join_all(calls).await;
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status != 200).collect();
    assert_eq!(refused.len(), 5);
    for answer in refused {
        assert_eq!(answer.refusal(), (429, "rate_limited"), "{}", answer.text);
        assert!(answer.header("retry-after").is_some());
    }
    assert_eq!(credits(&api).await, 997);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_page_ends_at_its_timeout_for_free() {
    let (lab, api) = with_lab(|_| {}).await;
    lab.with_latency("harbour.lab", Duration::from_secs(30));
    let mut body = page("/", "links");
    body["timeout_ms"] = json!(1_000);
    let answer = api.post("/v1/pages", &body).await;
    assert_eq!(answer.refusal(), (504, "page_timeout"), "{}", answer.text);
    assert_eq!(credits(&api).await, 1_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_sample_sites_are_free() {
    let api = TestApi::start().await;
    let answer = api.post("/v1/pages", &json!({"url": "https://docs.lab.test/keys"})).await;
    assert_eq!((answer.status, &answer.body["credits_used"]), (200, &json!(0)), "{}", answer.text);
    assert_eq!(credits(&api).await, 1_000);
}
