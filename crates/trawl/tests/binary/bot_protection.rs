//! Bot protection in all variants: late, temporary, on some pages only; and tiers that pass it or
//! fail.

use lab::{Catalogue, ProtectedSite, ProtectionPage, Reply, Request, Site, SiteTruth, Tunnel};
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::dns;
use crate::protected_site::{KEY, START, Scene};
use crate::server::Server;

const PAGES: usize = 20;

fn wall() -> &'static ProtectionPage {
    ProtectionPage::named("cloudflare_challenge").expect("a protection page")
}

/// The pages of [`ProtectedSite`] without protection.
fn open(pages: usize) -> ProtectedSite {
    ProtectedSite::new(wall()).with_pages(pages).one_in(usize::MAX)
}

fn auto() -> Value {
    json!({"on_protected": "auto", "max_credit_per_unit": 5})
}

/// Everything is protected except robots.txt, which forbids a part.
#[derive(Debug)]
struct Gate;

impl Site for Gate {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /cellar\n"),
            _ => wall().reply(),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// An unlocker that gets the URL and returns the page, with the right key.
#[derive(Debug)]
struct Provider {
    /// Rejects everything with this status.
    refuses: Option<u16>,
}

impl Site for Provider {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query {
            "/" => Reply::html("<p>Behind the wall.</p><a href=/a>a</a><a href=/cellar/b>b</a>"),
            "/a" => Reply::html("<p>Another page behind the wall.</p>"),
            "/cellar/b" => Reply::html("<p>Forbidden content.</p>"),
            _ => Reply::status(404),
        }
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        if request.header("x-key") != Some(KEY) {
            return Reply::status(401);
        }
        if let Some(status) = self.refuses {
            return Reply::status(status);
        }
        let query = request.path().strip_prefix("/fetch?").unwrap_or_default();
        let url = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "url");
        match url.as_ref().and_then(|(_, url)| url.strip_prefix(START)) {
            Some(path) => self.answer(&format!("/{path}")),
            None => Reply::status(400),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn late_challenge_stops_the_run_for_confirmation() {
    const ALL: u64 = 320;
    let walled = ProtectedSite::new(wall()).with_pages(ALL as usize).starting_after(200);
    let scene = Scene::between(walled, open(ALL as usize), &[]).await;
    let job = scene.start(json!({})).await;
    let stopped = scene.stop(&job).await;
    assert_eq!(stopped["status"], "awaiting_confirmation", "{stopped}");
    assert_eq!(stopped["protected_marker"], wall().marker);
    let before = stopped["counts"]["results"].as_u64().expect("a number");
    assert!((150..=200).contains(&before), "{before}");
    assert_eq!(stopped["credits_used"], before, "at the normal rate");
    assert_eq!(scene.tunnel.targets().len(), 0, "the tier is not used before the confirmation");
    assert_eq!(scene.confirm(&job, &json!({})).await.0, 200);
    let done = scene.end(&job).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!(done["counts"]["results"], ALL, "what was challenged was fetched again");
    assert_eq!(done["credits_used"], before + 5 * (ALL - before));
    let items = scene.server.results(&scene.key, &job).await;
    let urls: std::collections::BTreeSet<_> = items.iter().map(|it| it["url"].as_str()).collect();
    assert_eq!(urls.len() as u64, ALL, "nothing twice");
    let ok = scene.metric("trawl_tier_requests_total{outcome=\"ok\"}").await;
    assert_eq!(ok, ALL - before, "the tier was asked for the rest and for nothing else");
}

#[tokio::test(flavor = "multi_thread")]
async fn challenge_that_ends_after_three_attempts_is_passed() {
    let scene =
        Scene::before(ProtectedSite::new(wall()).with_pages(PAGES).passing_after(3), &[]).await;
    let job = scene.start(auto()).await;
    let done = scene.end(&job).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!((&done["counts"]["results"], &done["protected"]), (&json!(PAGES), &json!(true)));
    assert_eq!(done["credits_used"], 5 * PAGES);
    let asked = scene.outside.requests().into_iter().filter(|seen| seen.path == "/").count();
    assert_eq!(asked, 4, "once plainly, and three times by the tier");
    assert_eq!(scene.metric("trawl_tier_requests_total{outcome=\"challenged\"}").await, 2);
    assert_eq!(scene.metric("trawl_blocked_pages_total").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn persistent_challenge_is_attempted_three_times_and_free() {
    let scene = Scene::before(ProtectedSite::new(wall()), &[]).await;
    let job = scene.start(auto()).await;
    let failed = scene.end(&job).await;
    assert_eq!(failed["error"]["code"], "target_blocked");
    let message = failed["error"]["message"].as_str().expect("a sentence");
    assert!(message.contains(wall().marker), "{message}");
    assert_eq!((scene.credits().await, &failed["credits_used"]), (100_000, &json!(0)));
    let asked = scene.outside.requests().into_iter().filter(|seen| seen.path == "/").count();
    assert_eq!(asked, 4, "once plainly, three times by the tier");
    assert_eq!(scene.metric("trawl_tier_requests_total{outcome=\"challenged\"}").await, 3);
    assert_eq!(scene.metric("trawl_blocked_pages_total").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_stop_is_the_same_in_every_mode() {
    let walled = || ProtectedSite::new(wall()).with_pages(PAGES);
    let scene = Scene::between(walled(), open(PAGES), &[]).await;
    for mode in ["links", "sitemap"] {
        let job = scene.start(json!({"mode": mode})).await;
        let stopped = scene.stop(&job).await;
        assert_eq!(stopped["status"], "awaiting_confirmation", "{mode}");
        assert_eq!((&stopped["credit_per_unit"], &stopped["credits_used"]), (&json!(5), &json!(0)));
        assert_eq!(scene.confirm(&job, &json!({})).await.0, 200);
        let done = scene.end(&job).await;
        assert_eq!(
            (&done["status"], &done["counts"]["results"]),
            (&json!("completed"), &json!(PAGES))
        );
        assert_eq!(done["credits_used"], 5 * PAGES, "{mode}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn few_protected_pages_are_blocked_without_a_stop() {
    const ALL: usize = 260;
    // Evenly spaced in the order of discovery, which is deterministic with one connection.
    let walled = ProtectedSite::new(wall()).with_pages(ALL).one_in(50);
    let truth = walled.truth();
    let settings = [("TRAWL_HOST_CONCURRENCY", "1")];
    let scene = Scene::between(walled, open(ALL), &settings).await;
    let job = scene.start(json!({"scope": {"include_broken": true}})).await;
    let done = scene.stop(&job).await;
    assert_eq!((&done["status"], &done["protected"]), (&json!("completed"), &json!(false)));
    let items = scene.server.results(&scene.key, &job).await;
    let blocked = items.iter().filter(|item| item["error"] == "blocked").count();
    assert_eq!((blocked, items.len() - blocked), (truth.skipped.len(), truth.delivered.len()));
    assert!(blocked >= 4, "{blocked}");
    assert_eq!(done["credits_used"], truth.delivered.len(), "blocked pages are free");
    assert_eq!(scene.tunnel.targets().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn unlocker_gets_the_url_and_robots_txt_is_respected() {
    let tier = [("TRAWL_PROTECTED_TIER", "unlocker")];
    let scene = Scene::between(Gate, Provider { refuses: None }, &tier).await;
    let job = scene.start(auto()).await;
    let done = scene.end(&job).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null), "{done}");
    assert_eq!((&done["counts"]["results"], &done["credits_used"]), (&json!(2), &json!(10)));
    let asked = scene.inside.requests();
    let mut paths: Vec<_> = asked.iter().map(|seen| seen.path.as_str()).collect();
    paths.sort_unstable();
    let at = |path: &str| format!("/fetch?url=http%3A%2F%2Fwalled%2Elab%2F{path}");
    assert_eq!(paths, [at(""), at("a")], "robots.txt forbids the cellar");
    let honest =
        |agent: &Option<String>| agent.as_deref().is_some_and(|it| it.starts_with("Trawl/"));
    assert!(asked.iter().all(|seen| honest(&seen.user_agent)), "{asked:?}");
    assert_eq!(scene.metric("trawl_tier_requests_total{outcome=\"ok\"}").await, 2);
    assert_eq!(scene.metric("trawl_tier_requests_under_way").await, 0);
    let logged = scene.server.logged.lock().expect("no panic").clone();
    assert!(!logged.contains(KEY), "the provider's key stays out of the log");
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_unlocker_is_reported_and_free() {
    let unreachable = Tunnel::start(([127, 0, 0, 1], 9).into(), None).await.expect("one").address();
    let dead = format!("http://{unreachable}/fetch?url={{url}}");
    let away = [("TRAWL_PROTECTED_TIER", "unlocker"), ("TRAWL_PROTECTED_UNLOCKER", dead.as_str())];
    let refusing = [("TRAWL_PROTECTED_TIER", "unlocker")];
    // An executable that is not a browser.
    let no_browser = [("TRAWL_PROTECTED_TIER", "browser"), ("TRAWL_CHROMIUM", "/bin/false")];
    for (settings, refuses) in [(&away[..], None), (&refusing, Some(402)), (&no_browser, None)] {
        let scene = Scene::between(Gate, Provider { refuses }, settings).await;
        let job = scene.start(auto()).await;
        let failed = scene.end(&job).await;
        assert_eq!(failed["error"]["code"], "provider_down", "{settings:?}: {failed}");
        assert_eq!((scene.credits().await, &failed["credits_used"]), (100_000, &json!(0)));
        assert_eq!(scene.metric("trawl_tier_requests_total{outcome=\"provider_down\"}").await, 3);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_tier_never_reaches_private_addresses() {
    let dns = dns::serve().await;
    for tier in ["proxy", "unlocker"] {
        for target in ["http://private.example.com/", "http://169.254.169.254/", "http://10.0.0.1/"]
        {
            let settings = [("TRAWL_PROTECTED_TIER", tier), ("TRAWL_DNS", dns.as_str())];
            let scene = Scene::between(Gate, Redirecting(target), &settings).await;
            let job = scene.start(auto()).await;
            let failed = scene.end(&job).await;
            assert_eq!(failed["error"]["code"], "invalid_url", "{tier} {target}: {failed}");
            assert_eq!(failed["credits_used"], 0);
            let (asked, judged) = (scene.tunnel.targets(), scene.outside.address().to_string());
            assert!(asked.iter().all(|place| *place == judged), "{asked:?}");
            assert_eq!(scene.inside.request_count(), 1, "{tier} {target}");
        }
    }
}

/// Redirects everything to a private address, for proxy and unlocker.
#[derive(Debug)]
struct Redirecting(&'static str);

impl Site for Redirecting {
    fn answer(&self, _path_and_query: &str) -> Reply {
        Reply::redirect(302, self.0)
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn confirmation_during_a_kill_is_applied_at_most_once() {
    for _ in 0..3 {
        let scene = Scene::between(Gate, Catalogue::plain(PAGES), &[]).await;
        let job = scene.start(json!({})).await;
        scene.stop(&job).await;
        let Scene {
            server, key, setup, tunnel: _tunnel, outside: _o, inside: _i, folder: _f, ..
        } = scene;
        let path = format!("/v1/jobs/{job}/confirm");
        let request = server.request(reqwest::Method::POST, &path, &key).json(&json!({}));
        let answer = tokio::spawn(request.send());
        server.kill();
        let _ = answer.await;
        let server = Server::start(&setup).await;
        let seen = server.get(&format!("/v1/jobs/{job}"), &key).await;
        if seen["status"] == "awaiting_confirmation" {
            let again = server.post(&path, &key, &json!({})).await;
            assert_eq!(again.status(), 200, "the answer did not arrive");
        }
        let done = server.wait(&key, &job, &["completed", "failed"]).await;
        let delivered = Catalogue::plain(PAGES).truth().delivered.len();
        assert_eq!(
            (&done["status"], &done["credits_used"]),
            (&json!("completed"), &json!(5 * delivered))
        );
        assert_eq!(server.results(&key, &job).await.len(), delivered);
    }
}
