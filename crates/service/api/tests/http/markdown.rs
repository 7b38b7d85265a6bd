//! Jobs of mode `markdown`: price, items, exports.

use contract::{
    Credits, Extraction, ExtractionMethod, Item, MarkdownItem, Millis, TextImage, TextLink,
};
use serde_json::json;
use store::Appended;

use crate::harness::TestApi;

const NOW: Millis = Millis(1_780_000_000_000);

fn page(number: u32) -> Item {
    Item::Markdown(Box::new(MarkdownItem {
        url: format!("https://example.com/{number}"),
        title: Some(format!("Page {number}")),
        markdown: format!("# Page {number}\n\nA *text* with a [link](https://example.com/x)."),
        final_url: None,
        canonical_url: None,
        description: None,
        language: Some("en".to_owned()),
        author: None,
        published_at: Some("2026-01-02".to_owned()),
        modified_at: None,
        depth: Some(1),
        status_code: 200,
        word_count: 7,
        token_estimate: 12,
        headings: vec![contract::Heading { level: 1, text: "Page".to_owned(), anchor: None }],
        links: vec![TextLink { url: "https://example.com/x".to_owned(), text: "link".to_owned() }],
        images: vec![TextImage { url: "https://example.com/i.png".to_owned(), alt: None }],
        content_hash: format!("{number:016x}"),
        extraction: Extraction {
            method: ExtractionMethod::Blocks,
            kept_ratio: 0.5,
            warnings: Vec::new(),
        },
        rendered: false,
        fetched_at: NOW,
        files: None,
    }))
}

#[tokio::test]
async fn markdown_items_are_returned_as_delivered() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running_in("markdown", "example.com").await;
    let items: Vec<_> = (0..3).map(page).collect();
    let (commit, _) = fixture::pages_commit(0..3);
    let appended = api.store.append(&mut lease, &commit, &items, &[], NOW).await;
    assert_eq!(appended.expect("the database answers"), Appended::Stored);
    let answer = api.get(&format!("/v1/jobs/{id}/results")).await;
    assert_eq!((answer.status, &answer.body["mode"]), (200, &json!("markdown")));
    assert_eq!(answer.body["items"], serde_json::to_value(&items).expect("JSON"));
    let job = api.get(&format!("/v1/jobs/{id}")).await;
    assert_eq!(job.body["credit_per_unit"], 2);
    assert_eq!((&job.body["credits_used"], &job.body["counts"]["results"]), (&json!(6), &json!(3)));
}

#[tokio::test]
async fn markdown_page_costs_two_credits() {
    let api = TestApi::start().await;
    let (_, key) = api.account("poor@example.com", 1).await;
    let body = json!({"mode": "markdown", "url": "https://example.com/"});
    let answer = api.post_as(&key, "/v1/jobs", &body).await;
    assert_eq!(answer.refusal(), (402, "insufficient_credits"));
    assert_eq!((&answer.body["required"], &answer.body["available"]), (&json!(2), &json!(1)));
    api.store.grant("poor@example.com", Credits(1), NOW).await.expect("a grant");
    assert_eq!(api.post_as(&key, "/v1/jobs", &body).await.status, 202);
    let low = json!({"mode": "markdown", "url": "https://b.example/", "max_credit_per_unit": 1});
    let answer = api.post("/v1/jobs", &low).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["max_credit_per_unit"]));
}
