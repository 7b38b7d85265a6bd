//! Compression of responses.

use http::Method;
use serde_json::json;

use crate::harness::{ApiReply, TestApi, bearer};

async fn asked(api: &TestApi, path: &str, encoding: &str) -> ApiReply {
    let key = bearer(&api.key);
    let headers = [("authorization", key.as_str()), ("accept-encoding", encoding)];
    api.send_raw(Method::GET, path, &headers, "").await
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_are_compressed_on_request() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..50).await;
    let path = format!("/v1/jobs/{id}/results");
    let plain = api.get(&path).await;
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(plain.header("vary"), Some("accept-encoding"), "caches have to know");
    for (encoding, magic) in
        [("gzip", &[0x1f, 0x8b][..]), ("zstd", &[0x28, 0xb5, 0x2f, 0xfd]), ("br", &[])]
    {
        let answer = asked(&api, &path, encoding).await;
        assert_eq!((answer.status, answer.header("content-encoding")), (200, Some(encoding)));
        assert_eq!(answer.header("vary"), Some("accept-encoding"), "{encoding}");
        assert!(answer.bytes.starts_with(magic), "{encoding}");
        assert!(answer.bytes.len() * 4 < plain.bytes.len(), "{encoding}: {}", answer.bytes.len());
    }
    assert_eq!(asked(&api, &path, "identity").await.bytes, plain.bytes);
    let document = asked(&api, "/openapi.json", "gzip").await;
    assert_eq!(document.header("content-encoding"), Some("gzip"));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_and_archives_are_not_compressed() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..50).await;
    for (format, encoding) in [("xlsx", None), ("csv", Some("gzip"))] {
        let answer = api.post(&format!("/v1/jobs/{id}/export"), &json!({"format": format})).await;
        let url = answer.body["url"].as_str().expect("an address");
        let path = url.strip_prefix("https://trawl.example").expect("ours");
        let file = asked(&api, path, "gzip").await;
        assert_eq!((file.status, file.header("content-encoding")), (200, encoding), "{format}");
    }
    api.store
        .abort(&api.account, &id.parse().expect("an id"), crate::harness::NOW)
        .await
        .expect("it is aborted");
    let stream = asked(&api, &format!("/v1/jobs/{id}/events"), "gzip").await;
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    assert_eq!(stream.header("content-encoding"), None);
}

#[tokio::test]
async fn https_service_sends_hsts() {
    let secure = TestApi::start().await;
    let header = "strict-transport-security";
    assert_eq!(secure.get("/healthz").await.header(header), Some("max-age=31536000"));
    assert_eq!(secure.get("/v1/nothing").await.header(header), Some("max-age=31536000"));
    let plain = TestApi::with(|settings| settings.public_url = "http://trawl.example".to_owned());
    let plain = plain.await;
    let answer = plain.send_raw(Method::GET, "/healthz", &[], "").await;
    assert_eq!((answer.status, answer.header(header)), (200, None));
}
