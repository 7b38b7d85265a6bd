//! Forbidden addresses at every entry of the service: refused in requests, and reached by no redirect.

use lab::{Catalogue, Lab, Signpost, forbidden_urls};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use crate::server::{Server, Setup, wait_for};

const SIGNPOST: &str = "http://signpost.lab/";

/// A site that redirects to forbidden places, and the server that is behind those on loopback.
struct Scene {
    lab: Lab,
    secret: Lab,
    places: Vec<String>,
    server: Server,
    key: String,
    client: Client,
    _folder: tempfile::TempDir,
}

async fn scene() -> Scene {
    let secret = Lab::start().await.expect("a port");
    secret.serve("secret.lab", Catalogue::plain(1));
    let places = forbidden_urls(secret.address());
    let lab = Lab::start().await.expect("a port");
    lab.serve("signpost.lab", Signpost(places.clone()));
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_CHROMIUM", "none");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { lab, secret, places, server, key, client: Client::new(), _folder: folder }
}

impl Scene {
    fn request(&self, path: &str) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.server.url)).bearer_auth(&self.key)
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.request(path).json(body).send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// Uploads a list of lines.
    async fn upload(&self, lines: String) -> (u16, Value) {
        let request = self.request("/v1/lists").header("content-type", "application/x-ndjson");
        let answer = request.body(lines).send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// The answer of an MCP tool, as the protocol has it.
    async fn tool(&self, name: &str, arguments: &Value) -> String {
        let params = json!({"name": name, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let request = self.request("/mcp").header("mcp-protocol-version", "2025-11-25");
        let request = request.header("accept", "application/json, text/event-stream");
        let answer = request.json(&message).send().await.expect("an answer");
        answer.text().await.expect("a text")
    }

    /// The URLs of the site that redirect to the forbidden places.
    fn detours(&self) -> Vec<String> {
        (0..self.places.len()).map(|number| format!("{SIGNPOST}to-{number}")).collect()
    }
}

/// A body with an address, and the field that the refusal names.
type Entry = (&'static str, &'static str, fn(&str) -> Value);

/// Entries of the API: 422, with the field in `errors`.
const ENTRIES: [Entry; 14] = [
    ("/v1/jobs", "url", |url| json!({"mode": "markdown", "url": url})),
    ("/v1/jobs", "urls[1]", |url| json!({"mode": "links", "urls": ["http://signpost.lab/", url]})),
    ("/v1/jobs", "webhook.url", |url| {
        let url = url.replacen("http:", "https:", 1);
        json!({"mode": "links", "url": SIGNPOST, "webhook": {"url": url}})
    }),
    ("/v1/jobs", "webhook.url", |url| {
        let webhook = json!({"url": url, "format": "firecrawl"});
        json!({"mode": "markdown", "url": SIGNPOST, "webhook": webhook})
    }),
    ("/v1/jobs", "login.url", |url| {
        let login = json!({"url": url, "actions": [{"type": "click", "selector": "#go"}]});
        json!({"mode": "links", "url": SIGNPOST, "login": login})
    }),
    (
        "/v1/schedules",
        "request.url",
        |url| json!({"cron": "@daily", "request": {"mode": "links", "url": url}}),
    ),
    (
        "/v1/schedules",
        "request.urls[0]",
        |url| json!({"cron": "@daily", "request": {"mode": "links", "urls": [url]}}),
    ),
    ("/v1/schedules", "request.login.url", |url| {
        let login = json!({"url": url, "actions": [{"type": "click", "selector": "#go"}]});
        json!({"cron": "@daily", "request": {"mode": "links", "url": SIGNPOST, "login": login}})
    }),
    (
        "/v1/webhooks",
        "url",
        |url| json!({"url": url.replacen("http:", "https:", 1), "events": ["job.completed"]}),
    ),
    ("/v1/estimate", "url", |url| json!({"mode": "links", "url": url})),
    ("/v1/map", "url", |url| json!({"url": url})),
    ("/v1/pages", "url", |url| json!({"url": url})),
    ("/v1/pages", "url", |url| json!({"url": url, "mode": "links", "formats": ["raw_html"]})),
    ("/v1/pages", "url", |url| json!({"url": url, "headers": {"X-A": "b"}, "max_age": 60})),
];

/// Operations of Firecrawl: 400, with the field in `details`.
const OPERATIONS: [Entry; 6] = [
    ("scrape", "url", |url| json!({"url": url})),
    ("crawl", "url", |url| json!({"url": url})),
    ("map", "url", |url| json!({"url": url})),
    ("batch/scrape", "urls[1]", |url| json!({"urls": ["http://signpost.lab/", url]})),
    (
        "crawl",
        "webhook.url",
        |url| json!({"url": SIGNPOST, "webhook": {"url": url.replacen("http:", "https:", 1)}}),
    ),
    (
        "batch/scrape",
        "webhook.url",
        |url| json!({"urls": [SIGNPOST], "webhook": url.replacen("http:", "https:", 1)}),
    ),
];

/// Tools of MCP: an error of the tool that names the field.
const TOOLS: [Entry; 5] = [
    ("read_page", "url", |url| json!({"url": url})),
    ("map_site", "url", |url| json!({"url": url})),
    ("start_run", "url", |url| json!({"mode": "links", "url": url})),
    ("start_run", "urls[0]", |url| json!({"mode": "links", "urls": [url]})),
    ("start_run", "webhook.url", |url| {
        let webhook = json!({"url": url.replacen("http:", "https:", 1)});
        json!({"mode": "links", "url": SIGNPOST, "webhook": webhook})
    }),
];

fn names(errors: &Value, field: &str) -> bool {
    errors.as_array().is_some_and(|errors| errors.iter().any(|error| error["field"] == field))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_entry_refuses_forbidden_addresses() {
    let scene = scene().await;
    for place in &scene.places {
        for (path, field, body) in ENTRIES {
            let (status, answer) = scene.post(path, &body(place)).await;
            assert_eq!(status, 422, "{path} with {place}: {answer}");
            assert!(names(&answer["errors"], field), "{path} with {place}: {answer}");
        }
        let (status, answer) = scene.upload(format!("\"{SIGNPOST}\"\n\"{place}\"\n")).await;
        assert_eq!(status, 422, "/v1/lists with {place}: {answer}");
        assert!(names(&answer["errors"], "line 2"), "/v1/lists with {place}: {answer}");
        for version in ["/v2", "/firecrawl/v2", "/firecrawl/v1"] {
            for (operation, field, body) in OPERATIONS {
                let path = format!("{version}/{operation}");
                let (status, answer) = scene.post(&path, &body(place)).await;
                assert_eq!((status, &answer["success"]), (400, &json!(false)), "{path}: {answer}");
                assert!(names(&answer["details"], field), "{path} with {place}: {answer}");
            }
        }
        for (tool, field, arguments) in TOOLS {
            let answer = scene.tool(tool, &arguments(place)).await;
            let is_refused = answer.contains("\"isError\":true")
                && answer.contains("validation_failed")
                && answer.contains(field);
            assert!(is_refused, "{tool} with {place}: {answer}");
        }
    }
    assert_eq!(scene.server.get("/v1/jobs", &scene.key).await["total"], 0);
    assert_eq!(scene.server.get("/v1/schedules", &scene.key).await["total"], 0);
    assert_eq!(scene.server.get("/v1/webhooks", &scene.key).await, json!([]));
    assert_eq!((scene.lab.request_count(), scene.secret.request_count()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_a_forbidden_address_is_followed_for_no_page_call() {
    let scene = scene().await;
    for (detour, place) in scene.detours().iter().zip(&scene.places) {
        for mode in ["links", "markdown"] {
            let body = json!({"url": detour, "mode": mode});
            let (status, answer) = scene.post("/v1/pages", &body).await;
            assert_eq!(status, 422, "{mode} of {place}: {answer}");
            assert!(names(&answer["errors"], "url"), "{mode} of {place}: {answer}");
        }
        let (status, answer) = scene.post("/v2/scrape", &json!({"url": detour})).await;
        assert_eq!((status, &answer["success"]), (400, &json!(false)), "{place}: {answer}");
        let answer = scene.tool("read_page", &json!({"url": detour})).await;
        assert!(answer.contains("\"isError\":true"), "{place}: {answer}");
    }
    assert!(scene.lab.request_count() > 0);
    assert_eq!(scene.secret.request_count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_a_forbidden_address_is_followed_for_no_list() {
    let scene = scene().await;
    let Scene { server, key, .. } = &scene;
    let lines: String = scene.detours().iter().map(|url| format!("\"{url}\"\n")).collect();
    let (status, list) = scene.upload(lines).await;
    assert_eq!(status, 201, "{list}");
    let bodies = [
        json!({"mode": "markdown", "urls": scene.detours()}),
        json!({"mode": "products", "list_id": list["list_id"]}),
    ];
    for body in &bodies {
        let (status, accepted) = scene.post("/v1/jobs", body).await;
        assert_eq!(status, 202, "{accepted}");
        let job = accepted["job_id"].as_str().expect("an id");
        let done = server.wait(key, job, &["completed", "failed"]).await;
        assert_eq!(
            (&done["status"], &done["credits_used"]),
            (&json!("failed"), &json!(0)),
            "{done}"
        );
        let skipped = server.get(&format!("/v1/jobs/{job}/skipped"), key).await;
        assert_eq!(skipped["total"], scene.places.len(), "{skipped}");
    }
    let (status, batch) = scene.post("/v2/batch/scrape", &json!({"urls": scene.detours()})).await;
    assert_eq!(status, 200, "{batch}");
    let path = format!("/v2/batch/scrape/{}", batch["id"].as_str().expect("an id"));
    let done = wait_for(async || {
        let seen = server.get(&path, key).await;
        (seen["status"] != "scraping").then_some(seen)
    })
    .await;
    assert_eq!(done["data"], json!([]), "{done}");
    assert_eq!(scene.secret.request_count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_a_forbidden_address_is_followed_for_no_map_and_no_crawl() {
    let scene = scene().await;
    let Scene { server, key, .. } = &scene;
    // Some of each kind: a map takes its time, and a site has one crawl at a time.
    for (number, detour) in scene.detours().iter().enumerate().step_by(7) {
        let (status, map) = scene.post("/v1/map", &json!({"url": detour})).await;
        let urls = map["urls"].as_array().map_or(0, Vec::len);
        assert!(status == 422 || (status == 200 && urls <= 1), "{number}: {map}");
        let (_, links) = scene.post("/v2/map", &json!({"url": detour})).await;
        assert!(links["links"].as_array().is_none_or(|links| links.len() <= 1), "{links}");
        let (status, crawl) = scene.post("/v2/crawl", &json!({"url": detour})).await;
        assert_eq!(status, 200, "{number}: {crawl}");
        let path = format!("/v2/crawl/{}", crawl["id"].as_str().expect("an id"));
        let done = wait_for(async || {
            let seen = server.get(&path, key).await;
            (seen["status"] != "scraping").then_some(seen)
        })
        .await;
        assert_eq!((&done["status"], &done["data"]), (&json!("failed"), &json!([])), "{done}");
    }
    assert_eq!(scene.secret.request_count(), 0);
}
