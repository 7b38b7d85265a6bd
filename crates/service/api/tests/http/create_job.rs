//! `POST /v1/jobs`.

mod acceptance;
mod fields;
mod idempotency;
mod order;
mod targets;

use contract::{Credits, Millis};
use insta::assert_json_snapshot;
use job::{JobCommand, Tier};
use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn a_job_is_accepted_and_queued() {
    let bench = Bench::start().await;
    let body = json!({
        "mode": "links",
        "url": "https://www.Example.com",
        "scope": {"include_broken": true, "one_page": null},
        "options": {"sample_size": 3, "preferred_language": "pt-BR"},
        "max_credit_per_unit": 5,
        "external": {"user_id": "u1", "run_id": "r1", "more": {"any": [1, null, "x"]}},
    });
    let answer = bench.post("/v1/jobs", &body).await;
    assert_eq!(answer.status, 202);
    assert!(answer.header("idempotent-replayed").is_none());
    assert_json_snapshot!(answer.stable());
    let job = bench.get(&format!("/v1/jobs/{}", answer.job_id())).await;
    assert_json_snapshot!(job.stable());
}

#[tokio::test]
async fn a_site_has_one_job_at_a_time() {
    let bench = Bench::start().await;
    let first = bench.queued("example.com").await;
    for url in ["http://www.example.com/other", "https://EXAMPLE.com:443/"] {
        let twin = bench.post("/v1/jobs", &json!({"mode": "links", "url": url})).await;
        assert_eq!(twin.refusal(), (409, "conflict"));
        assert_eq!(twin.body["job_id"], first);
    }
    let other_port = json!({"mode": "links", "url": "http://example.com:8080/"});
    assert_eq!(bench.post("/v1/jobs", &other_port).await.status, 202);
    // Somebody else's jobs are in nobody's way.
    let (_, key) = bench.account("bob@example.com", 5).await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    assert_eq!(bench.post_as(&key, "/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn a_site_whose_job_waits_is_told_apart() {
    let bench = Bench::start().await;
    let (protected, lease) = bench.running("protected.example").await;
    let tier = Tier::Protected { marker: "cloudflare_challenge".to_owned() };
    bench.report(&lease, &JobCommand::LearnTier(tier)).await;
    let (parked, lease) = bench.running("large.example").await;
    bench.report(&lease, &JobCommand::ReachBoundary).await;
    for (host, job) in [("protected.example", protected), ("large.example", parked)] {
        let url = format!("https://{host}/");
        let answer = bench.post("/v1/jobs", &json!({"mode": "links", "url": url})).await;
        assert_eq!(answer.refusal(), (409, "awaiting_confirmation"));
        assert_eq!(answer.body["job_id"], job);
    }
}

#[tokio::test]
async fn without_credits_nothing_starts() {
    let bench = Bench::start().await;
    let (_, key) = bench.account("poor@example.com", 0).await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    let answer = bench.post_as(&key, "/v1/jobs", &body).await;
    assert_eq!(answer.status, 402);
    assert_json_snapshot!(answer.stable());
    bench.store.grant("poor@example.com", Credits(1), Millis(0)).await.expect("a grant");
    assert_eq!(bench.post_as(&key, "/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn a_full_queue_is_429() {
    let change =
        |store: &mut store::StoreSettings| (store.running_jobs, store.queued_jobs) = (1, 1);
    let bench = Bench::with_store(change, |_| {}).await;
    bench.queued("a.example").await;
    bench.queued("b.example").await;
    let body = json!({"mode": "links", "url": "https://c.example/"});
    let answer = bench.post("/v1/jobs", &body).await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert!(answer.header("retry-after").is_some());
}

#[tokio::test]
async fn a_job_carries_the_channel_of_its_key() {
    let bench = Bench::start().await;
    let key = bench.key_of(&bench.account, "n8n").await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    let id = bench.post_as(&key, "/v1/jobs", &body).await.job_id();
    assert_eq!(bench.get(&format!("/v1/jobs/{id}")).await.body["source"], "n8n");
}

#[tokio::test]
async fn on_postgres_as_on_sqlite() {
    let bench = Bench::postgres().await;
    let body = json!({"mode": "links", "url": "https://example.com/", "external": {"a": "\u{1}"}});
    let first = bench.create(&body, "once").await;
    assert_eq!(first.status, 202, "{}", first.text);
    let again = bench.create(&body, "once").await;
    assert_eq!((again.status, &again.body), (202, &first.body));
    let nul = json!({"mode": "links", "url": "https://b.example/", "external": {"a\u{0}": 1}});
    assert_eq!(bench.post("/v1/jobs", &nul).await.status, 422);
}

#[tokio::test]
async fn runs_on_a_sample_site_are_no_conflict() {
    let bench = Bench::start().await;
    let body = json!({"mode": "links", "url": "https://shop.lab.test/"});
    for _ in 0..3 {
        let made = bench.post("/v1/jobs", &body).await;
        assert_eq!(made.status, 202, "{}", made.text);
    }
}

#[tokio::test]
async fn two_one_page_jobs_for_a_host_are_no_conflict() {
    let bench = Bench::start().await;
    let one = |path: &str| {
        json!({"mode": "markdown", "url": format!("https://example.com/{path}"),
            "scope": {"one_page": true}})
    };
    assert_eq!(bench.post("/v1/jobs", &one("a")).await.status, 202);
    assert_eq!(bench.post("/v1/jobs", &one("b")).await.status, 202);
    let whole = json!({"mode": "links", "url": "https://example.com/"});
    assert_eq!(bench.post("/v1/jobs", &whole).await.status, 202, "nor with a whole run");
    assert_eq!(bench.post("/v1/jobs", &one("c")).await.status, 202);
    assert_eq!(bench.post("/v1/jobs", &whole).await.refusal(), (409, "conflict"));
}

#[tokio::test]
async fn languages_that_nobody_speaks_are_refused() {
    let bench = Bench::start().await;
    for (language, status) in
        [("de", 202), ("xx", 422), ("pt-BR", 202), ("pt-QX1", 422), ("zzz", 422), ("deutsch", 422)]
    {
        let body = json!({"mode": "links", "url": format!("https://{language}.example/"),
            "options": {"preferred_language": language}});
        let answer = bench.post("/v1/jobs", &body).await;
        assert_eq!(answer.status, status, "{language}: {}", answer.text);
        if status == 422 {
            assert_eq!(answer.fields(), ["options.preferred_language"]);
        }
    }
}
