//! `GET /v1/jobs/{id}/results`.

use std::time::Duration;

use contract::{Item, Millis};
use serde_json::json;
use store::Appended;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::time::Instant;

use crate::harness::TestApi;

#[tokio::test]
async fn results_are_paged() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    let path = format!("/v1/jobs/{id}/results");
    let empty = api.get(&path).await;
    assert_eq!((&empty.body["items"], &empty.body["has_more"]), (&json!([]), &json!(false)));
    for pages in [0..3, 3..4, 4..7] {
        api.deliver(&mut lease, pages).await;
    }
    let mut urls = Vec::new();
    for (page, has_more) in [(1, true), (2, true), (3, false), (4, false)] {
        let answer = api.get(&format!("{path}?page={page}&page_size=3")).await;
        assert_eq!(answer.body["has_more"], has_more, "page {page}");
        assert_eq!(answer.body["total"], 7);
        let items = answer.body["items"].as_array().expect("items").clone();
        urls.extend(items.iter().map(|item| item["url"].as_str().expect("a URL").to_owned()));
    }
    let expected: Vec<_> = (0..7).map(|n| format!("https://example.com/{n}")).collect();
    assert_eq!(urls, expected);
    insta::assert_json_snapshot!(api.get(&format!("{path}?page_size=1")).await.stable());
}

#[tokio::test]
async fn invalid_pages_are_rejected() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    let path = format!("/v1/jobs/{id}/results");
    for (query, field) in
        [("page=0", "page"), ("page_size=5000", "page_size"), ("page_size=0", "page_size")]
    {
        let answer = api.get(&format!("{path}?{query}")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{query}");
    }
    let last = api.get(&format!("{path}?page=9007199254740991&page_size=1000")).await;
    assert_eq!((last.status, &last.body["items"]), (200, &json!([])));
}

/// A markdown item with a text of `bytes` bytes.
fn heavy(number: u32, bytes: usize) -> Item {
    let item = json!({
        "url": format!("https://example.com/{number}"), "title": null,
        "markdown": "x".repeat(bytes), "final_url": null, "canonical_url": null,
        "description": null, "language": null, "author": null, "published_at": null,
        "modified_at": null, "depth": 0, "status_code": 200, "word_count": 1,
        "token_estimate": 1, "headings": [], "links": [], "images": [], "content_hash": "0",
        "extraction": {"method": "blocks", "kept_ratio": 1.0, "warnings": []},
        "rendered": false, "fetched_at": "2026-01-01T00:00:00.000Z",
    });
    Item::Markdown(serde_json::from_value(item).expect("an item"))
}

/// Two light items, then twenty of 1.5 MiB, then two light ones, in several commits.
pub async fn heavy_run(api: &TestApi) -> String {
    let (id, mut lease) = api.running_in("markdown", "example.com").await;
    let size = |number| if (2..22).contains(&number) { 3 << 19 } else { 10 };
    for pages in [0..7_u32, 7..8, 8..24] {
        let items: Vec<_> = pages.clone().map(|number| heavy(number, size(number))).collect();
        let (commit, _) = fixture::pages_commit(pages);
        let appended = api.store.append(&mut lease, &commit, &items, &[], Millis(0)).await;
        assert_eq!(appended.expect("the database answers"), Appended::Stored);
    }
    id
}

async fn a_page_ends_at_sixteen_mebibytes(api: TestApi) {
    let id = heavy_run(&api).await;
    let expected: Vec<_> = (0..24).map(|n| format!("https://example.com/{n}")).collect();
    for page_size in [1, 7, 13, 100, 1_000] {
        let (mut urls, mut page) = (Vec::new(), 1);
        loop {
            let path = format!("/v1/jobs/{id}/results?page={page}&page_size={page_size}");
            let answer = api.get(&path).await;
            assert_eq!((answer.status, &answer.body["total"]), (200, &json!(24)));
            assert_eq!(answer.body["offset"], urls.len(), "page {page} of {page_size}");
            assert!(answer.bytes.len() < (16 << 20) + 10_000, "{} bytes", answer.bytes.len());
            let items = answer.body["items"].as_array().expect("items").clone();
            assert!(!items.is_empty() && items.len() <= page_size);
            urls.extend(items.iter().map(|item| item["url"].as_str().expect("a URL").to_owned()));
            let is_last = urls.len() == 24;
            assert_eq!(answer.body["has_more"], !is_last, "page {page} of {page_size}");
            if is_last {
                break;
            }
            page += 1;
        }
        assert_eq!(urls, expected, "every item once, with a page_size of {page_size}");
        let beyond = format!("/v1/jobs/{id}/results?page={}&page_size={page_size}", page + 1);
        let beyond = api.get(&beyond).await;
        assert_eq!((&beyond.body["items"], &beyond.body["has_more"]), (&json!([]), &json!(false)));
    }
    // The same by offset.
    let mut urls = Vec::new();
    while urls.len() < 24 {
        let path = format!("/v1/jobs/{id}/results?offset={}&page_size=100", urls.len());
        let answer = api.get(&path).await;
        let items = answer.body["items"].as_array().expect("items").clone();
        urls.extend(items.iter().map(|item| item["url"].as_str().expect("a URL").to_owned()));
    }
    assert_eq!(urls, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_ends_at_16_mib_on_sqlite() {
    a_page_ends_at_sixteen_mebibytes(TestApi::start().await).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn page_ends_at_16_mib_on_postgres() {
    a_page_ends_at_sixteen_mebibytes(TestApi::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_responses_count_as_requests_in_flight() {
    let api = TestApi::with(|settings| {
        settings.account_requests_in_flight = 2;
        settings.limits.request_burst = 600;
    })
    .await;
    let id = heavy_run(&api).await;
    let request = format!(
        "GET /v1/jobs/{id}/results?page_size=1000 HTTP/1.1\r\nHost: x\r\n\
         Authorization: Bearer {}\r\n\r\n",
        api.key
    );
    let mut unread = Vec::new();
    for _ in 0..2 {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4_096).expect("a small buffer");
        let mut stream = socket.connect(api.address).await.expect("a connection");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut beginning = [0; 15];
        stream.read_exact(&mut beginning).await.expect("an answer");
        assert_eq!(&beginning, b"HTTP/1.1 200 OK");
        unread.push(stream);
    }
    let third = api.get("/v1/account").await;
    assert_eq!(third.refusal(), (429, "rate_limited"));
    drop(unread);
    // The shares are given back as soon as the server has seen the end of a connection.
    let limit = Instant::now() + Duration::from_secs(30);
    while api.get("/v1/account").await.status != 200 {
        assert!(Instant::now() < limit, "no share is given back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn page_and_offset_exclude_each_other() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    let answer = api.get(&format!("/v1/jobs/{id}/results?page=1&offset=0")).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["offset"]));
    let answer = api.get(&format!("/v1/jobs/{id}/results?offset=-1")).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["offset"]));
}
