//! Headers, cookies and credentials of jobs: they reach their origin and nothing else.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract::JobId;
use fixture::ReceiverBehavior;
use lab::{Lab, Reply, Request, Site, SiteTruth};
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::server::{output, text};
use crate::webhooks::harness::Scene;

/// Every secret contains this text.
const SECRET: &str = "s3cret-value";

/// A site that serves its pages, sitemap and robots.txt only to clients with credentials.
#[derive(Debug, Clone, Default)]
struct Guarded {
    /// Requests without credentials.
    refused: Arc<AtomicUsize>,
}

impl Site for Guarded {
    fn answer(&self, _: &str) -> Reply {
        Reply::status(404)
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        let is = |name: &str, value: &str| request.header(name) == Some(value);
        // user-s3cret-value:s3cret-value
        let basic = "Basic dXNlci1zM2NyZXQtdmFsdWU6czNjcmV0LXZhbHVl";
        let with_all = is("x-token", "s3cret-value-header")
            && request.cookie("id") == Some("s3cret-value-cookie")
            && is("authorization", basic);
        if !with_all && !is("authorization", "Bearer s3cret-value-bearer") {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Reply::status(401);
        }
        let words = "A page that only clients with credentials can read. ".repeat(8);
        match request.path() {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private\n"),
            "/" => Reply::html(format!(
                "<title>Start</title><main><h1>Start</h1><p>{words}</p><a href=/a>A</a> \
                 <a href=/b.pdf>B</a> <a href=/private>P</a> <a href=/away>away</a> \
                 <a href=http://foreign.lab/linked>linked</a></main>"
            )),
            "/a" => Reply::html(format!("<title>A</title><main><h1>A</h1><p>{words}</p></main>"))
                .with_header("set-cookie", "extra=s3cret-value-set; Path=/"),
            "/b.pdf" => Reply::typed(200, "application/pdf", "%PDF-1.4"),
            "/away" => Reply::redirect(302, "http://foreign.lab/stolen"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// Another site, which notes what it was sent.
#[derive(Debug, Clone, Default)]
struct Foreign {
    requests: Arc<AtomicUsize>,
    secrets: Arc<AtomicUsize>,
}

impl Site for Foreign {
    fn answer(&self, _: &str) -> Reply {
        Reply::status(404)
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let sent = ["authorization", "cookie", "x-token"].map(|name| request.header(name));
        self.secrets.fetch_add(usize::from(sent.iter().any(Option::is_some)), Ordering::Relaxed);
        match request.path() {
            "/robots.txt" => Reply::text(""),
            _ => Reply::html("<title>Foreign</title><p>Another site."),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

struct Guard {
    scene: Scene,
    guarded: Guarded,
    foreign: Foreign,
}

impl Guard {
    async fn start() -> Self {
        let (guarded, foreign) = (Guarded::default(), Foreign::default());
        let served = (guarded.clone(), foreign.clone());
        let sites = |lab: &Lab| {
            lab.serve("guarded.lab", served.0).serve("foreign.lab", served.1);
        };
        let settings = [("TRAWL_LOG", "debug"), ("TRAWL_CHROMIUM", "none")];
        let manners = |_: &fixture::ReceivedRequest| ReceiverBehavior::Status(200);
        let scene = Scene::over(Kind::Sqlite, sites, &settings, manners).await;
        Self { scene, guarded, foreign }
    }

    /// Runs a job and returns it after its end, with its results.
    async fn run(&self, more: Value) -> (String, Vec<Value>) {
        let Scene { server, key, .. } = &self.scene;
        let job = server.create(key, "http://guarded.lab/", more).await;
        let done = server.wait(key, &job, &["completed", "failed"]).await;
        assert_eq!(done["status"], "completed", "{done}");
        let items = server.results(key, &job).await;
        (job, items)
    }

    async fn refused(&self, path: &str, body: &Value) -> Value {
        let answer = self.scene.server.post(path, &self.scene.key, body).await;
        assert_eq!(answer.status(), 422, "{body}");
        answer.json().await.expect("JSON")
    }
}

fn all_credentials() -> Value {
    json!({
        "headers": {"X-Token": "s3cret-value-header"},
        "cookies": {"id": "s3cret-value-cookie"},
        "basic_auth": {"username": "user-s3cret-value", "password": "s3cret-value"},
        "scope": {"include_external": true, "include_files": true},
    })
}

/// The files below a folder that contain a text.
fn files_with(folder: &Path, wanted: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, wanted));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.windows(wanted.len()).any(|part| part == wanted.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

fn urls(items: &[Value]) -> Vec<&str> {
    let mut urls: Vec<_> = items.iter().filter_map(|item| item["url"].as_str()).collect();
    urls.sort_unstable();
    urls
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_of_a_job_reach_its_origin_and_are_seen_nowhere_else() {
    let guard = Guard::start().await;
    let Scene { server, key, receiver, folder, database, .. } = &guard.scene;
    guard.scene.hook("all", json!(["job.completed", "job.progress", "job.failed"])).await;

    let (job, items) = guard.run(all_credentials()).await;
    let expected = [
        "http://foreign.lab/linked",
        "http://guarded.lab/",
        "http://guarded.lab/a",
        "http://guarded.lab/b.pdf",
    ];
    assert_eq!(urls(&items), expected, "robots.txt was read with the credentials too");
    assert_eq!(guard.guarded.refused.load(Ordering::Relaxed), 0, "every request has them");
    assert!(guard.foreign.requests.load(Ordering::Relaxed) > 0);

    // What an answer shows.
    let shown = server.get(&format!("/v1/jobs/{job}"), key).await;
    assert_eq!(
        shown["access"],
        json!({
            "headers": {"X-Token": "(hidden)"},
            "cookies": {"id": "(hidden)"},
            "basic_auth": {"username": "(hidden)", "password": "(hidden)"},
        })
    );
    let list = server.get("/v1/jobs", key).await.to_string();
    let skipped = server.get(&format!("/v1/jobs/{job}/skipped"), key).await.to_string();
    for (what, answer) in [
        ("job", shown.to_string()),
        ("list", list),
        ("skipped", skipped),
        ("results", Value::from(items).to_string()),
        ("events", Value::from(guard.scene.events().await).to_string()),
    ] {
        assert!(!answer.contains(SECRET), "{what}: {answer}");
    }
    for format in ["csv", "json", "jsonl"] {
        let path = format!("/v1/jobs/{job}/export");
        let export = server.post(&path, key, &json!({"format": format})).await;
        let export: Value = export.json().await.expect("JSON");
        let link = export["url"].as_str().unwrap_or_else(|| panic!("{format}: {export}"));
        let file = reqwest::get(link).await.expect("an answer").bytes().await.expect("a file");
        assert!(!file.is_empty(), "{format}");
        assert!(!text(&file).contains(SECRET), "{format}");
    }
    let received = guard.scene.asked(1).await;
    assert!(received.iter().all(|it| !text(&it.body).contains(SECRET)));
    let id: JobId = job.parse().expect("an id");
    let store = database::open(database, folder.path()).await;
    assert_eq!(store.job_secrets(&id).await.expect("it answers"), None, "erased with the end");
    store.close().await;

    // The shared robots.txt of another run was not read with credentials.
    let other = server.create(key, "http://guarded.lab/", json!({})).await;
    let done = server.wait(key, &other, &["completed", "failed"]).await;
    assert_eq!(done["status"], "failed", "{done}");
    let refused = guard.guarded.refused.swap(0, Ordering::Relaxed);
    assert!(refused >= 2, "robots.txt and the start page: {refused}");

    let (_, items) = guard.run(json!({"bearer": "s3cret-value-bearer"})).await;
    assert_eq!(urls(&items), ["http://guarded.lab/", "http://guarded.lab/a"]);
    let list = json!({"mode": "links", "bearer": "s3cret-value-bearer",
        "urls": ["http://guarded.lab/", "http://guarded.lab/a", "http://guarded.lab/away"]});
    let made: Value = server.post("/v1/jobs", key, &list).await.json().await.expect("JSON");
    let listed = made["job_id"].as_str().expect("an id");
    server.wait(key, listed, &["completed"]).await;
    assert_eq!(server.results(key, listed).await.len(), 3);
    assert_eq!(guard.guarded.refused.load(Ordering::Relaxed), 0);

    assert_eq!(guard.foreign.secrets.load(Ordering::Relaxed), 0, "no secret left the origin");
    assert_eq!(files_with(folder.path(), SECRET), Vec::<String>::new());
    let logged = server.logged.lock().expect("no panic").clone();
    assert!(logged.contains("guarded.lab") && !logged.contains(SECRET), "the log");
    assert!(receiver.received().iter().all(|it| !text(&it.body).contains(SECRET)));
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_of_a_waiting_job_and_of_a_schedule_are_sealed() {
    let guard = Guard::start().await;
    let Scene { server, key, folder, database, lab, .. } = &guard.scene;
    // The run waits for its first response while the files are searched.
    lab.with_latency("guarded.lab", std::time::Duration::from_secs(600));
    let job = server.create(key, "http://guarded.lab/", all_credentials()).await;
    let schedule = json!({"cron": "@yearly", "request": {"mode": "links",
        "url": "http://guarded.lab/", "bearer": "s3cret-value-bearer"}});
    let made: Value =
        server.post("/v1/schedules", key, &schedule).await.json().await.expect("JSON");
    assert_eq!(made["request"]["bearer"], "(hidden)", "{made}");
    let schedule = made["id"].as_str().expect("an id").to_owned();
    assert_eq!(files_with(folder.path(), SECRET), Vec::<String>::new());
    let store = database::open(database, folder.path()).await;
    assert!(has_secrets(&store, &job).await, "the row exists while the job runs");
    store.close().await;

    // The same key with another secret is another request.
    let body = |secret: &str| {
        json!({"mode": "links", "url": "http://guarded.lab/other/", "bearer": secret,
            "scope": {"one_page": true}})
    };
    let send = async |secret: &str| {
        let request = server.request(reqwest::Method::POST, "/v1/jobs", key);
        let request = request.header("Idempotency-Key", "once").json(&body(secret));
        request.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(send("s3cret-value-bearer").await, 202);
    assert_eq!(send("s3cret-value-bearer").await, 202);
    assert_eq!(send("s3cret-value-guess").await, 422);

    let aborted = server.post(&format!("/v1/jobs/{job}/abort"), key, &json!({})).await;
    assert_eq!(aborted.status(), 200);
    let store = database::open(database, folder.path()).await;
    assert!(!has_secrets(&store, &job).await, "erased by the abort");
    store.close().await;

    lab.with_latency("guarded.lab", std::time::Duration::ZERO);
    let run = server.post(&format!("/v1/schedules/{schedule}/run"), key, &json!({})).await;
    assert_eq!(run.status(), 202);
    let run: Value = run.json().await.expect("JSON");
    let run = run["job_id"].as_str().expect("an id");
    let done = server.wait(key, run, &["completed", "failed"]).await;
    assert_eq!((&done["status"], server.results(key, run).await.len()), (&json!("completed"), 2));
    let patched = server
        .request(reqwest::Method::PATCH, &format!("/v1/schedules/{schedule}"), key)
        .json(&json!({"request": {"mode": "links", "url": "http://guarded.lab/",
            "bearer": "(hidden)"}}))
        .send()
        .await
        .expect("an answer");
    assert_eq!(patched.status(), 422, "a hidden value is no value");
    assert_eq!(files_with(folder.path(), SECRET), Vec::<String>::new());
}

/// Whether there are sealed secrets of the job.
async fn has_secrets(store: &store::Store, job: &str) -> bool {
    let id: JobId = job.parse().expect("an id");
    // This store has no key: a row is an error.
    !matches!(store.job_secrets(&id).await, Ok(None))
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_would_leak_secrets_are_refused_with_a_hint() {
    let guard = Guard::start().await;
    let with_password = "http://ada:s3cret-value@guarded.lab/";
    for body in [
        json!({"mode": "links", "url": with_password}),
        json!({"mode": "links", "urls": [with_password]}),
    ] {
        let problem = guard.refused("/v1/jobs", &body).await.to_string();
        assert!(problem.contains("basic_auth") && !problem.contains(SECRET), "{problem}");
        let schedule = json!({"cron": "@daily", "request": body});
        let problem = guard.refused("/v1/schedules", &schedule).await.to_string();
        assert!(problem.contains("basic_auth") && !problem.contains(SECRET), "{problem}");
    }
    for (path, more) in [
        ("/v1/pages", json!({})),
        ("/v1/map", json!({})),
        ("/v1/estimate", json!({"mode": "links"})),
    ] {
        let mut body = more;
        body["url"] = json!(with_password);
        let problem = guard.refused(path, &body).await.to_string();
        assert!(problem.contains("basic_auth") && !problem.contains(SECRET), "{path}: {problem}");
    }
    for command in ["crawl", "read", "map", "estimate"] {
        let refused = output(guard.scene.setup.other().args([command, with_password]));
        let printed = text(&refused.stderr);
        assert!(!refused.status.success(), "{command}");
        assert!(printed.contains("--basic-auth") && !printed.contains(SECRET), "{printed}");
    }
    let two = json!({"mode": "links", "bearer": SECRET,
        "urls": ["http://guarded.lab/", "http://foreign.lab/"]});
    let problem = guard.refused("/v1/jobs", &two).await;
    assert_eq!(problem["errors"][0]["field"], "bearer");
    assert!(problem["errors"][0]["message"].as_str().expect("it").contains("one origin"));
    let login = json!({"mode": "links", "url": "http://guarded.lab/",
        "login": {"url": "http://foreign.lab/login",
            "actions": [{"type": "type", "text": SECRET}]}});
    let problem = guard.refused("/v1/jobs", &login).await;
    let fields: Vec<_> = problem["errors"].as_array().expect("errors").iter().collect();
    assert_eq!(fields[0]["field"], "login.url", "{problem}");
    assert_eq!(fields[1]["field"], "login", "no browser: {problem}");
    assert!(!problem.to_string().contains(SECRET));
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_command_sends_credentials_to_the_start_only() {
    let guard = Guard::start().await;
    let crawl = |more: &[&str]| {
        let mut command = guard.scene.setup.other();
        command.args(["crawl", "http://guarded.lab/", "--mode", "links", "-q", "--delay", "0"]);
        output(command.args(more))
    };
    let done = crawl(&[
        "--header",
        "X-Token: s3cret-value-header",
        "--cookie",
        "id=s3cret-value-cookie",
        "--basic-auth",
        "user-s3cret-value:s3cret-value",
        "--include-external",
    ]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(text(&done.stdout).lines().count(), 3, "{}", text(&done.stdout));
    let done = crawl(&["--bearer", "s3cret-value-bearer"]);
    assert_eq!(text(&done.stdout).lines().count(), 2, "{}", text(&done.stderr));
    assert_eq!(guard.guarded.refused.load(Ordering::Relaxed), 0);
    assert_eq!(guard.foreign.secrets.load(Ordering::Relaxed), 0);
    let refused = crawl(&["--header", "Host: elsewhere"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    let needs_browser = crawl(&["--render", "always"]);
    assert!(text(&needs_browser.stderr).contains("Chromium"), "{}", text(&needs_browser.stderr));
}
