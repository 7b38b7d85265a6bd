//! What pages become.

use lab::Reply;

use crate::{Script, USER_AGENT, get, lab_with, patient, renderer, text};

#[tokio::test]
async fn a_page_is_what_its_scripts_make_of_it() {
    let site = Script::default()
        .page(
            "/",
            "<!DOCTYPE html><title>before</title><div id=app></div><script src=/app.js></script>",
        )
        .on(
            "/app.js",
            Reply::typed(
                200,
                "text/javascript",
                "document.title = 'after';
                 addEventListener('load', async () => {
                   const data = await (await fetch('/data.json')).json();
                   document.getElementById('app').innerHTML =
                     `<a href=\"/found\">${data.name}, ${navigator.userAgent}</a>`;
                 });",
            ),
        )
        .on("/data.json", Reply::typed(200, "application/json", "{\"name\": \"Grüße\"}"));
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    let answer = get(&fetch, "http://site.lab.test/").await.expect("a page");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.remote, lab.address());
    assert_eq!(answer.content_type().as_deref(), Some("text/html; charset=utf-8"));
    let html = text(&answer);
    assert!(html.starts_with("<!DOCTYPE html><html><head><title>after</title>"), "{html}");
    assert!(html.contains(&format!("<a href=\"/found\">Grüße, {USER_AGENT}</a>")), "{html}");
    let seen = lab.requests();
    let paths: Vec<&str> = seen.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/", "/app.js", "/data.json"]);
    assert!(seen.iter().all(|seen| seen.user_agent.as_deref() == Some(USER_AGENT)), "{seen:?}");
    assert!(fetch.is_healthy());
}
