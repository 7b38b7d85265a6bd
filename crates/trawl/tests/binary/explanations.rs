//! Why a URL was delivered, skipped or never found, by the API, for runs of sites and of lists.

use std::time::Duration;

use lab::{Lab, Reply, Site, SiteTruth};
use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text, wait_for};

/// A site with a page of each disposition.
#[derive(Debug)]
struct Quay;

impl Site for Quay {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private\n"),
            "/" => Reply::html(
                "<title>Quay</title><main><h1>Quay</h1><p>A text about ships.</p><a href=/p/1>1</a>\
                 <a href=/private/a>private</a><a href=/old>old</a><a href=/missing>gone</a></main>",
            ),
            "/old" => Reply::redirect(301, "/p/1"),
            _ if path.starts_with("/p/") => Reply::html(format!(
                "<title>{path}</title><main><h1>Page {path}</h1><p>This is the text of the page \
                 {path} and no other page has it.</p></main>"
            )),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

struct Scene {
    lab: Lab,
    server: Server,
    key: String,
    setup: Setup,
    _folder: tempfile::TempDir,
}

async fn scene() -> Scene {
    let lab = Lab::start().await.expect("a port");
    lab.serve("quay.lab", Quay).serve("slow.lab", Quay);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_FIRST_BYTE_MS", 300_000)
        .with("TRAWL_CHROMIUM", "none");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { lab, server, key, setup, _folder: folder }
}

impl Scene {
    async fn explained(&self, job: &str, url: &str) -> Value {
        let path = format!("/v1/jobs/{job}/explain");
        let answer = self.server.post(&path, &self.key, &json!({"url": url})).await;
        let status = answer.status();
        let answer: Value = answer.json().await.expect("JSON");
        assert_eq!(status, 200, "{url}: {answer}");
        answer
    }

    /// The id of a job over these URLs.
    async fn list(&self, urls: &[&str]) -> String {
        let body = json!({"mode": "markdown", "urls": urls});
        let made = self.server.post("/v1/jobs", &self.key, &body).await;
        let made: Value = made.json().await.expect("JSON");
        made["job_id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    }
}

/// The rule robots of an explanation: whether it passes, and the line.
fn robots(explanation: &Value) -> (&Value, &Value) {
    let checks = explanation["checks"].as_array().expect("checks");
    let check = checks.iter().find(|check| check["rule"] == "robots").expect("the rule");
    (&check["passes"], &check["matched"])
}

#[tokio::test(flavor = "multi_thread")]
async fn explanation_of_a_site_names_referrer_redirect_and_line_of_robots_txt() {
    let scene = scene().await;
    let url = "http://quay.lab/";
    let job = scene.server.create(&scene.key, url, json!({"mode": "markdown"})).await;
    scene.server.wait(&scene.key, &job, &["completed"]).await;
    let delivered = scene.explained(&job, "/p/1").await;
    assert_eq!(
        (&delivered["disposition"], &delivered["found_on"], &delivered["depth"]),
        (&json!("delivered"), &json!(url), &json!(1)),
        "{delivered}"
    );
    let private = scene.explained(&job, "/private/a").await;
    assert_eq!(
        (&private["disposition"], &private["reason"], robots(&private)),
        (&json!("skipped"), &json!("robots"), (&json!(false), &json!("Disallow: /private")))
    );
    assert!(private["message"].as_str().expect("it").contains("Disallow: /private"), "{private}");
    let moved = scene.explained(&job, "/old").await;
    assert_eq!(
        (&moved["disposition"], &moved["redirects_to"]),
        (&json!("skipped"), &json!("http://quay.lab/p/1")),
        "{moved}"
    );
    let missing = scene.explained(&job, "/missing").await;
    assert_eq!(
        (&missing["reason"], &missing["status_code"], &missing["found_on"]),
        (&json!("broken"), &json!(404), &json!(url)),
        "{missing}"
    );
    let unknown = scene.explained(&job, "/private/unknown").await;
    assert_eq!(unknown["disposition"], "never_found");
    assert!(unknown["message"].as_str().expect("it").contains("The rule robots"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn explanation_of_a_list_has_the_disposition_of_each_url() {
    let scene = scene().await;
    let on = |path: &str| format!("http://quay.lab{path}");
    let urls = ["/p/1?id=7", "/old", "/private/a", "/missing"].map(on);
    let job = scene.list(&urls.each_ref().map(String::as_str)).await;
    scene.server.wait(&scene.key, &job, &["completed"]).await;
    for url in &urls[..2] {
        let delivered = scene.explained(&job, url).await;
        assert_eq!(
            (&delivered["disposition"], &delivered["url"]),
            (&json!("delivered"), &json!(url))
        );
    }
    let private = scene.explained(&job, &urls[2]).await;
    assert_eq!(
        (&private["disposition"], &private["reason"], robots(&private)),
        (&json!("skipped"), &json!("robots"), (&json!(false), &json!("Disallow: /private"))),
        "{private}"
    );
    let missing = scene.explained(&job, &urls[3]).await;
    assert_eq!(
        (&missing["disposition"], &missing["reason"], &missing["status_code"]),
        (&json!("skipped"), &json!("broken"), &json!(404))
    );
    // Without its query it is another URL.
    let unknown = scene.explained(&job, &on("/p/1")).await;
    assert_eq!(unknown["disposition"], "never_found");
    assert!(unknown["message"].as_str().expect("it").contains("not in the list"), "{unknown}");
    let path = format!("/v1/jobs/{job}/explain");
    let relative = scene.server.post(&path, &scene.key, &json!({"url": "/p/1"})).await;
    assert_eq!(relative.status(), 422);

    let mut command = scene.setup.other();
    let shown = output(command.args(["job", "explain", &job, &urls[2]]));
    assert!(text(&shown.stdout).contains("Disallow: /private"), "{}", text(&shown.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn url_of_a_list_is_pending_until_it_is_fetched() {
    let scene = scene().await;
    // Longer than the test: its page is never answered.
    scene.lab.with_latency("slow.lab", Duration::from_secs(600));
    let job = scene.list(&["http://slow.lab/p/1", "http://quay.lab/p/1"]).await;
    wait_for(async || {
        let seen = scene.server.get(&format!("/v1/jobs/{job}"), &scene.key).await;
        (seen["counts"]["results"] == 1).then_some(())
    })
    .await;
    let delivered = scene.explained(&job, "http://quay.lab/p/1").await;
    assert_eq!(delivered["disposition"], "delivered");
    let pending = scene.explained(&job, "http://slow.lab/p/1").await;
    assert_eq!(pending["disposition"], "pending", "{pending}");
    let abort = scene.server.post(&format!("/v1/jobs/{job}/abort"), &scene.key, &json!({})).await;
    assert_eq!(abort.status(), 200);
    let aborted = scene.explained(&job, "http://slow.lab/p/1").await;
    assert_eq!(aborted["disposition"], "pending", "{aborted}");
    assert!(aborted["message"].as_str().expect("it").contains("aborted"), "{aborted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn explanation_of_an_uploaded_list_knows_what_it_contains() {
    let scene = scene().await;
    let lines = (0..2_500).map(|at| format!("http://quay.lab/p/{at}\n")).collect::<String>();
    let request = scene.server.request(reqwest::Method::POST, "/v1/lists", &scene.key);
    let made = request.header("content-type", "text/plain").body(lines).send().await;
    let made: Value = made.expect("an answer").json().await.expect("JSON");
    let body = json!({"mode": "links", "list_id": made["list_id"],
        "options": {"sample_size": 2_100}});
    let job: Value =
        scene.server.post("/v1/jobs", &scene.key, &body).await.json().await.expect("JSON");
    let job = job["job_id"].as_str().unwrap_or_else(|| panic!("{job}"));
    // In its second shard, and beyond the sample.
    let known = scene.explained(job, "http://quay.lab/p/2099").await;
    assert_ne!(known["disposition"], "never_found", "{known}");
    let beyond = scene.explained(job, "http://quay.lab/p/2100").await;
    assert_eq!(beyond["disposition"], "never_found", "{beyond}");
    scene.server.post(&format!("/v1/jobs/{job}/abort"), &scene.key, &json!({})).await;
}
