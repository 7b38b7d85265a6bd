//! Commands against a server over HTTP: `login`, `run`, `watch`, `job`, `export`, `schedule`,
//! `estimate`, `map`, `read`.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use lab::{Catalogue, Lab};
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text, trawl};

/// A server with the built-in sample sites, and a client in an empty folder.
struct Scene {
    server: Server,
    key: String,
    client: tempfile::TempDir,
    data: tempfile::TempDir,
}

/// A scene without a saved login, and with these settings of the server.
async fn scene_with(settings: &[(&str, String)]) -> Scene {
    let data = tempfile::tempdir().expect("a folder");
    let mut setup = Setup::new(data.path()).with("TRAWL_CHROMIUM", "none");
    for (name, value) in settings {
        setup = setup.with(name, value);
    }
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { server, key, client: tempfile::tempdir().expect("a folder"), data }
}

async fn scene() -> Scene {
    let scene = scene_with(&[]).await;
    let ended = scene.login(&scene.key);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    scene
}

impl Scene {
    fn command(&self) -> Command {
        let mut command = trawl();
        command.current_dir(self.client.path());
        command.env("XDG_CONFIG_HOME", self.client.path().join("config"));
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        output(self.command().args(words))
    }

    /// Standard output of a command that succeeds.
    fn done(&self, words: &[&str]) -> String {
        let ended = self.run(words);
        assert!(ended.status.success(), "{words:?}: {}", text(&ended.stderr));
        text(&ended.stdout)
    }

    fn json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.done(words)).expect("JSON")
    }

    fn login(&self, key: &str) -> Output {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), format!("{key}\n")).expect("written");
        let mut command = self.command();
        command.args(["login", "--url", &self.server.url]);
        command.stdin(Stdio::from(File::open(file.path()).expect("a file")));
        output(&mut command)
    }

    fn credentials(&self) -> PathBuf {
        self.client.path().join("config/trawl/credentials.json")
    }

    fn read_file(&self, name: &str) -> String {
        std::fs::read_to_string(self.client.path().join(name)).expect("a file")
    }

    /// A finished job on the sample documentation.
    fn finished_job(&self, more: &[&str]) -> String {
        let words = [&["run", "docs.lab.test", "--quiet"][..], more].concat();
        self.done(&words).trim().to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn login_saves_the_key_for_its_owner_and_logout_deletes_it() {
    let scene = scene_with(&[]).await;
    let wrong = scene.login("key_live_wrong");
    assert_eq!(wrong.status.code(), Some(3), "{}", text(&wrong.stderr));
    assert!(text(&wrong.stderr).contains("unauthorized"), "{}", text(&wrong.stderr));
    assert!(!scene.credentials().exists(), "a wrong key is not saved");
    let without = scene.run(&["run", "docs.lab.test", "--url", &scene.server.url]);
    assert_eq!(without.status.code(), Some(3));
    assert!(text(&without.stderr).contains("trawl login --url"), "{}", text(&without.stderr));

    let right = scene.login(&scene.key);
    assert!(text(&right.stdout).contains("100000 credits"), "{}", text(&right.stderr));
    assert!(!text(&right.stdout).contains(&scene.key) && !text(&right.stderr).contains(&scene.key));
    let mode = std::fs::metadata(scene.credentials()).expect("saved").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(scene.done(&["job", "list"]).starts_with("job "), "the saved server is used");

    let out = scene.done(&["logout"]);
    assert!(out.contains(&scene.server.url) && out.contains("until it is revoked"), "{out}");
    let kept = std::fs::read_to_string(scene.credentials()).expect("a file");
    assert!(!kept.contains("key_live"), "{kept}");
    assert_eq!(scene.run(&["logout"]).status.code(), Some(1), "no login is left");
    assert_eq!(scene.run(&["job", "list"]).status.code(), Some(3), "and no database here");
    scene.server.get("/v1/account", &scene.key).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_and_environment_name_server_and_key() {
    let scene = scene_with(&[]).await;
    let (url, key) = (scene.server.url.as_str(), scene.key.as_str());
    scene.done(&["job", "list", "--url", url, "--key", key]);
    let by_environment =
        output(scene.command().args(["job", "list"]).env("TRAWL_URL", url).env("TRAWL_KEY", key));
    assert!(by_environment.status.success(), "{}", text(&by_environment.stderr));
    let both = scene.run(&["job", "list", "--url", url, "--data", "here"]);
    assert_eq!(both.status.code(), Some(2), "{}", text(&both.stderr));
    let mut local = scene.command();
    local.args(["job", "list", "--data", "here"]).env("TRAWL_URL", url).env("TRAWL_KEY", key);
    let local = output(&mut local);
    assert!(text(&local.stderr).contains("there is no database"), "{}", text(&local.stderr));
    let nowhere = scene.run(&["run", "docs.lab.test", "--url", "http://127.0.0.1:1", "--key", key]);
    let said = text(&nowhere.stderr);
    assert_eq!(nowhere.status.code(), Some(3), "{said}");
    assert!(said.contains("is `trawl serve` running"), "{said}");
    let mut files = std::fs::read_dir(scene.client.path()).expect("a folder");
    assert!(files.next().is_none(), "nothing was created");
}

#[tokio::test(flavor = "multi_thread")]
async fn run_starts_a_job_and_writes_its_results() {
    let scene = scene().await;
    let ended = scene.run(&["run", "docs.lab.test/keys", "--one-page", "-o", "page.md"]);
    let said = text(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    let job = text(&ended.stdout).trim().to_owned();
    let shown = scene.server.get(&format!("/v1/jobs/{job}"), &scene.key).await;
    assert_eq!((&shown["mode"], &shown["status"]), (&json!("markdown"), &json!("completed")));
    assert!(said.contains("completed: 1 result, 0 credits"), "{said}");
    assert!(said.contains("1 result written to page.md"), "{said}");
    assert!(scene.read_file("page.md").contains("# "));

    // Results on standard output, the job on standard error.
    let ended = scene.run(&["run", "docs.lab.test/keys", "--one-page", "-o", "-"]);
    let item: Value = serde_json::from_slice(&ended.stdout).expect("one item");
    assert_eq!(item["url"], "https://docs.lab.test/keys");
    assert!(text(&ended.stderr).contains("job_"), "{}", text(&ended.stderr));

    let ended = scene.run(&["run", "docs.lab.test", "--mode", "everything"]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(text(&ended.stderr).contains("the modes are"), "{}", text(&ended.stderr));
    let ended = scene.run(&["run", "http://10.0.0.1/"]);
    assert_eq!(ended.status.code(), Some(2), "refused by the server: {}", text(&ended.stderr));
    assert!(text(&ended.stderr).contains("url "), "{}", text(&ended.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn start_url_with_a_path_limits_the_run_to_it() {
    let scene = scene().await;
    let words = ["run", "docs.lab.test/de/", "--mode", "links", "-o", "pages.jsonl"];
    let ended = scene.run(&words);
    let said = text(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains("only pages under /de; --whole-site"), "{said}");
    let lines = scene.read_file("pages.jsonl");
    assert!(!lines.is_empty());
    for line in lines.lines() {
        let item: Value = serde_json::from_str(line).expect("an item");
        assert!(item["url"].as_str().expect("a URL").starts_with("https://docs.lab.test/de/"));
    }
    scene.done(&[&words[..], &["--whole-site"]].concat());
    let all = scene.read_file("pages.jsonl");
    assert!(all.lines().count() > lines.lines().count(), "the whole site");
}

#[tokio::test(flavor = "multi_thread")]
async fn job_commands_work_against_a_server() {
    let scene = scene().await;
    let job = scene.finished_job(&["--mode", "links"]);
    let table = scene.done(&["job", "list", "--status", "completed"]);
    assert!(table.contains(&job) && table.contains("completed"), "{table}");
    assert!(!table.contains('\x1b'), "no colours in a pipe: {table}");
    let coloured = output(scene.command().args(["job", "list"]).env("CLICOLOR_FORCE", "1"));
    assert!(text(&coloured.stdout).contains("\x1b[32mcompleted"), "{}", text(&coloured.stdout));
    let mut plain = scene.command();
    plain.args(["job", "list"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
    assert!(!text(&output(&mut plain).stdout).contains('\x1b'));
    assert_eq!(scene.json(&["job", "list", "--json"])[0]["job_id"], job.as_str());
    assert_eq!(scene.json(&["job", "show", &job, "--json"])["mode"], "links");
    let shown = scene.done(&["job", "show", &job]);
    assert!(shown.contains("status              completed"), "{shown}");
    let skipped = scene.json(&["job", "skipped", &job, "--json"]);
    assert!(skipped["reasons"].is_object(), "{skipped}");
    let explained = scene.done(&["job", "explain", &job, "/keys"]);
    assert!(explained.contains("delivered"), "{explained}");
    let late = scene.run(&["job", "abort", &job]);
    assert_eq!(late.status.code(), Some(1), "{}", text(&late.stderr));
    assert!(text(&late.stderr).contains("trawl explain"), "{}", text(&late.stderr));
    assert_eq!(scene.done(&["watch", &job]).lines().count(), 1, "a finished job shows its end");
    assert_eq!(scene.done(&["job", "delete", &job]), format!("{job} is deleted\n"));
    for words in [["job", "show", job.as_str()], ["job", "show", "job_unknown"]] {
        assert_eq!(scene.run(&words).status.code(), Some(1), "{words:?}");
    }
    assert_eq!(scene.run(&["watch", "job_unknown"]).status.code(), Some(1));
    assert_eq!(scene.run(&["job", "list", "--email", "a@b.org"]).status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_have_names_and_tags_on_a_server_and_on_its_machine() {
    let scene = scene().await;
    let job =
        scene.finished_job(&["--mode", "links", "--name", "First", "--tag", "a", "--tag", "b"]);
    let shown = scene.json(&["job", "show", &job, "--json"]);
    assert_eq!((&shown["name"], &shown["tags"]), (&json!("First"), &json!(["a", "b"])));
    let table = scene.done(&["job", "list", "--tag", "a", "--search", "first"]);
    assert!(table.contains(&job) && table.contains("First  [a, b]"), "{table}");
    assert!(!scene.done(&["job", "list", "--tag", "c"]).contains(&job));
    let changed = scene.done(&["job", "label", &job, "--name", "Second", "--no-tags"]);
    assert_eq!(changed, format!("{job} has the name Second and the tags -\n"));
    let data = scene.data.path().to_str().expect("UTF-8");
    let changed = scene.done(&["job", "label", &job, "--tag", "x", "--data", data]);
    assert_eq!(changed, format!("{job} has the name Second and the tags x\n"));
    let local = scene.json(&["job", "list", "--tag", "x", "--json", "--data", data]);
    assert_eq!((&local[0]["name"], local.as_array().map(Vec::len)), (&json!("Second"), Some(1)));
    for words in [&["job", "label", job.as_str()][..], &["job", "label", &job, "--tag", "a,b"]] {
        assert_eq!(scene.run(words).status.code(), Some(2), "{words:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn run_passes_list_webhook_and_cache_to_the_server() {
    let scene = scene_with(&[("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1:1".to_owned())]).await;
    assert!(scene.login(&scene.key).status.success());
    let list = scene.server.request(Method::POST, "/v1/lists", &scene.key);
    let list = list.header("content-type", "text/plain").body("https://docs.lab.test/keys\n");
    let list: Value = list.send().await.expect("an answer").json().await.expect("JSON");
    let id = list["list_id"].as_str().or(list["id"].as_str()).expect("an id");
    let words = ["run", "--mode", "markdown", "--list-id", id, "--max-age", "60", "--detach"];
    let job = scene.done(&words).trim().to_owned();
    let done = scene.server.wait(&scene.key, &job, &["completed"]).await;
    assert_eq!(done["counts"]["results"], 1, "{done}");
    let words = ["run", "docs.lab.test/keys", "--one-page", "--webhook", "https://127.0.0.1:1/in"];
    let started = scene.run(&[&words[..], &["--webhook-event", "job.completed"]].concat());
    let said = text(&started.stderr);
    assert!(said.contains("whsec_"), "{said}");
    let job = text(&started.stdout).trim().to_owned();
    let shown = scene.json(&["job", "show", &job, "--json"]);
    assert_eq!(shown["webhook"]["events"], json!(["job.completed"]), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_uploaded_shown_and_deleted() {
    let scene = scene().await;
    let write = |name: &str, text: &str| {
        std::fs::write(scene.client.path().join(name), text).expect("written");
    };
    write("pages.txt", "# two pages\nhttps://docs.lab.test/keys\n\nhttps://docs.lab.test/\n");
    write(
        "pages.ndjson",
        "{\"url\": \"https://docs.lab.test/keys\"}\n\"https://docs.lab.test/\"\n",
    );
    for name in ["pages.txt", "pages.ndjson"] {
        let uploaded = scene.run(&["list", "upload", name]);
        let (id, said) = (text(&uploaded.stdout), text(&uploaded.stderr));
        assert!(id.starts_with("lst_") && said.contains("2 URLs uploaded"), "{id}{said}");
    }
    let list = scene.json(&["list", "upload", "pages.txt", "--json"]);
    let id = list["list_id"].as_str().expect("an id");
    assert_eq!(scene.json(&["list", "show", id, "--json"]), list);
    assert!(scene.done(&["list", "show", id]).starts_with(&format!("{id} has 2 URLs")));
    let words = ["run", "--list-id", id, "--mode", "links", "-o", "pages.jsonl"];
    scene.done(&words);
    assert_eq!(scene.read_file("pages.jsonl").lines().count(), 2);
    assert!(scene.done(&["list", "delete", id]).starts_with(&format!("{id} is deleted")));
    for words in [["list", "show", id], ["list", "delete", id], ["list", "show", "lst_unknown"]] {
        assert_eq!(scene.run(&words).status.code(), Some(1), "{words:?}");
    }
    write("wrong.txt", "https://docs.lab.test/\nno URL\n");
    let wrong = scene.run(&["list", "upload", "wrong.txt"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
    assert!(text(&wrong.stderr).contains("line 2 "), "{}", text(&wrong.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_uploads_a_list_that_is_too_long_for_a_request() {
    let scene = scene().await;
    let line = |number| format!("https://docs.lab.test/keys?number={number}\n");
    let list: String = (0..10_001).map(line).collect();
    std::fs::write(scene.client.path().join("pages.txt"), list).expect("written");
    let words = ["run", "--urls", "pages.txt", "--mode", "links"];
    let ended = scene.run(&[&words[..], &["--max-pages", "2", "-o", "pages.jsonl"]].concat());
    let said = text(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains("trawl: 10001 URLs uploaded as lst_"), "{said}");
    assert_eq!(scene.read_file("pages.jsonl").lines().count(), 2);

    let refused = scene.run(&[&words[..], &["--webhook", "https://10.0.0.1/in"]].concat());
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    let id = said.split(" uploaded as ").nth(1).and_then(|rest| rest.lines().next());
    let gone = scene.run(&["list", "show", id.expect("an id")]);
    assert_eq!(gone.status.code(), Some(1), "the list of a refused job is deleted");
    let once = scene.run(&[&words[..], &["--idempotency-key", "a"]].concat());
    assert_eq!(once.status.code(), Some(2), "{}", text(&once.stderr));
    assert!(text(&once.stderr).contains("trawl list upload"), "{}", text(&once.stderr));
    let create = ["schedule", "create", "--cron", "@daily", "--urls", "pages.txt"];
    let schedule = scene.run(&create);
    assert_eq!(schedule.status.code(), Some(2), "{}", text(&schedule.stderr));
    assert!(text(&schedule.stderr).contains("divide the list"), "{}", text(&schedule.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn options_and_idempotency_key_of_a_page_reach_the_server() {
    let scene = scene().await;
    let url = scene.server.url.as_str();
    let words = ["read", "docs.lab.test/errors", "--links", "none", "--main-content", "false"];
    let on_server = [&words[..], &["--url", url]].concat();
    let local = scene.done(&words);
    assert_eq!(scene.done(&on_server), local, "the same page");
    assert!(!local.contains("](") && local.contains("# "), "{local}");
    let plain = scene.done(&["read", "docs.lab.test/errors", "--url", url]);
    assert!(plain.contains("]("), "{plain}");

    let once = [&on_server[..], &["--json", "--idempotency-key", "one page"]].concat();
    let (first, second) = (scene.json(&once), scene.json(&once));
    assert_eq!(first, second, "the answer of the first call");
    let other = scene.json(&[&on_server[..], &["--json"]].concat());
    assert_ne!(first["page_id"], other["page_id"]);
    for timeout in ["999", "60001"] {
        let wrong = scene.run(&["read", "docs.lab.test/keys", "--timeout-ms", timeout]);
        assert_eq!(wrong.status.code(), Some(2), "{timeout}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_of_a_server_are_the_files_of_the_api() {
    let scene = scene().await;
    let job = scene.finished_job(&["--mode", "links", "--include-broken"]);
    let items = scene.server.results(&scene.key, &job).await;
    assert!(items.len() > 10);
    let ended = scene.run(&["export", &job, "-o", "pages.csv"]);
    let written = format!("{} results written to pages.csv", items.len());
    assert!(text(&ended.stderr).contains(&written), "{}", text(&ended.stderr));
    assert_eq!(scene.read_file("pages.csv").matches("\r\n").count(), items.len() + 1);
    assert_eq!(scene.done(&["export", &job]).lines().count(), items.len());

    let words = ["export", &job, "--filter", "status_code=404", "--fields", "url,status_code"];
    let broken: Value = serde_json::from_str(scene.done(&words).trim()).expect("one item");
    assert_eq!(broken, json!({"url": "https://docs.lab.test/troubleshooting", "status_code": 404}));
    let ended = scene.run(&["export", &job, "--filter", "status_code=404", "-o", "broken.csv"]);
    assert!(text(&ended.stderr).contains("1 result written to"), "{}", text(&ended.stderr));
    assert!(scene.read_file("broken.csv").contains("/troubleshooting"));
    let wrong = scene.run(&["export", &job, "--filter", "colour=red"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
    let files = std::fs::read_dir(scene.client.path()).expect("a folder");
    let mut names = files.map(|file| file.expect("a file").file_name());
    let is_part = names.any(|name| name.to_string_lossy().ends_with(".part"));
    assert!(!is_part, "no incomplete file is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn schedules_are_created_and_changed_on_a_server() {
    let scene = scene().await;
    let words = ["schedule", "create", "--cron", "@yearly", "--timezone", "Europe/Berlin"];
    let created = scene.done(&[&words[..], &["--name", "Docs", "docs.lab.test"]].concat());
    let id = created.split(' ').next().expect("an id").to_owned();
    assert!(created.contains("is created; next start: 20"), "{created}");
    let table = scene.done(&["schedule", "list"]);
    assert!(table.contains(&id) && table.contains("Europe/Berlin"), "{table}");
    assert_eq!(scene.done(&["schedule", "pause", &id]), format!("{id} is paused\n"));
    assert_eq!(scene.json(&["schedule", "list", "--json"])[0]["paused"], true);
    assert!(scene.done(&["schedule", "resume", &id]).contains("next start: 20"));
    let run = scene.done(&["schedule", "run", &id]);
    assert!(run.starts_with("job_") && run.contains(" is queued"), "{run}");
    assert!(scene.done(&["schedule", "delete", &id]).contains("is deleted"));
    assert_eq!(scene.run(&["schedule", "pause", &id]).status.code(), Some(1));
    let wrong = scene.run(&["schedule", "create", "--cron", "every day", "docs.lab.test"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
    assert!(text(&wrong.stderr).contains("cron "), "{}", text(&wrong.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn server_estimates_maps_and_reads_pages() {
    let scene = scene().await;
    let url = scene.server.url.as_str();
    let estimate = scene.done(&["estimate", "docs.lab.test", "--url", url]);
    assert!(estimate.starts_with("https://docs.lab.test/: "), "{estimate}");
    let words = ["estimate", "docs.lab.test", "--mode", "links", "--url", url, "--json"];
    assert_eq!(scene.json(&words)["credits_available"], 100_000);
    let map = scene.done(&["map", "docs.lab.test", "--url", url]);
    assert!(map.contains("https://docs.lab.test/"), "{map}");
    let local = scene.done(&["read", "docs.lab.test/keys"]);
    let words = ["read", "docs.lab.test/keys", "--url", url];
    assert_eq!(scene.done(&words), local, "the same page");
    let answer = scene.json(&[&words[..], &["--json"]].concat());
    assert_eq!(answer["metadata"]["status_code"], 200);
    assert!(!answer["links"].as_array().expect("links").is_empty());
    let html = scene.done(&[&words[..], &["--html", "-"]].concat());
    assert!(html.contains("<h1"), "{html}");
    let missing = scene.run(&["read", "docs.lab.test/missing", "--url", url]);
    assert_eq!(missing.status.code(), Some(1), "{}", text(&missing.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_waits_for_a_confirmation_ends_with_what_to_do() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(40));
    let settings = [("TRAWL_RESOLVE", lab.name_table()), ("TRAWL_BATCH_SIZE", "10".to_owned())];
    let scene = scene_with(&settings).await;
    assert!(scene.login(&scene.key).status.success());
    let ended = scene.run(&["run", "http://site.lab/", "--mode", "links"]);
    let (job, said) = (text(&ended.stdout).trim().to_owned(), text(&ended.stderr));
    assert_eq!(ended.status.code(), Some(1), "{said}");
    let confirm = format!("trawl job confirm {job} --continue-batch");
    assert!(said.contains(&confirm) && said.contains("10 results, 10 credits"), "{said}");
    let confirmed = scene.done(&["job", "confirm", &job, "--continue-batch"]);
    assert!(confirmed.starts_with(&format!("{job} is ")), "{confirmed}");
    scene.server.wait(&scene.key, &job, &["paused"]).await;
    assert_eq!(scene.done(&["job", "abort", &job]), format!("{job} is aborted\n"));
    assert_eq!(scene.run(&["watch", &job]).status.code(), Some(1), "an aborted job");
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_prints_every_change_as_json_until_the_end() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::plain(30));
    let scene = scene_with(&[("TRAWL_RESOLVE", lab.name_table())]).await;
    let job = scene.server.create(&scene.key, "http://site.lab/", json!({})).await;
    let words = ["watch", &job, "--json", "--url", &scene.server.url, "--key", &scene.key];
    let lines = scene.done(&words);
    let last: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["status"], "completed", "{lines}");
    assert_eq!(last["job_id"], job.as_str(), "{lines}");
}
