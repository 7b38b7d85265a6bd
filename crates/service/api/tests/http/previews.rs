//! `POST /previews`: one page for nothing.

use lab::{Lab, Reply, Site, SiteTruth};
use net::NameTable;
use serde_json::json;

use crate::harness::{ApiReply, TestApi};

const TEXT: &str = "The harbour of the town has three cranes. Ships arrive in the morning and leave \
    in the evening, and the pilots guide them through the narrow channel between the islands. ";

/// A site with a long page, a page without content, and one that refuses.
#[derive(Debug)]
struct Harbour;

impl Site for Harbour {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/" => Reply::html(format!(
                "<html lang=en><title>Harbour</title><main><h1>The harbour</h1><p>{}</p></main>",
                TEXT.repeat(40)
            )),
            "/refused" => Reply::status(403),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn with_lab() -> (Lab, TestApi, String) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("harbour.lab", Harbour);
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let api = TestApi::with(|settings| settings.known_names = names).await;
    let session = api.session().await;
    (lab, api, session)
}

async fn preview(api: &TestApi, session: &str, path: &str, mode: &str) -> ApiReply {
    let body = json!({"url": format!("http://harbour.lab{path}"), "mode": mode});
    api.post_as(session, "/previews", &body).await
}

#[tokio::test]
async fn preview_is_shortened_and_free() {
    let (_lab, api, session) = with_lab().await;
    let answer = preview(&api, &session, "/", "markdown").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let text = answer.body["item"]["markdown"].as_str().expect("text");
    assert!(text.contains("three cranes") && text.chars().count() <= 3_001, "{}", text.len());
    assert_eq!(
        (&answer.body["shortened"], &answer.body["metadata"]["title"]),
        (&json!(true), &json!("Harbour"))
    );
    let account = api.get("/v1/account").await;
    assert_eq!(account.body["credits"], 1_000, "nothing is charged");
    let jobs = api.get("/v1/jobs").await;
    assert_eq!(jobs.body["total"], 0);
}

#[tokio::test]
async fn page_without_preview_says_why() {
    let (lab, api, session) = with_lab().await;
    assert_eq!(preview(&api, &session, "/refused", "links").await.status, 502);
    let missing = preview(&api, &session, "/gone", "markdown").await;
    assert!(missing.status >= 400, "{}", missing.text);
    let requests = lab.request_count();
    for (body, field) in [
        (json!({"url": "http://harbour.lab/", "mode": "contacts"}), "mode"),
        (json!({"url": "http://10.0.0.1/", "mode": "links"}), "url"),
        (json!({"mode": "links"}), "url"),
    ] {
        let answer = api.post_as(&session, "/previews", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{body}");
    }
    assert_eq!(lab.request_count(), requests);
}

#[tokio::test]
async fn previews_are_for_people_and_limited() {
    let (_lab, api, session) = with_lab().await;
    let body = json!({"url": "http://harbour.lab/", "mode": "links"});
    assert_eq!(api.post("/previews", &body).await.status, 401, "an API key");
    let mut statuses = Vec::new();
    for _ in 0..7 {
        statuses.push(api.post_as(&session, "/previews", &body).await.status);
    }
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 429]);
}
