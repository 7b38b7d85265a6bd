//! Runs over a list of URLs: over kills, many at a time, and on the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lab::{Lab, Reply, Site, SiteTruth};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, trawl, wait_for};

/// A site with any page; every tenth is missing, and some fail in other ways.
#[derive(Debug)]
struct AnyPage;

impl Site for AnyPage {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private\n"),
            "/old" => Reply::redirect(301, "/p/1"),
            "/loop" => Reply::redirect(302, "/loop2"),
            "/loop2" => Reply::redirect(302, "/loop"),
            "/wall" => Reply::typed(403, "text/html", "Just a moment...")
                .with_header("cf-mitigated", "challenge"),
            _ if path.starts_with("/p/") && !path.ends_with('0') => Reply::html(format!(
                "<title>{path}</title><main><h1>Page {path}</h1><p>This is the text of the page \
                 {path} and no other page has it. <a href=/linked>more</a></main>"
            )),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn served(hosts: usize) -> (Lab, tempfile::TempDir, Setup) {
    let lab = Lab::start().await.expect("a port");
    for host in 0..hosts {
        lab.serve(&format!("s{host}.lab"), AnyPage);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let names = format!("{},none.lab=127.0.0.1:1", lab.name_table());
    let setup =
        Setup::new(folder.path()).with("TRAWL_RESOLVE", names).with("TRAWL_CHROMIUM", "none");
    (lab, folder, setup)
}

async fn create(server: &Server, key: &str, mode: &str, urls: &[String]) -> String {
    create_over(server, key, &json!({"mode": mode, "urls": urls})).await
}

/// Uploads a list, and returns its id.
async fn upload(server: &Server, key: &str, urls: &[String]) -> String {
    let lines = urls.iter().map(|url| format!("{{\"url\": \"{url}\"}}\n")).collect::<String>();
    let request = server.request(reqwest::Method::POST, "/v1/lists", key).body(lines);
    let request = request.header("content-type", "application/x-ndjson");
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(status, 201, "{answer}");
    assert_eq!(answer["url_count"], urls.len());
    answer["list_id"].as_str().expect("an id").to_owned()
}

async fn create_over(server: &Server, key: &str, body: &Value) -> String {
    let answer = server.post("/v1/jobs", key, body).await;
    let status = answer.status();
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(status, 202, "{answer}");
    assert_eq!(answer["url"], Value::Null);
    answer["job_id"].as_str().expect("an id").to_owned()
}

/// The skipped URLs of a job with their reasons.
async fn skipped(server: &Server, key: &str, job: &str) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for page in 1.. {
        let path = format!("/v1/jobs/{job}/skipped?page={page}&page_size=100");
        let answer = server.get(&path, key).await;
        let word = |line: &Value, name: &str| line[name].as_str().expect("a text").to_owned();
        let items = answer["items"].as_array().expect("lines");
        lines.extend(items.iter().map(|line| (word(line, "url"), word(line, "reason"))));
        if answer["has_more"] == false {
            break;
        }
    }
    lines
}

fn urls_of(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["url"].as_str().expect("a URL").to_owned()).collect()
}

/// Each URL is one result or one skipped URL, whatever is killed; what is delivered is paid once.
async fn list_survives_random_kills(kind: Kind, is_uploaded: bool) {
    const KILLS: u32 = 20;
    let seed: u64 = match std::env::var("TRAWL_CRASH_SEED") {
        Ok(seed) => seed.parse().expect("TRAWL_CRASH_SEED is a number"),
        Err(_) => rand::random(),
    };
    println!("replay with TRAWL_CRASH_SEED={seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let (lab, folder, setup) = served(40).await;
    lab.record_requests(false);
    for host in 0..40 {
        lab.with_latency(&format!("s{host}.lab"), Duration::from_millis(50));
    }
    let database = database::fresh(kind).await;
    let setup = setup
        .with("TRAWL_DATABASE", &database)
        .with("TRAWL_LEASE_MS", 500)
        // Small, so that the run is also restored from snapshots.
        .with("TRAWL_SNAPSHOT_BYTES", 8_000);
    // 3,500 URLs on 40 hosts, in two shards.
    let urls: Vec<_> = (0..2_000)
        .map(|at| format!("http://s{}.lab/p/{at}", if at < 900 { at % 39 } else { 39 }))
        .chain((0..1_500).map(|at| format!("http://s{}.lab/p/x{at}", at % 20)))
        .collect();
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = if is_uploaded {
        let list = upload(&server, &key, &urls).await;
        create_over(&server, &key, &json!({"mode": "markdown", "list_id": list})).await
    } else {
        create(&server, &key, "markdown", &urls).await
    };
    let path = format!("/v1/jobs/{job}");
    let mut killed_while_running = 0;
    for kill in 0..KILLS {
        // Five crashes of a shard without a commit would end the run.
        if kill % 3 == 2 {
            let results = |seen: &Value| seen["counts"]["results"].as_u64().expect("a count");
            let before = results(&server.get(&path, &key).await);
            wait_for(async || {
                let seen = server.get(&path, &key).await;
                let is_over = seen["status"] != "running" && seen["status"] != "queued";
                // Both shards have committed by then.
                (is_over || results(&seen) >= before + 200).then_some(())
            })
            .await;
        }
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..500))).await;
        let seen = server.get(&path, &key).await;
        killed_while_running += u32::from(seen["status"] == "running");
        server.kill();
        server = Server::start_unready(&setup);
        server.ready().await;
    }
    let done = server.wait(&key, &job, &["completed", "failed", "aborted", "paused"]).await;
    assert_eq!(
        (&done["status"], &done["error"]),
        (&"completed".into(), &Value::Null),
        "seed {seed}"
    );
    assert!(killed_while_running >= 3, "the run was over before it was disturbed");
    let delivered = urls_of(&server.results(&key, &job).await);
    let skipped = skipped(&server, &key, &job).await;
    let mut reported: Vec<_> =
        delivered.iter().cloned().chain(skipped.into_iter().map(|(url, _)| url)).collect();
    let mut expected = urls.clone();
    reported.sort_unstable();
    expected.sort_unstable();
    assert!(reported == expected, "seed {seed}: {} of {}", reported.len(), expected.len());
    let good = urls.iter().filter(|url| !url.ends_with('0')).count();
    assert_eq!(delivered.len(), good, "seed {seed}");
    assert_eq!(done["credits_used"], good * 2, "seed {seed}");

    let account = server.get("/v1/account", &key).await;
    let store = database::open(&database, folder.path()).await;
    let id = account["account_id"].as_str().expect("an id").parse().expect("an account");
    let audit = store.audit_ledger(&id).await.expect("it answers").expect("an account");
    assert!(audit.is_consistent(), "seed {seed}: {audit:?}");
    assert_eq!(audit.reserved.0, 0);
    let events = store.events(&job.parse().expect("a job")).await.expect("it answers");
    let ends = events.iter().filter(|event| event.kind == contract::EventKind::JobCompleted);
    assert_eq!(ends.count(), 1, "seed {seed}: one end, one event");
}

#[tokio::test(flavor = "multi_thread")]
async fn list_survives_random_kills_on_sqlite() {
    list_survives_random_kills(Kind::Sqlite, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn uploaded_list_survives_random_kills_on_sqlite() {
    list_survives_random_kills(Kind::Sqlite, true).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn uploaded_list_survives_random_kills_on_postgres() {
    list_survives_random_kills(Kind::Postgres, true).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn list_survives_random_kills_on_postgres() {
    list_survives_random_kills(Kind::Postgres, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_lists_request_one_host_politely() {
    let (lab, _folder, setup) = served(1).await;
    lab.with_latency("s0.lab", Duration::from_millis(20));
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let mut jobs = Vec::new();
    for list in 0..50 {
        let urls = [1, 2, 3].map(|page| format!("http://s0.lab/p/{list}-{page}"));
        jobs.push(create(&server, &key, "links", &urls).await);
    }
    for job in &jobs {
        let done = server.wait(&key, job, &["completed", "failed"]).await;
        assert_eq!((&done["status"], &done["counts"]["results"]), (&json!("completed"), &json!(3)));
    }
    assert!(lab.max_in_flight("s0.lab") <= 4, "{} requests", lab.max_in_flight("s0.lab"));
    let pages = lab.requests().iter().filter(|request| request.path.starts_with("/p/")).count();
    assert_eq!(pages, 150, "each once");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_failing_url_is_one_skipped_url() {
    let (_lab, _folder, setup) = served(2).await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let on = |path: &str| format!("http://s0.lab{path}");
    let failing = [
        ("/loop", "broken"),
        ("/private/a", "robots"),
        ("/missing", "broken"),
        ("/wall", "blocked"),
    ];
    let mut urls: Vec<_> = failing.iter().map(|(path, _)| on(path)).collect();
    // A host without a server, repeated URLs and a redirect to another URL of the list.
    urls.extend(["http://none.lab/", "http://www.s0.lab/p/1"].map(str::to_owned));
    urls.extend([on("/old"), on("/p/1"), on("/p/2#part"), on("/p/2")]);
    let job = create(&server, &key, "markdown", &urls).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    let lines: BTreeMap<_, _> = skipped(&server, &key, &job).await.into_iter().collect();
    let mut expected: BTreeMap<_, _> =
        failing.iter().map(|(path, reason)| (on(path), (*reason).to_owned())).collect();
    expected.insert("http://none.lab/".to_owned(), "broken".to_owned());
    assert_eq!(lines.len(), skipped(&server, &key, &job).await.len(), "one line each");
    let delivered: BTreeSet<_> = urls_of(&server.results(&key, &job).await).into_iter().collect();
    // `www.` is the same page, which is known by the first spelling.
    let first = "http://www.s0.lab/p/1".to_owned();
    if lines.contains_key(&first) {
        expected.insert(first, "broken".to_owned());
        assert_eq!(delivered, BTreeSet::from([on("/old"), on("/p/2")]));
    } else {
        assert_eq!(delivered, BTreeSet::from([on("/old"), first, on("/p/2")]));
    }
    assert_eq!(lines, expected);
    assert_eq!(done["credits_used"], delivered.len() * 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_readable_while_the_list_runs() {
    let (lab, _folder, setup) = served(2).await;
    // Longer than the test: its page is never answered.
    lab.with_latency("s1.lab", Duration::from_secs(600));
    let mut server = Server::start(&setup.with("TRAWL_FIRST_BYTE_MS", 300_000)).await;
    let key = server.first_key();
    let urls = ["http://s1.lab/p/1", "http://s0.lab/p/1", "http://s0.lab/p/2"];
    let job = create(&server, &key, "links", &urls.map(str::to_owned)).await;
    wait_for(async || {
        let seen = server.get(&format!("/v1/jobs/{job}"), &key).await;
        assert_eq!(seen["error"], Value::Null);
        (seen["counts"]["results"] == 2 && seen["status"] == "running").then_some(())
    })
    .await;
    let mut delivered = urls_of(&server.results(&key, &job).await);
    delivered.sort_unstable();
    assert_eq!(delivered, urls[1..]);
    let abort = server.post(&format!("/v1/jobs/{job}/abort"), &key, &json!({})).await;
    assert_eq!(abort.status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_requests_the_urls_of_a_file() {
    let (lab, folder, setup) = served(2).await;
    let list = folder.path().join("list.txt");
    let lines = "# pages\nhttp://s0.lab/p/1\n\n http://s1.lab/p/2 \nhttp://s0.lab/p/1\n";
    std::fs::write(&list, lines).expect("a file");
    let crawl = |mode: &str| {
        let mut command = trawl();
        command.envs(setup.environment.iter().cloned());
        command.args(["crawl", "--mode", mode, "--quiet", "--urls"]).arg(&list);
        output(&mut command)
    };
    let done = crawl("markdown");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let items: Vec<Value> =
        text(&done.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let mut urls = urls_of(&items);
    urls.sort_unstable();
    assert_eq!(urls, ["http://s0.lab/p/1", "http://s1.lab/p/2"]);
    assert!(lab.requests().iter().all(|request| request.path != "/linked"));
    let refused = crawl("sitemap");
    assert!(!refused.status.success());
    assert!(text(&refused.stderr).contains("--urls is only valid in the modes"));
    std::fs::write(&list, "http://s0.lab/\nnot a url\n").expect("a file");
    let refused = text(&crawl("links").stderr);
    assert!(refused.contains("line 2"), "{refused}");
}
