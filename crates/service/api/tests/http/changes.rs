//! `GET /v1/jobs/{id}/changes`.

use std::ops::Range;
use std::time::Duration;

use contract::Item;
use job::{JobCommand, RunEnding};
use serde_json::{Value, json};

use crate::harness::{NOW, TestApi};

/// A schedule over a site.
async fn schedule(api: &TestApi) -> String {
    let request = json!({"mode": "links", "url": "https://example.com/"});
    let made = api.post("/v1/schedules", &json!({"cron": "@daily", "request": request})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.body["id"].as_str().expect("an id").to_owned()
}

/// A run of it that completes with these pages.
async fn run(api: &TestApi, schedule: &str, pages: Range<u32>) -> String {
    api.pass(Duration::from_secs(60));
    let run = api.post(&format!("/v1/schedules/{schedule}/run"), &json!({})).await;
    assert_eq!(run.status, 202, "{}", run.text);
    let mut lease = api.taken_up().await;
    api.deliver(&mut lease, pages).await;
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    run.job_id()
}

fn keys(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().expect("items");
    items.iter().map(|change| change["key"].as_str().expect("a key")).collect()
}

#[tokio::test]
async fn changes_since_the_previous_run_are_listed() {
    let api = TestApi::start().await;
    let schedule = schedule(&api).await;
    let first = run(&api, &schedule, 0..10).await;
    let nothing = api.get(&format!("/v1/jobs/{first}/changes")).await;
    assert_eq!(nothing.status, 200, "{}", nothing.text);
    let none = json!({"added": 0, "changed": 0, "removed": 0, "unchanged": 0});
    assert_eq!((&nothing.body["since"], &nothing.body["counts"]), (&Value::Null, &none));
    let second = run(&api, &schedule, 2..13).await;
    let path = format!("/v1/jobs/{second}/changes");
    let changes = api.get(&path).await;
    assert_eq!(changes.status, 200, "{}", changes.text);
    assert_eq!(changes.body["since"], first.as_str());
    let counts = json!({"added": 3, "changed": 0, "removed": 2, "unchanged": 8});
    assert_eq!((&changes.body["counts"], &changes.body["total"]), (&counts, &json!(5)));
    let url = |n: u32| format!("https://example.com/{n}");
    assert_eq!(keys(&changes.body), [url(10), url(11), url(12), url(0), url(1)]);
    let added = &changes.body["items"][0];
    assert_eq!((&added["kind"], &added["before"]), (&json!("added"), &Value::Null));
    assert_eq!(added["after"]["url"], url(10));
    // In pages, by kind.
    let page = api.get(&format!("{path}?page=2&page_size=2")).await;
    assert_eq!(
        (keys(&page.body), &page.body["has_more"]),
        (vec![url(12).as_str(), url(0).as_str()], &json!(true))
    );
    let removed = api.get(&format!("{path}?kind=removed&page_size=1&page=2")).await;
    assert_eq!(
        (keys(&removed.body), &removed.body["has_more"]),
        (vec![url(1).as_str()], &json!(false))
    );
    assert_eq!((&removed.body["total"], &removed.body["counts"]), (&json!(2), &counts));
    let beyond = api.get(&format!("{path}?page=9")).await;
    assert_eq!((beyond.status, keys(&beyond.body).len()), (200, 0));
}

#[tokio::test]
async fn page_of_changes_that_exceeds_16_mib_is_refused_with_the_size_that_fits() {
    let api = TestApi::start().await;
    let (small, mut lease) = api.running("a.example").await;
    api.deliver(&mut lease, 100..101).await;
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    let (large, mut lease) = api.running("b.example").await;
    for page in 0..20 {
        let (commit, mut items) = fixture::pages_commit(page..page + 1);
        for item in &mut items {
            let Item::Link(link) = item else { panic!("{item:?}") };
            link.description = Some("x".repeat(1 << 20));
        }
        let appended = api.store.append(&mut lease, &commit, &items, &[], NOW).await;
        assert_eq!(appended.expect("it answers"), store::Appended::Stored);
    }
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    let path = format!("/v1/jobs/{large}/changes?since={small}");
    let refused = api.get(&path).await;
    assert_eq!(refused.refusal(), (422, "validation_failed"), "{}", refused.status);
    assert_eq!(refused.fields(), ["page_size"]);
    let message = refused.body["errors"][0]["message"].as_str().expect("a message");
    assert!(message.contains("exceeds 16 MiB"), "{message}");
    let fits: usize = message.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    assert_eq!(fits, 15, "of items of a little more than 1 MiB");
    let fitting = api.get(&format!("{path}&page_size={fits}")).await;
    assert_eq!((fitting.status, keys(&fitting.body).len()), (200, fits));
    assert_eq!(api.get(&format!("{path}&page_size={}", fits + 1)).await.status, 422);
}

#[tokio::test]
async fn two_runs_of_one_mode_are_compared() {
    let api = TestApi::start().await;
    let schedule = schedule(&api).await;
    let runs = [
        run(&api, &schedule, 0..5).await,
        run(&api, &schedule, 0..6).await,
        run(&api, &schedule, 0..7).await,
    ];
    let since =
        |job: usize, since: usize| format!("/v1/jobs/{}/changes?since={}", runs[job], runs[since]);
    assert_eq!(api.get(&since(2, 0)).await.body["counts"]["added"], 2);
    assert_eq!(api.get(&since(0, 2)).await.body["counts"]["removed"], 2);
    let itself = api.get(&since(1, 1)).await;
    assert_eq!((itself.status, itself.fields()), (422, vec!["since"]));
    let (other, lease) = api.running_in("markdown", "example.org").await;
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    for (named, said) in [
        (other.as_str(), "mode links"),
        ("job_019a8671c5f87a3b9c1d2e3f40516273", "no longer kept"),
        ("yesterday", "the id of a job"),
    ] {
        let refused = api.get(&format!("/v1/jobs/{}/changes?since={named}", runs[1])).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["since"]), "{named}");
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    let wrong = api.get(&format!("/v1/jobs/{}/changes?kind=new", runs[1])).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["kind"]));
}

#[tokio::test]
async fn incomparable_runs_are_rejected() {
    let api = TestApi::start().await;
    let alone = api.get(&format!("/v1/jobs/{}/changes", api.queued("example.org").await)).await;
    assert_eq!(alone.refusal(), (404, "not_found"));
    assert!(alone.text.contains("by since"), "{}", alone.text);
    let schedule = schedule(&api).await;
    let first = run(&api, &schedule, 0..5).await;
    api.pass(Duration::from_secs(60));
    let second = api.post(&format!("/v1/schedules/{schedule}/run"), &json!({})).await.job_id();
    let early = api.get(&format!("/v1/jobs/{second}/changes")).await;
    assert_eq!(early.refusal(), (409, "conflict"));
    assert!(early.text.contains("queued"), "{}", early.text);
    let unfinished = api.get(&format!("/v1/jobs/{first}/changes?since={second}")).await;
    assert_eq!((unfinished.status, unfinished.fields()), (422, vec!["since"]));
    let (_, bob) = api.account("bob@example.com", 10).await;
    let foreign = api.get_as(&bob, &format!("/v1/jobs/{first}/changes")).await;
    assert_eq!(foreign.refusal(), (404, "not_found"));
}
