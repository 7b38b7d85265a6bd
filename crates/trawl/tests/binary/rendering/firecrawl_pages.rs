//! Pages of Firecrawl with a browser: actions, waits, HTML, pictures and the screen of a phone.

use lab::{Reply, Request, Site, SiteTruth};
use serde_json::{Value, json};

use super::{Scene, scene};
use crate::server::wait_for;

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

/// Width and height of the picture in pixels.
async fn size(document: &Value) -> (u32, u32) {
    let url = document["screenshot"].as_str().expect("a link");
    let picture = reqwest::get(url).await.expect("an answer").bytes().await.expect("bytes");
    assert!(picture.starts_with(b"\x89PNG"), "a PNG");
    let number =
        |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

/// A page that names the screen on which it is shown.
#[derive(Debug)]
struct Screen;

impl Site for Screen {
    fn answer(&self, path: &str) -> Reply {
        if path != "/" {
            return Reply::status(404);
        }
        let words = "This page has a text of some length that everyone can read. ".repeat(8);
        Reply::html(format!(
            "<meta name=viewport content='width=device-width'><title>Screen</title><main>\
             <h1>Screen</h1><p id=text>{words}</p></main><script>\
             text.textContent += `width ${{innerWidth}} touch ${{navigator.maxTouchPoints > 0}} \
             agent ${{navigator.userAgent}}`</script>"
        ))
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
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
    assert!(size(data).await.1 >= 2_500, "the whole page");
    let (_, page) = scrape(&scene, json!({"formats": ["screenshot"]})).await;
    assert!(size(&page["data"]).await.1 < 2_000, "the viewport");
    assert!(page["data"].get("markdown").is_none());
    let missing = json!({"actions": [{"type": "click", "selector": "#missing"}]});
    let (status, error) = scrape(&scene, missing).await;
    assert_eq!((status, &error["code"]), (400, &json!("SCRAPE_ACTION_ERROR")), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn mobile_pages_are_rendered_on_the_screen_of_a_phone() {
    let scene = scene(&[], |lab| {
        lab.serve("app.lab", Screen);
    })
    .await;
    let formats = json!(["markdown", "screenshot"]);
    let (status, page) = scrape(&scene, json!({"mobile": true, "formats": formats})).await;
    assert_eq!(status, 200, "{page}");
    let text = |document: &Value| document["markdown"].as_str().expect("a text").to_owned();
    let on_phone = text(&page["data"]);
    assert!(on_phone.contains("width 390 touch true"), "{on_phone}");
    assert_eq!(size(&page["data"]).await, (390, 844));
    let (_, page) = scrape(&scene, json!({"waitFor": 1, "formats": formats})).await;
    let on_desktop = text(&page["data"]);
    assert!(!on_desktop.contains("width 390") && on_desktop.contains("touch false"));
    let agent = |text: &str| text.split_once("agent ").expect("an agent").1.trim().to_owned();
    assert_eq!(agent(&on_phone), agent(&on_desktop), "its own name on each screen");
    let body = json!({"url": "http://app.lab/",
        "scrapeOptions": {"mobile": true, "formats": formats}});
    let started: Value =
        scene.server.post("/v2/crawl", &scene.key, &body).await.json().await.expect("JSON");
    let path = format!("/v2/crawl/{}", started["id"].as_str().expect("an id"));
    let end = wait_for(async || {
        let status = scene.server.get(&path, &scene.key).await;
        (status["status"] != "scraping").then_some(status)
    })
    .await;
    assert_eq!(end["status"], "completed", "{end}");
    let document = &end["data"][0];
    assert!(text(document).contains("width 390 touch true"), "{document}");
    assert_eq!(size(document).await, (390, 844));
}
