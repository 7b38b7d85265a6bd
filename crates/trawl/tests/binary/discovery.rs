//! URL discovery: sitemaps, traps, external links, languages; with a reason for every skipped URL.

use std::collections::{BTreeMap, BTreeSet};

use lab::{Lab, Mapped, Reply, Site, SiteTruth, Trapping};
use serde_json::{Value, json};

use crate::server::{Server, Setup};

/// A site of a few pages, by path.
#[derive(Debug)]
struct Pages(Vec<(&'static str, &'static str)>);

impl Site for Pages {
    fn answer(&self, path_and_query: &str) -> Reply {
        let page = self.0.iter().find(|(path, _)| *path == path_and_query);
        page.map_or_else(|| Reply::status(404), |(_, html)| Reply::html(*html))
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

struct Scene {
    lab: Lab,
    server: Server,
    key: String,
    _folder: tempfile::TempDir,
}

async fn scene(serve: impl FnOnce(&Lab)) -> Scene {
    let lab = Lab::start().await.expect("a port");
    serve(&lab);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_HOST_DELAY_MS", 0)
        .with("TRAWL_ROBOTS_RETRY_MS", 10)
        .with("TRAWL_RETRY_MS", 10);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { lab, server, key, _folder: folder }
}

impl Scene {
    /// Runs a job to its end; returns its items by path and the job.
    async fn run(&self, url: &str, more: Value) -> (BTreeMap<String, Value>, Value) {
        let job = self.server.create(&self.key, url, more).await;
        let done = self.server.wait(&self.key, &job, &["completed", "failed"]).await;
        assert_eq!((&done["status"], &done["error"]), (&"completed".into(), &Value::Null));
        let items = self.server.results(&self.key, &job).await;
        assert_eq!(done["counts"]["results"], items.len());
        let host = url.trim_end_matches('/');
        let path = |item: &Value| {
            let url = item["url"].as_str().expect("a url");
            url.strip_prefix(host).unwrap_or(url).to_owned()
        };
        (items.iter().map(|item| (path(item), item.clone())).collect(), done)
    }

    async fn skipped(&self, job: &Value) -> Value {
        let id = job["job_id"].as_str().expect("an id");
        self.server.get(&format!("/v1/jobs/{id}/skipped?page_size=1000"), &self.key).await
    }
}

fn paths(items: &BTreeMap<String, Value>) -> BTreeSet<&str> {
    items.keys().map(String::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sitemap_mode_delivers_sitemap_data() {
    let scene = scene(|lab| {
        let origin = format!("http://mapped.lab:{}", lab.address().port());
        lab.serve("mapped.lab", Mapped::new(origin));
    })
    .await;
    let url = format!("http://mapped.lab:{}/", scene.lab.address().port());
    let origin = url.trim_end_matches('/');
    let truth = Mapped::new(origin).sitemap_truth();
    let (items, job) = scene.run(&url, json!({"mode": "sitemap"})).await;
    let listed = truth.pages.keys().map(String::as_str);
    let expected: BTreeSet<&str> =
        listed.chain(truth.unlisted.iter().map(String::as_str)).collect();
    assert_eq!(paths(&items), expected);
    for (path, lastmod) in &truth.pages {
        assert_eq!(items[path]["lastmod"], json!(lastmod), "{path}");
        assert_eq!(items[path]["in_sitemap"], true, "{path}");
        assert_eq!(items[path]["orphan"], truth.orphans.contains(path), "{path}");
        assert!(items[path]["sitemap_url"].is_string(), "{path}");
    }
    for path in &truth.unlisted {
        let item = &items[path];
        assert_eq!((&item["in_sitemap"], &item["sitemap_url"]), (&json!(false), &Value::Null));
    }
    for (path, images) in &truth.images {
        let images: Vec<_> = images.iter().map(|image| format!("{origin}{image}")).collect();
        assert_eq!(items[path]["images"], json!(images), "{path}");
    }
    for (path, alternates) in &truth.alternates {
        let alternates: Vec<_> = alternates
            .iter()
            .map(|(lang, path)| json!({"lang": lang, "url": format!("{origin}{path}")}))
            .collect();
        assert_eq!(items[path]["alternates"], json!(alternates), "{path}");
    }
    let skipped = scene.skipped(&job).await;
    let foreign = skipped["items"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|line| truth.foreign.iter().any(|foreign| line["url"] == json!(foreign)));
    assert_eq!(foreign.expect("it is reported")["reason"], "external");
    assert_eq!(job["credits_used"], items.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn sitemap_options_decide_which_urls_join_the_crawl() {
    let scene = scene(|lab| {
        let origin = format!("http://mapped.lab:{}", lab.address().port());
        lab.serve("mapped.lab", Mapped::new(origin));
    })
    .await;
    let url = format!("http://mapped.lab:{}/", scene.lab.address().port());
    let truth = Mapped::new(url.trim_end_matches('/')).sitemap_truth();
    let linked: BTreeSet<&str> = ["/", "/en/", "/de/", "/plain", "/unlisted"].into();
    let listed: BTreeSet<&str> = truth.pages.keys().map(String::as_str).collect();
    let files: BTreeSet<&str> = truth.files.iter().map(String::as_str).collect();
    let run = async |more: Value| scene.run(&url, more).await.0;

    let plain = run(json!({})).await;
    assert_eq!(paths(&plain), linked);
    assert_eq!(plain["/"]["in_sitemap"], Value::Null, "not fetched");
    let orphans = run(json!({"scope": {"include_orphan": true}})).await;
    assert_eq!(paths(&orphans), &linked | &listed);
    let all = run(json!({"scope": {"include_sitemap": true}})).await;
    assert_eq!(paths(&all), &(&linked | &listed) | &files);
    assert!(files.iter().all(|file| all[*file]["type"] == "sitemap"));
    let first = run(json!({"options": {"sitemap_first": true}})).await;
    assert_eq!(paths(&first), listed);
    let still = run(json!({"options": {"sitemap_first": true, "discovery": false}})).await;
    assert_eq!(paths(&still), listed);
    let german = json!({"options": {"sitemap_first": true, "preferred_language": "de",
        "strict_default_language": true}});
    assert_eq!(paths(&run(german).await), BTreeSet::from(["/de/"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn crawler_traps_are_limited() {
    let host = |trap: Trapping| format!("{}.lab", format!("{trap:?}").to_lowercase());
    let scene = scene(|lab| {
        for trap in Trapping::ALL {
            lab.serve(&host(trap), trap);
        }
    })
    .await;
    for trap in Trapping::ALL {
        let url = format!("http://{}/", host(trap));
        let (items, job) = scene.run(&url, json!({"scope": {"include_query_strings": true}})).await;
        for path in trap.truth().delivered.keys() {
            assert!(items.contains_key(path), "{trap:?}: {path} is missing");
        }
        let deep = items.keys().filter(|path| path.starts_with(trap.trap_prefix())).count();
        assert!(deep <= trap.max_trap_pages(), "{trap:?}: {deep} pages of the trap");
        let skipped = scene.skipped(&job).await;
        let reasons = skipped["reasons"].as_object().expect("counts").clone();
        match trap {
            // Session ids are removed from URLs: one page is left.
            Trapping::Sessions => assert_eq!(deep, 1),
            _ => assert!(!reasons.is_empty(), "{trap:?} is reported"),
        }
        let expected = match trap {
            Trapping::Calendar => "calendar",
            Trapping::Growing => "repeating_segments",
            Trapping::Facets => "facets",
            Trapping::SoftNotFound | Trapping::Mirrors => "pattern_exhausted",
            Trapping::Sessions => continue,
        };
        assert!(reasons.contains_key(expected), "{trap:?}: {reasons:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn external_links_are_checked_and_not_crawled() {
    let scene = scene(|lab| {
        lab.serve(
            "home.lab",
            Pages(vec![
                (
                    "/",
                    "<a href=http://away.lab/there>1</a><a href=http://away.lab/gone>2</a>\
                 <a href=http://nowhere.lab/>3</a><img src=/logo.png><a href=/paper.pdf>4</a>\
                 <a href=http://below.home.lab/>5</a>",
                ),
                ("/logo.png", "not really one"),
                ("/paper.pdf", "nor this"),
            ]),
        )
        .serve("away.lab", Pages(vec![("/there", "<a href=/further>on</a>")]))
        .serve("below.home.lab", Pages(vec![("/", "below")]));
    })
    .await;
    let more = json!({"scope": {"include_external": true, "include_images": true,
        "include_files": true}});
    let (items, job) = scene.run("http://home.lab/", more).await;
    let seen = |url: &str| {
        let item = &items[url];
        (item["status_code"].as_u64(), item["external"] == true, item["broken"] == true)
    };
    assert_eq!(seen("http://away.lab/there"), (Some(200), true, false));
    assert_eq!(seen("http://away.lab/gone"), (Some(404), true, true));
    assert_eq!(seen("http://below.home.lab/"), (Some(200), true, false));
    assert_eq!(seen("http://nowhere.lab/"), (None, true, true));
    assert_eq!(items["http://nowhere.lab/"]["error"], "dns");
    assert_eq!((seen("/logo.png").0, seen("/paper.pdf").0), (Some(200), Some(200)));
    assert_eq!(job["credits_used"], 3, "the page and its two files: others are free");
    let asked: Vec<_> = scene.lab.requests().into_iter().map(|seen| seen.path).collect();
    assert!(!asked.iter().any(|path| path == "/further"), "never read");
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_is_fetched_once_a_day() {
    let scene = scene(|lab| {
        lab.serve("home.lab", Pages(vec![("/", "home"), ("/robots.txt", "")]));
    })
    .await;
    for _ in 0..3 {
        scene.run("http://home.lab/", json!({})).await;
    }
    let asked = scene.lab.requests().into_iter().filter(|seen| seen.path == "/robots.txt");
    assert_eq!(asked.count(), 1);
}
