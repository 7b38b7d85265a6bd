//! `POST /v1/estimate`.

use lab::{Lab, Reply, Site, SiteTruth};
use net::NameTable;
use serde_json::json;

use crate::harness::{NOW, TestApi};

/// A site whose sitemap lists three of its seven pages.
#[derive(Debug)]
struct Shop;

fn linking(title: &str, links: &[&str]) -> Reply {
    let links: String = links.iter().map(|link| format!("<a href={link}>{link}</a>")).collect();
    Reply::html(format!("<title>{title}</title>{links}"))
}

impl Site for Shop {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/sitemap.xml" => Reply::typed(
                200,
                "application/xml",
                "<urlset><url><loc>/</loc></url><url><loc>/a</loc></url>\
                 <url><loc>/docs/b</loc></url></urlset>",
            ),
            "/" => linking("Shop", &["/a", "/gone", "/docs/"]),
            "/a" => linking("A", &["/"]),
            "/docs/" => linking("Docs", &["/docs/b", "/docs/c", "/docs/d", "/"]),
            "/docs/b" | "/docs/c" | "/docs/d" => linking(path, &["/docs/", "/extra"]),
            "/extra" => linking("Extra", &[]),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn with_lab() -> (Lab, TestApi) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("shop.lab", Shop);
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let api = TestApi::with(|settings| settings.known_names = names).await;
    (lab, api)
}

#[tokio::test]
async fn sitemap_gives_pages_and_price() {
    let (_lab, api) = with_lab().await;
    let body = json!({"mode": "links", "url": "http://shop.lab/docs/"});
    let answer = api.post("/v1/estimate", &body).await;
    insta::assert_json_snapshot!(answer.stable());
    let jobs = api.get("/v1/jobs").await;
    assert_eq!(jobs.body["total"], 0, "it starts nothing");
}

#[tokio::test]
async fn scope_options_and_limits_are_priced() {
    let (_lab, api) = with_lab().await;
    for (what, least, most) in [
        (json!({}), 7, 7),
        (json!({"scope": {"one_page": true}}), 1, 1),
        (json!({"options": {"sample_size": 2}}), 2, 2),
        (json!({"options": {"max_pages": 3}}), 1, 3),
        (json!({"options": {"max_credits": 4}}), 4, 4),
        (json!({"scope": {"include_paths": ["/docs/**"]}}), 3, 4),
        (json!({"scope": {"exclude_paths": ["/docs/**"]}}), 2, 2),
        (json!({"options": {"discovery": false}}), 1, 1),
        (json!({"options": {"max_depth": 1}}), 3, 3),
    ] {
        let mut body = what.clone();
        body["mode"] = json!("links");
        body["url"] = json!("http://shop.lab/");
        let answer = api.post("/v1/estimate", &body).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.text);
        let number = |member: &str| answer.body[member].as_u64();
        let (min, max) = (number("estimated_pages_min"), number("estimated_pages_max"));
        assert!(
            min >= Some(least) && max.is_some_and(|max| max <= most),
            "{what}: {}",
            answer.text
        );
        assert_eq!((number("estimated_credits_min"), number("estimated_credits_max")), (min, max));
        let likely = number("estimated_credits");
        assert!(likely >= min && likely <= max, "{what}: {}", answer.text);
    }
    let lists = json!({"mode": "links", "url_count": 90, "options": {"sample_size": 30}});
    let lists = api.post("/v1/estimate", &lists).await.body;
    assert_eq!(
        (&lists["estimated_credits"], &lists["estimated_credits_min"]),
        (&json!(30), &json!(0))
    );
    let domains = json!({"mode": "contacts", "domain_count": 9, "options": {"max_credits": 35}});
    let domains = api.post("/v1/estimate", &domains).await.body;
    assert_eq!(
        (&domains["estimated_credits"], &domains["estimated_pages"]),
        (&json!(30), &json!(null))
    );
}

#[tokio::test]
async fn url_with_a_path_has_both_prices() {
    let (_lab, api) = with_lab().await;
    for (specific, chosen) in [(false, "whole_site"), (true, "under_path")] {
        let body = json!({"mode": "links", "url": "http://shop.lab/docs/",
            "scope": {"specific_route": specific}});
        let answer = api.post("/v1/estimate", &body).await.body;
        assert_eq!(answer["under_path"]["estimated_credits"], 4, "{answer}");
        assert_eq!(answer["whole_site"]["estimated_credits"], 7, "{answer}");
        assert_eq!(answer["estimated_credits"], answer[chosen]["estimated_credits"]);
    }
    for body in [
        json!({"mode": "links", "url": "http://shop.lab/"}),
        json!({"mode": "links", "url": "http://shop.lab/docs/", "scope": {"one_page": true}}),
        json!({"mode": "contacts", "url": "http://shop.lab/docs/"}),
    ] {
        let answer = api.post("/v1/estimate", &body).await.body;
        assert_eq!((&answer["under_path"], &answer["whole_site"]), (&json!(null), &json!(null)));
    }
}

#[tokio::test]
async fn contacts_estimate_uses_domain_count() {
    let (lab, api) = with_lab().await;
    let answer = api.post("/v1/estimate", &json!({"mode": "contacts", "domain_count": 12})).await;
    assert_eq!((answer.status, &answer.body["url"]), (200, &json!("")));
    assert_eq!(answer.body["estimated_credits"], 120);
    assert_eq!(answer.body["estimated_pages"], json!(null));
    assert_eq!(lab.request_count(), 0, "nothing to look at");
    let by_url = json!({"mode": "contacts", "url": "http://shop.lab/"});
    assert_eq!(api.post("/v1/estimate", &by_url).await.body["estimated_credits"], 10);
}

#[tokio::test]
async fn invalid_estimate_requests_are_rejected() {
    let (lab, api) = with_lab().await;
    for (body, fields) in [
        (json!({}), vec!["mode"]),
        (json!({"mode": "links"}), vec!["url"]),
        (json!({"mode": "contacts"}), vec!["url"]),
        (json!({"mode": "contacts", "domain_count": 0}), vec!["domain_count"]),
        (json!({"mode": "links", "url": "http://10.0.0.1/"}), vec!["url"]),
        (json!({"mode": "links", "url": "http://shop.lab/", "urk": 1}), vec!["urk"]),
        (
            json!({"mode": "links", "url": "http://shop.lab/", "scope": {"one_pag": true},
                "options": {"sample_size": 0}}),
            vec!["scope.one_pag", "options.sample_size"],
        ),
    ] {
        let answer = api.post("/v1/estimate", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{body}");
    }
    assert_eq!(lab.request_count(), 0);
}

#[tokio::test]
async fn opted_out_domain_is_not_probed() {
    let (lab, api) = with_lab().await;
    let body = json!({"mode": "links", "url": "http://shop.lab/"});
    assert_eq!(api.post("/v1/estimate", &body).await.status, 200);
    let requests = lab.request_count();
    let objection = privacy::OptOut::domain("shop.lab").expect("a domain");
    api.store.add_opt_out(&objection, NOW).await.expect("it answers");
    let answer = api.post("/v1/estimate", &body).await;
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
    lab::ProtectionPage::named("cloudflare_challenge").expect("a protection page").reply()
}

#[tokio::test]
async fn site_that_refuses_connections_has_a_cause() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = closed.local_addr().expect("an address").port();
    drop(closed);
    let names = NameTable::parse(&format!("gone.lab=127.0.0.1:{port}")).expect("names");
    let api = TestApi::with(|settings| settings.known_names = names).await;
    let answer =
        api.post("/v1/estimate", &json!({"mode": "links", "url": "http://gone.lab/"})).await;
    let (reason, cause) = (&answer.body["reason"], &answer.body["cause"]);
    assert_eq!((reason, cause), (&json!("connect"), &json!("connection_refused")));
    assert_eq!(
        (&answer.body["reachable"], &answer.body["estimated_credits_min"]),
        (&json!(false), &json!(0))
    );
}

#[tokio::test]
async fn unreadable_start_page_has_a_reason() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("ok.lab", Start(|| Reply::html("<title>ok</title>")));
    lab.serve("forbidden.lab", Start(|| Reply::status(403)));
    lab.serve("missing.lab", Start(|| Reply::status(404)));
    lab.serve("broken.lab", Start(|| Reply::status(500)));
    lab.serve("slow-down.lab", Start(|| Reply::status(429)));
    lab.serve("round.lab", Start(|| Reply::redirect(302, "/".to_owned())));
    lab.serve("walled.lab", Start(wall));
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let api = TestApi::with(|settings| settings.known_names = names.clone()).await;
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
        let answer = api.post("/v1/estimate", &body).await;
        assert_eq!(answer.status, 200, "{host}: {}", answer.text);
        assert_eq!(answer.body["reachable"], reachable, "{host}: {}", answer.text);
        assert_eq!(answer.body["reason"], reason, "{host}");
    }
    // Without a protected tier: it is needed, and nothing can be priced.
    let body = json!({"mode": "contacts", "url": "http://walled.lab/"});
    let answer = api.post("/v1/estimate", &body).await.body;
    assert_eq!(answer["requires_protected_tier"], true);
    assert_eq!(answer["estimated_credits"], json!(null));
    assert_eq!(answer["credit_per_unit"], 10, "the higher rate never applies");
    let api = TestApi::with(|settings| {
        settings.known_names = names;
        settings.protected_tier = true;
    })
    .await;
    let answer = api.post("/v1/estimate", &body).await.body;
    assert_eq!((&answer["reachable"], &answer["reason"]), (&json!(true), &json!(null)));
    assert_eq!(
        (&answer["credit_per_unit"], &answer["estimated_credits"]),
        (&json!(50), &json!(50))
    );
    let nothing = api.post("/v1/estimate", &json!({"mode": "contacts", "domain_count": 2})).await;
    assert_eq!(nothing.body["reachable"], json!(null), "nothing was looked at");
}
