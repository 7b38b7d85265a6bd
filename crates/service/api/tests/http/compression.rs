//! Answers in the content encoding that was asked for.

use http::Method;
use serde_json::json;

use crate::bench::{Answer, Bench, bearer};

async fn asked(bench: &Bench, path: &str, encoding: &str) -> Answer {
    let key = bearer(&bench.key);
    let headers = [("authorization", key.as_str()), ("accept-encoding", encoding)];
    bench.send_raw(Method::GET, path, &headers, "").await
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_compressed_when_asked_for() {
    let bench = Bench::start().await;
    let (id, mut lease) = bench.running("example.com").await;
    bench.deliver(&mut lease, 0..50).await;
    let path = format!("/v1/jobs/{id}/results");
    let plain = bench.get(&path).await;
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(plain.header("vary"), Some("accept-encoding"), "caches have to know");
    for (encoding, magic) in
        [("gzip", &[0x1f, 0x8b][..]), ("zstd", &[0x28, 0xb5, 0x2f, 0xfd]), ("br", &[])]
    {
        let answer = asked(&bench, &path, encoding).await;
        assert_eq!((answer.status, answer.header("content-encoding")), (200, Some(encoding)));
        assert_eq!(answer.header("vary"), Some("accept-encoding"), "{encoding}");
        assert!(answer.bytes.starts_with(magic), "{encoding}");
        assert!(answer.bytes.len() * 4 < plain.bytes.len(), "{encoding}: {}", answer.bytes.len());
    }
    assert_eq!(asked(&bench, &path, "identity").await.bytes, plain.bytes);
    let document = asked(&bench, "/openapi.json", "gzip").await;
    assert_eq!(document.header("content-encoding"), Some("gzip"));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_and_archives_are_left_as_they_are() {
    let bench = Bench::start().await;
    let (id, mut lease) = bench.running("example.com").await;
    bench.deliver(&mut lease, 0..50).await;
    for (format, encoding) in [("xlsx", None), ("csv", Some("gzip"))] {
        let answer = bench.post(&format!("/v1/jobs/{id}/export"), &json!({"format": format})).await;
        let url = answer.body["url"].as_str().expect("an address");
        let path = url.strip_prefix("https://trawl.example").expect("ours");
        let file = asked(&bench, path, "gzip").await;
        assert_eq!((file.status, file.header("content-encoding")), (200, encoding), "{format}");
    }
    bench
        .store
        .abort(&bench.account, &id.parse().expect("an id"), crate::bench::NOW)
        .await
        .expect("it is aborted");
    let stream = asked(&bench, &format!("/v1/jobs/{id}/events"), "gzip").await;
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    assert_eq!(stream.header("content-encoding"), None);
}

#[tokio::test]
async fn https_services_tell_browsers_to_stay_there() {
    let secure = Bench::start().await;
    let header = "strict-transport-security";
    assert_eq!(secure.get("/healthz").await.header(header), Some("max-age=31536000"));
    assert_eq!(secure.get("/v1/nothing").await.header(header), Some("max-age=31536000"));
    let plain = Bench::with(|settings| settings.public_url = "http://trawl.example".to_owned());
    let plain = plain.await;
    let answer = plain.send_raw(Method::GET, "/healthz", &[], "").await;
    assert_eq!((answer.status, answer.header(header)), (200, None));
}
