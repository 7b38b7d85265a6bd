//! `urls` in the place of `url`.

use serde_json::json;

use crate::harness::TestApi;

#[tokio::test]
async fn list_of_urls_is_accepted_and_echoed_without_a_url() {
    let api = TestApi::start().await;
    let urls = ["https://a.example/1?x=1", "https://b.example/", "https://A.example/1?x=1"];
    let answer = api.post("/v1/jobs", &json!({"mode": "links", "urls": urls})).await;
    assert_eq!((answer.status, &answer.body["url"]), (202, &json!(null)));
}

#[tokio::test]
async fn lists_over_one_site_are_no_conflict() {
    let api = TestApi::start().await;
    for page in 0..3 {
        let body = json!({"mode": "links", "urls": [format!("https://a.example/{page}")]});
        assert_eq!(api.post("/v1/jobs", &body).await.status, 202);
    }
    let body = json!({"mode": "links", "url": "https://a.example/"});
    assert_eq!(api.post("/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn invalid_entries_are_named_by_their_index() {
    let api = TestApi::start().await;
    let urls = ["https://a.example/", "ftp://a.example/", "http://localhost/", "https://b.example"];
    let answer = api.post("/v1/jobs", &json!({"mode": "markdown", "urls": urls})).await;
    assert_eq!(answer.status, 422);
    let errors = answer.body["errors"].as_array().expect("errors");
    let fields: Vec<_> = errors.iter().map(|error| error["field"].as_str()).collect();
    assert_eq!(fields, [Some("urls[1]"), Some("urls[2]")]);
}

#[tokio::test]
async fn urls_belong_to_some_modes_and_replace_the_url() {
    let api = TestApi::start().await;
    let many: Vec<_> = (0..10_001).map(|page| format!("https://a.example/{page}")).collect();
    for body in [
        json!({"mode": "sitemap", "urls": ["https://a.example/"], "url": "https://a.example/"}),
        json!({"mode": "links", "urls": ["https://a.example/"], "url": "https://a.example/"}),
        json!({"mode": "contacts", "urls": ["https://a.example/"], "domains": ["a.example"],
            "legal_basis_accepted": true}),
        json!({"mode": "links", "urls": []}),
        json!({"mode": "links", "urls": many}),
    ] {
        let answer = api.post("/v1/jobs", &body).await;
        assert_eq!(answer.status, 422);
        assert_eq!(answer.body["errors"][0]["field"], "urls", "{}", answer.body);
    }
}

#[tokio::test]
async fn list_needs_a_credit_for_each_url() {
    let api = TestApi::start().await;
    let (_, key) = api.account("bob@example.com", 5).await;
    let urls: Vec<_> = (0..6).map(|page| format!("https://a.example/{page}")).collect();
    let body = json!({"mode": "links", "urls": urls});
    let answer = api.post_as(&key, "/v1/jobs", &body).await;
    assert_eq!((answer.status, &answer.body["required"]), (402, &json!(6)));
    let sample = json!({"mode": "links", "urls": urls, "options": {"sample_size": 5}});
    assert_eq!(api.post_as(&key, "/v1/jobs", &sample).await.status, 202);
}

#[tokio::test]
async fn estimate_uses_the_number_of_urls() {
    let api = TestApi::start().await;
    let body = json!({"mode": "markdown", "url_count": 30});
    let answer = api.post("/v1/estimate", &body).await;
    assert_eq!((answer.status, &answer.body["url"]), (200, &json!("")));
    assert_eq!(answer.body["estimated_credits"], 60);
    let both = json!({"mode": "markdown", "url_count": 30, "url": "https://a.example/"});
    assert_eq!(api.post("/v1/estimate", &both).await.status, 422);
}

#[tokio::test]
async fn schedules_take_a_list() {
    let api = TestApi::start().await;
    let urls = json!(["https://a.example/1", "https://b.example/2"]);
    let body = json!({"name": "pages", "cron": "@daily",
        "request": {"mode": "links", "urls": urls}});
    let answer = api.post("/v1/schedules", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answer.body["request"]["urls"], urls, "{}", answer.body);
}
