//! Live progress over HTTP from any node, and on the command line.

use std::process::{Command, Stdio};
use std::time::Duration;

use lab::{Catalogue, Lab, Refusing};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::server::{PATIENCE, Server, Setup, output, text, wait_for};

/// Sequential requests, so that a run takes seconds on any machine.
const PAGES: usize = 150;
const LATENCY: Duration = Duration::from_millis(25);

struct Scene {
    lab: Lab,
    setup: Setup,
    _folder: tempfile::TempDir,
}

async fn scene(kind: Kind) -> Scene {
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false)
        .serve("site.lab", Catalogue::plain(PAGES))
        .serve("endless.lab", Catalogue::plain(100_000))
        .serve("refusing.lab", Refusing::Everything);
    for host in ["site.lab", "endless.lab"] {
        lab.with_latency(host, LATENCY);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", database::fresh(kind).await)
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_HOST_CONCURRENCY", 1);
    Scene { lab, setup, _folder: folder }
}

/// Reads the events of a stream.
struct Events {
    answer: Response,
    text: String,
}

impl Events {
    async fn of(server: &Server, key: &str, job: &str, seen: Option<&str>) -> Self {
        let mut request = server.request(Method::GET, &format!("/v1/jobs/{job}/events"), key);
        if let Some(seen) = seen {
            request = request.header("Last-Event-ID", seen);
        }
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Self { answer, text: String::new() }
    }

    /// The next event: id, name and data; `None` at the end.
    async fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let field = |name| event.lines().find_map(|line| line.strip_prefix(name));
                let (Some(id), Some(name)) = (field("id: "), field("event: ")) else { continue };
                let data = serde_json::from_str(field("data: ").expect("data")).expect("JSON");
                return Some((id.to_owned(), name.to_owned(), data));
            }
            let chunk = tokio::time::timeout(PATIENCE, self.answer.chunk()).await.expect("in time");
            self.text.push_str(&text(&chunk.expect("a whole answer")?));
        }
    }
}

async fn stream_reports_progress_from_start_to_end(kind: Kind) {
    let Scene { lab, setup, _folder } = scene(kind).await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://site.lab/", json!({})).await;
    let mut events = Events::of(&server, &key, &job, None).await;
    let (mut fetched, mut last_id, mut rates, mut urls) = (0, 0, 0, Vec::new());
    let end = loop {
        let (id, name, data) = events.next().await.expect("an end comes first");
        let (id, now) = (id.parse().expect("a number"), data["fetched"].as_u64().expect("a count"));
        assert!(id >= last_id && now >= fetched, "it never goes back: {data}");
        (last_id, fetched) = (id, now);
        rates += u32::from(data["rate"].as_f64().is_some_and(|rate| rate > 0.0));
        urls.extend(data["fetching"].as_array().expect("a list").iter().cloned());
        if name == "end" {
            break data;
        }
    };
    assert_eq!(events.next().await, None);
    assert!(rates > 0, "a run of seconds shows how fast it goes");
    assert!(!urls.is_empty(), "and what it is at");
    let truth = lab.truth("site.lab").expect("a site");
    for url in &urls {
        let path = url.as_str().expect("text").strip_prefix("http://site.lab").expect("of it");
        assert!(truth.delivered.contains_key(path) || path == "/robots.txt", "{url}");
    }
    let job = server.get(&format!("/v1/jobs/{job}"), &key).await;
    for member in ["status", "counts", "credits_used", "error"] {
        assert_eq!(end[member], job[member], "{member}");
    }
    assert_eq!(end["status"], "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_reports_progress_from_start_to_end_on_sqlite() {
    stream_reports_progress_from_start_to_end(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn stream_reports_progress_from_start_to_end_on_postgres() {
    stream_reports_progress_from_start_to_end(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn any_node_streams_progress_and_clients_can_reconnect_on_postgres() {
    let Scene { lab: _lab, setup, _folder } = scene(Kind::Postgres).await;
    let role = |role: &str| setup.clone().argument("--role").argument(role);
    let mut front = Server::start(&role("api")).await;
    let key = front.first_key();
    let _works = setup_worker(&role("worker"));
    let job = front.create(&key, "http://endless.lab/", json!({})).await;
    let mut events = Events::of(&front, &key, &job, None).await;
    // This node does not run the job: it reads the stored progress.
    let seen = loop {
        let (id, _, data) = events.next().await.expect("it goes on");
        if data["fetching"].as_array().is_some_and(|urls| !urls.is_empty()) {
            break id;
        }
    };
    // The node of the client ends; another continues the stream.
    assert!(front.terminate().success());
    let front = Server::start(&role("api")).await;
    let mut events = Events::of(&front, &key, &job, Some(&seen)).await;
    let (id, ..) = events.next().await.expect("it goes on");
    assert!(id.parse::<i64>().expect("a number") > seen.parse().expect("a number"));
    front.post(&format!("/v1/jobs/{job}/abort"), &key, &json!({})).await;
    let end = loop {
        match events.next().await {
            Some((_, name, data)) if name == "end" => break data,
            Some(_) => {}
            None => panic!("the stream ended before the job"),
        }
    };
    assert_eq!(end["status"], "aborted");
}

/// A worker without an API, killed when dropped.
fn setup_worker(setup: &Setup) -> KilledAtEnd {
    let child = setup.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    KilledAtEnd(child.expect("it starts"))
}

struct KilledAtEnd(std::process::Child);

impl Drop for KilledAtEnd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_server_ends_its_streams() {
    let Scene { lab: _lab, setup, _folder } = scene(Kind::Sqlite).await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://endless.lab/", json!({})).await;
    let mut events = Events::of(&server, &key, &job, None).await;
    events.next().await.expect("a state");
    let logged = std::sync::Arc::clone(&server.logged);
    let stopping = tokio::task::spawn_blocking(move || server.terminate());
    while events.next().await.is_some() {}
    assert!(stopping.await.expect("no panic").success());
    let logged = logged.lock().expect("no panic").clone();
    assert!(!logged.contains("still under way"), "no stream had to be cut off: {logged}");
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_command_prints_progress_until_the_end() {
    let Scene { lab: _lab, setup, _folder } = scene(Kind::Sqlite).await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://site.lab/", json!({})).await;
    let watched = output(setup.other().args(["watch", &job]));
    let (out, said) = (text(&watched.stdout), text(&watched.stderr));
    assert_eq!(watched.status.code(), Some(0), "{said}");
    let lines: Vec<_> = out.lines().collect();
    assert!(lines.len() > 1, "a line a change: {out}");
    let last = lines.last().expect("a line");
    assert!(last.starts_with(&format!("{PAGES}/{PAGES}  completed  {PAGES} results")), "{out}");
    assert!(lines.iter().any(|line| line.contains("/s  http://site.lab/")), "{out}");

    // Watching a finished job prints its end at once.
    let watched = output(setup.other().args(["watch", &job, "--json"]));
    let end: Value = serde_json::from_slice(&watched.stdout).expect("one line of JSON");
    assert_eq!((watched.status.code(), &end["status"]), (Some(0), &"completed".into()));

    let failed = server.create(&key, "http://refusing.lab/", json!({})).await;
    let watched = output(setup.other().args(["watch", &failed]));
    assert_eq!(watched.status.code(), Some(1));
    assert!(text(&watched.stdout).contains("target_blocked"), "{}", text(&watched.stdout));
    let unknown = output(setup.other().args(["watch", "job_unknown"]));
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("there is no job"));
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_watch_does_not_stop_the_job() {
    let Scene { lab: _lab, setup, _folder } = scene(Kind::Sqlite).await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://endless.lab/", json!({})).await;
    server.wait(&key, &job, &["running"]).await;
    let mut watch = setup
        .other()
        .args(["watch", &job])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut out = std::io::BufReader::new(watch.stdout.take().expect("a pipe"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).expect("a line");
    let stopped = Command::new("kill").args(["-INT", &watch.id().to_string()]).status();
    assert!(stopped.expect("kill runs").success());
    assert_eq!(watch.wait().expect("it ends").code(), Some(130));
    let before = server.get(&format!("/v1/jobs/{job}"), &key).await;
    assert_eq!(before["status"], "running");
    wait_for(async || {
        let now = server.get(&format!("/v1/jobs/{job}"), &key).await;
        (now["counts"]["results"].as_u64() > before["counts"]["results"].as_u64()).then_some(())
    })
    .await;
}
