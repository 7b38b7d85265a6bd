//! JavaScript pages and bot protection, with a real Chromium and without one.

mod firecrawl_pages;
mod hostile;
mod logins;
mod page_calls;

use std::collections::BTreeSet;
use std::path::PathBuf;

use lab::{Lab, ProtectedSite, ProtectionPage, Scripted, Site};
use serde_json::{Value, json};

use crate::server::{Server, Setup};

struct Scene {
    lab: Lab,
    server: Server,
    key: String,
    setup: Setup,
    folder: tempfile::TempDir,
}

async fn scene(settings: &[(&str, &str)], serve: impl FnOnce(&Lab)) -> Scene {
    let lab = Lab::start().await.expect("a port");
    serve(&lab);
    let folder = tempfile::tempdir().expect("a folder");
    let mut setup = Setup::new(&folder.path().join("data"))
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_RETRY_MS", 10)
        // Generous, for a busy machine.
        .with("TRAWL_BROWSER_MEMORY", 4_u64 << 30)
        .with("TRAWL_BROWSER_CPUS", 64)
        // Browser profiles are outside of the data folder, which the browser user cannot enter
        // when root runs the tests.
        .with("TRAWL_CHROMIUM_PROFILES", folder.path().join("scratch").display());
    std::fs::create_dir(folder.path().join("scratch")).expect("a folder");
    // Machines without a working Chromium sandbox set this.
    if let Ok(without) = std::env::var("TRAWL_CHROMIUM_NO_SANDBOX") {
        setup = setup.with("TRAWL_CHROMIUM_NO_SANDBOX", without);
    }
    for (name, value) in settings {
        setup = setup.with(name, value);
    }
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { lab, server, key, setup, folder }
}

impl Scene {
    /// The folder for files of running processes.
    fn scratch(&self) -> PathBuf {
        self.folder.path().join("scratch")
    }

    async fn run(&self, url: &str, more: Value) -> (BTreeSet<String>, Value) {
        let job = self.server.create(&self.key, url, more).await;
        let done = self.server.wait(&self.key, &job, &["completed", "failed"]).await;
        let items = self.server.results(&self.key, &job).await;
        let path = |item: &Value| {
            let found = item["url"].as_str().expect("a url");
            found.strip_prefix(url.trim_end_matches('/')).unwrap_or(found).to_owned()
        };
        (items.iter().map(path).collect(), done)
    }
}

fn paths(truth: &lab::SiteTruth) -> BTreeSet<String> {
    truth.delivered.keys().cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn javascript_shell_is_rendered_and_plain_page_is_not() {
    let scene = scene(&[], |lab| {
        lab.serve("app.lab", Scripted::Shell)
            .serve("ready.lab", Scripted::Prerendered)
            .serve("corner.lab", Scripted::Widget);
    })
    .await;
    let (found, done) = scene.run("http://app.lab/", json!({})).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!(found, paths(&Scripted::Shell.truth_rendered()));
    scene.lab.clear_requests();
    for (url, site) in
        [("http://ready.lab/", Scripted::Prerendered), ("http://corner.lab/", Scripted::Widget)]
    {
        let (found, _) = scene.run(url, json!({})).await;
        assert_eq!(found, paths(&site.truth()));
    }
    let asked = scene.lab.requests();
    assert!(!asked.iter().any(|seen| seen.path.ends_with(".js")), "no browser was there");
}

#[tokio::test(flavor = "multi_thread")]
async fn javascript_shell_without_browser_gives_the_reason() {
    let scene = scene(&[("TRAWL_CHROMIUM", "none")], |lab| {
        lab.serve("app.lab", Scripted::Shell);
    })
    .await;
    let (found, failed) = scene.run("http://app.lab/", json!({})).await;
    assert_eq!(failed["error"]["code"], "js_render_required");
    assert!(failed["error"]["message"].as_str().is_some_and(|it| it.contains("no browser")));
    assert_eq!((found.len(), &failed["credits_used"]), (0, &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_tier_passes_bot_protection() {
    let wall = ProtectionPage::named("cloudflare_challenge").expect("a protection page");
    let walled = ProtectedSite::new(wall).with_pages(6).passing_tier();
    let expected = paths(&walled.truth_after_passing());
    let scene = scene(&[], |lab| {
        lab.serve("walled.lab", walled);
    })
    .await;
    let more = json!({"on_protected": "auto", "max_credit_per_unit": 5});
    let (found, done) = scene.run("http://walled.lab/", more).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!((found.clone(), &done["protected"]), (expected, &json!(true)));
    assert_eq!(done["credits_used"], 5 * found.len());
    let agents: BTreeSet<_> =
        scene.lab.requests().into_iter().filter_map(|seen| seen.user_agent).collect();
    assert!(agents.iter().all(|agent| agent.starts_with("Trawl/")), "honest: {agents:?}");
}
