//! `POST /v1/jobs`.

mod acceptance;
mod fields;
mod idempotency;
mod lists;
mod precedence;
mod targets;

use contract::{Credits, Millis};
use insta::assert_json_snapshot;
use job::{JobCommand, Tier};
use serde_json::json;

use crate::harness::TestApi;

#[tokio::test]
async fn job_is_accepted_and_queued() {
    let api = TestApi::start().await;
    let body = json!({
        "mode": "links",
        "url": "https://www.Example.com",
        "scope": {"include_broken": true, "one_page": null},
        "options": {"sample_size": 3, "preferred_language": "pt-BR"},
        "max_credit_per_unit": 5,
        "external": {"user_id": "u1", "run_id": "r1", "more": {"any": [1, null, "x"]}},
    });
    let answer = api.post("/v1/jobs", &body).await;
    assert_eq!(answer.status, 202);
    assert!(answer.header("idempotent-replayed").is_none());
    assert_json_snapshot!(answer.stable());
    let job = api.get(&format!("/v1/jobs/{}", answer.job_id())).await;
    assert_json_snapshot!(job.stable());
}

#[tokio::test]
async fn second_job_for_a_site_is_a_conflict() {
    let api = TestApi::start().await;
    let first = api.queued("example.com").await;
    for url in ["http://www.example.com/other", "https://EXAMPLE.com:443/"] {
        let twin = api.post("/v1/jobs", &json!({"mode": "links", "url": url})).await;
        assert_eq!(twin.refusal(), (409, "conflict"));
        assert_eq!(twin.body["job_id"], first);
    }
    let other_port = json!({"mode": "links", "url": "http://example.com:8080/"});
    assert_eq!(api.post("/v1/jobs", &other_port).await.status, 202);
    // Jobs of another account do not conflict.
    let (_, key) = api.account("bob@example.com", 5).await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    assert_eq!(api.post_as(&key, "/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn second_job_for_a_site_can_wait_for_the_first() {
    let api = TestApi::start().await;
    let first = api.queued("example.com").await;
    let body = json!({"mode": "markdown", "url": "https://example.com/docs/", "if_busy": "queue"});
    let second = api.post("/v1/jobs", &body).await;
    assert_eq!((second.status, &second.body["status"]), (202, &json!("queued")));
    assert_eq!(second.body["waits_for_job"], first);
    let reject = json!({"mode": "links", "url": "https://example.com/", "if_busy": "reject"});
    let refused = api.post("/v1/jobs", &reject).await;
    assert_eq!((refused.refusal(), &refused.body["job_id"]), ((409, "conflict"), &json!(first)));
    let free = json!({"mode": "links", "url": "https://example.org/", "if_busy": "queue"});
    let free = api.post("/v1/jobs", &free).await;
    assert_eq!((free.status, free.body.get("waits_for_job")), (202, None));
    let wrong = json!({"mode": "links", "url": "https://example.org/", "if_busy": "wait"});
    let wrong = api.post("/v1/jobs", &wrong).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["if_busy"]));
}

#[tokio::test]
async fn job_without_credits_leaves_its_site_to_others() {
    let api = TestApi::start().await;
    let (_, lease) = api.running("example.com").await;
    api.report(&lease, &JobCommand::ExhaustCredits).await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    assert_eq!(api.post("/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn conflict_with_a_waiting_job_is_awaiting_confirmation() {
    let api = TestApi::start().await;
    let (protected, lease) = api.running("protected.example").await;
    let tier = Tier::Protected { marker: "cloudflare_challenge".to_owned() };
    api.report(&lease, &JobCommand::LearnTier(tier)).await;
    let (parked, lease) = api.running("large.example").await;
    api.report(&lease, &JobCommand::ReachBoundary).await;
    for (host, job) in [("protected.example", protected), ("large.example", parked)] {
        let url = format!("https://{host}/");
        let answer = api.post("/v1/jobs", &json!({"mode": "links", "url": url})).await;
        assert_eq!(answer.refusal(), (409, "awaiting_confirmation"));
        assert_eq!(answer.body["job_id"], job);
    }
}

#[tokio::test]
async fn job_without_credits_is_402() {
    let api = TestApi::start().await;
    let (_, key) = api.account("poor@example.com", 0).await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    let answer = api.post_as(&key, "/v1/jobs", &body).await;
    assert_eq!(answer.status, 402);
    assert_json_snapshot!(answer.stable());
    api.store.grant("poor@example.com", Credits(1), Millis(0)).await.expect("a grant");
    assert_eq!(api.post_as(&key, "/v1/jobs", &body).await.status, 202);
}

#[tokio::test]
async fn full_queue_is_429() {
    let change =
        |store: &mut store::StoreSettings| (store.running_jobs, store.queued_jobs) = (1, 1);
    let api = TestApi::with_store(change, |_| {}).await;
    api.queued("a.example").await;
    api.queued("b.example").await;
    let body = json!({"mode": "links", "url": "https://c.example/"});
    let answer = api.post("/v1/jobs", &body).await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert!(answer.header("retry-after").is_some());
}

#[tokio::test]
async fn job_has_the_source_of_its_key() {
    let api = TestApi::start().await;
    let key = api.key_of(&api.account, "n8n").await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    let id = api.post_as(&key, "/v1/jobs", &body).await.job_id();
    assert_eq!(api.get(&format!("/v1/jobs/{id}")).await.body["source"], "n8n");
}

#[tokio::test]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn job_is_created_on_postgres() {
    let api = TestApi::postgres().await;
    let body = json!({"mode": "links", "url": "https://example.com/", "external": {"a": "\u{1}"}});
    let first = api.create(&body, "once").await;
    assert_eq!(first.status, 202, "{}", first.text);
    let again = api.create(&body, "once").await;
    assert_eq!((again.status, &again.body), (202, &first.body));
    let nul = json!({"mode": "links", "url": "https://b.example/", "external": {"a\u{0}": 1}});
    assert_eq!(api.post("/v1/jobs", &nul).await.status, 422);
}

#[tokio::test]
async fn jobs_on_a_sample_site_do_not_conflict() {
    let api = TestApi::start().await;
    let body = json!({"mode": "links", "url": "https://shop.lab.test/"});
    for _ in 0..3 {
        let made = api.post("/v1/jobs", &body).await;
        assert_eq!(made.status, 202, "{}", made.text);
    }
}

#[tokio::test]
async fn one_page_jobs_for_a_host_do_not_conflict() {
    let api = TestApi::start().await;
    let one = |path: &str| {
        json!({"mode": "markdown", "url": format!("https://example.com/{path}"),
            "scope": {"one_page": true}})
    };
    assert_eq!(api.post("/v1/jobs", &one("a")).await.status, 202);
    assert_eq!(api.post("/v1/jobs", &one("b")).await.status, 202);
    let whole = json!({"mode": "links", "url": "https://example.com/"});
    assert_eq!(api.post("/v1/jobs", &whole).await.status, 202, "nor with a whole run");
    assert_eq!(api.post("/v1/jobs", &one("c")).await.status, 202);
    assert_eq!(api.post("/v1/jobs", &whole).await.refusal(), (409, "conflict"));
}

#[tokio::test]
async fn unknown_language_tags_are_rejected() {
    let api = TestApi::start().await;
    for (language, status) in
        [("de", 202), ("xx", 422), ("pt-BR", 202), ("pt-QX1", 422), ("zzz", 422), ("deutsch", 422)]
    {
        let body = json!({"mode": "links", "url": format!("https://{language}.example/"),
            "options": {"preferred_language": language}});
        let answer = api.post("/v1/jobs", &body).await;
        assert_eq!(answer.status, status, "{language}: {}", answer.text);
        if status == 422 {
            assert_eq!(answer.fields(), ["options.preferred_language"]);
        }
    }
}
