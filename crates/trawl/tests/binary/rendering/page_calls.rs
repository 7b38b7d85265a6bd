//! `POST /v1/pages` and `trawl read` with a browser: pictures, waits, actions, credentials.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lab::{Reply, Request, Site, SiteTruth};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{Scene, scene};
use crate::server::{output, text};

const URL: &str = "http://app.lab/";

/// A page whose text appears by JavaScript, and more of it after a click.
#[derive(Debug, Clone, Default)]
struct App {
    /// Requests with a secret.
    secrets: Arc<AtomicUsize>,
}

impl Site for App {
    fn answer(&self, _: &str) -> Reply {
        Reply::status(404)
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        let member = request.header("cookie").is_some_and(|cookie| cookie.contains("id=s3cret"));
        self.secrets.fetch_add(usize::from(member), Ordering::Relaxed);
        let words = "The app shows a text of some length that is written by its script. ".repeat(8);
        match request.path() {
            "/robots.txt" => Reply::text(""),
            "/" => Reply::html(format!(
                "<title>App</title><main><h1>App</h1><p id=text></p><button id=more>More</button>\
                 <p>member: {member}</p><div style='height:2500px'></div></main><script>\
                 document.cookie = 'left=behind';\
                 text.textContent = {words:?};\
                 more.onclick = () => {{ const p = document.createElement('p'); p.id = 'added';\
                 p.textContent = 'More was loaded.'; text.after(p) }}</script>"
            )),
            "/away" => Reply::redirect(302, "http://other.lab/"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

impl Scene {
    async fn read_page(&self, more: Value) -> (StatusCode, Value) {
        let mut body = json!({"url": URL});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("members").clone());
        let answer = self.server.post("/v1/pages", &self.key, &body).await;
        let status = answer.status();
        (status, answer.json().await.expect("JSON"))
    }
}

/// The bytes behind a link, which needs no key.
async fn download(file: &Value) -> Vec<u8> {
    let answer = reqwest::get(file["url"].as_str().expect("a link")).await.expect("it answers");
    assert_eq!(answer.status(), 200);
    answer.bytes().await.expect("bytes").to_vec()
}

fn height(picture: &[u8]) -> u32 {
    assert!(picture.starts_with(b"\x89PNG"), "a PNG");
    u32::from_be_bytes(picture[20..24].try_into().expect("four bytes"))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_call_controls_the_browser() {
    let (app, other) = (App::default(), App::default());
    let served = (app.clone(), other.clone());
    let scene = scene(&[], |lab| {
        lab.serve("app.lab", served.0).serve("other.lab", served.1);
    })
    .await;
    let credits = async || scene.server.get("/v1/account", &scene.key).await["credits"].clone();

    // A picture, rendered HTML, and the text after a click.
    let actions = json!([{"type": "click", "selector": "#more"}]);
    let more = json!({"formats": ["item", "html", "raw_html", "screenshot"], "actions": actions,
        "timeout_ms": 60_000});
    let (status, answer) = scene.read_page(more).await;
    assert_eq!(status, 200, "{answer}");
    let markdown = answer["item"]["markdown"].as_str().expect("a text");
    assert!(markdown.contains("More was loaded."), "{markdown}");
    assert!(height(&download(&answer["screenshot"]).await) >= 2_500, "the whole page");
    let html = String::from_utf8(download(&answer["html"]).await).expect("UTF-8");
    assert!(html.contains("More was loaded.") && !html.contains("<script"), "{html}");
    let raw = String::from_utf8(download(&answer["raw_html"]).await).expect("UTF-8");
    assert!(raw.contains("More was loaded.") && raw.contains("<script"), "{raw}");
    assert!(answer.get("warnings").is_none(), "{answer}");

    let more = json!({"formats": ["screenshot"], "screenshot_area": "viewport",
        "timeout_ms": 60_000});
    let (status, answer) = scene.read_page(more).await;
    assert_eq!(status, 200, "{answer}");
    assert!(height(&download(&answer["screenshot"]).await) < 2_000, "the viewport");

    // A failed action is free, and names its position.
    let before = credits().await;
    let actions = json!([{"type": "scroll"}, {"type": "click", "selector": "#missing"}]);
    let (status, problem) =
        scene.read_page(json!({"actions": actions, "timeout_ms": 60_000})).await;
    assert_eq!((status.as_u16(), &problem["code"]), (422, &json!("action_failed")), "{problem}");
    assert_eq!(problem["action"], 1);
    let named = "actions[1]: click #missing: no element matches the selector";
    assert_eq!(problem["message"], named, "{problem}");
    height(&download(&problem["screenshot"]).await);
    assert_eq!(credits().await, before);

    // A selector that never appears is a warning.
    let (status, answer) =
        scene.read_page(json!({"wait_for": "#never", "timeout_ms": 15_000})).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer["warnings"][0].as_str().expect("a warning").contains("wait_for"), "{answer}");
    assert!(answer["item"]["markdown"].as_str().expect("a text").contains("written by its script"));

    // Without the script there is no text to deliver but the labels.
    let (_, answer) = scene.read_page(json!({"render": "never"})).await;
    assert!(!answer.to_string().contains("written by its script"), "{answer}");
    let (status, answer) =
        scene.read_page(json!({"render": "always", "formats": ["metadata"]})).await;
    assert_eq!((status.as_u16(), &answer["metadata"]["rendered"]), (200, &json!(true)), "{answer}");

    // Credentials reach the origin of the URL, and no other after a redirect.
    let cookies = json!({"id": "s3cret"});
    let (_, answer) = scene.read_page(json!({"cookies": cookies, "render": "always"})).await;
    assert!(answer.to_string().contains("member: true"), "{answer}");
    assert!(app.secrets.load(Ordering::Relaxed) > 0);
    let away = json!({"url": "http://app.lab/away", "cookies": cookies, "render": "always"});
    let (status, answer) = scene.read_page(away).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer.to_string().contains("member: false"), "{answer}");
    assert_eq!(other.secrets.load(Ordering::Relaxed), 0);
    let (_, answer) = scene.read_page(json!({"render": "always"})).await;
    assert!(answer.to_string().contains("member: false"), "no login stays: {answer}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn read_command_writes_the_picture_and_the_html() {
    let scene = scene(&[], |lab| {
        lab.serve("app.lab", App::default());
    })
    .await;
    let (picture, html) = (scene.scratch().join("page.png"), scene.scratch().join("page.html"));
    let mut command = scene.setup.other();
    command.args(["read", URL, "--wait-for", "100", "--cookie", "id=s3cret", "--screenshot"]);
    let printed = output(command.arg(&picture).arg("--html").arg(&html));
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    assert!(text(&printed.stdout).contains("member: true"), "{}", text(&printed.stdout));
    height(&std::fs::read(&picture).expect("the picture"));
    let html = std::fs::read_to_string(&html).expect("the HTML");
    assert!(html.contains("written by its script"), "{html}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn crawl_command_writes_pictures_of_the_chosen_area() {
    let scene = scene(&[], |lab| {
        lab.serve("app.lab", App::default());
    })
    .await;
    let mut heights = Vec::new();
    for area in ["full_page", "viewport"] {
        let files = scene.scratch().join(area);
        let mut command = scene.setup.other();
        command.args(["crawl", URL, "--one-page", "-q", "--formats", "screenshot"]);
        command.args(["--screenshot-area", area, "-o"]).arg(scene.scratch().join("items.jsonl"));
        let ended = output(command.arg("--files").arg(&files));
        assert!(ended.status.success(), "{}", text(&ended.stderr));
        let index = std::fs::read_to_string(files.join("index.jsonl")).expect("the index");
        let line: Value =
            serde_json::from_str(index.lines().next().expect("a page")).expect("JSON");
        let picture = files.join(line["screenshot"].as_str().expect("a name"));
        heights.push(height(&std::fs::read(picture).expect("the picture")));
    }
    assert!(heights[0] > heights[1], "{heights:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn run_keeps_pictures_and_warnings_of_its_pages() {
    let scene = scene(&[], |lab| {
        lab.serve("app.lab", App::default());
    })
    .await;
    let more = json!({"mode": "markdown", "formats": ["screenshot"],
        "screenshot_area": "viewport", "actions": [{"type": "click", "selector": "#more"}]});
    let job = scene.server.create(&scene.key, URL, more).await;
    let done = scene.server.wait(&scene.key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    let items = scene.server.results(&scene.key, &job).await;
    assert!(items[0]["markdown"].as_str().expect("a text").contains("More was loaded."));
    let files = &items[0]["files"];
    assert!(height(&download(&files["screenshot"]).await) < 2_000, "the viewport");
    assert!(files.get("raw_html").is_none(), "the text for erasures is no requested file");

    // A selector that never appears takes the time of the page.
    let more = json!({"mode": "markdown", "formats": ["html"], "wait_for": "#never"});
    let job = scene.server.create(&scene.key, URL, more).await;
    let done = scene.server.wait(&scene.key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    let items = scene.server.results(&scene.key, &job).await;
    let files = &items[0]["files"];
    assert!(files["warnings"][0].as_str().expect("a warning").contains("wait_for"), "{files}");

    // A page whose action fails is skipped.
    let more = json!({"mode": "markdown", "actions": [{"type": "click", "selector": "#missing"}]});
    let job = scene.server.create(&scene.key, URL, more).await;
    let done = scene.server.wait(&scene.key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "failed", "{done}");
}
