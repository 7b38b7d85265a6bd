//! WARC, WACZ and CDXJ exports of runs that keep raw pages: API, command line, and warcio as a reader.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::MultiGzDecoder;
use lab::{Handbook, Lab};
use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text};

const SITE: Handbook = Handbook { chapters: 2, sections: 3 };

struct Scene {
    lab: Lab,
    server: Server,
    key: String,
    setup: Setup,
    folder: tempfile::TempDir,
}

async fn scene() -> Scene {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SITE);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(&folder.path().join("data"))
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_ALLOW_NETWORKS", lab.address().to_string());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { lab, server, key, setup, folder }
}

impl Scene {
    async fn completed(&self, more: Value) -> String {
        let job = self.server.create(&self.key, &self.lab.url("/"), more).await;
        let done = self.server.wait(&self.key, &job, &["completed", "failed"]).await;
        assert_eq!(done["status"], "completed", "{done}");
        job
    }

    /// Downloads an export; returns its file and the name that the server gives it.
    async fn take(&self, job: &str, body: &Value) -> (PathBuf, String) {
        let path = format!("/v1/jobs/{job}/export");
        let answer = self.server.post(&path, &self.key, body).await;
        let answer: Value = answer.json().await.expect("JSON");
        let url = answer["url"].as_str().unwrap_or_else(|| panic!("{answer}"));
        let file = reqwest::get(url).await.expect("an answer");
        assert_eq!(file.status(), 200, "{url}");
        assert!(file.headers().get("content-encoding").is_none(), "it is compressed once");
        let named = file.headers()["content-disposition"].to_str().expect("text");
        let named = named.split('"').nth(1).expect("a name").to_owned();
        let saved = self.folder.path().join(&named);
        std::fs::write(&saved, file.bytes().await.expect("whole")).expect("it is written");
        (saved, named)
    }
}

fn unpacked(path: &Path) -> String {
    let file = std::fs::File::open(path).expect("a file");
    let mut bytes = Vec::new();
    MultiGzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    text(&bytes)
}

fn count(text: &str, line: &str) -> usize {
    text.matches(&format!("\r\n{line}\r\n")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn raw_pages_of_a_run_are_exported_as_a_web_archive() {
    let scene = scene().await;
    let kept = json!({"mode": "markdown", "formats": ["raw_html"]});
    let job = scene.completed(kept).await;
    let items = scene.server.results(&scene.key, &job).await;
    let (warc, named) = scene.take(&job, &json!({"format": "warc"})).await;
    assert_eq!(named, format!("{job}.warc.gz"));
    let records = unpacked(&warc);
    let written = count(&records, "WARC-Type: response") + count(&records, "WARC-Type: revisit");
    assert_eq!(written, items.len());
    for item in &items {
        let url = item["url"].as_str().expect("a URL");
        assert_eq!(count(&records, &format!("WARC-Target-URI: {url}")), 1, "{url}");
        let page = reqwest::get(url).await.expect("a page").text().await.expect("a text");
        assert!(records.contains(&page), "the bytes of {url}");
    }

    let (index, _) = scene.take(&job, &json!({"format": "cdxj"})).await;
    let index = std::fs::read_to_string(index).expect("text");
    assert_eq!(index.lines().count(), items.len());
    assert!(index.lines().all(|line| line.contains(&named)), "{index}");
    let (again, _) = scene.take(&job, &json!({"format": "warc"})).await;
    assert_eq!(unpacked(&again), records, "an export of a run has the same bytes as another");

    let url = items[1]["url"].as_str().expect("a URL");
    let part = json!({"format": "warc", "filter": {"url": url}});
    let (part, _) = scene.take(&job, &part).await;
    let part = unpacked(&part);
    assert_eq!(count(&part, "WARC-Type: response"), 1);
    assert_eq!(count(&part, &format!("WARC-Target-URI: {url}")), 1);

    let (wacz, named) = scene.take(&job, &json!({"format": "wacz"})).await;
    assert!(named.starts_with("markdown-") && named.ends_with(".wacz"), "{named}");
    let wacz = std::fs::read(wacz).expect("a file");
    assert!(wacz.starts_with(b"PK\x03\x04"));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_without_raw_pages_has_no_web_archive() {
    let scene = scene().await;
    for more in [json!({"mode": "links"}), json!({"mode": "markdown", "formats": ["html"]})] {
        let job = scene.completed(more).await;
        for format in ["warc", "wacz", "cdxj"] {
            let path = format!("/v1/jobs/{job}/export");
            let answer = scene.server.post(&path, &scene.key, &json!({"format": format})).await;
            assert_eq!(answer.status(), 422);
            let problem: Value = answer.json().await.expect("JSON");
            let error = &problem["errors"][0];
            assert_eq!(error["field"], "format", "{problem}");
            let message = error["message"].as_str().expect("text");
            assert!(message.contains("\"formats\": [\"raw_html\"]"), "{message}");
        }
        let refused = output(scene.setup.other().args(["export", &job, "--format", "wacz"]));
        let said = text(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains("[\"raw_html\"]"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_writes_web_archives() {
    let scene = scene().await;
    let folder = scene.folder.path();
    let run = folder.join("run.warc.gz");
    let url = scene.lab.url("/");
    let mut command = scene.setup.other();
    command.args(["run", &url, "--mode", "links", "--url", &scene.server.url]);
    command.args(["--key", &scene.key, "-o"]).arg(&run);
    let done = output(&mut command);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let records = unpacked(&run);
    let pages = count(&records, "WARC-Type: response") + count(&records, "WARC-Type: revisit");
    assert!(pages > 6, "`run` asks for the pages that the archive needs: {pages}");

    let job = text(&done.stdout).trim().to_owned();
    let local = folder.join("local.warc.gz");
    let done = output(scene.setup.other().args(["export", &job, "-o"]).arg(&local));
    let said = text(&done.stderr);
    assert!(said.contains(&format!("{pages} pages written")), "{said}");
    assert_eq!(unpacked(&local), records, "as the server writes it");
    let remote = folder.join("one.wacz");
    let mut command = scene.setup.other();
    command.args(["export", &job, "--url", &scene.server.url, "--key", &scene.key]);
    let done = output(command.args(["--filter", "depth=0", "-o"]).arg(&remote));
    assert!(done.status.success(), "{}", text(&done.stderr));
    let whole = folder.join("all.wacz");
    let done = output(scene.setup.other().args(["export", &job, "-o"]).arg(&whole));
    assert!(done.status.success(), "{}", text(&done.stderr));
    let size = |path: &Path| std::fs::metadata(path).expect("a file").len();
    assert!(size(&remote) < size(&whole), "the filter selects pages");

    let refused = output(scene.setup.other().args(["crawl", &url, "-o", "site.wacz"]));
    let said = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("trawl run"), "{said}");
}

const READ: &str = r#"
import json, sys
from warcio.archiveiterator import ArchiveIterator
pages = {}
with open(sys.argv[1], "rb") as file:
    for record in ArchiveIterator(file, check_digests="raise"):
        if record.rec_type == "response":
            assert record.rec_headers.get_header("WARC-Payload-Digest").startswith("sha256:")
            pages[record.rec_headers.get_header("WARC-Target-URI")] = {
                "status": record.http_headers.get_statuscode(),
                "body": record.content_stream().read().decode(),
            }
print(json.dumps(pages))
"#;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs warcio and wacz: scripts/test installs them"]
async fn programs_read_the_archives_of_a_run() {
    let scene = scene().await;
    let kept = json!({"mode": "links", "formats": ["raw_html"]});
    let job = scene.completed(kept).await;
    let tools = std::env::var_os("TRAWL_PYTHON_TOOLS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python-tools"),
        PathBuf::from,
    );
    let (warc, _) = scene.take(&job, &json!({"format": "warc"})).await;
    let mut python = Command::new(tools.join("bin/python"));
    let read = output(python.args(["-c", READ]).arg(&warc));
    assert!(read.status.success(), "{}", text(&read.stderr));
    let pages: Value = serde_json::from_slice(&read.stdout).expect("JSON");
    let pages = pages.as_object().expect("pages");
    assert!(pages.len() > 6, "{pages:?}");
    for (url, page) in pages {
        let answer = reqwest::get(url).await.expect("an answer");
        assert_eq!(page["status"], answer.status().as_u16().to_string());
        assert_eq!(page["body"], answer.text().await.expect("a text"), "{url}");
    }
    let (wacz, _) = scene.take(&job, &json!({"format": "wacz"})).await;
    let mut validate = Command::new(tools.join("bin/wacz"));
    let valid = output(validate.args(["validate", "-f"]).arg(&wacz));
    let said = text(&valid.stdout);
    assert!(said.contains("Validation succeeded"), "{said}{}", text(&valid.stderr));
}
