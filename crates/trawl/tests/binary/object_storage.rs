//! Files of pages in object storage: `kill -9` during a run, an S3 server, moves beside a running server,
//! and what the operator sees of wrong settings.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bucket::{Bucket, BucketOptions, Location};
use contract::Clock;
use lab::{Catalogue, Lab};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use runtime::SystemClock;
use serde_json::{Value, json};
use store::{Store, StoreSettings};

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, wait_for};

const KILLS: u32 = 20;
const PAGES: usize = 500;

/// Consecutive kills after which the run may commit: further ones without a commit would end it.
const KILLS_IN_A_ROW: u32 = 3;

/// What is stored of each URL: its status and its files.
async fn contents(items: &[Value]) -> BTreeMap<String, String> {
    let client = reqwest::Client::new();
    let mut contents = BTreeMap::new();
    for item in items {
        let mut stored = item["status_code"].to_string();
        for format in ["html", "raw_html"] {
            if let Some(link) = item["files"][format]["url"].as_str() {
                let answer = client.get(link).send().await.expect("an answer");
                assert_eq!(answer.status(), 200, "{link}");
                stored.push_str(&answer.text().await.expect("a text"));
            }
        }
        let url = item["url"].as_str().expect("a URL").to_owned();
        assert!(contents.insert(url, stored).is_none(), "nothing is delivered twice");
    }
    contents
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries
        .flat_map(|entry| {
            let path = entry.expect("an entry").path();
            if path.is_dir() { files_below(&path) } else { vec![path] }
        })
        .collect()
}

/// The database and the folder of a server, opened directly.
async fn open(database: &str, data: &Path, files: &Path) -> Store {
    let url = match database {
        "" => format!("sqlite:{}", data.join("trawl.db").display()),
        url => url.to_owned(),
    };
    let mut settings = StoreSettings::new(url);
    let location: Location = format!("file:{}", files.display()).parse().expect("a location");
    settings.storage.current = Some(Bucket::new(location, BucketOptions::default()));
    let store = Store::new(settings).expect("an address");
    store.prepare().await.expect("the database answers");
    store
}

async fn run_with_files_survives_random_kills(kind: Kind) {
    let seed: u64 = match std::env::var("TRAWL_TEST_CRASH_SEED") {
        Ok(seed) => seed.parse().expect("a number"),
        Err(_) => rand::random(),
    };
    println!("replay with TRAWL_TEST_CRASH_SEED={seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false).serve("site.lab", Catalogue::mixed(PAGES));
    lab.with_latency("site.lab", Duration::from_millis(20));
    let folder = tempfile::tempdir().expect("a folder");
    let files = folder.path().join("files");
    let database = database::fresh(kind).await;
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", &database)
        .with("TRAWL_STORAGE", format!("file:{}", files.display()))
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_ALLOW_NETWORKS", lab.address().to_string())
        .with("TRAWL_LEASE_MS", 500);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let request = json!({"formats": ["html", "raw_html"], "scope": {"include_broken": true}});
    let job = server.create(&key, &lab.url("/"), request.clone()).await;
    let path = format!("/v1/jobs/{job}");
    let (mut kills, mut in_a_row, mut while_running) = (0, 0, 0);
    while kills < KILLS {
        if in_a_row == KILLS_IN_A_ROW {
            server.ready().await;
            let before = server.get(&path, &key).await["counts"].clone();
            wait_for(async || {
                let seen = server.get(&path, &key).await;
                let is_over = seen["status"] != "running" && seen["status"] != "queued";
                (is_over || seen["counts"] != before).then_some(())
            })
            .await;
            in_a_row = 0;
        }
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..500))).await;
        server.kill();
        (kills, in_a_row) = (kills + 1, in_a_row + 1);
        server = Server::start_unready(&setup);
        if rng.random_bool(0.7) {
            server.ready().await;
            while_running += u32::from(server.get(&path, &key).await["status"] == "running");
        }
    }
    server.ready().await;
    let done = server.wait(&key, &job, &["completed", "failed", "aborted", "paused"]).await;
    assert_eq!(done["status"], "completed", "seed {seed}: {done}");
    assert!(while_running >= 3, "the run was over before it was disturbed");
    let disturbed = contents(&server.results(&key, &job).await).await;

    let calm = server.create(&key, &lab.url("/"), request).await;
    let calm_done = server.wait(&key, &calm, &["completed"]).await;
    let undisturbed = contents(&server.results(&key, &calm).await).await;
    assert!(disturbed == undisturbed, "seed {seed}: the files differ");
    assert_eq!(done["credits_used"], calm_done["credits_used"], "seed {seed}: charged once");
    assert_eq!(done["files"]["not_kept"], 0);
    assert_eq!(done["files"]["stored_bytes"], calm_done["files"]["stored_bytes"]);
    server.terminate();

    let verified = output(setup.other().args(["verify"]));
    assert!(verified.status.success(), "seed {seed}: {}", text(&verified.stdout));
    let store = open(&database, folder.path(), &files).await;
    let later = SystemClock.now().plus(Duration::from_secs(2 * 60 * 60));
    let removed = store.remove_unreferenced(None, later).await.expect("it answers");
    println!("{removed} objects of commits that were killed");
    let check = store.verify_storage().await.expect("it answers");
    assert!(check.is_clean(), "seed {seed}: {:?}", check.problems);
    let objects = files_below(&files.join("packs")).len();
    let shown = format!("in {objects} objects");
    assert!(check.checked.contains(&shown), "seed {seed}: {objects} files, {}", check.checked);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_with_files_survives_random_kills_on_sqlite() {
    run_with_files_survives_random_kills(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn run_with_files_survives_random_kills_on_postgres() {
    run_with_files_survives_random_kills(Kind::Postgres).await;
}

/// A site with some pages, and a server that may crawl it.
async fn small_site(folder: &Path) -> (Lab, Setup) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::mixed(12));
    let setup = Setup::new(folder)
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_ALLOW_NETWORKS", lab.address().to_string());
    (lab, setup)
}

async fn crawled(server: &Server, key: &str, lab: &Lab) -> String {
    let job = server.create(key, &lab.url("/"), json!({"formats": ["raw_html"]})).await;
    let done = server.wait(key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    job
}

#[tokio::test(flavor = "multi_thread")]
async fn files_move_from_the_database_to_a_folder_and_back_beside_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let (lab, setup) = small_site(folder.path()).await;
    let files = folder.path().join("files");
    let place = format!("file:{}", files.display());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = crawled(&server, &key, &lab).await;
    let before = contents(&server.results(&key, &job).await).await;
    assert!(before.values().any(|stored| stored.contains("<")), "{before:?}");
    let refused = output(setup.other().args(["storage", "move", "--to", &place]));
    assert_eq!(refused.status.code(), Some(3));
    let said = text(&refused.stderr);
    assert!(said.contains("the servers write to db: set TRAWL_STORAGE"), "{said}");
    server.terminate();

    let moved = setup.clone().with("TRAWL_STORAGE", &place);
    let server = Server::start(&moved).await;
    let done = output(moved.other().args(["storage", "move", "--to", &place]));
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("moved "), "{}", text(&done.stdout));
    assert!(!files_below(&files.join("packs")).is_empty());
    assert_eq!(contents(&server.results(&key, &job).await).await, before);
    let verified = output(moved.other().args(["storage", "verify"]));
    assert!(verified.status.success(), "{}", text(&verified.stdout));
    assert!(text(&verified.stdout).contains("parts of files in "), "{}", text(&verified.stdout));
    let backup = folder.path().join("backup.tar.zst");
    let written = output(moved.other().arg("backup").arg(&backup));
    let said = text(&written.stdout);
    assert!(said.contains(&place) && said.contains("after the database"), "{said}");
    server.terminate();

    // Without the setting nothing is shown as deleted: the server does not start.
    let refused = output(&mut setup.command());
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains(&place), "{said}");
    let back = setup.clone().with("TRAWL_STORAGE_ALSO", &place);
    let server = Server::start(&back).await;
    let done = output(back.other().args(["storage", "move", "--to", "db"]));
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(files_below(&files).is_empty(), "{:?}", files_below(&files));
    assert_eq!(contents(&server.results(&key, &job).await).await, before);
    server.terminate();
    let server = Server::start(&setup).await;
    assert_eq!(contents(&server.results(&key, &job).await).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_that_fails_makes_the_run_wait_and_downloads_answer_503() {
    let folder = tempfile::tempdir().expect("a folder");
    let (lab, setup) = small_site(folder.path()).await;
    let files = folder.path().join("files");
    let setup = setup.with("TRAWL_STORAGE", format!("file:{}", files.display()));
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = crawled(&server, &key, &lab).await;
    let items = server.results(&key, &job).await;
    let link = items.iter().find_map(|item| item["files"]["raw_html"]["url"].as_str());
    let link = link.expect("a file").to_owned();
    // A file in the place of the folder: neither reads nor writes are possible.
    let away = folder.path().join("away");
    std::fs::rename(&files, &away).expect("renamed");
    std::fs::write(&files, "").expect("written");
    let answer = reqwest::get(&link).await.expect("an answer");
    assert_eq!(answer.status(), 503);
    let problem: Value = answer.json().await.expect("a problem");
    assert_eq!(problem["code"], "unavailable");
    let message = problem["message"].as_str().expect("a sentence");
    assert!(message.contains("object storage of files"), "{message}");
    let waiting = server.create(&key, &lab.url("/"), json!({"formats": ["raw_html"]})).await;
    wait_for(async || {
        let logged = server.logged.lock().expect("no panic").clone();
        logged.contains("object storage").then_some(())
    })
    .await;
    let seen = server.get(&format!("/v1/jobs/{waiting}"), &key).await;
    assert_eq!(seen["credits_used"], 0, "{seen}");
    std::fs::remove_file(&files).expect("removed");
    std::fs::rename(&away, &files).expect("renamed");
    let done = server.wait(&key, &waiting, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(contents(&server.results(&key, &waiting).await).await.len(), items.len());
    assert_eq!(reqwest::get(&link).await.expect("an answer").status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn unusable_storage_is_found_at_start_and_by_doctor() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_CHROMIUM", "none");
    let occupied = folder.path().join("occupied");
    std::fs::write(&occupied, "").expect("written");
    let wrong = setup.clone().with("TRAWL_STORAGE", format!("file:{}", occupied.display()));
    let started = output(&mut wrong.command());
    let said = text(&started.stderr);
    assert!(!started.status.success() && said.contains("cannot create the folder"), "{said}");
    let doctor = output(wrong.other().args(["doctor"]));
    let said = text(&doctor.stdout);
    assert!(said.contains("failed   storage") && said.contains("TRAWL_STORAGE"), "{said}");

    // Two installations on one folder.
    let files = folder.path().join("files");
    let place = format!("file:{}", files.display());
    let first = setup.clone().with("TRAWL_STORAGE", &place);
    Server::start(&first).await.terminate();
    let doctor = output(first.other().args(["doctor"]));
    let said = text(&doctor.stdout);
    assert!(said.contains("objects can be written, read, listed and deleted"), "{said}");
    let other = folder.path().join("other");
    let second = Setup::new(&other).with("TRAWL_STORAGE", &place).with("TRAWL_CHROMIUM", "none");
    let started = output(&mut second.command());
    let said = text(&started.stderr);
    assert!(!started.status.success() && said.contains("another installation"), "{said}");
    let doctor = output(second.other().args(["doctor"]));
    let said = text(&doctor.stdout);
    assert!(said.contains("another installation"), "{said}");
}

/// The Python that has the S3 server, installed by `scripts/test`.
fn python() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python-tools");
    let tools = std::env::var_os("TRAWL_PYTHON_TOOLS").map_or(here, PathBuf::from);
    tools.join("bin/python")
}

/// An S3 server on loopback, stopped when it is dropped.
struct S3Server(Child, String);

impl Drop for S3Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl S3Server {
    async fn start(python: PathBuf) -> Self {
        let mut child = Command::new(python)
            // The system chooses the port, so that no other test has it.
            .args(["-u", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("moto starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let url = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.split_once("Running on ").map(|(_, url)| url.trim().to_owned()));
        // The pipe is read until the server ends.
        std::thread::spawn(move || lines.for_each(drop));
        let server = Self(child, url.expect("a line with its address"));
        let url = format!("{}/crawl", server.1);
        wait_for(async || {
            let made = reqwest::Client::new().put(&url).send().await.ok()?;
            made.status().is_success().then_some(())
        })
        .await;
        server
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Python and moto: scripts/test installs them"]
async fn files_are_kept_on_an_s3_server() {
    let s3 = S3Server::start(python()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (lab, setup) = small_site(folder.path()).await;
    let setup = setup
        .with("TRAWL_STORAGE", "s3://crawl/trawl/one")
        .with("TRAWL_STORAGE_ENDPOINT", &s3.1)
        .with("AWS_ACCESS_KEY_ID", "test")
        .with("AWS_SECRET_ACCESS_KEY", "a secret of the provider")
        .with("AWS_REGION", "us-east-1");
    let doctor = output(setup.other().args(["doctor"]));
    let said = text(&doctor.stdout);
    assert!(said.contains("ok       storage"), "{said}");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = crawled(&server, &key, &lab).await;
    let items = server.results(&key, &job).await;
    let stored = contents(&items).await;
    for item in items.iter().filter(|item| item["files"]["raw_html"].is_object()) {
        let url = item["url"].as_str().expect("a URL");
        let page = reqwest::get(url).await.expect("a page").text().await.expect("a text");
        assert!(stored[url].ends_with(&page), "{url}");
    }
    let list = async || {
        let url = format!("{}/crawl?list-type=2&prefix=trawl/one/packs", s3.1);
        let answer = reqwest::get(url).await.expect("an answer");
        answer.text().await.expect("XML").matches("<Key>").count()
    };
    assert!(list().await > 0);
    let verified = output(setup.other().args(["verify"]));
    assert!(verified.status.success(), "{}", text(&verified.stdout));
    assert!(text(&verified.stdout).contains("s3://crawl/trawl/one"));
    let metrics = server.metrics().await;
    assert!(metrics.contains("trawl_bucket_requests_total{operation=\"write\",outcome=\"ok\"}"));
    let shown = text(&output(setup.other().args(["config"])).stdout);
    let logged = server.logged.lock().expect("no panic").clone();
    for said in [&shown, &logged, &text(&doctor.stdout), &metrics] {
        assert!(!said.contains("a secret of the provider"), "{said}");
    }
    let missing = setup.clone().with("TRAWL_STORAGE", "s3://nowhere/trawl");
    let doctor = text(&output(missing.other().args(["doctor"])).stdout);
    assert!(doctor.contains("cannot write (put) objects"), "{doctor}");
    assert!(doctor.contains("create the bucket"), "{doctor}");
    let path = format!("/v1/jobs/{job}");
    let deleted = server.request(reqwest::Method::DELETE, &path, &key).send().await;
    assert_eq!(deleted.expect("an answer").status(), 200);
    server.terminate();
    drop(lab);
}
