//! `GET /v1/jobs/{id}/results` with `Accept: application/x-ndjson`.

use std::time::Duration;

use http::Method;
use job::{JobCommand, RunEnding};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::harness::{ApiReply, NOW, TestApi, bearer};
use crate::result_queries::deliver_broken;

/// Nothing here takes this long unless it hangs. Shorter than a server drains.
const LIMIT: Duration = Duration::from_secs(15);

const LINES: (&str, &str) = ("accept", "application/x-ndjson");

async fn lines_of(api: &TestApi, path: &str) -> ApiReply {
    let token = bearer(&api.key);
    api.send(Method::GET, path, &[("authorization", &token), LINES], "").await
}

fn numbers(text: &str) -> Vec<u32> {
    let items = text.lines().filter(|line| !line.is_empty());
    let items = items.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let number = |item: Value| {
        let url = item["url"].as_str().expect("a URL").to_owned();
        url.rsplit('/').next().expect("a number").parse().expect("a number")
    };
    items.map(number).collect()
}

/// A stream that follows a run, read as it comes.
struct Follower {
    socket: TcpStream,
    text: String,
}

impl Follower {
    async fn open(api: &TestApi, key: &str, path: &str) -> Self {
        let mut socket = TcpStream::connect(api.address).await.expect("a connection");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\
             Accept: application/x-ndjson\r\nAccept-Encoding: gzip\r\n\r\n",
            bearer(key)
        );
        socket.write_all(request.as_bytes()).await.expect("sent");
        let mut follower = Self { socket, text: String::new() };
        // With the first empty line: the response starts at once.
        while !follower.text.contains("\r\n\r\n1\r\n\n\r\n") {
            assert!(follower.more().await, "{}", follower.text);
        }
        follower
    }

    /// False at the end of the connection or of the response.
    async fn more(&mut self) -> bool {
        let mut buffer = [0; 4_096];
        let read = timeout(LIMIT, self.socket.read(&mut buffer)).await.expect("in time");
        let length = read.unwrap_or(0);
        self.text.push_str(&String::from_utf8_lossy(&buffer[..length]));
        length > 0 && !self.is_complete()
    }

    /// Whether the last chunk has come.
    fn is_complete(&self) -> bool {
        self.text.ends_with("\r\n0\r\n\r\n")
    }

    /// The numbers of the items so far.
    fn numbers(&self) -> Vec<u32> {
        // Without a last line that has not arrived as a whole.
        let lines = self.text.split_inclusive('\n').filter(|line| line.starts_with('{'));
        numbers(&lines.filter(|line| line.ends_with('\n')).collect::<String>())
    }

    /// Waits for this many items.
    async fn until(&mut self, items: usize) -> Vec<u32> {
        while self.numbers().len() < items {
            assert!(self.more().await, "{}", self.text);
        }
        self.numbers()
    }

    /// Waits for the end. True when the response is complete.
    async fn ends(&mut self) -> bool {
        while self.more().await {}
        self.is_complete()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_have_every_item_once() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    for pages in [0..300, 300..301, 301..800] {
        deliver_broken(&api, &mut lease, pages, 100).await;
    }
    let path = format!("/v1/jobs/{id}/results");
    let answer = lines_of(&api, &path).await;
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    assert_eq!((answer.status, numbers(&answer.text)), (200, (0..800).collect()));
    let page = api.get(&format!("{path}?page_size=1")).await;
    let first: Value =
        serde_json::from_str(answer.text.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first, page.body["items"][0], "the same item");
    let from = lines_of(&api, &format!("{path}?offset=790")).await;
    assert_eq!(numbers(&from.text), (790..800).collect::<Vec<_>>());
    let cursor = page.body["next_cursor"].as_str().expect("a cursor");
    let from = lines_of(&api, &format!("{path}?cursor={cursor}")).await;
    assert_eq!(numbers(&from.text), (1..800).collect::<Vec<_>>());
    let some = lines_of(&api, &format!("{path}?filter[broken]=true&fields=url")).await;
    assert_eq!(numbers(&some.text), [0, 100, 200, 300, 400, 500, 600, 700]);
    assert_eq!(some.text.lines().next(), Some(r#"{"url":"https://example.com/0"}"#));
    // The same after segments are merged.
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    api.store.merge_segments(&lease.job).await.expect("they are merged");
    assert_eq!(lines_of(&api, &path).await.text, answer.text);
    assert_eq!(lines_of(&api, &format!("{path}?follow=true")).await.text, answer.text);
    let past = lines_of(&api, &format!("{path}?offset=5000")).await;
    assert_eq!((past.status, past.text.as_str()), (200, ""));
}

#[tokio::test]
async fn stream_refuses_parameters_of_pages() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    for name in ["page", "page_size"] {
        let answer = lines_of(&api, &format!("/v1/jobs/{id}/results?{name}=1")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![name]));
    }
    let (_, other) = api.account("bob@example.com", 5).await;
    let token = bearer(&other);
    let path = format!("/v1/jobs/{id}/results");
    let headers = [("authorization", token.as_str()), LINES];
    assert_eq!(api.send(Method::GET, &path, &headers, "").await.refusal(), (404, "not_found"));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_limited_like_downloads() {
    let api = TestApi::with(|settings| settings.account_exports = 0).await;
    let id = api.queued("example.com").await;
    assert_eq!(
        lines_of(&api, &format!("/v1/jobs/{id}/results")).await.status,
        200,
        "0 is no limit"
    );
    let api = TestApi::with(|settings| settings.account_exports = 1).await;
    let id = crate::get_results::heavy_run(&api).await;
    let path = format!("/v1/jobs/{id}/results");
    let mut socket = TcpStream::connect(api.address).await.expect("a connection");
    let token = bearer(&api.key);
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
         Accept: application/x-ndjson\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).await.expect("sent");
    let mut beginning = [0; 15];
    socket.read_exact(&mut beginning).await.expect("an answer");
    assert_eq!(&beginning, b"HTTP/1.1 200 OK");
    let refused = lines_of(&api, &path).await;
    assert_eq!(refused.refusal(), (429, "rate_limited"));
    assert!(refused.header("retry-after").is_some());
    // A client that disconnects is noticed.
    drop(socket);
    let limit = Instant::now() + Duration::from_secs(30);
    while lines_of(&api, &path).await.status != 200 {
        assert!(Instant::now() < limit, "the permit is not released");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn follower_gets_items_until_the_job_has_ended() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..3).await;
    let path = format!("/v1/jobs/{id}/results?follow=true");
    let mut follower = Follower::open(&api, &api.key, &path).await;
    assert!(follower.text.contains("content-type: application/x-ndjson"), "{}", follower.text);
    assert!(!follower.text.contains("content-encoding"), "{}", follower.text);
    assert_eq!(follower.until(3).await, [0, 1, 2]);
    api.deliver(&mut lease, 3..400).await;
    assert_eq!(follower.until(400).await, (0..400).collect::<Vec<_>>());
    // A stop that is no end.
    api.report(&lease, &JobCommand::ReachBoundary).await;
    let mut late = Follower::open(&api, &api.key, &format!("{path}&offset=398")).await;
    assert_eq!(late.until(2).await, [398, 399]);
    api.post(&format!("/v1/jobs/{id}/abort"), &json!({})).await;
    assert!(follower.ends().await, "complete");
    assert_eq!(follower.numbers().len(), 400);
    assert!(late.ends().await, "complete");
}

#[tokio::test]
async fn follower_gets_only_matching_items() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    let path = format!("/v1/jobs/{id}/results?follow=true&filter[broken]=true&fields=url");
    let mut follower = Follower::open(&api, &api.key, &path).await;
    deliver_broken(&api, &mut lease, 0..300, 100).await;
    assert_eq!(follower.until(3).await, [0, 100, 200]);
    deliver_broken(&api, &mut lease, 300..301, 100).await;
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    assert!(follower.ends().await);
    assert_eq!(follower.numbers(), [0, 100, 200, 300]);
}

#[tokio::test]
async fn follower_is_cut_when_its_credential_ends_or_the_server_stops() {
    let mut api = TestApi::start().await;
    let (id, _lease) = api.running("example.com").await;
    let session = api.session().await;
    let made = api.post_as(&session, "/api-keys", &json!({"name": "one"})).await.body;
    let path = format!("/v1/jobs/{id}/results?follow=true");
    let key = made["key"].as_str().expect("a secret");
    let mut revoked = Follower::open(&api, key, &path).await;
    let mut other = Follower::open(&api, &api.key, &path).await;
    let id = made["id"].as_str().expect("an id");
    assert_eq!(api.delete_as(&session, &format!("/api-keys/{id}")).await.status, 200);
    assert!(!revoked.ends().await, "the transfer is incomplete");
    api.stop();
    assert!(!other.ends().await, "the transfer is incomplete");
}

#[tokio::test]
async fn followers_are_limited_like_progress_streams() {
    let api = TestApi::with(|settings| settings.limits.listeners = 1).await;
    let id = api.queued("example.com").await;
    let path = format!("/v1/jobs/{id}/results?follow=true");
    let one = Follower::open(&api, &api.key, &path).await;
    assert_eq!(lines_of(&api, &path).await.refusal(), (429, "rate_limited"));
    let events = api.get(&format!("/v1/jobs/{id}/events")).await;
    assert_eq!(events.refusal(), (429, "rate_limited"), "one limit for both kinds of streams");
    drop(one);
    api.store.abort(&api.account, &id.parse().expect("an id"), NOW).await.expect("aborted");
    let limit = Instant::now() + Duration::from_secs(30);
    while api.get(&format!("/v1/jobs/{id}/events")).await.status != 200 {
        assert!(Instant::now() < limit, "the place is not released");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
