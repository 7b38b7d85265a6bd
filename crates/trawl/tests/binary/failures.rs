//! Failures name what failed, in jobs and in page calls, and cost nothing.

use lab::{Lab, Reply, Scripted, Site, SiteTruth};
use serde_json::{Value, json};

use crate::server::{Server, Setup};

struct FailureScene {
    server: Server,
    key: String,
    _lab: Lab,
    _folder: tempfile::TempDir,
}

/// A complete start page with links to two pages that need JavaScript.
#[derive(Debug)]
struct HomeAndShells;

impl Site for HomeAndShells {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/" => {
                let words = "A start page that is complete without scripts. ".repeat(20);
                Reply::html(format!(
                    "<title>Home</title><main><h1>Home</h1><p>{words}</p>\
                     <a href=/one>one</a> <a href=/two>two</a></main>"
                ))
            }
            "/one" | "/two" => Scripted::Shell.answer("/"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// A server with sites that need JavaScript, a host that refuses connections, and a browser
/// that does not start.
async fn scene() -> FailureScene {
    let lab = Lab::start().await.expect("a port");
    lab.serve("app.lab", Scripted::Shell).serve("mixed.lab", HomeAndShells);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", format!("{},closed.lab=127.0.0.1:1", lab.name_table()))
        .with("TRAWL_CHROMIUM", "/bin/false")
        .with("TRAWL_RETRY_MS", 10);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    FailureScene { server, key, _lab: lab, _folder: folder }
}

impl FailureScene {
    async fn credits(&self) -> Value {
        self.server.get("/v1/account", &self.key).await["credits"].clone()
    }

    /// The error of a job on the start page of a site.
    async fn job_error(&self, url: &str) -> Value {
        let job = self.server.create(&self.key, url, json!({"scope": {"one_page": true}})).await;
        let done = self.server.wait(&self.key, &job, &["completed", "failed"]).await;
        assert_eq!(
            (&done["status"], &done["credits_used"]),
            (&json!("failed"), &json!(0)),
            "{done}"
        );
        done["error"].clone()
    }

    /// The problem of a page call.
    async fn page_problem(&self, url: &str) -> Value {
        let answer = self.server.post("/v1/pages", &self.key, &json!({"url": url})).await;
        assert_eq!(answer.status(), 502, "{url}");
        answer.json().await.expect("JSON")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_that_does_not_start_is_provider_down_and_free() {
    let scene = scene().await;
    let before = scene.credits().await;
    let error = scene.job_error("http://app.lab/").await;
    assert_eq!(error["code"], "provider_down", "{error}");
    assert_eq!(error["cause"], "service_unavailable", "{error}");
    let problem = scene.page_problem("http://app.lab/").await;
    assert_eq!(
        (&problem["code"], &problem["cause"]),
        (&json!("page_failed"), &json!("provider_down"))
    );
    assert_eq!(scene.credits().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_need_a_browser_are_skipped_and_free_if_it_does_not_start() {
    let scene = scene().await;
    let server = &scene.server;
    let more = json!({"mode": "markdown"});
    let job = server.create(&scene.key, "http://mixed.lab/", more).await;
    let done = server.wait(&scene.key, &job, &["completed", "failed"]).await;
    assert_eq!(
        (&done["counts"]["results"], &done["credits_used"]),
        (&json!(1), &json!(2)),
        "{done}"
    );
    let skipped = server.get(&format!("/v1/jobs/{job}/skipped"), &scene.key).await;
    let causes: Vec<_> = skipped["items"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            (row["url"].as_str().unwrap_or_default(), row["cause"].as_str().unwrap_or_default())
        })
        .collect();
    for path in ["http://mixed.lab/one", "http://mixed.lab/two"] {
        assert!(causes.contains(&(path, "service_unavailable")), "{causes:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_connection_is_named_in_jobs_and_page_calls() {
    let scene = scene().await;
    let before = scene.credits().await;
    let error = scene.job_error("http://closed.lab/").await;
    assert_eq!(error["cause"], "connection_refused", "{error}");
    let problem = scene.page_problem("http://closed.lab/").await;
    assert_eq!(problem["failure_cause"], "connection_refused", "{problem}");
    assert_eq!(scene.credits().await, before);
}
