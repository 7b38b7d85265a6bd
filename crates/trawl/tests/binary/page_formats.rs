//! `formats` and `max_age` of jobs: files of the pages of a run behind signed links, and pages from the
//! cache.

use contract::JobId;
use lab::{Handbook, Lab};
use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text, trawl};

const SITE: Handbook = Handbook { chapters: 2, sections: 3 };

struct Scene {
    lab: Lab,
    server: Server,
    key: String,
    _folder: tempfile::TempDir,
}

async fn scene() -> Scene {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SITE);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_ALLOW_NETWORKS", lab.address().to_string());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { lab, server, key, _folder: folder }
}

impl Scene {
    async fn completed(&self, more: Value) -> (String, Vec<Value>) {
        let job = self.server.create(&self.key, &self.lab.url("/"), more).await;
        let done = self.server.wait(&self.key, &job, &["completed", "failed"]).await;
        assert_eq!(done["status"], "completed", "{done}");
        let mut items = self.server.results(&self.key, &job).await;
        // Pages of a run may finish in another order than those of the run before.
        items.sort_by_key(|item| item["url"].as_str().map(str::to_owned));
        (job.clone(), items)
    }

    /// A file behind a link, without a credential.
    async fn download(&self, link: &Value) -> (u16, String) {
        let answer = reqwest::get(link["url"].as_str().expect("a link")).await.expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("a text"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_run_are_behind_links_and_deleted_with_the_job() {
    let scene = scene().await;
    let server = &scene.server;
    let before = server.get("/v1/account", &scene.key).await["credits"].clone();
    let (plain, items) = scene.completed(json!({"mode": "markdown"})).await;
    assert!(items.iter().all(|item| item.get("files").is_none()));
    let middle = server.get("/v1/account", &scene.key).await["credits"].clone();
    let formats = json!({"mode": "markdown", "formats": ["html", "raw_html"]});
    let (job, kept) = scene.completed(formats).await;
    let after = server.get("/v1/account", &scene.key).await["credits"].clone();
    let spent = |from: &Value, to: &Value| from.as_i64().expect("n") - to.as_i64().expect("n");
    assert_eq!(spent(&before, &middle), spent(&middle, &after), "the charge is the same");

    assert_eq!(kept.len(), items.len());
    for item in &kept {
        let files = &item["files"];
        assert!(files.get("warnings").is_none() && files.get("screenshot").is_none(), "{files}");
        let url = item["url"].as_str().expect("a url");
        let received = reqwest::get(url).await.expect("a page").text().await.expect("a text");
        let (status, raw) = scene.download(&files["raw_html"]).await;
        assert_eq!((status, &raw), (200, &received), "{url}");
        assert_eq!(files["raw_html"]["bytes"], received.len());
        let (status, html) = scene.download(&files["html"]).await;
        assert!(status == 200 && !html.contains("<script"), "{url}: {html}");
    }
    let link = kept[0]["files"]["raw_html"].clone();
    let mut altered = link.clone();
    let signed = link["url"].as_str().expect("a link");
    altered["url"] = signed.replacen("raw_html", "html", 1).into();
    assert_ne!(altered, link);
    assert_eq!(scene.download(&altered).await.0, 403);

    let shown = server.get(&format!("/v1/jobs/{job}"), &scene.key).await;
    assert_eq!(shown["access"]["formats"], json!(["html", "raw_html"]));
    assert!(shown["files"]["stored_bytes"].as_u64() > Some(0) && shown["files"]["not_kept"] == 0);
    let path = format!("/v1/jobs/{job}/results");
    let selected = server.get(&format!("{path}?fields=url,files&page_size=1"), &scene.key).await;
    let members = selected["items"][0].as_object().expect("an item");
    assert_eq!(members.keys().collect::<Vec<_>>(), ["url", "files"]);
    let url = kept[1]["url"].as_str().expect("a url");
    let filtered = server.get(&format!("{path}?filter[url]={url}"), &scene.key).await;
    assert_eq!(filtered["items"][0]["url"], url);
    let (_, raw) = scene.download(&filtered["items"][0]["files"]["raw_html"]).await;
    assert_eq!(raw, scene.download(&kept[1]["files"]["raw_html"]).await.1, "the file of its item");
    let lines = server.request(reqwest::Method::GET, &path, &scene.key);
    let lines = lines.header("Accept", "application/x-ndjson").send().await.expect("an answer");
    let lines = lines.text().await.expect("lines");
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("an item")).collect();
    assert_eq!(lines.len(), kept.len());
    assert!(lines.iter().all(|item| item["files"]["html"]["url"].is_string()));

    for job in [&plain, &job] {
        let path = format!("/v1/jobs/{job}");
        let deleted = server.request(reqwest::Method::DELETE, &path, &scene.key).send().await;
        assert_eq!(deleted.expect("an answer").status(), 200);
    }
    assert_eq!(scene.download(&link).await.0, 410);
    assert!(job.parse::<JobId>().is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_list_and_of_a_schedule_are_kept_too() {
    let scene = scene().await;
    let server = &scene.server;
    let urls = [scene.lab.url("/"), scene.lab.url("/missing")];
    let body = json!({"mode": "links", "urls": urls, "formats": ["raw_html"]});
    let job = server.post("/v1/jobs", &scene.key, &body).await;
    let job: Value = job.json().await.expect("JSON");
    let job = job["job_id"].as_str().expect("a job").to_owned();
    server.wait(&scene.key, &job, &["completed"]).await;
    let items = server.results(&scene.key, &job).await;
    assert_eq!(items.len(), 2, "a missing page is a result of an inventory");
    let home = items.iter().find(|item| item["url"] == urls[0]).expect("the page");
    assert_eq!(scene.download(&home["files"]["raw_html"]).await.0, 200);

    let schedule = json!({"cron": "0 3 * * *", "request": {"mode": "links",
        "url": scene.lab.url("/"), "formats": ["raw_html"], "max_age": 60}});
    let created = server.post("/v1/schedules", &scene.key, &schedule).await;
    let status = created.status();
    let created: Value = created.json().await.expect("JSON");
    assert_eq!(status, 201, "{created}");
    assert_eq!(created["request"]["formats"], json!(["raw_html"]), "{created}");
    let path = format!("/v1/schedules/{}/run", created["id"].as_str().expect("an id"));
    let run: Value = server.post(&path, &scene.key, &json!({})).await.json().await.expect("JSON");
    let job = run["job_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned();
    server.wait(&scene.key, &job, &["completed"]).await;
    let items = server.results(&scene.key, &job).await;
    assert!(items.iter().all(|item| item["files"]["raw_html"]["url"].is_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_takes_pages_of_the_cache_that_are_young_enough() {
    let scene = scene().await;
    let pages = || {
        let seen = scene.lab.requests().into_iter();
        seen.filter(|seen| seen.path != "/robots.txt" && !seen.path.contains("sitemap")).count()
    };
    let (_, first) = scene.completed(json!({"mode": "markdown", "max_age": 3600})).await;
    let requested = pages();
    assert!(requested >= first.len());
    let (_, second) = scene.completed(json!({"mode": "markdown", "max_age": 3600})).await;
    assert_eq!(pages(), requested, "every page was in the cache");
    assert_eq!(second, first, "with the time when it was fetched");
    let body = json!({"url": scene.lab.url("/"), "max_age": 3600});
    let page: Value =
        scene.server.post("/v1/pages", &scene.key, &body).await.json().await.expect("JSON");
    assert_eq!((&page["cached"], pages()), (&json!(true), requested), "shared with page calls");
    let bearer = json!({"mode": "markdown", "max_age": 3600, "bearer": "s3cret"});
    scene.completed(bearer).await;
    assert!(pages() > requested, "a page that was fetched with other credentials is not used");
    let requested = pages();
    scene.completed(json!({"mode": "markdown"})).await;
    assert!(pages() > requested, "without max_age every page is requested");
}

#[tokio::test(flavor = "multi_thread")]
async fn formats_that_a_job_cannot_keep_are_refused_by_name() {
    let scene = scene().await;
    let url = scene.lab.url("/");
    let contacts = json!({"mode": "contacts", "url": url, "legal_basis_accepted": true,
        "formats": ["html"]});
    let domains = json!({"mode": "contacts", "domains": ["a.example"], "legal_basis_accepted": true,
        "formats": ["html"], "max_age": 9});
    for (body, fields) in [
        (
            json!({"mode": "links", "url": url, "formats": ["item", "pdf"]}),
            vec!["formats[0]", "formats[1]"],
        ),
        (json!({"mode": "links", "url": url, "formats": []}), vec!["formats"]),
        (json!({"mode": "links", "url": url, "formats": ["screenshot"]}), vec!["formats"]),
        (
            json!({"mode": "links", "url": url, "screenshot_area": "viewport"}),
            vec!["screenshot_area"],
        ),
        (json!({"mode": "links", "url": url, "max_age": 604_801}), vec!["max_age"]),
        (contacts, vec!["formats"]),
        (domains, vec!["formats", "max_age"]),
    ] {
        let answer = scene.server.post("/v1/jobs", &scene.key, &body).await;
        assert_eq!(answer.status(), 422, "{body}");
        let problem: Value = answer.json().await.expect("JSON");
        let named: Vec<_> = problem["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(|error| error["field"].as_str().expect("a name").to_owned())
            .collect();
        assert_eq!(named, fields, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_command_writes_the_files_of_pages_to_a_folder() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SITE);
    let folder = tempfile::tempdir().expect("a folder");
    let (files, items) = (folder.path().join("files"), folder.path().join("items.jsonl"));
    let mut command = trawl();
    let command = command
        .args(["crawl", &lab.url("/"), "--mode", "markdown", "--delay", "0", "-q"])
        .args(["--formats", "html,raw_html", "--files"])
        .arg(&files)
        .arg("-o")
        .arg(&items);
    let ended = output(command);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let read = |path: &std::path::Path| std::fs::read_to_string(path).expect("a file");
    let items: Vec<Value> =
        read(&items).lines().map(|line| serde_json::from_str(line).expect("an item")).collect();
    let index = read(&files.join("index.jsonl"));
    let index: Vec<Value> =
        index.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    assert_eq!(index.len(), items.len());
    for (number, line) in index.iter().enumerate() {
        assert_eq!(line["item"], number);
        assert_eq!(line["url"], items[number]["url"]);
        let raw = read(&files.join(line["raw_html"].as_str().expect("a name")));
        let url = line["url"].as_str().expect("a url");
        let received = reqwest::get(url).await.expect("a page").text().await.expect("a text");
        assert_eq!(raw, received, "{url}");
        assert!(files.join(line["html"].as_str().expect("a name")).is_file());
    }
    let wrong = output(
        trawl().args(["crawl", &lab.url("/"), "--mode", "links"]).args(["--formats", "html"]),
    );
    assert!(text(&wrong.stderr).contains("--files"), "{}", text(&wrong.stderr));
}
