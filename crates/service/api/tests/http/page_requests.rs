//! `POST /v1/pages`: files of pages, credentials for the site, and the cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Method;
use lab::{Lab, Reply, Request, Site, SiteTruth};
use net::NameTable;
use privacy::OptOut;
use serde_json::{Value, json};
use store::EraseMode;

use crate::harness::{ApiReply, NOW, TestApi};

const SECRET: &str = "s3cret-7f2a";

/// Replies to members by their secret, and redirects to another host.
#[derive(Debug, Clone, Default)]
struct Gate {
    /// Requests with a secret: for pages, and for robots.txt.
    secrets: Arc<(AtomicUsize, AtomicUsize)>,
}

impl Site for Gate {
    fn answer(&self, _: &str) -> Reply {
        Reply::status(404)
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        let page = |text: &str| {
            Reply::html(format!(
                "<title>Gate</title><script>run()</script><main><h1>Gate</h1><p>{text} {}</p>\
                 <a href='/next?a=1&amp;b=2' onclick='run()'>next</a></main>",
                "The gate opens in the morning and closes in the evening. ".repeat(8)
            ))
        };
        let headers = ["authorization", "cookie", "x-token"].map(|name| request.header(name));
        if headers.iter().any(Option::is_some) {
            let (pages, robots) = &*self.secrets;
            let count = if request.path() == "/robots.txt" { robots } else { pages };
            count.fetch_add(1, Ordering::Relaxed);
        }
        match request.path() {
            "/robots.txt" => Reply::text(""),
            "/" | "/members" => {
                let is_known = request.header("authorization")
                    == Some("Basic YWRhOnMzY3JldC03ZjJh")
                    || request.header("cookie") == Some("id=s3cret-7f2a")
                    || request.header("x-token") == Some(SECRET);
                page(if is_known { "Welcome back." } else { "Please sign in." })
            }
            "/away" => Reply::redirect(302, "http://other.lab/members"),
            "/mail" => page("Write to ada@harbour-town.com."),
            "/private" => page("private").with_header("Cache-Control", "private"),
            "/no-store" => page("no-store").with_header("Cache-Control", "no-store"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn with_lab() -> (Lab, TestApi) {
    with_gates(&Gate::default(), &Gate::default()).await
}

async fn with_gates(gate: &Gate, other: &Gate) -> (Lab, TestApi) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("gate.lab", gate.clone()).serve("other.lab", other.clone());
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let api = TestApi::with(|settings| settings.known_names = names).await;
    (lab, api)
}

async fn read(api: &TestApi, path: &str, more: Value) -> ApiReply {
    let mut body = json!({"url": format!("http://gate.lab{path}")});
    let members = more.as_object().expect("members").clone();
    body.as_object_mut().expect("an object").extend(members);
    api.post("/v1/pages", &body).await
}

/// The path of the link to a file.
fn path_of(file: &Value) -> String {
    let url = file["url"].as_str().expect("a link");
    url[url.find("/page-files/").expect("a path")..].to_owned()
}

async fn download(api: &TestApi, path: &str) -> ApiReply {
    api.send(Method::GET, path, &[], "").await
}

#[tokio::test(flavor = "multi_thread")]
async fn html_is_answered_as_links_that_need_no_key() {
    let (_lab, api) = with_lab().await;
    let answer = read(&api, "/", json!({"formats": ["html", "raw_html"]})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.body.get("item").is_none() && answer.body.get("warnings").is_none());
    let clean = download(&api, &path_of(&answer.body["html"])).await;
    assert_eq!(clean.status, 200, "{}", clean.text);
    assert_eq!(clean.text.len() as u64, answer.body["html"]["bytes"]);
    assert!(clean.text.contains("href=\"http://gate.lab/next?a=1&amp;b=2\""), "{}", clean.text);
    assert!(!clean.text.contains("run()"), "{}", clean.text);
    for (header, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("content-disposition", "attachment; filename=\"page.html\""),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "sandbox; default-src 'none'"),
    ] {
        assert_eq!(clean.header(header), Some(value));
    }
    let raw = download(&api, &path_of(&answer.body["raw_html"])).await;
    assert!(raw.text.contains("<script>run()</script>"), "{}", raw.text);
    let again = download(&api, &path_of(&answer.body["raw_html"])).await;
    assert_eq!(again.text, raw.text, "more than once");

    let path = path_of(&answer.body["html"]);
    let (start, signature) = path.rsplit_once('.').expect("a signature");
    let altered = download(&api, &format!("{start}.0{}", &signature[1..])).await;
    let altered = if altered.status == 200 {
        download(&api, &format!("{start}.1{}", &signature[1..])).await
    } else {
        altered
    };
    assert_eq!(altered.refusal(), (403, "forbidden"), "{}", altered.text);
    api.pass(Duration::from_secs(15 * 60));
    assert_eq!(download(&api, &path).await.refusal(), (410, "gone"));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_opted_out_data_are_withheld_and_erased() {
    let (_lab, api) = with_lab().await;
    let formats = json!({"formats": ["item", "html", "raw_html"]});
    let before = read(&api, "/mail", formats.clone()).await;
    let path = path_of(&before.body["raw_html"]);
    assert!(download(&api, &path).await.text.contains("ada@harbour-town.com"));
    let opt_out = OptOut::email("ada@harbour-town.com").expect("a mailbox");
    api.store.erase(&opt_out, EraseMode::Apply, NOW).await.expect("it is erased");
    assert_eq!(download(&api, &path).await.refusal(), (410, "gone"));
    let after = read(&api, "/mail", formats).await;
    assert_eq!(after.status, 200, "{}", after.text);
    assert!(after.body.get("html").is_none() && after.body.get("raw_html").is_none());
    assert!(after.body["warnings"][0].as_str().expect("a warning").contains("withheld"));
    assert!(!after.text.contains("ada@"), "{}", after.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_an_account_are_bounded_and_deleted_with_it() {
    let (_lab, api) = with_lab().await;
    let answer = read(&api, "/", json!({"formats": ["raw_html"]})).await;
    let path = path_of(&answer.body["raw_html"]);
    assert_eq!(download(&api, &path).await.status, 200);
    let deleted = api.store.delete_account(&api.account, NOW).await.expect("it answers");
    assert!(matches!(deleted, store::AccountDeletion::Deleted { .. }), "{deleted:?}");
    assert_eq!(download(&api, &path).await.refusal(), (410, "gone"));
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_reach_the_origin_of_the_url_and_no_other() {
    let (gate, other) = (Gate::default(), Gate::default());
    let (lab, api) = with_gates(&gate, &other).await;
    for more in [
        json!({"basic_auth": {"username": "ada", "password": SECRET}}),
        json!({"cookies": {"id": SECRET}}),
        json!({"headers": {"X-Token": SECRET}}),
    ] {
        let known = read(&api, "/members", more.clone()).await;
        assert_eq!(known.status, 200, "{}", known.text);
        assert!(known.text.contains("Welcome back."), "{more}: {}", known.text);
        assert!(!known.text.contains(SECRET));
        lab.clear_requests();
        let moved = read(&api, "/away", more.clone()).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        assert!(moved.text.contains("Please sign in."), "{more}: {}", moved.text);
        assert!(lab.requests().iter().any(|request| request.host == "other.lab"));
    }
    let (pages, robots) = &*gate.secrets;
    assert_eq!((pages.load(Ordering::Relaxed), robots.load(Ordering::Relaxed)), (6, 0));
    let (pages, robots) = &*other.secrets;
    assert_eq!((pages.load(Ordering::Relaxed), robots.load(Ordering::Relaxed)), (0, 0));
    let unknown = read(&api, "/members", json!({})).await;
    assert!(unknown.text.contains("Please sign in."), "nothing stays behind: {}", unknown.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_credentials_are_not_repeated() {
    let (lab, api) = with_lab().await;
    for (more, field) in [
        (json!({"headers": {"Host": SECRET}}), "headers.Host"),
        (json!({"headers": {"X": format!("{SECRET}\r\nHost: other.lab")}}), "headers.X"),
        (json!({"cookies": {"id": format!("{SECRET}; a=b")}}), "cookies.id"),
        (json!({"bearer": format!("{SECRET} x")}), "bearer"),
    ] {
        let answer = read(&api, "/", more).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{}", answer.text);
        assert!(!answer.text.contains(SECRET), "{}", answer.text);
    }
    let body = json!({"url": format!("http://ada:{SECRET}@gate.lab/")});
    let answer = api.post("/v1/pages", &body).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["url"]), "{}", answer.text);
    assert!(answer.text.contains("basic_auth"), "{}", answer.text);
    assert!(!answer.text.contains(SECRET), "{}", answer.text);
    assert_eq!(lab.request_count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn rendering_without_a_browser_is_refused_by_name() {
    let (lab, api) = with_lab().await;
    for (more, field) in [
        (json!({"render": "always"}), "render"),
        (json!({"wait_for": "#done"}), "wait_for"),
        (json!({"actions": [{"type": "scroll"}]}), "actions"),
        (json!({"formats": ["screenshot"]}), "formats"),
    ] {
        let answer = read(&api, "/", more).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{}", answer.text);
        assert!(answer.text.contains("Chromium"), "{}", answer.text);
    }
    assert_eq!(lab.request_count(), 0);
    assert_eq!(read(&api, "/", json!({"render": "never"})).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_page_is_answered_with_its_age_and_price() {
    let (lab, api) = with_lab().await;
    let first = read(&api, "/", json!({})).await;
    let requests = lab.request_count();
    let old = read(&api, "/", json!({"max_age": 3_600})).await;
    assert_eq!((old.status, &old.body["cached"]), (200, &json!(true)), "{}", old.text);
    assert_eq!(lab.request_count(), requests, "no request to the site");
    assert_eq!(old.body["fetched_at"], first.body["fetched_at"]);
    assert_eq!(old.body["item"], first.body["item"], "byte for byte, with its time");
    assert_eq!(old.body["credits_used"], 2);
    let fresh = read(&api, "/", json!({})).await;
    assert_eq!(fresh.body["cached"], false, "not asked for: {}", fresh.text);
    for path in ["/private", "/no-store"] {
        for _ in 0..2 {
            let answer = read(&api, path, json!({"max_age": 3_600})).await;
            assert_eq!(answer.body["cached"], false, "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_fetched_with_credentials_is_cached_for_its_account_and_headers_alone() {
    let (_lab, api) = with_lab().await;
    let (_, other_key) = api.account("other@example.com", 100).await;
    let with = |secret: &str| json!({"cookies": {"id": secret}, "max_age": 3_600});
    assert_eq!(read(&api, "/members", with(SECRET)).await.body["cached"], false);
    assert_eq!(read(&api, "/members", with(SECRET)).await.body["cached"], true);
    assert_eq!(read(&api, "/members", with("another")).await.body["cached"], false);
    let plain = read(&api, "/members", json!({"max_age": 3_600})).await;
    assert_eq!(plain.body["cached"], false, "{}", plain.text);
    let mut body = with(SECRET);
    body["url"] = json!("http://gate.lab/members");
    let other = api.post_as(&other_key, "/v1/pages", &body).await;
    assert_eq!(other.body["cached"], false, "another account: {}", other.text);
}
