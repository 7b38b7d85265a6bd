//! `POST /v1/jobs/{id}/export` and downloads.

use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use crate::harness::{ApiReply, NOW, TestApi};

/// A job with three results, and where it is exported.
async fn with_results(api: &TestApi) -> (String, String) {
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..3).await;
    (format!("/v1/jobs/{id}/results"), format!("/v1/jobs/{id}/export"))
}

async fn address(api: &TestApi, export: &str, format: &str) -> String {
    let answer = api.post(export, &json!({"format": format})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let url = answer.body["url"].as_str().expect("an address");
    let path = url.strip_prefix("https://trawl.example").expect("under the public address");
    assert!(!url.contains("key_"), "no credential travels with it");
    path.to_owned()
}

async fn take(api: &TestApi, path: &str) -> ApiReply {
    api.send(Method::GET, path, &[], "").await
}

#[tokio::test(flavor = "multi_thread")]
async fn file_has_the_selected_items_only() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    for (selection, urls) in [
        (json!({"q": "COM/2"}), vec!["https://example.com/2"]),
        (json!({"filter": {"status_code[gte]": 400}}), vec![]),
        (
            json!({"filter": {"url": ["https://example.com/0", "https://example.com/1"]}}),
            vec!["https://example.com/0", "https://example.com/1"],
        ),
        (json!({"q": "/1", "filter": {"status_code": 200}}), vec!["https://example.com/1"]),
    ] {
        let mut body = selection.clone();
        body["format"] = json!("json");
        let answer = api.post(&export, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let url = answer.body["url"].as_str().expect("an address");
        let path = url.strip_prefix("https://trawl.example").expect("under the public address");
        let file = take(&api, path).await;
        let items = file.body.as_array().expect("items").iter();
        let found: Vec<_> = items.map(|item| item["url"].as_str().expect("a URL")).collect();
        assert_eq!(found, urls, "{selection}");
    }
    for (selection, field) in [
        (json!({"q": ""}), "q"),
        (json!({"filter": {"nonsense": 1}}), "filter[nonsense]"),
        (json!({"filter": ["url"]}), "filter"),
    ] {
        let mut body = selection;
        body["format"] = json!("json");
        let answer = api.post(&export, &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn download_link_works_once_without_a_key() {
    let api = TestApi::start().await;
    let (results, export) = with_results(&api).await;
    let answer = api.post(&export, &json!({"format": "json"})).await;
    assert_eq!((answer.status, &answer.body["format"]), (200, &json!("json")));
    let path = address(&api, &export, "json").await;
    let file = take(&api, &path).await;
    assert_eq!(file.status, 200);
    assert_eq!(file.body, api.get(&results).await.body["items"], "exactly the results");
    let disposition = file.header("content-disposition").expect("a name");
    assert!(disposition.starts_with("attachment; filename=\"links-example.com-"), "{disposition}");
    assert!(disposition.ends_with(".json\""), "{disposition}");
    for (name, value) in [
        ("content-type", "application/json"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(file.header(name), Some(value));
    }
    let log = api.get("/v1/audit?action=export.downloaded").await;
    let entry = &log.body["items"][0];
    assert_eq!(entry["request_id"].as_str(), file.header("x-request-id"));
    assert_eq!(
        (&entry["actor"]["kind"], &entry["address"]),
        (&json!("anonymous"), &json!("127.0.0.1"))
    );
    let again = take(&api, &path).await;
    assert_eq!(again.refusal(), (410, "gone"));
    assert!(again.body["message"].as_str().is_some_and(|text| text.contains("new export")));
    let other = address(&api, &export, "json").await;
    assert_eq!(take(&api, &other).await.status, 200, "a new export is another file");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_format_has_its_content_type() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    for (format, content_type, beginning) in [
        ("json", "application/json", "["),
        ("csv", "text/csv; charset=utf-8", "\u{feff}\"url\",\"title\",\"type\",\"status_code\""),
        ("md", "text/markdown; charset=utf-8", "| url | title |"),
        ("xml", "application/xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset"),
        (
            "xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "PK\u{3}\u{4}",
        ),
    ] {
        let path = address(&api, &export, format).await;
        let file = take(&api, &path).await;
        assert_eq!((file.status, file.header("content-type")), (200, Some(content_type)));
        assert!(file.text.starts_with(beginning), "{format}: {}", file.text);
        let name = file.header("content-disposition").expect("a name");
        assert!(name.ends_with(&format!(".{format}\"")), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_downloads_of_one_link_get_one_file() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    let path = address(&api, &export, "csv").await;
    let answers = join_all((0..10).map(|_| take(&api, &path))).await;
    let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200);
    // An account downloads some files at a time: the others try again, and learn it then.
    let rest = &statuses[1..];
    assert!(rest.iter().all(|status| matches!(status, 410 | 429)), "{statuses:?}");
    assert_eq!(take(&api, &path).await.refusal(), (410, "gone"));
}

#[tokio::test(flavor = "multi_thread")]
async fn head_does_not_use_up_the_link() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    let path = address(&api, &export, "csv").await;
    for _ in 0..3 {
        let head = api.send(Method::HEAD, &path, &[], "").await;
        assert_eq!((head.status, head.text.as_str()), (200, ""));
        assert_eq!(head.header("content-type"), Some("text/csv; charset=utf-8"));
    }
    assert_eq!(take(&api, &path).await.status, 200);
    assert_eq!(api.send(Method::HEAD, &path, &[], "").await.status, 410);
}

#[tokio::test(flavor = "multi_thread")]
async fn download_link_expires_after_fifteen_minutes() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    let answer = api.post(&export, &json!({"format": "md"})).await;
    let path = address(&api, &export, "md").await;
    let expires = parsed(&answer.body["expires_at"]);
    assert_eq!(expires - NOW.0, 15 * 60 * 1_000);
    api.pass(Duration::from_secs(15 * 60 - 1));
    assert_eq!(api.send(Method::HEAD, &path, &[], "").await.status, 200);
    api.pass(Duration::from_secs(1));
    let late = take(&api, &path).await;
    assert_eq!(late.refusal(), (410, "gone"));
    assert!(late.text.contains("download link has expired"), "{}", late.text);
}

fn parsed(moment: &Value) -> i64 {
    contract::Millis::parse_iso(moment.as_str().expect("a moment")).expect("ISO 8601").0
}

#[tokio::test(flavor = "multi_thread")]
async fn altered_download_link_is_403() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    let path = address(&api, &export, "csv").await;
    let (mut altered, last) = (path.clone(), path.chars().last());
    altered.pop();
    altered.push(if last == Some('0') { '1' } else { '0' });
    let other_id = path.replacen("exp_", "exp_0", 1);
    let cut = &path[..path.len() - 4];
    let unsigned = path.split('.').next().expect("an id");
    for wrong in [&altered, &other_id, cut, unsigned, "/downloads/x", "/downloads/%00"] {
        let answer = take(&api, wrong).await;
        assert_eq!(answer.refusal(), (403, "forbidden"), "{wrong}");
    }
    assert_eq!(take(&api, &path).await.status, 200, "the right one is still good");
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_gets_an_error_page() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    let path = address(&api, &export, "csv").await;
    take(&api, &path).await;
    let accept = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    for (path, status, says) in
        [(path.as_str(), 410, "already used"), ("/downloads/x", 403, "was altered")]
    {
        let page = api.send(Method::GET, path, &accept, "").await;
        assert_eq!(page.status, status);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(page.text.contains("<h1>") && page.text.contains(says), "{}", page.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn job_without_results_gives_an_empty_file() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    let export = format!("/v1/jobs/{id}/export");
    for (format, whole) in [("json", "[]\n"), ("csv", "\r\n")] {
        let path = address(&api, &export, format).await;
        let file = take(&api, &path).await;
        assert_eq!(file.status, 200);
        assert!(file.text.ends_with(whole), "{}", file.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_export_requests_are_rejected() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    for (body, field) in [
        (json!({}), "format"),
        (json!({"format": "pdf"}), "format"),
        (json!({"format": 1}), "format"),
        (json!({"format": null}), "format"),
        (json!({"format": "csv", "page": 1}), "page"),
    ] {
        let answer = api.post(&export, &body).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"), "{body}");
        assert_eq!(answer.fields(), [field], "{body}");
    }
    let (_, stranger) = api.account("b@x.org", 0).await;
    let foreign = api.post_as(&stranger, &export, &json!({"format": "csv"})).await;
    assert_eq!(foreign.refusal(), (404, "not_found"));
    let unknown = "/v1/jobs/job_00000000000000000000000000000000/export";
    assert_eq!(api.post(unknown, &json!({"format": "csv"})).await.refusal(), (404, "not_found"));
    let none = api.send(Method::POST, &export, &[], "{}").await;
    assert_eq!(none.refusal(), (401, "unauthorized"));
}

#[tokio::test(flavor = "multi_thread")]
async fn head_returns_the_content_length() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    for format in ["json", "csv", "md", "xml", "xlsx"] {
        let path = address(&api, &export, format).await;
        let head = api.send(Method::HEAD, &path, &[], "").await;
        let length: usize = head
            .header("content-length")
            .and_then(|length| length.parse().ok())
            .unwrap_or_else(|| panic!("{format} has no length"));
        let file = take(&api, &path).await;
        assert_eq!(length, file.bytes.len(), "{format}");
        assert!(length > 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn table_is_valid_only_for_csv_and_its_mode() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    for (body, message) in [
        (json!({"format": "xlsx", "table": "links"}), "csv and parquet"),
        (json!({"format": "csv", "table": "people"}), "must be one of links in mode links"),
    ] {
        let answer = api.post(&export, &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["table"]), "{body}");
        assert!(answer.text.contains(message), "{}", answer.text);
    }
    let answer = api.post(&export, &json!({"format": "csv", "table": "links"})).await;
    assert_eq!(answer.status, 200);
    for format in ["llms_txt", "llms_full_txt"] {
        let answer = api.post(&export, &json!({"format": format})).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["format"]), "{format}");
        assert!(answer.text.contains("is not available in mode links"), "{}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn head_uses_download_permits_and_caches_the_length() {
    let api = TestApi::with(|settings| settings.account_exports = 1).await;
    let id = crate::get_results::heavy_run(&api).await;
    let export = format!("/v1/jobs/{id}/export");
    let known = address(&api, &export, "json").await;
    let head = async |path: &str| api.send(Method::HEAD, path, &[], "").await.status;
    assert_eq!(head(&known).await, 200);
    let path = address(&api, &export, "json").await;
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small buffer");
    let mut download = socket.connect(api.address).await.expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
    download.write_all(request.as_bytes()).await.expect("sent");
    let mut beginning = [0; 15];
    download.read_exact(&mut beginning).await.expect("an answer");
    assert_eq!(&beginning, b"HTTP/1.1 200 OK");
    let other = address(&api, &export, "json").await;
    assert_eq!(head(&other).await, 429, "one file of the account is under way");
    assert_eq!(head(&known).await, 200, "its length is known, and nothing is written");
}

#[tokio::test(flavor = "multi_thread")]
async fn download_links_of_a_suspended_account_are_403() {
    let api = TestApi::start().await;
    let (_, export) = with_results(&api).await;
    let path = address(&api, &export, "csv").await;
    api.store.suspend_account(&api.account, NOW).await.expect("it answers");
    assert_eq!(api.send(Method::HEAD, &path, &[], "").await.status, 403);
    assert_eq!(take(&api, &path).await.refusal(), (403, "account_suspended"));
    api.store.resume_account(&api.account, NOW).await.expect("it answers");
    assert_eq!(take(&api, &path).await.status, 200);
}
