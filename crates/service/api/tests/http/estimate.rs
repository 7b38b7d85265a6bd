//! `POST /v1/estimate`.

use lab::{Lab, Reply, Site, SiteTruth};
use net::NameTable;
use serde_json::json;

use crate::bench::{Bench, NOW};

/// A shop that publishes three pages.
#[derive(Debug)]
struct Shop;

impl Site for Shop {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/sitemap.xml" => Reply::typed(
                200,
                "application/xml",
                "<urlset><url><loc>/</loc></url><url><loc>/a</loc></url>\
                 <url><loc>/b</loc></url></urlset>",
            ),
            "/" => Reply::html("<title>Shop</title>"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn with_lab() -> (Lab, Bench) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("shop.lab", Shop);
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let bench = Bench::with(|settings| settings.known_names = names).await;
    (lab, bench)
}

#[tokio::test]
async fn a_sitemap_tells_the_pages_and_the_price() {
    let (_lab, bench) = with_lab().await;
    let body = json!({"mode": "markdown", "url": "http://shop.lab/"});
    let answer = bench.post("/v1/estimate", &body).await;
    insta::assert_json_snapshot!(answer.stable());
    let jobs = bench.get("/v1/jobs").await;
    assert_eq!(jobs.body["total"], 0, "it starts nothing");
}

#[tokio::test]
async fn contacts_are_priced_by_their_number() {
    let (lab, bench) = with_lab().await;
    let answer = bench.post("/v1/estimate", &json!({"mode": "contacts", "domain_count": 12})).await;
    assert_eq!((answer.status, &answer.body["url"]), (200, &json!("")));
    assert_eq!(answer.body["estimated_credits"], 120);
    assert_eq!(answer.body["estimated_pages"], json!(null));
    assert_eq!(lab.request_count(), 0, "nothing to look at");
    let by_url = json!({"mode": "contacts", "url": "http://shop.lab/"});
    assert_eq!(bench.post("/v1/estimate", &by_url).await.body["estimated_credits"], 10);
}

#[tokio::test]
async fn what_cannot_be_estimated_is_named() {
    let (lab, bench) = with_lab().await;
    for (body, fields) in [
        (json!({}), vec!["mode"]),
        (json!({"mode": "links"}), vec!["url"]),
        (json!({"mode": "contacts"}), vec!["url"]),
        (json!({"mode": "contacts", "domain_count": 0}), vec!["domain_count"]),
        (json!({"mode": "links", "url": "http://10.0.0.1/"}), vec!["url"]),
        (json!({"mode": "links", "url": "http://shop.lab/", "urk": 1}), vec!["urk"]),
    ] {
        let answer = bench.post("/v1/estimate", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{body}");
    }
    assert_eq!(lab.request_count(), 0);
}

#[tokio::test]
async fn a_domain_that_objects_is_not_even_looked_at() {
    let (lab, bench) = with_lab().await;
    let body = json!({"mode": "links", "url": "http://shop.lab/"});
    assert_eq!(bench.post("/v1/estimate", &body).await.status, 200);
    let requests = lab.request_count();
    let objection = privacy::OptOut::domain("shop.lab").expect("a domain");
    bench.store.add_opt_out(&objection, NOW).await.expect("it answers");
    let answer = bench.post("/v1/estimate", &body).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["url"]));
    assert_eq!(lab.request_count(), requests);
}

/// A start page that answers like this.
#[derive(Debug)]
struct Start(fn() -> Reply);

impl Site for Start {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/" => (self.0)(),
            "/forbidden" => Reply::text("User-agent: *\nDisallow: /\n"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

fn wall() -> Reply {
    lab::Wall::named("cloudflare_challenge").expect("a wall of this name").reply()
}

#[tokio::test]
async fn a_start_page_that_cannot_be_read_is_told_with_its_reason() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("ok.lab", Start(|| Reply::html("<title>ok</title>")));
    lab.serve("forbidden.lab", Start(|| Reply::status(403)));
    lab.serve("missing.lab", Start(|| Reply::status(404)));
    lab.serve("broken.lab", Start(|| Reply::status(500)));
    lab.serve("slow-down.lab", Start(|| Reply::status(429)));
    lab.serve("round.lab", Start(|| Reply::redirect(302, "/".to_owned())));
    lab.serve("walled.lab", Start(wall));
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let bench = Bench::with(|settings| settings.known_names = names.clone()).await;
    for (host, reachable, reason) in [
        ("ok.lab", true, json!(null)),
        ("forbidden.lab", false, json!("forbidden")),
        ("missing.lab", false, json!("not_found")),
        ("broken.lab", false, json!("server_error")),
        ("slow-down.lab", false, json!("rate_limited")),
        ("round.lab", false, json!("redirect")),
        ("walled.lab", false, json!("no_protected_tier")),
    ] {
        let body = json!({"mode": "links", "url": format!("http://{host}/")});
        let answer = bench.post("/v1/estimate", &body).await;
        assert_eq!(answer.status, 200, "{host}: {}", answer.text);
        assert_eq!(answer.body["reachable"], reachable, "{host}: {}", answer.text);
        assert_eq!(answer.body["reason"], reason, "{host}");
    }
    // Without a protected tier: it is needed, and nothing can be priced.
    let body = json!({"mode": "contacts", "url": "http://walled.lab/"});
    let answer = bench.post("/v1/estimate", &body).await.body;
    assert_eq!(answer["requires_protected_tier"], true);
    assert_eq!(answer["estimated_credits"], json!(null));
    assert_eq!(answer["credit_per_unit"], 10, "the higher rate never applies");
    let bench = Bench::with(|settings| {
        settings.known_names = names;
        settings.protected_tier = true;
    })
    .await;
    let answer = bench.post("/v1/estimate", &body).await.body;
    assert_eq!((&answer["reachable"], &answer["reason"]), (&json!(true), &json!(null)));
    assert_eq!(
        (&answer["credit_per_unit"], &answer["estimated_credits"]),
        (&json!(50), &json!(50))
    );
    let nothing = bench.post("/v1/estimate", &json!({"mode": "contacts", "domain_count": 2})).await;
    assert_eq!(nothing.body["reachable"], json!(null), "nothing was looked at");
}
