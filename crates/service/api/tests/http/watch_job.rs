//! `GET /v1/jobs/{id}/events`.

use std::time::Duration;

use contract::ErrorCode;
use http::Method;
use job::{JobCommand, RunEnding};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{NOW, TestApi, bearer};

/// Nothing here takes this long unless it hangs. Shorter than a server drains.
const LIMIT: Duration = Duration::from_secs(15);

/// A server-sent event as the client received it.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    id: i64,
    name: String,
    data: Value,
}

/// A stream of events, read as it comes.
struct Stream {
    socket: TcpStream,
    text: String,
    /// How much of the text has been read as events.
    read: usize,
}

impl Stream {
    /// Asks for the events, and waits for the head of the answer.
    async fn open(api: &TestApi, job: &str, seen: Option<&str>) -> Self {
        Self::open_as(api, &api.key, job, seen).await
    }

    async fn open_as(api: &TestApi, key: &str, job: &str, seen: Option<&str>) -> Self {
        let mut socket = TcpStream::connect(api.address).await.expect("a connection");
        let seen = seen.map_or_else(String::new, |seen| format!("Last-Event-ID: {seen}\r\n"));
        let request = format!(
            "GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n{seen}\r\n",
            bearer(key)
        );
        socket.write_all(request.as_bytes()).await.expect("sent");
        let mut stream = Self { socket, text: String::new(), read: 0 };
        while !stream.text.contains("\r\n\r\n") {
            assert!(stream.more().await, "{}", stream.text);
        }
        stream.read = stream.text.find("\r\n\r\n").expect("the end of the head");
        stream
    }

    fn status(&self) -> u16 {
        self.text.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status")
    }

    /// False when the stream is over.
    async fn more(&mut self) -> bool {
        if self.is_over() {
            return false;
        }
        let mut buffer = [0; 4_096];
        let read = timeout(LIMIT, self.socket.read(&mut buffer)).await.expect("in time");
        let length = read.expect("a connection");
        self.text.push_str(std::str::from_utf8(&buffer[..length]).expect("text"));
        length > 0 && !self.is_over()
    }

    /// Whether the last chunk has come. The connection stays open after it.
    fn is_over(&self) -> bool {
        self.text.ends_with("\r\n0\r\n\r\n")
    }

    /// The next event; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, end)) = event(&self.text[self.read..]) {
                self.read += end;
                return Some(event);
            }
            if !self.more().await && event(&self.text[self.read..]).is_none() {
                return None;
            }
        }
    }

    /// Waits for the end of the stream of a job that is not over.
    async fn ends_unfinished(mut self) {
        while let Some(event) = self.next().await {
            assert_eq!(event.name, "progress", "the job is not over");
        }
    }

    /// The next event whose data `wanted` accepts.
    async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Event {
        loop {
            let event = self.next().await.expect("an event");
            if wanted(&event.data) {
                return event;
            }
        }
    }
}

fn event(text: &str) -> Option<(Event, usize)> {
    let start = text.find("id: ")?;
    let end = start + text[start..].find("\n\n")? + 2;
    let field = |name: &str| {
        let line = text[start..end].lines().find(|line| line.starts_with(name)).expect("a field");
        line[name.len()..].to_owned()
    };
    let data = serde_json::from_str(&field("data: ")).expect("JSON");
    let id = field("id: ").parse().expect("a number");
    Some((Event { id, name: field("event: "), data }, end))
}

#[tokio::test]
async fn stream_reports_progress_until_the_end() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    let mut stream = Stream::open(&api, &id, None).await;
    assert_eq!(stream.status(), 200);
    for header in ["content-type: text/event-stream", "cache-control: no-store", "x-request-id"] {
        assert!(stream.text.contains(header), "{}", stream.text);
    }
    let first = stream.next().await.expect("the state at once");
    assert_eq!((first.name.as_str(), &first.data["status"]), ("progress", &"running".into()));
    assert_eq!((&first.data["fetched"], &first.data["rate"]), (&0.into(), &Value::Null));

    lease.fetching = vec!["https://example.com/7".to_owned(), "https://example.com/8".to_owned()];
    api.deliver(&mut lease, 0..3).await;
    let moved = stream.until(|data| data["fetched"] == 3).await;
    assert!(moved.id > first.id);
    assert_eq!(moved.data["counts"], json!({"pages": 3, "products": 0, "results": 3}));
    assert_eq!(moved.data["fetching"], json!(lease.fetching));
    assert_eq!(moved.data["credits_used"], 3);
    assert!(moved.data["rate"].as_f64().is_some_and(|rate| rate > 0.0), "{moved:?}");

    api.report(&lease, &JobCommand::ReachBoundary).await;
    let parked = stream.until(|data| data["status"] == "paused").await;
    assert_eq!((&parked.data["batch_ready"], &parked.data["fetching"]), (&true.into(), &json!([])));
    assert_eq!(parked.data["rate"], Value::Null, "it does not run");
    api.post(&format!("/v1/jobs/{id}/abort"), &json!({})).await;
    let end = stream.next().await.expect("its end");
    assert_eq!((end.name.as_str(), &end.data["status"]), ("end", &"aborted".into()));
    assert_eq!(end.data["error"]["code"], "user_stopped");
    assert_eq!(stream.next().await, None, "nothing comes after the end");
}

#[tokio::test]
async fn ended_job_sends_one_end_event() {
    let api = TestApi::start().await;
    let (id, lease) = api.running("example.com").await;
    let ending = RunEnding::nothing(ErrorCode::NoData, "nothing was there");
    api.report(&lease, &JobCommand::Finish(ending)).await;
    let path = format!("/v1/jobs/{id}/events");
    let answer = api.get(&path).await;
    assert_eq!(answer.status, 200);
    let (end, length) = event(&answer.text).expect("an event");
    assert_eq!((end.name.as_str(), &end.data["status"]), ("end", &"failed".into()));
    assert_eq!(event(&answer.text[length..]), None, "one event");
    // A client that has seen it is asked not to reconnect; one with an older or invalid id gets it.
    let again = async |seen: &str| {
        let token = bearer(&api.key);
        let headers = [("authorization", token.as_str()), ("last-event-id", seen)];
        api.send(Method::GET, &path, &headers, "").await
    };
    assert_eq!(again(&end.id.to_string()).await.status, 204);
    for seen in ["1", "99999", "", "x", "9999999999999999999999", "-1"] {
        let answer = again(seen).await;
        assert_eq!((answer.status, event(&answer.text).expect("an event").0), (200, end.clone()));
    }
}

#[tokio::test]
async fn last_event_id_resumes_the_stream() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    let mut first = Stream::open(&api, &id, None).await;
    let seen = first.next().await.expect("the state").id;
    drop(first);
    let mut again = Stream::open(&api, &id, Some(&seen.to_string())).await;
    let mut fresh = Stream::open(&api, &id, None).await;
    // The other listener of the job has had its first state: nothing is left for this one.
    assert_eq!(fresh.next().await.expect("the state").id, seen);
    api.deliver(&mut lease, 0..2).await;
    let next = again.next().await.expect("news");
    assert!(next.id > seen, "what was seen is not repeated: {next:?}");
    assert_eq!(next.data["fetched"], 2);
    // What happened while no client listened is sent as the resulting state.
    drop((again, fresh));
    api.deliver(&mut lease, 2..3).await;
    api.deliver(&mut lease, 3..4).await;
    let mut late = Stream::open(&api, &id, Some(&next.id.to_string())).await;
    assert_eq!(late.next().await.expect("the state").data["fetched"], 4);
}

#[tokio::test]
async fn stream_of_another_account_is_404() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    let (_, other) = api.account("bob@example.com", 5).await;
    let path = format!("/v1/jobs/{id}/events");
    assert_eq!(api.get_as(&other, &path).await.refusal(), (404, "not_found"));
    assert_eq!(api.get_as("no key", &path).await.refusal(), (401, "unauthorized"));
    for unknown in ["job_x", "job_00000000000000000000000000000000", "%00"] {
        let answer = api.get(&format!("/v1/jobs/{unknown}/events")).await;
        assert_eq!(answer.refusal(), (404, "not_found"), "{unknown}");
    }
}

#[tokio::test]
async fn shutdown_ends_streams_and_not_jobs() {
    let mut api = TestApi::start().await;
    let id = api.queued("example.com").await;
    let mut stream = Stream::open(&api, &id, None).await;
    assert_eq!(stream.next().await.expect("the state").data["status"], "queued");
    api.stop();
    // Well before the time that requests under way are given.
    assert_eq!(stream.next().await, None);
    let job = api.store.job(&id.parse().expect("a job")).await.expect("it answers");
    assert_eq!(job.expect("a job").status, contract::Status::Queued);
}

#[tokio::test]
async fn suspension_ends_only_streams_of_the_account() {
    let api = TestApi::start().await;
    let (id, _lease) = api.running("example.com").await;
    let mut streams = [Stream::open(&api, &id, None).await, Stream::open(&api, &id, None).await];
    for stream in &mut streams {
        assert_eq!(stream.next().await.expect("the state").data["status"], "running");
    }
    let (bob, other) = api.account("bob@example.com", 5).await;
    let body = json!({"mode": "links", "url": "https://example.org/"});
    let theirs = api.post_as(&other, "/v1/jobs", &body).await.job_id();
    let mut open = Stream::open_as(&api, &other, &theirs, None).await;
    assert_eq!(open.next().await.expect("the state").data["status"], "queued");

    api.store.suspend_account(&api.account, NOW).await.expect("it answers");
    for stream in streams {
        stream.ends_unfinished().await;
    }
    let refused = api.get(&format!("/v1/jobs/{id}/events")).await;
    assert_eq!(refused.refusal(), (403, "account_suspended"));

    let theirs = theirs.parse().expect("a job");
    api.store.abort(&bob, &theirs, NOW).await.expect("it is aborted");
    let end = open.until(|data| data["status"] == "aborted").await;
    assert_eq!(end.name, "end", "the stream of another account goes on");

    api.store.resume_account(&api.account, NOW).await.expect("it answers");
    let mut again = Stream::open(&api, &id, None).await;
    assert_eq!(again.next().await.expect("the state").data["status"], "running");
}

#[tokio::test]
async fn stream_ends_when_its_credential_is_revoked() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    let session = api.session().await;
    let made = api.post_as(&session, "/api-keys", &json!({"name": "one"})).await.body;
    let expires_at = NOW.plus(Duration::from_secs(60));
    let body = json!({"name": "two", "expires_at": expires_at});
    let expiring = api.post_as(&session, "/api-keys", &body).await.body;
    let token = api.token("jobs:read").await;
    let secret = |key: &Value| key["key"].as_str().expect("a secret").to_owned();
    let mut streams = Vec::new();
    for credential in [&api.key, &secret(&made), &token, &secret(&expiring)] {
        let mut stream = Stream::open_as(&api, credential, &id, None).await;
        assert_eq!(stream.next().await.expect("the state").data["status"], "running");
        streams.push(stream);
    }
    let mut streams = streams.into_iter();
    let mut own = streams.next().expect("a stream");

    let key = made["id"].as_str().expect("an id");
    assert_eq!(api.delete_as(&session, &format!("/api-keys/{key}")).await.status, 200);
    streams.next().expect("a stream").ends_unfinished().await;
    let connected = api.store.connected_applications(&api.account, NOW).await;
    let connected = connected.expect("it answers");
    let store = &api.store;
    store.disconnect_application(&api.account, &connected[0].id).await.expect("it answers");
    streams.next().expect("a stream").ends_unfinished().await;
    api.pass(Duration::from_secs(61));
    streams.next().expect("a stream").ends_unfinished().await;

    api.deliver(&mut lease, 0..2).await;
    own.until(|data| data["fetched"] == 2).await;
}

#[tokio::test]
async fn stream_limits_are_enforced_and_released() {
    let api = TestApi::with(|settings| {
        settings.limits.listeners = 2;
        settings.listeners = 3;
    })
    .await;
    let id = api.queued("example.com").await;
    let path = format!("/v1/jobs/{id}/events");
    let one = Stream::open(&api, &id, None).await;
    let _two = Stream::open(&api, &id, None).await;
    let refused = api.get(&path).await;
    assert_eq!(refused.refusal(), (429, "rate_limited"));
    assert!(refused.text.contains("account limit: 2 live streams"), "{}", refused.text);
    assert!(refused.header("retry-after").is_some());
    drop(one);
    timeout(LIMIT, async { while Stream::open(&api, &id, None).await.status() != 200 {} })
        .await
        .expect("a closed stream frees its place");

    let everybody = TestApi::with(|settings| settings.listeners = 1).await;
    let id = everybody.queued("example.com").await;
    let _one = Stream::open(&everybody, &id, None).await;
    let (_, other) = everybody.account("bob@example.com", 5).await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    let theirs = everybody.post_as(&other, "/v1/jobs", &body).await.job_id();
    let answer = everybody.get_as(&other, &format!("/v1/jobs/{theirs}/events")).await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert!(
        answer.text.contains("service limit: the maximum number of live streams"),
        "{}",
        answer.text
    );

    let address = TestApi::with(|settings| settings.address_listeners = 1).await;
    let id = address.queued("example.com").await;
    let _one = Stream::open(&address, &id, None).await;
    let answer = address.get(&format!("/v1/jobs/{id}/events")).await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert!(answer.text.contains("address limit: 1 live streams"), "{}", answer.text);
}

#[tokio::test]
async fn slow_stream_does_not_delay_others() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    let mut lazy = Stream::open(&api, &id, None).await;
    let mut keen = Stream::open(&api, &id, None).await;
    for page in 0..3 {
        api.deliver(&mut lease, page..page + 1).await;
        keen.until(|data| data["fetched"] == page + 1).await;
    }
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    assert_eq!(keen.until(|data| data["status"] == "completed").await.name, "end");
    assert_eq!(lazy.until(|data| data["status"] == "completed").await.name, "end");
}
