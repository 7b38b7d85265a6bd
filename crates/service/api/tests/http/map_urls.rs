//! `POST /v1/map`.

use std::time::{Duration, Instant};

use bytes::Bytes;
use lab::{Lab, RawStep, Reply, Site, SiteTruth};
use net::NameTable;
use serde_json::{Value, json};

use crate::harness::{ApiReply, TestApi};

/// A site with a sitemap, a feed, linked pages, and a page two links away.
#[derive(Debug)]
struct MappedSite;

impl Site for MappedSite {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private\n"),
            "/sitemap.xml" => Reply::typed(
                200,
                "application/xml",
                "<urlset><url><loc>/</loc></url><url><loc>/listed</loc></url>\
                 <url><loc>http://other.lab/x</loc></url></urlset>",
            ),
            "/feed.xml" => Reply::typed(
                200,
                "application/rss+xml",
                "<rss><channel><item><link>http://site.lab/news/1</link></item></channel></rss>",
            ),
            "/" => Reply::html(
                "<title>Home</title><link rel=alternate type='application/rss+xml' href=/feed.xml>\
                 <a href=/about>About us</a><a href=/listed>Listed</a><a href=/private/x>No</a>\
                 <a href=http://other.lab/y>Other</a><a href=/file.pdf>A file</a>",
            ),
            "/about" => Reply::html("<title>About the company</title><a href=/about/team>Team</a>"),
            "/news/1" => Reply::html("<title>News</title>"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// A site whose sitemap lists all of its pages.
#[derive(Debug)]
struct CompleteSite;

impl Site for CompleteSite {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/sitemap.xml" => {
                let entry = |n: u32| format!("<url><loc>/{n}</loc></url>");
                let entries: String = (0..20).map(entry).collect();
                Reply::typed(200, "application/xml", format!("<urlset>{entries}</urlset>"))
            }
            "/" => Reply::html("<title>Home</title><a href=/1>One</a>"),
            "/robots.txt" => Reply::status(404),
            _ => Reply::html("<title>Page</title>"),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// A site whose robots.txt is not available.
#[derive(Debug)]
struct NoRobotsSite;

impl Site for NoRobotsSite {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::status(503),
            _ => Reply::html("<title>Home</title><a href=/about>About us</a>"),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// A site with 40 linked pages; with `is_endless`, its sitemap never ends.
#[derive(Debug)]
struct SlowSite {
    is_endless: bool,
}

impl Site for SlowSite {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::status(404),
            "/sitemap.xml" if self.is_endless => {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/xml\r\n\r\n<urlset>";
                let entry = Bytes::from_static(b"<url><loc>/listed</loc></url>");
                Reply::Raw(vec![
                    RawStep::Bytes(Bytes::from_static(head.as_bytes())),
                    RawStep::Forever(entry, Duration::from_millis(50)),
                ])
            }
            "/" => {
                let links = (0..40).map(|n| format!("<a href=/{n}>Page {n}</a> "));
                Reply::html(format!("<title>Home</title>{}", links.collect::<String>()))
            }
            _ if path.ends_with(".xml") => Reply::status(404),
            _ => Reply::html("<title>Page</title>"),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn with_lab() -> (Lab, TestApi) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", MappedSite)
        .serve("complete.lab", CompleteSite)
        .serve("unavailable.lab", NoRobotsSite)
        .serve("slow.lab", SlowSite { is_endless: false })
        .serve("endless.lab", SlowSite { is_endless: true });
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let api = TestApi::with(|settings| settings.known_names = names).await;
    (lab, api)
}

/// URL path, title and source of each URL.
fn urls(answer: &ApiReply) -> Vec<(String, Value, String)> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let urls = answer.body["urls"].as_array().expect("URLs").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    urls.map(|found| {
        let path = text(&found["url"]).replace("http://site.lab", "");
        (path, found["title"].clone(), text(&found["source"]))
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn map_has_urls_of_sitemaps_feeds_start_page_and_one_hop() {
    let (lab, api) = with_lab().await;
    let before = api.get("/v1/ledger").await.body["items"].clone();
    let answer = api.post("/v1/map", &json!({"url": "http://site.lab/"})).await;
    let found =
        |path: &str, title: Value, source: &str| (path.to_owned(), title, source.to_owned());
    assert_eq!(
        urls(&answer),
        [
            found("/", json!("Home"), "start"),
            found("/about", json!("About the company"), "link"),
            found("/listed", json!("Listed"), "link"),
            found("/private/x", json!("No"), "link"),
            found("/file.pdf", json!("A file"), "link"),
            found("/news/1", json!("News"), "feed"),
            found("/about/team", json!("Team"), "link"),
        ]
    );
    // The page two links away was not read.
    assert_eq!(
        (&answer.body["complete"], &answer.body["gaps"]),
        (&json!(false), &json!(["unread_pages"]))
    );
    let requests = lab.requests();
    assert!(requests.iter().all(|request| request.host == "site.lab"), "other hosts");
    for path in ["/private/x", "/file.pdf", "/about/team", "/listed"] {
        assert!(requests.iter().all(|request| request.path != path), "{path} was requested");
    }
    assert_eq!(api.get("/v1/ledger").await.body["items"], before, "a map is free");
    assert_eq!(api.get("/v1/jobs").await.body["total"], 0, "and starts no job");
}

#[tokio::test(flavor = "multi_thread")]
async fn map_of_a_site_with_a_full_sitemap_is_complete() {
    let (_lab, api) = with_lab().await;
    let answer = api.post("/v1/map", &json!({"url": "http://complete.lab/"})).await;
    assert_eq!(urls(&answer).len(), 21);
    assert_eq!((&answer.body["complete"], &answer.body["gaps"]), (&json!(true), &json!([])));
    let some = api.post("/v1/map", &json!({"url": "http://complete.lab/", "limit": 5})).await;
    assert_eq!(urls(&some).len(), 5);
    assert_eq!((&some.body["complete"], &some.body["gaps"]), (&json!(false), &json!(["limit"])));
}

#[tokio::test(flavor = "multi_thread")]
async fn search_filters_by_url_and_title() {
    let (_lab, api) = with_lab().await;
    let search = async |text: &str| {
        let answer = api.post("/v1/map", &json!({"url": "http://site.lab/", "search": text})).await;
        urls(&answer).into_iter().map(|(path, ..)| path).collect::<Vec<_>>()
    };
    assert_eq!(search("COMPANY about").await, ["/about"]);
    assert_eq!(search("team").await, ["/about/team"]);
    assert_eq!(search("nothing").await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_start_page_is_reported_beside_the_urls_of_sitemaps() {
    let (_lab, api) = with_lab().await;
    let answer = api.post("/v1/map", &json!({"url": "http://site.lab/missing"})).await;
    let paths: Vec<_> = urls(&answer).into_iter().map(|(path, ..)| path).collect();
    assert_eq!(paths, ["/", "/listed"]);
    assert_eq!(answer.body["unreachable"], "not_found");
    assert_eq!(
        (&answer.body["complete"], &answer.body["gaps"]),
        (&json!(false), &json!(["unreachable"]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn site_whose_robots_txt_fails_gets_no_further_request() {
    let (lab, api) = with_lab().await;
    let body = json!({"url": "http://unavailable.lab/", "mode": "markdown"});
    let estimate = api.post("/v1/estimate", &body).await;
    assert_eq!(
        (estimate.status, &estimate.body["reachable"], &estimate.body["reason"]),
        (200, &json!(false), &json!("server_error")),
        "{}",
        estimate.text
    );
    let answer = api.post("/v1/map", &json!({"url": "http://unavailable.lab/"})).await;
    assert!(urls(&answer).is_empty());
    assert_eq!(
        (&answer.body["unreachable"], &answer.body["gaps"]),
        (&json!("server_error"), &json!(["unreachable"]))
    );
    let paths: Vec<_> = lab.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/robots.txt", "/robots.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn map_of_a_slow_site_ends_within_ten_seconds_and_says_so() {
    let (lab, api) = with_lab().await;
    lab.with_latency("slow.lab", Duration::from_secs(2));
    let started = Instant::now();
    // More than the account may have at a time.
    let hosts = ["slow.lab", "endless.lab", "slow.lab", "endless.lab", "slow.lab"];
    let maps = hosts.map(async |host| {
        let answer = api.post("/v1/map", &json!({"url": format!("http://{host}/")})).await;
        (host, answer, started.elapsed())
    });
    let mut refused = 0;
    for (host, answer, took) in futures_util::future::join_all(maps).await {
        if answer.status == 429 {
            assert_eq!(answer.code(), "rate_limited");
            assert!(answer.text.contains("4 maps are in progress"), "{}", answer.text);
            assert!(answer.header("retry-after").is_some());
            refused += 1;
            continue;
        }
        let found = urls(&answer).into_iter().map(|(url, ..)| url).collect::<Vec<_>>();
        assert!(found.contains(&format!("http://{host}/39")), "what was found is answered");
        assert_eq!(answer.body["complete"], false);
        let gaps = answer.body["gaps"].as_array().expect("gaps");
        assert!(gaps.contains(&json!("time")), "{host}: {gaps:?}");
        assert!(took < Duration::from_secs(10), "{host}: {took:?}");
    }
    assert_eq!(refused, 1, "the account has four maps at a time");
    let again = api.post("/v1/map", &json!({"url": "http://complete.lab/"})).await;
    assert_eq!(again.status, 200, "after their end");
}

#[tokio::test]
async fn invalid_requests_of_maps_are_rejected() {
    let api = TestApi::start().await;
    for (body, field) in [
        (json!({}), "url"),
        (json!({"url": "ftp://example.com/"}), "url"),
        (json!({"url": "http://127.0.0.1/"}), "url"),
        (json!({"url": "https://example.com/", "limit": 0}), "limit"),
        (json!({"url": "https://example.com/", "limit": 5001}), "limit"),
        (json!({"url": "https://example.com/", "search": "x".repeat(201)}), "search"),
        (json!({"url": "https://example.com/", "serch": "x"}), "serch"),
    ] {
        let answer = api.post("/v1/map", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{body}");
    }
}
