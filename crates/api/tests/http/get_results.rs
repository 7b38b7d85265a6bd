//! `GET /v1/jobs/{id}/results`.

use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn results_are_read_page_by_page() {
    let bench = Bench::start().await;
    let (id, mut lease) = bench.running("example.com").await;
    let path = format!("/v1/jobs/{id}/results");
    let empty = bench.get(&path).await;
    assert_eq!((&empty.body["items"], &empty.body["has_more"]), (&json!([]), &json!(false)));
    for pages in [0..3, 3..4, 4..7] {
        bench.deliver(&mut lease, pages).await;
    }
    let mut urls = Vec::new();
    for (page, has_more) in [(1, true), (2, true), (3, false), (4, false)] {
        let answer = bench.get(&format!("{path}?page={page}&page_size=3")).await;
        assert_eq!(answer.body["has_more"], has_more, "page {page}");
        assert_eq!(answer.body["total"], 7);
        let items = answer.body["items"].as_array().expect("items").clone();
        urls.extend(items.iter().map(|item| item["url"].as_str().expect("a URL").to_owned()));
    }
    let expected: Vec<_> = (0..7).map(|n| format!("https://example.com/{n}")).collect();
    assert_eq!(urls, expected);
    insta::assert_json_snapshot!(bench.get(&format!("{path}?page_size=1")).await.stable());
}

#[tokio::test]
async fn wrong_pages_are_refused() {
    let bench = Bench::start().await;
    let id = bench.queued("example.com").await;
    let path = format!("/v1/jobs/{id}/results");
    for (query, field) in
        [("page=0", "page"), ("page_size=5000", "page_size"), ("page_size=0", "page_size")]
    {
        let answer = bench.get(&format!("{path}?{query}")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{query}");
    }
    let last = bench.get(&format!("{path}?page=9007199254740991&page_size=1000")).await;
    assert_eq!((last.status, &last.body["items"]), (200, &json!([])));
}
