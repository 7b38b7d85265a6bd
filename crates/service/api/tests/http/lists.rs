//! `/v1/lists`: upload of lists of URLs, and jobs over them.

use std::fmt::Write as _;

use http::Method;
use serde_json::{Value, json};

use crate::harness::{ApiReply, TestApi, bearer};

const NDJSON: &str = "application/x-ndjson";

impl TestApi {
    /// Uploads a list with the key of the account.
    async fn upload(&self, content_type: &str, body: &str) -> ApiReply {
        self.upload_as(&self.key, content_type, body).await
    }

    async fn upload_as(&self, key: &str, content_type: &str, body: &str) -> ApiReply {
        let key = bearer(key);
        let headers = [("authorization", key.as_str()), ("content-type", content_type)];
        self.send(Method::POST, "/v1/lists", &headers, body).await
    }

    /// The id of a new list of these URLs.
    async fn list(&self, urls: &[&str]) -> String {
        let answer = self.upload("text/plain", &urls.join("\n")).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.body["list_id"].as_str().expect("an id").to_owned()
    }
}

#[tokio::test]
async fn list_is_uploaded_shown_and_deleted() {
    let api = TestApi::start().await;
    let body = "\"https://A.example/\"\n{\"url\": \"https://b.example/x?y=1\"}\r\n\n\
        \"https://a.example/#part\"";
    let created = api.upload(NDJSON, body).await;
    assert_eq!((created.status, &created.body["url_count"]), (201, &json!(2)), "{}", created.text);
    let id = created.body["list_id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("lst_"), "{id}");
    let path = format!("/v1/lists/{id}");
    let shown = api.get(&path).await;
    assert_eq!((shown.status, &shown.body), (200, &created.body));
    let (_, bob) = api.account("bob@example.com", 5).await;
    assert_eq!(api.get_as(&bob, &path).await.status, 404);
    assert_eq!(api.delete_as(&bob, &path).await.status, 404);
    assert_eq!(api.delete(&path).await.status, 200);
    assert_eq!(api.get(&path).await.status, 404);
    assert_eq!(api.delete(&path).await.status, 404);
}

#[tokio::test]
async fn invalid_line_is_named_and_nothing_is_kept() {
    let api = TestApi::start().await;
    let good = "\"https://a.example/\"\n";
    let long = format!("{good}\"https://a.example/{}\"", "x".repeat(2_100));
    let endless = format!("{good}\"{}", "x".repeat(20_000));
    for (body, field, cause) in [
        ("\"https://a.example/\"\n7\n", "line 2", "JSON string"),
        ("\n\"ftp://a.example/\"\n", "line 2", "http"),
        ("{\"url\": \"http://localhost/\"}", "line 1", ""),
        ("\n\"http://ada:s3cret@a.example/\"", "line 2", "basic_auth"),
        (&format!("{good}{good}{{\"address\": 1}}"), "line 3", "url"),
        (&format!("{good}\"https://b.exam"), "line 2", "JSON"),
        (&long, "line 2", "2,048"),
        (&endless, "line 2", "longer than 16384 bytes"),
        ("\n\n", "body", "no URL"),
        ("\"https://a.example/\"\n\"http://shop.lab.test/\"", "body", "sample"),
    ] {
        let answer = api.upload(NDJSON, body).await;
        let error = &answer.body["errors"][0];
        assert_eq!((answer.status, &error["field"]), (422, &json!(field)), "{}", answer.text);
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(cause) && !answer.text.contains("s3cret"), "{message}");
    }
    let lists = api.store.may_add_list(&api.account, crate::harness::NOW).await;
    assert!(lists.expect("it answers"));
}

#[tokio::test]
async fn other_types_of_content_are_refused() {
    let api = TestApi::start().await;
    for kind in ["application/json", "text/csv", ""] {
        assert_eq!(api.upload(kind, "\"https://a.example/\"").await.status, 415, "{kind}");
    }
    let key = bearer(&api.key);
    let headers = [
        ("authorization", key.as_str()),
        ("content-type", "text/plain"),
        ("content-encoding", "gzip"),
    ];
    let answer = api.send(Method::POST, "/v1/lists", &headers, "https://a.example/").await;
    assert_eq!(answer.status, 415);
}

#[tokio::test]
async fn account_has_at_most_twenty_lists_that_no_job_uses() {
    let api = TestApi::start().await;
    let mut last = String::new();
    for _ in 0..20 {
        last = api.list(&["https://a.example/"]).await;
    }
    let refused = api.upload("text/plain", "https://a.example/").await;
    assert_eq!((refused.status, &refused.body["code"]), (409, &json!("conflict")));
    let job = api.post("/v1/jobs", &json!({"mode": "links", "list_id": last})).await;
    assert_eq!(job.status, 202, "{}", job.text);
    api.list(&["https://a.example/"]).await;
}

#[tokio::test]
async fn jobs_take_a_list_in_the_place_of_urls() {
    let api = TestApi::start().await;
    let list = api.list(&["https://a.example/", "https://b.example/", "# end"]).await;
    let body = json!({"mode": "markdown", "list_id": list});
    for _ in 0..2 {
        let job = api.post("/v1/jobs", &body).await;
        assert_eq!((job.status, &job.body["url"]), (202, &Value::Null), "{}", job.text);
        let path = format!("/v1/jobs/{}", job.body["job_id"].as_str().expect("an id"));
        assert_eq!(api.get(&path).await.body["list_id"], json!(list));
    }
    let (_, bob) = api.account("bob@example.com", 500).await;
    for (key, body) in [
        (&bob, body.clone()),
        (&api.key, json!({"mode": "links", "list_id": list, "urls": ["https://a.example/"]})),
        (&api.key, json!({"mode": "links", "list_id": list, "url": "https://a.example/"})),
        (&api.key, json!({"mode": "sitemap", "list_id": list, "url": "https://a.example/"})),
        (&api.key, json!({"mode": "links", "list_id": "lst_1"})),
    ] {
        let answer = api.post_as(key, "/v1/jobs", &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        assert_eq!(answer.body["errors"][0]["field"], "list_id", "{}", answer.text);
    }
    assert_eq!(api.delete(&format!("/v1/lists/{list}")).await.status, 200);
    let gone = api.post("/v1/jobs", &body).await;
    assert_eq!((gone.status, &gone.body["errors"][0]["field"]), (422, &json!("list_id")));
}

#[tokio::test]
async fn list_expires_after_seven_days() {
    let api = TestApi::start().await;
    let list = api.list(&["https://a.example/"]).await;
    api.pass(std::time::Duration::from_secs(7 * 24 * 60 * 60 + 1));
    assert_eq!(api.get(&format!("/v1/lists/{list}")).await.status, 404);
    let gone = api.post("/v1/jobs", &json!({"mode": "links", "list_id": list})).await;
    assert_eq!(gone.status, 422);
}

#[tokio::test]
async fn credits_are_needed_for_each_url_of_the_list() {
    let api = TestApi::start().await;
    let (_, key) = api.account("bob@example.com", 5).await;
    let lines = (0..6).fold(String::new(), |mut lines, at| {
        let _ = writeln!(lines, "https://a.example/{at}");
        lines
    });
    let list = api.upload_as(&key, "text/plain", &lines).await.body["list_id"].clone();
    let answer = api.post_as(&key, "/v1/jobs", &json!({"mode": "links", "list_id": list})).await;
    assert_eq!((answer.status, &answer.body["required"]), (402, &json!(6)));
    let sample = json!({"mode": "links", "list_id": list, "options": {"sample_size": 5}});
    assert_eq!(api.post_as(&key, "/v1/jobs", &sample).await.status, 202);
}

#[tokio::test]
async fn schedules_take_neither_a_list_nor_a_webhook() {
    let api = TestApi::start().await;
    let list = api.list(&["https://a.example/"]).await;
    let hook = json!({"url": "https://hooks.example.com/"});
    for (request, field) in [
        (json!({"mode": "links", "list_id": list}), "request.list_id"),
        (json!({"mode": "links", "url": "https://a.example/", "webhook": hook}), "request.webhook"),
    ] {
        let body = json!({"name": "pages", "cron": "@daily", "request": request});
        let answer = api.post("/v1/schedules", &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        assert_eq!(answer.body["errors"][0]["field"], field, "{}", answer.text);
    }
}
