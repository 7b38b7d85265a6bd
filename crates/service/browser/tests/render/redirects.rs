//! Redirects by status, meta refresh and script are returned, not followed.

use lab::Reply;
use net::{FetchError, RenderFault};

use crate::{Script, get, lab_with, patient, renderer, text};

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn http_redirect_is_returned_as_response() {
    let site = Script::default()
        .on("/moved", Reply::redirect(301, "/new?x=1").with_header("set-cookie", "a=b"))
        .on("/outside", Reply::redirect(307, "http://127.0.0.1:1/"))
        .page("/new", "new");
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    for (path, status, location) in
        [("/moved", 301, "/new?x=1"), ("/outside", 307, "http://127.0.0.1:1/")]
    {
        let answer = get(&fetch, &format!("http://site.lab.test{path}")).await.expect("an answer");
        assert_eq!(answer.status, status);
        assert_eq!(answer.location().as_deref(), Some(location));
        assert!(answer.body.is_empty());
    }
    let asked: Vec<String> = lab.requests().into_iter().map(|seen| seen.path).collect();
    assert_eq!(asked, ["/moved", "/outside"]);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn empty_page_that_navigates_is_a_redirect() {
    let site = Script::default()
        .page("/meta", "<meta http-equiv=refresh content='0;url=/new?by=meta'>")
        .page("/script", "<script>location.replace('/new?by=script#top')</script>")
        .page(
            "/late",
            "<body onload=\"setTimeout(() => location.href = '//site.lab.test/new', 100)\">",
        )
        .page("/out", "<script>location = 'http://127.0.0.1:1/out'</script>")
        .page("/new", "new");
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    for (path, location) in [
        ("/meta", "http://site.lab.test/new?by=meta"),
        ("/script", "http://site.lab.test/new?by=script"),
        ("/late", "http://site.lab.test/new"),
        ("/out", "http://127.0.0.1:1/out"),
    ] {
        let answer = get(&fetch, &format!("http://site.lab.test{path}")).await.expect("an answer");
        assert_eq!(answer.status, 302, "{path}: {}", text(&answer));
        assert_eq!(answer.location().as_deref(), Some(location), "{path}");
        assert!(answer.body.is_empty(), "{path}");
    }
    assert!(lab.requests().iter().all(|seen| !seen.path.starts_with("/new")));
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_with_content_that_navigates_is_returned() {
    let site = Script::default()
        .page("/text", "<p>Read me<script>location = '/new'</script>")
        .page("/link", "<a href=/new><meta http-equiv=refresh content='0;url=/new'></a>")
        .page("/again", "<script>location.reload()</script>")
        .page(
            "/form",
            "<form method=post action=/new></form><script>document.forms[0].submit()</script>",
        )
        .page("/mail", "<p>Write<script>location = 'mailto:a@b.example'</script>")
        .page("/file", "<p>Read<script>location = 'file:///etc/passwd'</script>")
        .page(
            "/place",
            "<p>Here<script>history.pushState(0, '', '/there'); location.hash = 'x'</script>",
        );
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    for path in ["/text", "/link", "/again", "/form", "/mail", "/file", "/place"] {
        let answer = get(&fetch, &format!("http://site.lab.test{path}")).await.expect("an answer");
        assert_eq!(answer.status, 200, "{path}");
        assert!(text(&answer).contains("<script>") || path == "/link", "{path}: {}", text(&answer));
    }
    let asked: Vec<String> = lab.requests().into_iter().map(|seen| seen.path).collect();
    assert_eq!(asked, ["/text", "/link", "/again", "/form", "/mail", "/file", "/place"]);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_that_replaces_itself_is_a_fault() {
    let site = Script::default()
        .page("/blank", "<p>Gone<script>onload = () => location = 'about:blank'</script>");
    let lab = lab_with(site).await;
    let answer = get(&renderer(&lab, patient()), "http://site.lab.test/blank").await;
    let left = FetchError::Renderer(RenderFault::NavigatedAway("about:blank".to_owned()));
    assert_eq!(answer, Err(left));
}
