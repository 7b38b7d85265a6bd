//! "Read a page" and "Map of a site", with the sample sites.

use reqwest::StatusCode;

use crate::harness::ConsoleServer;

const KEYS: &str = "url=https%3A%2F%2Fdocs.lab.test%2Fkeys";

async fn posted(server: &ConsoleServer, path: &str, fields: &str) -> (StatusCode, String) {
    let answer = server.post(path, fields).await;
    (answer.status(), answer.text().await.expect("text"))
}

#[tokio::test]
async fn page_form_shows_its_request_and_the_error_of_its_field() {
    let server = ConsoleServer::start().await;
    let page = server.page("/read?url=https%3A%2F%2Fa.test%2F%3Cb%3E").await;
    assert!(page.contains("value=\"https://a.test/&lt;b&gt;\""), "{page}");
    assert!(page.contains("http://trawl.example/v1/pages"), "{page}");
    let answer = server.post("/read", "url=http%3A%2F%2F10.0.0.1%2F&picture=on").await;
    assert_eq!(answer.status(), 422);
    let page = answer.text().await.expect("text");
    assert!(page.contains("id=\"url-error\""), "{page}");
}

#[tokio::test]
async fn page_is_read_and_shown_with_its_files_and_links() {
    let server = ConsoleServer::start().await;
    // The service has no browser: the page is read without its picture.
    let fields = format!(
        "{KEYS}&seen=1&picture=on&screenshot_area=viewport&formats.html=on\
        &formats.links=on&options.main_content=on&form_id=req_1"
    );
    let (status, page) = posted(&server, "/read", &fields).await;
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("<div class=\"rendered\">"), "{page}");
    for part in [
        "<dt>Status</dt><dd>200</dd>",
        "<dt>Charged</dt><dd>nothing</dd>",
        "<dt>From the cache</dt><dd>no</dd>",
        "<dt>Fetched</dt>",
        "<dt>Protected tier</dt>",
        "Item as JSON",
        "&quot;url&quot;: &quot;https://docs.lab.test/keys&quot;",
        "HTML without scripts",
        "links of the page",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(!page.contains("page-picture"), "{page}");
    let (_, rest) = page.split_once("href=\"/page-files/").expect("a link to the HTML");
    let ticket = rest.split('"').next().expect("a link");
    let file = server.get(&format!("/page-files/{ticket}")).await;
    assert_eq!(file.status(), 200);
    assert!(file.text().await.expect("text").contains("<h1"));
    let (status, again) = posted(&server, "/read", &fields).await;
    assert_eq!(status, 200);
    assert!(again.contains(&format!("/page-files/{ticket}")), "sent twice, read once");
}

/// The rendered text of the page that was read.
fn text_of(page: &str) -> &str {
    let (_, text) = page.split_once("<div class=\"rendered\">").expect("a text");
    text.split_once("</section>").map_or(text, |(text, _)| text)
}

#[tokio::test]
async fn options_and_cache_of_a_page_are_used() {
    let server = ConsoleServer::start().await;
    let (status, page) = posted(&server, "/read", "url=docs.lab.test/errors&seen=1").await;
    assert_eq!(status, 200, "{page}");
    assert!(text_of(&page).contains("<a "), "{page}");
    let fields = "url=docs.lab.test/errors&seen=1&options.links=none";
    let (_, page) = posted(&server, "/read", fields).await;
    assert!(!text_of(&page).contains("<a "), "{page}");
    let (_, page) = posted(&server, "/read", &format!("{KEYS}&mode=links&max_age=600")).await;
    assert!(!page.contains("<div class=\"rendered\">") && page.contains("title"), "{page}");
    let (_, page) = posted(&server, "/read", &format!("{KEYS}&mode=links&max_age=600")).await;
    assert!(page.contains("<dt>From the cache</dt><dd>yes</dd>"), "{page}");
}

#[tokio::test]
async fn errors_of_a_page_are_shown_at_their_fields_and_secrets_are_not() {
    let server = ConsoleServer::start().await;
    let fields = "url=http%3A%2F%2F10.0.0.1%2F&seen=1&timeout_ms=5&max_age=long&on_protected=auto\
        &headers=X-Token:+s3cret&bearer=s3cret";
    let (status, page) = posted(&server, "/read", fields).await;
    assert_eq!(status, 422);
    for name in ["url", "timeout_ms", "max_age", "max_credit_per_unit"] {
        assert!(page.contains(&format!("id=\"{name}-error\"")), "{name}: {page}");
    }
    let (_, line) = page.split_once("id=\"request\"").expect("the request of the API");
    let (line, _) = line.split_once("</pre>").expect("its end");
    assert!(line.contains("(hidden)") && !line.contains("s3cret"), "{line}");
    let (status, page) =
        posted(&server, "/read", "url=https%3A%2F%2Fdocs.lab.test%2Fmissing").await;
    assert_eq!(status, 422, "{page}");
    assert!(page.contains("role=\"alert\""), "{page}");
}

#[tokio::test]
async fn map_lists_the_urls_of_a_site() {
    let server = ConsoleServer::start().await;
    // A missing scheme is added, as in the form of a run.
    let (status, page) = posted(&server, "/map", "url=docs.lab.test").await;
    assert_eq!(status, 200, "{page}");
    let link = "href=\"/read?url=https%3A%2F%2Fdocs.lab.test%2Fkeys\"";
    assert!(page.contains(link) && page.contains("URLs as text"), "{page}");
    let all = page.matches("href=\"/read?url=").count();
    assert!(all > 10, "{page}");
    let fields = "url=https%3A%2F%2Fdocs.lab.test%2F&limit=3";
    let (_, page) = posted(&server, "/map", fields).await;
    assert!(
        page.contains("<h2>3 URLs</h2>") && page.contains("There may be more: limit"),
        "{page}"
    );
    let fields = "url=https%3A%2F%2Fdocs.lab.test%2F&search=keys";
    let (_, page) = posted(&server, "/map", fields).await;
    let found = page.matches("href=\"/read?url=").count();
    assert!(found >= 1 && found < all, "{page}");
    let (status, page) = posted(&server, "/map", "url=http%3A%2F%2F10.0.0.1%2F&limit=0").await;
    assert_eq!(status, 422);
    for name in ["url", "limit"] {
        assert!(page.contains(&format!("id=\"{name}-error\"")), "{name}: {page}");
    }
}
