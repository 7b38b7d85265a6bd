//! Scripts of a page: waits, actions, pictures, and headers of the client.

use std::sync::Arc;
use std::time::Duration;

use contract::{ScreenshotArea, SecretText};
use http::{HeaderMap, HeaderName, HeaderValue};
use lab::{Lab, Reply, Request, Site, SiteTruth};
use net::{FetchRequest, PageScript, ScriptStep, SiteHeaders, WaitFor};

use crate::{Script, ask, lab_with, patient, renderer, text, url};

fn scripted(script: &Arc<PageScript>) -> FetchRequest {
    let script = Some(Arc::clone(script));
    FetchRequest { script, ..FetchRequest::get(url("http://site.lab.test/")) }
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn actions_change_the_page_before_it_is_read() {
    let site = Script::default().page(
        "/",
        "<title>Search</title><input id=q><button onclick=\"out.textContent = 'found ' + q.value\">\
         Go</button><p id=out></p><p id=keys></p><script>\
         addEventListener('keydown', e => keys.textContent += e.key)</script>",
    );
    let lab = lab_with(site).await;
    let steps = vec![
        ScriptStep::Type { selector: Some("#q".to_owned()), text: SecretText::new("anchor") },
        ScriptStep::Click { selector: "button".to_owned() },
        ScriptStep::Press { key: "ArrowDown".to_owned() },
        ScriptStep::Scroll { selector: None, pixels: None },
        ScriptStep::Wait(WaitFor::Time(Duration::from_millis(10))),
    ];
    let script = Arc::new(PageScript::new(steps, None, None));
    let answer = ask(&renderer(&lab, patient()), scripted(&script)).await.expect("a page");
    let html = text(&answer);
    assert!(html.contains("<p id=\"out\">found anchor</p>"), "{html}");
    assert!(html.contains("<p id=\"keys\">ArrowDown</p>"), "{html}");
    let outcome = script.take_outcome().expect("it was executed");
    assert_eq!((outcome.failed_step, outcome.warnings), (None, Vec::new()));
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn failed_action_names_its_step_and_has_a_picture() {
    let lab =
        lab_with(Script::default().page("/", "<title>Shop</title><button>Buy</button>")).await;
    let click = |selector: &str| ScriptStep::Click { selector: selector.to_owned() };
    let steps = vec![click("button"), click("#missing"), click("button")];
    let script = Arc::new(PageScript::new(steps, None, Some(ScreenshotArea::Viewport)));
    let answer = ask(&renderer(&lab, patient()), scripted(&script)).await.expect("a page");
    assert_eq!(answer.status, 200);
    let outcome = script.take_outcome().expect("it was executed");
    let failed = outcome.failed_step.expect("a failed step");
    assert_eq!((failed.index, failed.message.as_str()), (1, "no element matches the selector"));
    assert!(outcome.screenshot.expect("a picture").starts_with(b"\x89PNG"));
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn late_element_is_waited_for_and_a_missing_one_is_a_warning() {
    let site = Script::default().page(
        "/",
        "<title>Late</title><script>setTimeout(() => { const p = document.createElement('p');\
         p.id = 'late'; document.body.append(p) }, 1500)</script>",
    );
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    let wait = |selector: &str| Some(WaitFor::Selector(selector.to_owned()));
    let script = Arc::new(PageScript::new(Vec::new(), wait("#late"), None));
    let answer = ask(&fetch, scripted(&script)).await.expect("a page");
    assert!(text(&answer).contains("<p id=\"late\">"), "{}", text(&answer));
    assert_eq!(script.take_outcome().expect("it was executed").warnings, Vec::<String>::new());

    let script = Arc::new(PageScript::new(Vec::new(), wait("#never"), None));
    let request = scripted(&script).within(Duration::from_secs(4));
    let answer = ask(&fetch, request).await.expect("the page as it is");
    assert!(text(&answer).contains("<title>Late</title>"));
    let warnings = script.take_outcome().expect("it was executed").warnings;
    assert!(warnings.len() == 1 && warnings[0].starts_with("wait_for: no element"), "{warnings:?}");
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn full_picture_is_taller_than_the_viewport_and_shows_images() {
    let site = Script::default()
        .page("/", "<title>Tall</title><body style='margin:0'><img src=/dot.png><div style='height:3000px'></div>")
        .on("/dot.png", Reply::typed(200, "image/png", &b"\x89PNG\r\n\x1a\n"[..]));
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    let mut heights = Vec::new();
    for area in [ScreenshotArea::Viewport, ScreenshotArea::FullPage] {
        let script = Arc::new(PageScript::new(Vec::new(), None, Some(area)));
        ask(&fetch, scripted(&script)).await.expect("a page");
        let outcome = script.take_outcome().expect("it was executed");
        let picture = outcome.screenshot.unwrap_or_else(|| panic!("{:?}", outcome.warnings));
        // The height of a PNG is in its first chunk.
        heights.push(u32::from_be_bytes(picture[20..24].try_into().expect("four bytes")));
    }
    assert!(heights[1] >= 3_000 && heights[0] < heights[1], "{heights:?}");
    let asked = lab.requests();
    assert!(asked.iter().any(|request| request.path == "/dot.png"), "pictures are loaded");
    let plain = FetchRequest::get(url("http://site.lab.test/"));
    lab.clear_requests();
    ask(&fetch, plain).await.expect("a page");
    let asked = lab.requests();
    assert!(asked.iter().all(|request| request.path != "/dot.png"), "not for the DOM alone");
}

/// Replies with the cookie and the token that it got.
#[derive(Debug)]
struct Echo;

impl Site for Echo {
    fn answer(&self, _: &str) -> Reply {
        Reply::status(500)
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        let header = |name| request.header(name).unwrap_or("none").to_owned();
        match request.path() {
            "/" => Reply::html(format!(
                "<title>Echo</title><p>{} {}</p><p id=own></p><p id=other></p><script>\
                 fetch('/own').then(r => r.text()).then(t => own.textContent = t);\
                 fetch('/away').then(r => r.text()).then(t => other.textContent = t)</script>",
                header("cookie"),
                header("x-token")
            )),
            "/away" => Reply::redirect(302, "http://other.lab.test/echo"),
            _ => Reply::text(format!("{} {}", header("cookie"), header("x-token")))
                .with_header("Access-Control-Allow-Origin", "*"),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn headers_of_the_client_reach_their_origin_and_no_other() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab.test", Echo).serve("other.lab.test", Echo);
    let header = |name: &'static str, value: &'static str| {
        (HeaderName::from_static(name), HeaderValue::from_static(value))
    };
    let headers: HeaderMap =
        [header("cookie", "id=secret"), header("x-token", "t0ken")].into_iter().collect();
    let start = url("http://site.lab.test/");
    let site = Some(Arc::new(SiteHeaders::new(&start, headers)));
    let request = FetchRequest { site_headers: site, ..FetchRequest::get(start) };
    let answer = ask(&renderer(&lab, patient()), request).await.expect("a page");
    let html = text(&answer);
    assert!(html.contains("<p>id=secret t0ken</p>"), "{html}");
    assert!(html.contains("<p id=\"own\">id=secret t0ken</p>"), "{html}");
    assert!(html.contains("<p id=\"other\">none none</p>"), "{html}");
}
