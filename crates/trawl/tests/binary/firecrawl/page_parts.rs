//! What documents of Firecrawl contain: HTML within the bytes of an answer, chosen elements, and URLs of a
//! map without its start page.

use lab::{Lab, Reply, Site, SiteTruth};
use serde_json::{Value, json};

use super::post;
use crate::server::{Server, Setup, wait_for};

/// Pages with a share box, and comments of some megabytes; the start page can be unreadable.
#[derive(Debug)]
struct LargePages {
    is_start_broken: bool,
}

impl Site for LargePages {
    fn answer(&self, path: &str) -> Reply {
        let links = (1..4).map(|page| format!("<li><a href=/{page}>Page {page}</a>"));
        let text = "This page has a text of some length that everyone can read. ".repeat(9);
        let html = format!(
            "<title>{path}</title><ul>{}</ul><main><h1>Page {path}</h1><p>{text}</p>\
             <div class='share box'>Share this page</div></main><!-- {} -->",
            links.collect::<String>(),
            "x".repeat(4 << 20)
        );
        match path {
            "/" if self.is_start_broken => Reply::status(503),
            "/" | "/1" | "/2" | "/3" => Reply::html(html),
            "/sitemap.xml" => {
                let urls =
                    (1..4).map(|page| format!("<url><loc>http://big.lab/{page}</loc></url>"));
                let urls: String = urls.collect();
                Reply::typed(200, "application/xml", format!("<urlset>{urls}</urlset>"))
            }
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn large_pages(folder: &std::path::Path, is_start_broken: bool) -> (Lab, Server, String) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("big.lab", LargePages { is_start_broken });
    let setup =
        Setup::new(folder).with("TRAWL_RESOLVE", lab.name_table()).with("TRAWL_CHROMIUM", "none");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    (lab, server, key)
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_and_batch_deliver_html_within_the_bytes_of_an_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_lab, server, key) = large_pages(folder.path(), false).await;
    let formats = json!(["markdown", "html", "rawHtml"]);
    let options = json!({"formats": formats, "maxAge": 3_600_000, "excludeTags": [".share"],
        "headers": {"User-Agent": "mine"}});
    let crawl = json!({"url": "http://big.lab/", "scrapeOptions": options});
    let mut batch = options;
    batch["urls"] = json!((1..4).map(|page| format!("http://big.lab/{page}")).collect::<Vec<_>>());
    for (path, body, pages) in [("/v2/crawl", crawl, 4), ("/v2/batch/scrape", batch, 3)] {
        let (status, started) = post(&server, &key, path, body).await;
        assert_eq!(status, 200, "{started}");
        assert!(started["warning"].as_str().is_some_and(|it| it.contains("User-Agent")));
        let mut path = format!("{path}/{}", started["id"].as_str().expect("an id"));
        wait_for(async || {
            let status = server.get(&format!("{path}?limit=1"), &key).await;
            (status["status"] == "completed").then_some(())
        })
        .await;
        let mut lengths = Vec::new();
        loop {
            let page = server.get(&path, &key).await;
            assert!(page["warning"].as_str().is_some_and(|it| it.contains("User-Agent")));
            let documents = page["data"].as_array().expect("documents");
            for document in documents {
                assert!(document["rawHtml"].as_str().expect("HTML").len() > 4 << 20);
                let html = document["html"].as_str().expect("HTML");
                assert!(html.contains("Share this page") && html.len() < 10_000);
                let markdown = document["markdown"].as_str().expect("a text");
                assert!(markdown.contains("# Page /") && !markdown.contains("Share"));
            }
            lengths.push(documents.len());
            let Some(next) = page["next"].as_str() else { break };
            next.strip_prefix(&server.url).expect("a URL of the server").clone_into(&mut path);
        }
        // Two have 8 MiB, a third one would exceed 10 MiB.
        let rest = pages - 2;
        assert_eq!(lengths, [2, rest]);
    }
    let (_, page) = post(
        &server,
        &key,
        "/v2/scrape",
        json!({"url": "http://big.lab/1", "includeTags": ["h1", ".share.box"],
            "headers": {"user-agent": "mine"}}),
    )
    .await;
    assert_eq!(page["data"]["markdown"], "# Page /1\n\nShare this page\n", "{page}");
    assert!(page["data"]["warning"].as_str().is_some_and(|it| it.contains("User-Agent")));
    let (status, error) = post(
        &server,
        &key,
        "/v2/crawl",
        json!({"url": "http://big.lab/", "scrapeOptions": {"includeTags": ["a:hover"]}}),
    )
    .await;
    assert_eq!(status, 400);
    assert_eq!(error["details"][0]["field"], "scrapeOptions.includeTags[0]", "{error}");
    let (status, error) =
        post(&server, &key, "/v2/scrape", json!({"url": "http://big.lab/", "mobile": true})).await;
    assert_eq!((status, &error["details"][0]["field"]), (400, &json!("mobile")), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn map_of_a_site_with_an_unreadable_start_page_has_the_urls_of_its_sitemap() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_lab, server, key) = large_pages(folder.path(), true).await;
    let (status, map) = post(&server, &key, "/v2/map", json!({"url": "http://big.lab/"})).await;
    assert_eq!(status, 200, "{map}");
    let links = map["links"].as_array().expect("links").iter().map(|link| &link["url"]);
    let found: Vec<_> = links.filter_map(Value::as_str).collect();
    for page in 1..4 {
        assert!(found.contains(&format!("http://big.lab/{page}").as_str()), "{found:?}");
    }
    let (status, error) = post(&server, &key, "/v2/map", json!({"url": "http://none.lab/"})).await;
    assert!(status >= 400, "{error}");
}
