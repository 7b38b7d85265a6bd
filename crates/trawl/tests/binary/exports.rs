//! Exports, opened by the programs of users: LibreOffice, xmllint, a CommonMark parser.

mod programs;

use std::path::{Path, PathBuf};

use lab::{Catalogue, Lab, Mapped, Reply, Site, SiteTruth};
use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text, trawl, wait_for};
use programs::{markdown_rows, spreadsheet_rows, valid_sitemap};

/// Hostile and unusual titles of pages.
const TITLES: &[&str] = &[
    "=HYPERLINK(\"http://evil.test\",\"x\")",
    "+1+cmd|' /C calc'!A0",
    "-2",
    "@SUM(1)",
    "a \"quoted\", comma; semicolon",
    "שלום עולם — مرحبا",
    "emoji 😀 👩‍👩‍👧 ü ß 漢字",
    "| bars | and * stars * and <b>tags</b>",
    "line\u{2028}separator",
];

/// A site with a page for each title, linked from the first.
#[derive(Debug)]
struct Odd;

impl Site for Odd {
    fn answer(&self, path_and_query: &str) -> Reply {
        let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        if path_and_query == "/" {
            let links = (0..TITLES.len()).map(|n| format!("<a href=\"/{n}\">page {n}</a>"));
            return Reply::html(format!("<title>start</title><p>{}", links.collect::<String>()));
        }
        let number = path_and_query.trim_start_matches('/').parse::<usize>().ok();
        match number.and_then(|number| TITLES.get(number)) {
            Some(title) => {
                Reply::html(format!("<title>{}</title><p>{path_and_query}", escape(title)))
            }
            None => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

fn in_folder(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}

/// A title as a spreadsheet cell shows it.
fn escaped(title: &str) -> String {
    let formula = title.starts_with(['=', '@']) || title.starts_with("+1+");
    if formula { format!("'{title}") } else { title.to_owned() }
}

/// Compares a table with the items of its export.
fn same_as_items(rows: &[Vec<String>], items: &[Value]) {
    let column = |name: &str| {
        rows[0].iter().position(|heading| heading == name).unwrap_or_else(|| panic!("no {name}"))
    };
    let (url, title, status) = (column("url"), column("title"), column("status_code"));
    assert_eq!(rows.len() - 1, items.len());
    for (row, item) in rows[1..].iter().zip(items) {
        assert_eq!(item["url"], row[url].as_str());
        assert_eq!(escaped(item["title"].as_str().unwrap_or_default()), row[title]);
        assert_eq!(item["status_code"].to_string(), row[status]);
    }
}

struct Scene {
    _lab: Lab,
    url: String,
    server: Server,
    key: String,
    setup: Setup,
    folder: tempfile::TempDir,
}

async fn scene<S: Site + 'static>(site: impl FnOnce(String) -> S) -> Scene {
    let lab = Lab::start().await.expect("a port");
    let origin = format!("http://site.test:{}", lab.address().port());
    lab.serve("site.test", site(origin.clone()));
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(&folder.path().join("data"))
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_HOST_DELAY_MS", 2);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { _lab: lab, url: format!("{origin}/"), server, key, setup, folder }
}

impl Scene {
    async fn completed(&self, more: Value) -> String {
        let job = self.server.create(&self.key, &self.url, more).await;
        self.server.wait(&self.key, &job, &["completed"]).await;
        job
    }

    /// Downloads an export by its URL.
    async fn take(&self, job: &str, format: &str) -> PathBuf {
        let body = json!({"format": format});
        let answer = self.server.post(&format!("/v1/jobs/{job}/export"), &self.key, &body).await;
        let answer: Value = answer.json().await.expect("JSON");
        let url = answer["url"].as_str().expect("an address");
        let file = reqwest::get(url).await.expect("an answer");
        assert_eq!(file.status(), 200, "{url}");
        let path = in_folder(self.folder.path(), &format!("taken.{format}"));
        std::fs::write(&path, file.bytes().await.expect("whole")).expect("it is written");
        path
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs LibreOffice and xmllint: scripts/test installs them"]
async fn every_format_opens_in_common_programs() {
    let scene = scene(|_| Odd).await;
    let job = scene.completed(json!({})).await;
    let items = scene.server.results(&scene.key, &job).await;
    assert_eq!(items.len(), TITLES.len() + 1);

    let json = std::fs::read(scene.take(&job, "json").await).expect("a file");
    assert_eq!(serde_json::from_slice::<Vec<Value>>(&json).expect("an array"), items);
    for format in ["csv", "xlsx"] {
        let file = scene.take(&job, format).await;
        same_as_items(&spreadsheet_rows(&file), &items);
    }
    let rows =
        markdown_rows(&std::fs::read_to_string(scene.take(&job, "md").await).expect("UTF-8"));
    assert_eq!(rows.len() - 1, items.len());
    for (row, item) in rows[1..].iter().zip(&items) {
        assert_eq!(item["url"], row[0].as_str());
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(one_line(item["title"].as_str().unwrap_or_default()), one_line(&row[1]));
    }
    let urls = valid_sitemap(&scene.take(&job, "xml").await);
    assert_eq!(urls.len(), items.len());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs xmllint: scripts/test installs it"]
async fn sitemap_export_is_valid_with_all_elements() {
    let scene = scene(Mapped::new).await;
    let job = scene.completed(json!({"mode": "sitemap"})).await;
    let items = scene.server.results(&scene.key, &job).await;
    let indexable = |item: &&Value| item["indexable"] == true && item["type"] == "page";
    let expected: Vec<_> = items.iter().filter(indexable).map(|item| &item["url"]).collect();
    let path = scene.take(&job, "xml").await;
    let urls = valid_sitemap(&path);
    assert!(!urls.is_empty() && urls.iter().eq(expected));
    let whole = std::fs::read_to_string(path).expect("UTF-8");
    assert!(whole.contains("<lastmod>") && whole.contains("xhtml:link"), "{whole}");
}

#[tokio::test(flavor = "multi_thread")]
async fn running_job_can_be_exported() {
    let scene = scene(|_| Catalogue::plain(400)).await;
    let job = scene.server.create(&scene.key, &scene.url, json!({})).await;
    wait_for(async || {
        let job = scene.server.get(&format!("/v1/jobs/{job}"), &scene.key).await;
        (job["counts"]["results"] != 0).then_some(())
    })
    .await;
    let file = scene.take(&job, "json").await;
    let early: Vec<Value> =
        serde_json::from_slice(&std::fs::read(file).expect("a file")).expect("an array");
    scene.server.wait(&scene.key, &job, &["completed"]).await;
    let items = scene.server.results(&scene.key, &job).await;
    let urls = |items: &[Value]| items.iter().map(|item| item["url"].clone()).collect::<Vec<_>>();
    assert_eq!(urls(&early), urls(&items)[..early.len()], "the first of them, in their order");
    assert_eq!(items.len(), 400);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs LibreOffice: scripts/test installs it"]
async fn export_command_writes_a_job_to_a_file() {
    let scene = scene(|_| Catalogue::mixed(40)).await;
    let job = scene.completed(json!({})).await;
    let items = scene.server.results(&scene.key, &job).await;
    let export =
        |arguments: &[&str]| output(scene.setup.other().args(["export", &job]).args(arguments));
    for name in ["a.csv", "a.xlsx", "a.json", "a.jsonl", "a.md", "a.xml", "a.parquet"] {
        let path = scene.folder.path().join(name);
        let ended = export(&["-o", path.to_str().expect("UTF-8")]);
        assert!(ended.status.success(), "{name}: {}", text(&ended.stderr));
        assert!(text(&ended.stderr).contains("40 results written to "), "{}", text(&ended.stderr));
        let format = name.trim_start_matches("a.");
        // The creation time of a workbook differs.
        if format != "xlsx" {
            let taken = scene.take(&job, format).await;
            let [ours, theirs] = [&path, &taken].map(|path| std::fs::read(path).expect("a file"));
            assert_eq!(text(&ours), text(&theirs), "{name}");
        }
    }
    same_as_items(&spreadsheet_rows(&scene.folder.path().join("a.xlsx")), &items);
    let lines = export(&[]);
    assert_eq!(text(&lines.stdout).lines().count(), items.len(), "standard output, line by line");
    let left: Vec<_> = std::fs::read_dir(scene.folder.path())
        .expect("a folder")
        .filter(|entry| {
            entry.as_ref().is_ok_and(|e| e.path().extension().is_some_and(|e| e == "part"))
        })
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let unknown =
        output(scene.setup.other().args(["export", "job_00000000000000000000000000000000"]));
    assert_eq!(unknown.status.code(), Some(1), "{}", text(&unknown.stderr));
    let nowhere = export(&["-o", "/no/such/folder/a.csv"]);
    assert_eq!(nowhere.status.code(), Some(3));
    assert!(text(&nowhere.stderr).contains("cannot write"), "{}", text(&nowhere.stderr));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs LibreOffice and xmllint: scripts/test installs them"]
async fn crawl_command_writes_the_same_formats() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("odd.lab", Odd);
    let folder = tempfile::tempdir().expect("a folder");
    let crawl = |arguments: &[&str]| {
        let start = ["crawl", &lab.url("/"), "--mode", "links", "-q", "--delay", "0"];
        let ended = output(trawl().args(start).args(arguments));
        assert!(ended.status.success() && ended.stderr.is_empty(), "{}", text(&ended.stderr));
        ended.stdout
    };
    let into = |name: &str| {
        let path = folder.path().join(name);
        crawl(&["-o", path.to_str().expect("UTF-8")]);
        path
    };
    let items: Vec<Value> =
        serde_json::from_slice(&std::fs::read(into("a.json")).expect("a file")).expect("an array");
    assert_eq!(items.len(), TITLES.len() + 1);
    for name in ["a.csv", "a.xlsx"] {
        let rows = spreadsheet_rows(&into(name));
        assert_eq!(rows.len() - 1, items.len());
        let inlinks = rows[0].iter().position(|heading| heading == "inlinks").expect("a column");
        let linked = rows[1..].iter().filter(|row| row[inlinks] == "1").count();
        assert_eq!(linked, TITLES.len(), "as it is known at the end");
    }
    assert_eq!(valid_sitemap(&into("a.xml")).len(), items.len());
    let table = std::fs::read_to_string(into("a.md")).expect("UTF-8");
    assert_eq!(markdown_rows(&table).len() - 1, items.len());
    let piped = crawl(&["--format", "csv"]);
    assert_eq!(text(&piped).matches("\r\n").count(), items.len() + 1);
    let names = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 5, "nothing else is left behind");
}
