//! `GET /v1/jobs/{id}/skipped`.

use http::Method;
use serde_json::json;

use crate::harness::TestApi;

/// The numbers of the URLs on a page.
fn numbers(page: &serde_json::Value) -> Vec<u32> {
    let items = page["items"].as_array().expect("items");
    let urls = items.iter().map(|item| item["url"].as_str().expect("a URL"));
    urls.map(|url| url.rsplit('/').next().expect("a name").parse().expect("a number")).collect()
}

#[tokio::test]
async fn skipped_urls_are_paged() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    let path = format!("/v1/jobs/{id}/skipped");
    insta::assert_json_snapshot!("nothing_yet", api.get(&path).await.stable());
    for (page, skipped) in (0..).zip([0..3, 3..4, 4..7]) {
        api.deliver_with(&mut lease, page..page + 1, skipped).await;
    }
    let mut met = Vec::new();
    for (page, has_more) in [(1, true), (2, true), (3, false), (4, false)] {
        let answer = api.get(&format!("{path}?page={page}&page_size=3")).await;
        assert_eq!(answer.body["has_more"], has_more, "page {page}");
        assert_eq!(answer.body["total"], 7);
        met.extend(numbers(&answer.body));
    }
    assert_eq!(met, Vec::from_iter(0..7));
    let first = api.get(&format!("{path}?page_size=2")).await;
    insta::assert_json_snapshot!("first_page", first.stable());
}

#[tokio::test]
async fn skipped_urls_are_filtered_by_reason() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    let path = format!("/v1/jobs/{id}/skipped");
    api.deliver_with(&mut lease, 0..1, 0..15).await;
    api.deliver_with(&mut lease, 1..2, 15..30).await;
    let mut met = Vec::new();
    for (page, has_more) in [(1, true), (2, true), (3, false), (4, false)] {
        let answer = api.get(&format!("{path}?reason=external&page={page}&page_size=5")).await;
        assert_eq!(
            (&answer.body["total"], answer.body["has_more"] == has_more),
            (&json!(12), true)
        );
        let all = json!({"robots": 3, "external": 12, "image": 15});
        assert_eq!(answer.body["reasons"], all, "the whole picture, whatever is asked for");
        let items = answer.body["items"].as_array().expect("items");
        assert!(items.iter().all(|item| item["reason"] == "external"));
        met.extend(numbers(&answer.body));
    }
    assert_eq!(met, [2, 4, 6, 8, 12, 14, 16, 18, 22, 24, 26, 28]);
    let none = api.get(&format!("{path}?reason=calendar")).await;
    assert_eq!(
        (none.status, &none.body["total"], &none.body["items"]),
        (200, &json!(0), &json!([]))
    );
}

#[tokio::test]
async fn all_invalid_parameters_of_skipped_are_reported() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    let path = format!("/v1/jobs/{id}/skipped");
    for (query, fields) in [
        ("page=0", vec!["page"]),
        ("page=x", vec!["page"]),
        ("page_size=0", vec!["page_size"]),
        ("page_size=1001", vec!["page_size"]),
        ("reason=", vec!["reason"]),
        ("reason=Robots", vec!["reason"]),
        ("page=-1&page_size=1.5&reason=bored", vec!["page", "page_size", "reason"]),
    ] {
        let answer = api.get(&format!("{path}?{query}")).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{query}");
    }
    let refused = api.get(&format!("{path}?reason=bored")).await;
    assert!(
        refused.text.contains("robots") && refused.text.contains("pattern_exhausted"),
        "{}",
        refused.text
    );
    let last = api.get(&format!("{path}?page=9007199254740991&page_size=1000")).await;
    assert_eq!((last.status, &last.body["items"]), (200, &json!([])));
}

#[tokio::test]
async fn skipped_urls_of_another_account_are_404() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver_with(&mut lease, 0..1, 0..3).await;
    let path = format!("/v1/jobs/{id}/skipped");
    assert_eq!(api.send(Method::GET, &path, &[], "").await.refusal(), (401, "unauthorized"));
    assert_eq!(api.get_as("key_live_x", &path).await.refusal(), (401, "unauthorized"));
    let (_, other) = api.account("bob@example.com", 5).await;
    assert_eq!(api.get_as(&other, &path).await.refusal(), (404, "not_found"));
    for unknown in ["job_00000000000000000000000000000000", "job_x", "1"] {
        let answer = api.get(&format!("/v1/jobs/{unknown}/skipped")).await;
        assert_eq!(answer.refusal(), (404, "not_found"), "{unknown}");
    }
    assert_eq!(api.get(&path).await.body["total"], 3);
}

#[tokio::test]
async fn request_log_is_read_newest_first() {
    let api = TestApi::start().await;
    let (id, lease) = api.running("example.com").await;
    let line = |number: u32| contract::RequestLogLine {
        at: contract::Millis(i64::from(number)),
        url: format!("https://example.com/{number}"),
        status_code: (number != 2).then_some(200),
        size_bytes: Some(7),
        response_ms: Some(3),
        cause: (number == 2).then_some(contract::FailureCause::TimedOut),
    };
    let lines: Vec<_> = (0..3).map(line).collect();
    let stored = api.store.append_request_log(&lease.job, &lines, contract::Millis(1)).await;
    stored.expect("the database answers");
    let page = api.get(&format!("/v1/jobs/{id}/requests?page_size=2")).await;
    assert_eq!((page.status, &page.body["total"]), (200, &serde_json::json!(3)));
    assert_eq!(page.body["items"][0]["cause"], "timed_out");
    assert_eq!(page.body["items"][1]["url"], "https://example.com/1");
    assert_eq!(page.body["has_more"], true);
    let last = api.get(&format!("/v1/jobs/{id}/requests?page=2&page_size=2")).await;
    assert_eq!(last.body["items"].as_array().map(Vec::len), Some(1));
}
