//! Filters and limits in a request, the request of a job, its deletion and explanations.

use job::{JobCommand, RunEnding};
use serde_json::{Value, json};

use crate::harness::TestApi;

fn request(scope: &Value, options: &Value) -> Value {
    json!({"mode": "links", "url": "https://example.com/", "scope": scope, "options": options})
}

#[tokio::test]
async fn invalid_patterns_are_refused_with_entry_and_position() {
    let api = TestApi::start().await;
    let scope = json!({
        "include_paths": ["/blog/**", "re:/a(b", "https://example.com/x"],
        "exclude_paths": ["re:a{1000}{1000}"],
    });
    let answer = api.create(&request(&scope, &json!({})), "one").await;
    assert_eq!(answer.refusal(), (422, "validation_failed"));
    let fields = ["scope.include_paths[1]", "scope.include_paths[2]", "scope.exclude_paths[0]"];
    assert_eq!(answer.fields(), fields);
    for part in
        ["is invalid at character 6: unclosed group", "without scheme and host", "is too large"]
    {
        assert!(answer.text.contains(part), "{part}: {}", answer.text);
    }
    let many = vec!["/a"; 101];
    for (wrong, field) in [
        (json!({"include_paths": "/blog"}), "scope.include_paths"),
        (json!({"include_paths": [1]}), "scope.include_paths[0]"),
        (json!({"include_paths": many}), "scope.include_paths"),
        (json!({"include_paths": ["a\u{0}"]}), "scope.include_paths[0]"),
    ] {
        let answer = api.create(&request(&wrong, &json!({})), "two").await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{wrong}");
    }
    let empty = json!({"include_paths": [], "exclude_paths": null});
    assert_eq!(api.create(&request(&empty, &json!({})), "three").await.status, 202);
}

#[tokio::test]
async fn limits_out_of_range_are_refused() {
    let api = TestApi::start().await;
    for (options, field) in [
        (json!({"max_depth": 0}), "options.max_depth"),
        (json!({"max_pages_per_folder": -1}), "options.max_pages_per_folder"),
        (json!({"max_credits": 1.5}), "options.max_credits"),
        (json!({"on_max_credits": "stop"}), "options.on_max_credits"),
        (json!({"delay_ms": 60_001}), "options.delay_ms"),
        (json!({"concurrency": 101}), "options.concurrency"),
    ] {
        let answer = api.create(&request(&json!({}), &options), "one").await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{options}");
    }
}

#[tokio::test]
async fn job_shows_its_request_as_accepted_and_lists_do_not() {
    let api = TestApi::start().await;
    let scope = json!({"include_paths": ["/blog/**"]});
    let options = json!({"max_depth": 2, "max_credits": 9, "on_max_credits": "pause"});
    let mut body = request(&scope, &options);
    body["max_credit_per_unit"] = json!(5);
    let id = api.create(&body, "one").await.job_id();
    let job = api.get(&format!("/v1/jobs/{id}")).await.body;
    assert_eq!(job["scope"]["include_paths"], json!(["/blog/**"]));
    assert_eq!(job["scope"]["one_page"], false, "with the defaults");
    assert_eq!(
        (&job["options"]["max_depth"], &job["options"]["max_credits"]),
        (&json!(2), &json!(9))
    );
    assert_eq!((&job["on_protected"], &job["max_credit_per_unit"]), (&json!("auto"), &json!(5)));
    let listed = api.get("/v1/jobs").await.body["items"][0].clone();
    assert_eq!((listed.get("scope"), listed.get("options")), (None, None));
}

#[tokio::test]
async fn job_at_its_budget_continues_with_a_higher_one() {
    let api = TestApi::start().await;
    let options = json!({"max_credits": 2, "on_max_credits": "pause"});
    let id = api.create(&request(&json!({}), &options), "one").await.job_id();
    let mut lease = api.taken_up().await;
    api.deliver(&mut lease, 0..2).await;
    api.report(&lease, &JobCommand::Finish(RunEnding::CreditLimit)).await;
    let path = format!("/v1/jobs/{id}/confirm");
    let answer = api.post(&path, &json!({})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
    assert!(answer.text.contains("max_credits of at least 3"), "{}", answer.text);
    let answer = api.post(&path, &json!({"max_credits": 2})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["max_credits"]));
    let answer = api.post(&path, &json!({"max_credits": 4})).await;
    assert_eq!((answer.status, &answer.body["status"]), (200, &json!("queued")));
    let job = api.get(&format!("/v1/jobs/{id}")).await.body;
    assert_eq!(job["options"]["max_credits"], 4);
}

#[tokio::test]
async fn finished_job_is_deleted_once() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..3).await;
    let path = format!("/v1/jobs/{id}");
    assert_eq!(api.delete_as(&api.key, &path).await.refusal(), (409, "conflict"));
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    let (_, other) = api.account("bob@example.com", 5).await;
    assert_eq!(api.delete_as(&other, &path).await.refusal(), (404, "not_found"));
    let deleted = api.delete_as(&api.key, &path).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (200, ""));
    assert_eq!(api.delete_as(&api.key, &path).await.refusal(), (404, "not_found"));
    for part in ["", "/results", "/skipped"] {
        assert_eq!(api.get(&format!("{path}{part}")).await.status, 404, "{part}");
    }
    let used: i64 = api.get("/v1/ledger").await.body["items"]
        .as_array()
        .expect("lines")
        .iter()
        .filter(|line| line["job_id"] == id.as_str())
        .filter_map(|line| line["amount"].as_i64())
        .sum();
    assert_eq!(used, -3, "the charge stays");
}

#[tokio::test]
async fn explanation_names_disposition_and_rules() {
    let api = TestApi::start().await;
    let scope =
        json!({"include_paths": ["/blog/**", "re:^/[0-9]"], "exclude_paths": ["/blog/tag/**"]});
    let id = api.create(&request(&scope, &json!({"max_depth": 3})), "one").await.job_id();
    let mut lease = api.taken_up().await;
    api.deliver_with(&mut lease, 0..2, 0..5).await;
    let explain = async |url: &str| {
        let answer = api.post(&format!("/v1/jobs/{id}/explain"), &json!({"url": url})).await;
        assert_eq!(answer.status, 200, "{url}: {}", answer.text);
        answer.body
    };
    let skipped = fixture::skipped_url(3);
    let answer = explain(&skipped.url).await;
    assert_eq!(
        (&answer["disposition"], &answer["reason"]),
        (&json!("skipped"), &json!(skipped.reason))
    );
    assert_eq!(answer["found_on"], json!(skipped.found_on));
    let answer = explain("/blog/tag/x").await;
    assert_eq!(answer["disposition"], "never_found");
    assert_eq!(answer["url"], "https://example.com/blog/tag/x");
    let filter = answer["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .find(|check| check["rule"] == "filter")
        .expect("the filter");
    assert_eq!(
        (&filter["passes"], &filter["matched"]),
        (&json!(false), &json!("exclude_paths: /blog/tag/**"))
    );
    assert!(answer["message"].as_str().expect("a message").contains("/blog/tag/**"), "{answer}");
    let answer = explain("https://other.example/").await;
    assert_eq!(
        (&answer["checks"][0]["rule"], &answer["checks"][0]["passes"]),
        (&json!("scope"), &json!(false))
    );
    let answer = explain("/blog/fine").await;
    assert!(answer["message"].as_str().expect("a message").contains("would have permitted"));
    let wrong = api.post(&format!("/v1/jobs/{id}/explain"), &json!({"url": "mailto:a@b.c"})).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["url"]));
    let wrong = api.post(&format!("/v1/jobs/{id}/explain"), &json!({})).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["url"]));
    let (_, other) = api.account("bob@example.com", 5).await;
    let path = format!("/v1/jobs/{id}/explain");
    let foreign = api.post_as(&other, &path, &json!({"url": "/"})).await;
    assert_eq!(foreign.refusal(), (404, "not_found"));
}
