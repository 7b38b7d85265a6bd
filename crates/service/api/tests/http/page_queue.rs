//! Calls of `POST /v1/pages` that wait: for their host, in their order, and for room in the service.

use std::time::Duration;

use axum::body::Body;
use http::Request;
use lab::{Lab, Reply, Site, SiteTruth};
use net::NameTable;
use serde_json::json;
use tower::ServiceExt;

use crate::harness::{TestApi, bearer};

/// A site with any page, which asks for a time between requests.
#[derive(Debug)]
struct Quay {
    robots: &'static str,
}

impl Site for Quay {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::text(self.robots),
            _ => Reply::html(format!("<title>Berth</title><h1>Berth {path}</h1><p>A ship.</p>")),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn with_lab(site: Quay, change: impl FnOnce(&mut api::ApiSettings)) -> (Lab, TestApi) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("quay.lab", site);
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let api = TestApi::with(|settings| {
        settings.known_names = names;
        change(settings);
    })
    .await;
    (lab, api)
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_for_one_host_are_answered_in_the_order_of_their_arrival() {
    const CALLS: usize = 12;
    let site = Quay { robots: "User-agent: *\nCrawl-delay: 0.3\n" };
    let (lab, api) = with_lab(site, |_| {}).await;
    let calls = (0..CALLS).map(async |at| {
        // Far apart for requests to this service, close for the delay of the host.
        tokio::time::sleep(Duration::from_millis(100) * u32::try_from(at).expect("few")).await;
        let body = json!({"url": format!("http://quay.lab/{at}"), "mode": "links"});
        api.post("/v1/pages", &body).await.status
    });
    let answers = futures_util::future::join_all(calls).await;
    assert_eq!(answers, [200; CALLS]);
    let pages = lab.requests().into_iter().map(|request| request.path);
    let pages: Vec<_> = pages.filter(|path| path != "/robots.txt").collect();
    let in_order: Vec<_> = (0..CALLS).map(|at| format!("/{at}")).collect();
    assert_eq!(pages, in_order);
}

/// The service reads 512 pages at a time.
#[tokio::test(flavor = "multi_thread")]
async fn calls_within_the_limit_of_the_account_wait_for_room_in_the_service() {
    const CALLS: usize = 560;
    let (lab, api) = with_lab(Quay { robots: "" }, |settings| {
        settings.account_pages = 1_000;
        settings.account_requests_in_flight = 1_000;
        settings.limits.requests_per_minute = 6_000;
    })
    .await;
    lab.with_latency("quay.lab", Duration::from_millis(40));
    let body =
        json!({"url": "http://quay.lab/", "mode": "links", "timeout_ms": 60_000}).to_string();
    let key = bearer(&api.key);
    let calls = (0..CALLS).map(async |_| {
        let request = Request::post("/v1/pages")
            .header("authorization", &key)
            .header("content-type", "application/json")
            .body(Body::from(body.clone()))
            .expect("a request");
        api.router.clone().oneshot(request).await.expect("an answer").status().as_u16()
    });
    let answers = futures_util::future::join_all(calls).await;
    let refused = answers.iter().filter(|status| **status != 200).collect::<Vec<_>>();
    assert!(refused.is_empty(), "{refused:?}");
}
