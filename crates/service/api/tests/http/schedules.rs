//! `/v1/schedules`.

use std::time::Duration;

use contract::{Credits, Millis, ScheduleId};
use serde_json::{Value, json};
use store::{SlotOutcome, SlotRules};

use crate::harness::{ApiReply, NOW, TestApi};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn body() -> Value {
    json!({"name": "Every morning", "cron": "0 6 * * MON-FRI", "timezone": "Europe/Berlin",
        "request": {"mode": "links", "url": "https://Example.com:443/a/../", "max_credit_per_unit": 5}})
}

/// Another body: this member is otherwise, or gone.
fn with(member: &str, value: Value) -> Value {
    let mut body = body();
    body[member] = value;
    body
}

async fn made(api: &TestApi, body: &Value) -> ApiReply {
    let made = api.post("/v1/schedules", body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made
}

fn id_of(answer: &ApiReply) -> String {
    answer.body["id"].as_str().expect("an id").to_owned()
}

/// What the clock does when it comes by.
async fn tick(api: &TestApi, id: &str, now: Millis) -> Option<SlotOutcome> {
    let id: ScheduleId = id.parse().expect("an id");
    let rules = SlotRules { tolerance: HOUR, batch_size: 10_000 };
    api.store.start_due(&id, rules, now).await.expect("it answers")
}

#[tokio::test]
async fn schedule_is_created_read_changed_and_deleted() {
    let api = TestApi::start().await;
    let created = made(&api, &body()).await;
    insta::assert_json_snapshot!("created", created.stable());
    let path = format!("/v1/schedules/{}", id_of(&created));
    assert_eq!(api.get(&path).await.body, created.body);
    api.pass(Duration::from_millis(1));
    let other =
        json!({"cron": "@daily", "request": {"mode": "links", "url": "https://www.example.org/"}});
    let other = made(&api, &other).await;
    let named = (&other.body["name"], &other.body["timezone"]);
    assert_eq!(named, (&json!("example.org"), &json!("UTC")), "by its host, in UTC");
    let list = api.get("/v1/schedules").await;
    let ids: Vec<_> =
        list.body["items"].as_array().expect("items").iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&other.body["id"], &created.body["id"]]);
    assert_eq!((&list.body["total"], &list.body["page_size"]), (&json!(2), &json!(100)));
    let second = api.get("/v1/schedules?page=2&page_size=1").await;
    assert_eq!(second.body["items"][0]["id"], created.body["id"]);

    let paused = api.patch(&path, &json!({"paused": true})).await;
    assert_eq!((paused.status, &paused.body["paused"]), (200, &json!(true)));
    assert_eq!(paused.body["next_runs"], json!([]), "it starts nothing");
    assert_eq!(paused.body["request"], created.body["request"], "the others stay");
    let change = json!({"paused": false, "name": " Hourly ", "cron": "@hourly", "timezone": "UTC",
        "request": {"mode": "markdown", "url": "https://example.net/"}});
    let changed = api.patch(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(changed.body["name"], "Hourly");
    assert_eq!(changed.body["next_runs"][0], "2026-11-15T10:00:00.000Z");
    assert_eq!(changed.body["request"]["mode"], "markdown");
    assert_eq!(api.patch(&path, &json!({})).await.body, changed.body);

    assert_eq!(api.delete(&path).await.status, 200);
    for gone in [api.get(&path).await, api.delete(&path).await, api.patch(&path, &json!({})).await]
    {
        assert_eq!(gone.refusal(), (404, "not_found"));
    }
    assert_eq!(api.post(&format!("{path}/run"), &json!({})).await.status, 404);
}

#[tokio::test]
async fn invalid_schedules_and_their_requests_are_rejected() {
    let api = TestApi::start().await;
    for (body, field, said) in [
        (with("cron", json!(null)), "cron", "required"),
        (with("cron", json!(7)), "cron", "a string"),
        (with("cron", json!("every day")), "cron", "five fields, not 2"),
        (with("cron", json!("0 0 0 6 * *")), "cron", "five fields, not 6"),
        (with("cron", json!("61 * * * *")), "cron", "the minute \"61\", which must be 0 to 59"),
        (with("cron", json!("0 0 30 2 *")), "cron", "never fires: there is no such day"),
        (with("cron", json!("*/2 * * * *")), "cron", "every 2 minutes"),
        (with("timezone", json!("Europe/Berln")), "timezone", "did you mean Europe/Berlin?"),
        (with("timezone", json!("CEST+2")), "timezone", "IANA"),
        (with("name", json!("")), "name", "from 1 to 100"),
        (with("name", json!("x".repeat(101))), "name", "from 1 to 100"),
        (with("name", json!("a\u{7}b")), "name", "control"),
        (with("paused", json!("yes")), "paused", "true or false"),
        (with("request", json!(null)), "request", "required"),
        (with("request", json!([])), "request", "must be an object"),
        (with("request", json!({"mode": "links"})), "request.url", "required"),
        (
            with("request", json!({"mode": "links", "url": "http://127.0.0.1/"})),
            "request.url",
            "public",
        ),
        (
            with("request", json!({"mode": "links", "url": "https://e.org/", "scop": {}})),
            "request.scop",
            "scope",
        ),
        (
            with(
                "request",
                json!({"mode": "links", "url": "https://e.org/", "scope": {"x": true}}),
            ),
            "request.scope.x",
            "not known",
        ),
        // The rules that know what things cost.
        (
            with(
                "request",
                json!({"mode": "markdown", "url": "https://e.org/", "max_credit_per_unit": 1}),
            ),
            "request.max_credit_per_unit",
            "at least 2",
        ),
        (
            with(
                "request",
                json!({"mode": "links", "url": "https://e.org/", "on_protected": "auto"}),
            ),
            "request.max_credit_per_unit",
            "required",
        ),
        (with("corn", json!("@daily")), "corn", "did you mean cron?"),
    ] {
        let refused = api.post("/v1/schedules", &body).await;
        assert_eq!(refused.refusal(), (422, "validation_failed"), "{body}: {}", refused.text);
        assert_eq!(refused.fields(), [field], "{body}");
        let message = refused.body["errors"][0]["message"].as_str().expect("a message");
        assert!(message.contains(said), "{body}: {message}");
    }
    let two = json!({"cron": "never", "request": {"mode": "links"}});
    assert_eq!(api.post("/v1/schedules", &two).await.fields(), ["cron", "request.url"]);
    let contacts = with("request", json!({"mode": "contacts", "domains": ["example.com"]}));
    let refused = api.post("/v1/schedules", &contacts).await;
    assert_eq!(refused.refusal(), (422, "legal_basis_required"));
    assert_eq!(refused.fields(), ["request.legal_basis_accepted"]);
    assert_eq!(api.get("/v1/schedules").await.body["total"], 0, "nothing is left behind");

    let path = format!("/v1/schedules/{}", id_of(&made(&api, &body()).await));
    for (change, field) in [
        (json!({"cron": "* * * * *"}), "cron"),
        (json!({"timezone": "Nowhere"}), "timezone"),
        (json!({"request": {"mode": "links"}}), "request.url"),
        (json!({"id": "sch_1"}), "id"),
    ] {
        let refused = api.patch(&path, &change).await;
        assert_eq!((refused.status, refused.fields()), (422, vec![field]), "{change}");
    }
}

#[tokio::test]
async fn number_of_schedules_is_limited_per_account() {
    let api = TestApi::with_store(|store| store.schedules = 1, |api| api.schedules = 1).await;
    let path = format!("/v1/schedules/{}", id_of(&made(&api, &body()).await));
    let full = api.post("/v1/schedules", &body()).await;
    assert_eq!(full.refusal(), (409, "conflict"));
    assert!(
        full.text.contains("has 1 schedules") && full.text.contains("delete one"),
        "{}",
        full.text
    );
    let (_, bob) = api.account("bob@example.com", 10).await;
    assert_eq!(api.get_as(&bob, &path).await.refusal(), (404, "not_found"));
    assert_eq!(api.delete_as(&bob, &path).await.refusal(), (404, "not_found"));
    assert_eq!(api.get_as(&bob, "/v1/schedules").await.body["total"], 0);
    let run = api.post_as(&bob, &format!("{path}/run"), &json!({})).await;
    assert_eq!(run.refusal(), (404, "not_found"));
    for path in ["/v1/schedules", &path] {
        assert_eq!(api.get_as("key_live_x", path).await.refusal(), (401, "unauthorized"));
    }
}

#[tokio::test]
async fn due_slot_starts_a_job_of_the_schedule() {
    let api = TestApi::start().await;
    let id = id_of(&made(&api, &with("cron", json!("0 11 * * *"))).await);
    let path = format!("/v1/schedules/{id}");
    // Eleven in Berlin is ten in UTC: half an hour from now.
    let slot = NOW.plus(HOUR / 2);
    assert_eq!(api.get(&path).await.body["next_runs"][0], slot.to_string());
    assert_eq!(tick(&api, &id, NOW).await, None);
    api.pass(HOUR / 2);
    let Some(SlotOutcome::Started(job)) = tick(&api, &id, slot).await else { panic!("it starts") };
    let shown = api.get(&path).await;
    let last = json!({"job_id": job, "status": "queued", "at": slot, "error": null});
    assert_eq!(shown.body["last_run"], last);
    assert_eq!(shown.body["next_runs"][0], slot.plus(DAY).to_string());
    let started = api.get(&format!("/v1/jobs/{job}")).await;
    assert_eq!((started.status, &started.body["source"]), (200, &json!("direct")));
    // The next day it has not ended yet.
    api.pass(DAY);
    let Some(SlotOutcome::Failed { job: failed, .. }) = tick(&api, &id, slot.plus(DAY)).await
    else {
        panic!("the first one runs")
    };
    let failed = api.get(&format!("/v1/jobs/{failed}")).await;
    assert_eq!(failed.body["error"]["code"], "schedule_previous_run_in_progress");
    assert_eq!(failed.body["credits_used"], 0);
    api.queued("example.org").await;
    let runs = api.get(&format!("/v1/jobs?schedule={id}")).await;
    let statuses: Vec<_> =
        runs.body["items"].as_array().expect("items").iter().map(|job| &job["status"]).collect();
    assert_eq!(
        (statuses, &runs.body["total"]),
        (vec![&json!("failed"), &json!("queued")], &json!(2))
    );
    let wrong = api.get("/v1/jobs?schedule=job_1").await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["schedule"]));
    let events = api.get("/v1/events").await;
    assert!(events.text.contains("job.failed"), "{}", events.text);
}

#[tokio::test]
async fn manual_run_follows_the_rules_of_create_job() {
    let api = TestApi::start().await;
    let id = id_of(&made(&api, &with("paused", json!(true))).await);
    let path = format!("/v1/schedules/{id}/run");
    let run = api.post(&path, &json!({})).await;
    assert_eq!((run.status, &run.body["status"]), (202, &json!("queued")));
    let again = api.post(&path, &json!({})).await;
    assert_eq!(again.refusal(), (409, "conflict"));
    assert_eq!(again.body["job_id"], run.body["job_id"]);
    assert_eq!(api.get(&format!("/v1/jobs?schedule={id}")).await.body["total"], 1);

    let (_, poor) = api.account("poor@example.com", 0).await;
    let made = api.post_as(&poor, "/v1/schedules", &body()).await;
    assert_eq!(made.status, 201, "credits are a matter of each start");
    let path = format!("/v1/schedules/{}/run", id_of(&made));
    let refused = api.post_as(&poor, &path, &json!({})).await;
    assert_eq!(refused.refusal(), (402, "insufficient_credits"));
    assert_eq!(refused.body["required"], 1);
    assert_eq!(api.get_as(&poor, "/v1/jobs").await.body["total"], 0, "no job is left");
}

#[tokio::test]
async fn contacts_schedule_stores_an_acceptance_per_run() {
    let api = TestApi::start().await;
    let request = json!({"mode": "contacts", "domains": ["example.com", "example.org"],
        "legal_basis_accepted": true});
    let created = made(&api, &with("request", request.clone())).await;
    let writer = created.header("x-request-id").expect("an id").to_owned();
    assert_eq!(created.body["request"]["legal_basis_accepted"], true);
    assert_eq!(created.body["request"]["domains"], json!(["example.com", "example.org"]));
    let id = id_of(&created);
    let run = api.post(&format!("/v1/schedules/{id}/run"), &json!({})).await;
    assert_eq!(run.status, 202, "{}", run.text);
    let kept = api.store.acceptances(Some(&api.account), None).await.expect("it answers");
    let [one] = kept.as_slice() else { panic!("{kept:?}") };
    assert_eq!(one.subject, run.job_id());
    assert!(one.key.is_some(), "the key that wrote it");
    assert_eq!(one.request.as_ref().map(|request| request.as_str()), Some(writer.as_str()));
    // The caller that changes the request is its writer.
    let stop = api.post(&format!("/v1/jobs/{}/abort", run.job_id()), &json!({})).await;
    assert_eq!(stop.status, 200);
    let changed = api.patch(&format!("/v1/schedules/{id}"), &json!({"request": request})).await;
    let second = api.post(&format!("/v1/schedules/{id}/run"), &json!({})).await;
    assert_eq!(second.status, 202);
    let kept = api.store.acceptances(Some(&api.account), None).await.expect("it answers");
    let last = kept.iter().find(|one| one.subject == second.job_id()).expect("kept");
    assert_eq!(last.request.as_ref().map(|id| id.as_str()), changed.header("x-request-id"));
}

#[tokio::test]
async fn resumed_schedule_skips_missed_slots() {
    let api = TestApi::start().await;
    let id = id_of(&made(&api, &with("cron", json!("@hourly"))).await);
    let path = format!("/v1/schedules/{id}");
    api.patch(&path, &json!({"paused": true})).await;
    api.pass(DAY);
    let now = NOW.plus(DAY);
    let on = api.patch(&path, &json!({"paused": false})).await;
    assert_eq!(on.body["next_runs"][0], now.plus(HOUR / 2).to_string());
    assert_eq!(tick(&api, &id, now).await, None);
    api.store.grant(crate::harness::EMAIL, Credits(1), now).await.expect("it answers");
    assert!(tick(&api, &id, now.plus(HOUR / 2)).await.is_some());
}

#[tokio::test]
async fn suspension_stops_job_key_and_schedule() {
    let api = TestApi::start().await;
    let id = id_of(&made(&api, &with("cron", json!("@hourly"))).await);
    let (job, mut lease) = api.running("example.org").await;
    api.deliver(&mut lease, 0..2).await;
    let mut wakes = api.store.wakes();
    api.store.suspend_account(&api.account, NOW).await.expect("it answers");
    // The worker is woken and finds its lease lost: what it fetches from now on is not stored.
    assert_eq!(wakes.try_recv().expect("a wake-up"), store::Wake::Control);
    assert!(!api.store.held(std::slice::from_ref(&lease)).await.expect("it answers")[0]);
    let (commit, items) = fixture::pages_commit(2..3);
    let late = api.store.append(&mut lease, &commit, &items, &[], NOW).await;
    assert_eq!(late.expect("it answers"), store::Appended::Lost);
    let claimed = api.store.claim(&api.node, HOUR, NOW).await.expect("it answers");
    assert_eq!(claimed, None, "no worker takes the run up");
    for path in ["/v1/account".to_owned(), format!("/v1/jobs/{job}")] {
        assert_eq!(api.get(&path).await.refusal(), (403, "account_suspended"), "{path}");
    }
    let slot = NOW.plus(HOUR / 2);
    assert_eq!(api.store.due_schedules(None, slot).await.expect("it answers"), []);
    assert_eq!(tick(&api, &id, slot).await, None, "nor a node that found it due before");
    api.store.resume_account(&api.account, NOW).await.expect("it answers");
    assert!(matches!(tick(&api, &id, slot).await, Some(SlotOutcome::Started(_))));
    let stored = api.get(&format!("/v1/jobs/{job}")).await;
    assert_eq!(
        (&stored.body["status"], &stored.body["counts"]["results"]),
        (&json!("running"), &json!(2))
    );
}
