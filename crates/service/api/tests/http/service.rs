//! The service about itself.

use http::Method;

use crate::bench::{Bench, METRICS_TOKEN, bearer};

#[tokio::test]
async fn it_lives_and_is_ready() {
    let bench = Bench::start().await;
    assert_eq!(bench.send(Method::GET, "/healthz", &[], "").await.text, "ok");
    assert_eq!(bench.send(Method::GET, "/readyz", &[], "").await.text, "ready");
    let index = bench.send(Method::GET, "/", &[], "").await;
    assert_eq!(index.body["docs"], "https://trawl.example/docs/");
}

#[tokio::test]
async fn the_reference_contacts_nobody() {
    let bench = Bench::start().await;
    let door = bench.send(Method::GET, "/docs", &[], "").await;
    assert_eq!((door.status, door.header("location")), (308, Some("docs/")));
    for file in
        ["", "index.html", "swagger-initializer.js", "swagger-ui-bundle.js", "swagger-ui.css"]
    {
        let answer = bench.send(Method::GET, &format!("/docs/{file}"), &[], "").await;
        assert_eq!(answer.status, 200, "{file}");
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'self'"));
    }
    let page = bench.send(Method::GET, "/docs/", &[], "").await;
    assert!(page.text.contains("swagger-ui") && !page.text.contains("https://"));
    let settings = bench.send(Method::GET, "/docs/swagger-initializer.js", &[], "").await;
    assert!(settings.text.contains("\"url\": \"../openapi.json\""), "{}", settings.text);
    assert!(settings.text.contains("\"validatorUrl\": \"none\""));
    assert!(!settings.text.contains("http"));
}

#[tokio::test]
async fn the_page_that_errors_lead_to_tells_what_to_do() {
    let bench = Bench::start().await;
    let refused = bench.get("/nothing").await;
    let docs = refused.body["docs"].as_str().expect("a page");
    let (page, code) = docs.split_once('#').expect("an anchor");
    let path = page.trim_start_matches("https://trawl.example");
    let page = bench.send(Method::GET, path, &[], "").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    assert!(page.header("content-security-policy").is_some_and(|p| p.contains("'none'")));
    assert!(page.text.contains(&format!("id=\"{code}\"")));
    assert!(page.text.contains("id=\"job-no_data\""));
}

#[tokio::test]
async fn requests_are_counted_by_route_and_never_by_caller() {
    let bench = Bench::measured().await;
    let id = bench.queued("example.com").await;
    bench.get(&format!("/v1/jobs/{id}")).await;
    bench.get("/nothing/of/the/kind").await;
    let token = bearer(METRICS_TOKEN);
    let headers = [("authorization", token.as_str())];
    let numbers = bench.send(Method::GET, "/metrics", &headers, "").await.text;
    for line in [
        r#"trawl_http_requests_total{route="/v1/jobs/{id}",method="GET",status="200"} 1"#,
        r#"trawl_http_requests_total{route="unmatched",method="GET",status="404"} 1"#,
        r#"trawl_http_request_seconds_count{route="/v1/jobs",method="POST"} 1"#,
        "# HELP trawl_http_requests_total",
    ] {
        assert!(numbers.contains(line), "{line} is not in {numbers}");
    }
    for private in [id.as_str(), bench.key.as_str(), bench.account.as_str(), "nothing/of"] {
        assert!(!numbers.contains(private));
    }
}

#[tokio::test]
async fn site_owners_learn_how_to_refuse() {
    let bench = Bench::start().await;
    let page = bench.send(Method::GET, "/bot", &[], "").await;
    assert!(page.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    assert!(page.text.contains("User-agent: Trawl\nDisallow: /"));
}

#[tokio::test]
async fn answers_are_neither_sniffed_nor_stored() {
    let bench = Bench::start().await;
    let answer = bench.get("/v1/account").await;
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let head = bench.send(Method::HEAD, "/healthz", &[], "").await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}
