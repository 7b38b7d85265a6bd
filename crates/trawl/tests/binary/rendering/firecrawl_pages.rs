//! `scrape` of Firecrawl with a browser: actions, waits, HTML and pictures.

use lab::{Reply, Request, Site, SiteTruth};
use serde_json::{Value, json};

use super::{Scene, scene};

/// A page to which a click on the button adds a text.
#[derive(Debug)]
struct Button;

impl Site for Button {
    fn answer(&self, path: &str) -> Reply {
        if path != "/" {
            return Reply::status(404);
        }
        let words = "This page has a text of some length that everyone can read. ".repeat(8);
        Reply::html(format!(
            "<title>Button</title><main><h1>Button</h1><p id=text>{words}</p>\
             <button id=more>More</button><div style='height:2500px'></div></main><script>\
             more.onclick = () => {{ const p = document.createElement('p');\
             p.textContent = 'More was loaded.'; text.after(p) }}</script>"
        ))
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        self.answer(request.path())
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn scrape(scene: &Scene, mut body: Value) -> (u16, Value) {
    body["url"] = json!("http://app.lab/");
    body["timeout"] = json!(60_000);
    let answer = scene.server.post("/v2/scrape", &scene.key, &body).await;
    (answer.status().as_u16(), answer.json().await.expect("JSON"))
}

/// The height of the picture in pixels.
async fn height(answer: &Value) -> u32 {
    let url = answer["data"]["screenshot"].as_str().expect("a link");
    let picture = reqwest::get(url).await.expect("an answer").bytes().await.expect("bytes");
    assert!(picture.starts_with(b"\x89PNG"), "a PNG");
    u32::from_be_bytes(picture[20..24].try_into().expect("four bytes"))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn firecrawl_scrape_controls_the_browser() {
    let scene = scene(&[], |lab| {
        lab.serve("app.lab", Button);
    })
    .await;
    let body = json!({
        "formats": ["markdown", "html", "rawHtml", {"type": "screenshot", "fullPage": true}],
        "actions": [{"type": "click", "selector": "#more"}, {"type": "wait", "milliseconds": 50}],
        "waitFor": 50,
    });
    let (status, page) = scrape(&scene, body).await;
    assert_eq!((status, &page["success"]), (200, &json!(true)), "{page}");
    let data = &page["data"];
    for part in ["markdown", "html", "rawHtml"] {
        assert!(
            data[part].as_str().expect("a text").contains("More was loaded."),
            "{part}: {data}"
        );
    }
    assert!(!data["html"].as_str().expect("a text").contains("<script"));
    assert!(height(&page).await >= 2_500, "the whole page");
    let (_, page) = scrape(&scene, json!({"formats": ["screenshot"]})).await;
    assert!(height(&page).await < 2_000, "the viewport");
    assert!(page["data"].get("markdown").is_none());
    let missing = json!({"actions": [{"type": "click", "selector": "#missing"}]});
    let (status, error) = scrape(&scene, missing).await;
    assert_eq!((status, &error["code"]), (400, &json!("SCRAPE_ACTION_ERROR")), "{error}");
}
