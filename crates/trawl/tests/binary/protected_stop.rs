//! The stop of a run at a protected site and its confirmation, through a proxy as the protected
//! tier.

use std::sync::atomic::{AtomicUsize, Ordering};

use lab::{Catalogue, Mapped, ProtectionPage, Reply, Site, SiteTruth, Tunnel};
use serde_json::{Value, json};

use crate::protected_site::Scene;
use crate::server::{Server, output, text};

const PAGES: usize = 20;

/// A site behind bot protection from this page on.
#[derive(Debug)]
struct LateProtection {
    wall: &'static ProtectionPage,
    open: usize,
    answered: AtomicUsize,
}

impl LateProtection {
    fn after(open: usize, wall: &str) -> Self {
        let wall = ProtectionPage::named(wall).expect("a protection page");
        Self { wall, open, answered: AtomicUsize::new(0) }
    }
}

impl Site for LateProtection {
    fn answer(&self, path_and_query: &str) -> Reply {
        if path_and_query == "/robots.txt" {
            return Reply::text("User-agent: *\nDisallow:\n");
        }
        if self.answered.fetch_add(1, Ordering::SeqCst) < self.open {
            return Catalogue::plain(PAGES).answer(path_and_query);
        }
        self.wall.reply()
    }

    fn truth(&self) -> SiteTruth {
        Catalogue::plain(PAGES).truth()
    }
}

/// The site with protection for direct requests, and without it through the proxy.
async fn scene(site: LateProtection, settings: &[(&str, &str)]) -> Scene {
    Scene::between(site, Catalogue::plain(PAGES), settings).await
}

fn delivered() -> usize {
    Catalogue::plain(PAGES).truth().delivered.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_site_waits_for_confirmation_and_continues_at_its_rate() {
    let scene = scene(LateProtection::after(0, "cloudflare_challenge"), &[]).await;
    let job = scene.start(json!({})).await;
    let stopped = scene.stop(&job).await;
    assert_eq!(stopped["status"], "awaiting_confirmation");
    assert_eq!((&stopped["protected"], &stopped["credit_per_unit"]), (&json!(true), &json!(5)));
    assert_eq!(stopped["protected_marker"], "cloudflare_challenge");
    assert_eq!((&stopped["credits_used"], scene.credits().await), (&json!(0), 100_000));
    assert!(scene.tunnel.targets().is_empty(), "the tier is not used before the confirmation");
    assert_eq!(scene.confirm(&job, &json!({"continue_batch": true})).await.0, 409);
    let (status, confirmed) = scene.confirm(&job, &json!({})).await;
    assert_eq!((status, &confirmed["status"]), (200, &json!("queued")));
    let done = scene.end(&job).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!(done["counts"]["results"], delivered());
    assert_eq!(done["credits_used"], 5 * delivered());
    assert!(!scene.tunnel.targets().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn on_protected_options_are_applied() {
    let scene = scene(LateProtection::after(0, "datadome_captcha"), &[]).await;
    let job = scene.start(json!({"on_protected": "fail"})).await;
    let failed = scene.end(&job).await;
    assert_eq!(failed["error"]["code"], "protected_rate_refused");
    assert_eq!((&failed["protected"], &failed["credit_per_unit"]), (&json!(false), &json!(1)));
    assert_eq!(failed["protected_marker"], "datadome_captcha");
    assert_eq!((scene.credits().await, scene.tunnel.targets().len()), (100_000, 0));

    let job = scene.start(json!({"max_credit_per_unit": 4})).await;
    let stopped = scene.stop(&job).await;
    assert_eq!(stopped["status"], "awaiting_confirmation", "nothing is spent above the maximum");
    assert_eq!(stopped["credit_per_unit"], 5);
    assert_eq!(scene.confirm(&job, &json!({"max_credit_per_unit": 4})).await.0, 422);
    assert_eq!(scene.confirm(&job, &json!({})).await.0, 200, "the rate that it shows");
    assert_eq!(scene.end(&job).await["status"], "completed");

    let job = scene.start(json!({"on_protected": "auto", "max_credit_per_unit": 5})).await;
    let done = scene.end(&job).await;
    assert_eq!((&done["status"], &done["protected"]), (&json!("completed"), &json!(true)));
    assert_eq!(done["credits_used"], 5 * delivered(), "no stop, and the rate that was accepted");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_unit_is_charged_at_the_rate_of_its_delivery() {
    let scene = scene(LateProtection::after(8, "cloudflare_challenge"), &[]).await;
    let job = scene.start(json!({})).await;
    let stopped = scene.stop(&job).await;
    assert_eq!(stopped["status"], "awaiting_confirmation");
    let before = stopped["counts"]["results"].as_u64().expect("a number");
    assert!((1..=8).contains(&before), "{before}");
    assert_eq!(stopped["credits_used"], before, "at the normal rate");
    let first = scene.server.results(&scene.key, &job).await;
    assert_eq!(first.len() as u64, before, "what was fetched stays");
    scene.confirm(&job, &json!({})).await;
    let done = scene.end(&job).await;
    let all = delivered() as u64;
    assert_eq!((&done["status"], &done["counts"]["results"]), (&json!("completed"), &json!(all)));
    assert_eq!(done["credits_used"], before + 5 * (all - before));
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_confirmations_have_one_effect() {
    let scene = scene(LateProtection::after(0, "cloudflare_challenge"), &[]).await;
    let job = scene.start(json!({})).await;
    scene.stop(&job).await;
    let body = json!({});
    let answers = (0..10).map(|_| scene.confirm(&job, &body));
    let answers = futures_util::future::join_all(answers).await;
    let taken = answers.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!(taken, 1, "{answers:?}");
    assert!(answers.iter().all(|(status, _)| matches!(status, 200 | 409)), "{answers:?}");
    let done = scene.end(&job).await;
    assert_eq!(done["credits_used"], 5 * delivered());

    let job = scene.start(json!({})).await;
    scene.stop(&job).await;
    let abort = format!("/v1/jobs/{job}/abort");
    let (confirmed, aborted) =
        tokio::join!(scene.confirm(&job, &body), scene.server.post(&abort, &scene.key, &body));
    assert_eq!(aborted.status().as_u16(), 200, "an abort always comes through");
    assert!(matches!(confirmed.0, 200 | 409), "{confirmed:?}");
    assert_eq!(scene.end(&job).await["status"], "aborted");
}

#[tokio::test(flavor = "multi_thread")]
async fn confirmation_survives_a_kill() {
    let scene = scene(LateProtection::after(0, "cloudflare_challenge"), &[]).await;
    let job = scene.start(json!({})).await;
    scene.stop(&job).await;
    scene.confirm(&job, &json!({})).await;
    let Scene { server, key, setup, tunnel: _t, outside: _o, inside: _i, folder: _f } = scene;
    server.kill();
    let server = Server::start(&setup).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["protected"]), (&json!("completed"), &json!(true)));
    assert_eq!(done["credits_used"], 5 * delivered());
    assert_eq!(server.results(&key, &job).await.len(), delivered());
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_site_without_a_tier_is_blocked_and_free() {
    let scene =
        scene(LateProtection::after(0, "akamai_block"), &[("TRAWL_PROTECTED_TIER", "none")]).await;
    let job = scene.start(json!({"max_credit_per_unit": 5})).await;
    let failed = scene.end(&job).await;
    assert_eq!(failed["error"]["code"], "target_blocked");
    let message = failed["error"]["message"].as_str().expect("a sentence");
    assert!(message.contains("akamai_block") && message.contains("has no protected tier"));
    assert!(!message.contains("TRAWL_"), "{message}");
    assert_eq!((&failed["protected"], &failed["credit_per_unit"]), (&json!(false), &json!(1)));
    assert_eq!(failed["protected_marker"], "akamai_block");
    assert_eq!(scene.credits().await, 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_tier_is_reported_and_free() {
    let unreachable = Tunnel::start(([127, 0, 0, 1], 9).into(), None).await.expect("one").address();
    let scene = scene(
        LateProtection::after(0, "cloudflare_challenge"),
        &[("TRAWL_PROTECTED_PROXY", &format!("http://{unreachable}"))],
    )
    .await;
    let job = scene.start(json!({"max_credit_per_unit": 5})).await;
    let failed = scene.end(&job).await;
    assert_eq!(failed["error"]["code"], "provider_down");
    assert_eq!(scene.credits().await, 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn estimate_reports_bot_protection() {
    let scene = scene(LateProtection::after(0, "vercel_challenge"), &[]).await;
    let body = json!({"mode": "links", "url": "http://walled.lab/"});
    let answer = scene.server.post("/v1/estimate", &scene.key, &body).await;
    let estimate: Value = answer.json().await.expect("JSON");
    assert_eq!((&estimate["protected"], &estimate["credit_per_unit"]), (&json!(true), &json!(5)));
    assert_eq!(estimate["requires_protected_tier"], true);
    assert_eq!(estimate["protected_marker"], "vercel_challenge");
    assert_eq!(estimate["credits_available"], 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn estimate_counts_sitemap_indexes_and_gzip_files() {
    let wall = ProtectionPage::named("cloudflare_challenge").expect("a protection page");
    let scene =
        Scene::between(lab::ProtectedSite::new(wall).with_pages(60), Catalogue::plain(PAGES), &[]);
    let scene = scene.await;
    let estimate = async |body: Value| -> Value {
        let answer = scene.server.post("/v1/estimate", &scene.key, &body).await;
        answer.json().await.expect("JSON")
    };
    // The sitemap is not protected.
    let walled = estimate(json!({"mode": "links", "url": "http://walled.lab/"})).await;
    assert_eq!(
        (&walled["estimated_pages"], &walled["estimated_credits"]),
        (&json!(60), &json!(300))
    );
    assert_eq!((&walled["protected"], &walled["credit_per_unit"]), (&json!(true), &json!(5)));
    assert!(scene.tunnel.targets().is_empty(), "an estimate passes no wall");

    let origin = format!("http://mapped.lab:{}", scene.outside.address().port());
    let mapped = Mapped::new(origin.clone());
    let listed = mapped.sitemap_truth().pages.len();
    scene.outside.serve("mapped.lab", mapped);
    // A separate server that knows the name.
    let setup = scene.setup.clone().with("TRAWL_RESOLVE", scene.outside.name_table());
    let arguments = ["estimate", &origin, "--mode", "links", "--include-orphan", "--json"];
    let said = output(setup.other().args(arguments));
    let mapped: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let most = mapped["estimated_pages_max"].as_u64();
    assert!(most >= Some(listed as u64), "{mapped} {}", text(&said.stderr));
    assert_eq!((&mapped["protected"], &mapped["credit_per_unit"]), (&json!(false), &json!(1)));

    let by_number = estimate(json!({"mode": "contacts", "domain_count": 7})).await;
    assert_eq!((&by_number["url"], &by_number["estimated_credits"]), (&json!(""), &json!(70)));
    assert_eq!(by_number["credits_available"], 100_000);
    let by_url = estimate(json!({"mode": "contacts", "url": "http://walled.lab/"})).await;
    assert_eq!(
        (&by_url["credit_per_unit"], &by_url["estimated_credits"]),
        (&json!(50), &json!(50))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn confirm_command_and_crawl_command_handle_protection() {
    let scene = scene(LateProtection::after(0, "cloudflare_challenge"), &[]).await;
    let job = scene.start(json!({})).await;
    scene.stop(&job).await;
    let run = |words: &[&str]| output(scene.setup.other().args(words));
    let refused = run(&["job", "confirm", &job, "--continue-batch"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("protected site"), "{}", text(&refused.stderr));
    let confirmed = run(&["job", "confirm", &job]);
    assert!(confirmed.status.success(), "{}", text(&confirmed.stderr));
    assert!(text(&confirmed.stdout).contains("queued"));
    scene.end(&job).await;
    let late = run(&["job", "abort", &job]);
    assert_eq!(late.status.code(), Some(1), "it is over");

    let crawl = |on_protected: &str| {
        let mut command = scene.setup.other();
        command.args(["crawl", "http://walled.lab/", "--mode", "links", "--delay", "0", "-q"]);
        output(command.args(["--on-protected", on_protected]))
    };
    let passed = crawl("auto");
    assert_eq!(text(&passed.stdout).lines().count(), delivered(), "{}", text(&passed.stderr));
    for on_protected in ["fail", "pause"] {
        let ended = crawl(on_protected);
        assert_eq!(ended.status.code(), Some(1), "no terminal to ask on");
        assert!(text(&ended.stderr).contains("cloudflare_challenge"));
    }
}
