//! Limits of keys and applications.

use std::time::Duration;

use http::Method;
use job::JobCommand;
use serde_json::{Value, json};

use crate::harness::{ApiReply, NOW, TestApi, bearer};

/// A key with these limits: its id and its secret.
async fn key(api: &TestApi, limits: Value) -> (String, String) {
    let session = api.session().await;
    let made = api.post_as(&session, "/api-keys", &limits).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let text = |name: &str| made.body[name].as_str().expect("a text").to_owned();
    (text("id"), text("key"))
}

async fn change(api: &TestApi, path: &str, body: &Value) -> ApiReply {
    let session = bearer(&api.session().await);
    let headers = [("authorization", session.as_str()), ("content-type", "application/json")];
    api.send(Method::PATCH, path, &headers, &body.to_string()).await
}

fn links(host: &str) -> Value {
    json!({"mode": "links", "url": format!("https://{host}/")})
}

#[tokio::test]
async fn key_without_the_scope_is_403_and_names_it() {
    let api = TestApi::start().await;
    let (_, secret) = key(&api, json!({"scopes": ["account:read", "jobs:read"]})).await;
    let account = api.get_as(&secret, "/v1/account").await;
    assert_eq!(account.body["scopes"], json!(["jobs:read", "account:read"]));
    assert_eq!(account.body["key"]["scopes"], account.body["scopes"]);
    let refused = api.post_as(&secret, "/v1/jobs", &links("example.com")).await;
    assert_eq!(refused.refusal(), (403, "forbidden"));
    assert!(refused.text.contains("jobs:write"), "{}", refused.text);
    assert_eq!(api.get_as(&secret, "/v1/webhooks").await.refusal(), (403, "forbidden"));
    let whole = api.get("/v1/account").await;
    assert_eq!(whole.body["scopes"], json!([]), "a key without limits carries the whole account");
}

#[tokio::test]
async fn key_can_start_jobs_only_in_its_modes() {
    let api = TestApi::start().await;
    let (_, secret) = key(&api, json!({"modes": ["links"]})).await;
    let refused = api
        .post_as(
            &secret,
            "/v1/jobs",
            &json!({"mode": "products",
        "url": "https://example.com/"}),
        )
        .await;
    assert_eq!(refused.refusal(), (403, "forbidden"));
    assert!(refused.text.contains("mode products"), "{}", refused.text);
    let request = json!({"mode": "markdown", "url": "https://example.com/"});
    let schedule = json!({"cron": "0 6 * * *", "request": request});
    let refused = api.post_as(&secret, "/v1/schedules", &schedule).await;
    assert_eq!(refused.refusal(), (403, "forbidden"));
    assert_eq!(api.post_as(&secret, "/v1/jobs", &links("example.com")).await.status, 202);
    let made = api.post("/v1/schedules", &schedule).await;
    let run = format!("/v1/schedules/{}/run", made.body["id"].as_str().expect("an id"));
    let refused = api.post_as(&secret, &run, &json!({})).await;
    assert_eq!(refused.refusal(), (403, "forbidden"), "another key's schedule is no way around");
}

#[tokio::test]
async fn key_with_a_budget_cannot_spend_for_other_credentials() {
    let api = TestApi::start().await;
    let (_, secret) = key(&api, json!({"total_credits": 10})).await;
    let (_, modes) = key(&api, json!({"modes": ["products"]})).await;
    let (_, free) = key(&api, json!({})).await;
    let job = api.post("/v1/jobs", &links("example.com")).await;
    let confirm = format!("/v1/jobs/{}/confirm", job.job_id());
    for limited in [&secret, &modes] {
        let refused = api.post_as(limited, &confirm, &json!({})).await;
        assert_eq!(refused.refusal(), (403, "forbidden"));
    }
    for unlimited in [&api.key, &free] {
        let waits_for_nothing = api.post_as(unlimited, &confirm, &json!({})).await;
        assert_eq!(waits_for_nothing.refusal(), (409, "conflict"));
    }
    let own = api.post_as(&secret, "/v1/jobs", &links("example.net")).await;
    let confirm = format!("/v1/jobs/{}/confirm", own.job_id());
    assert_eq!(api.post_as(&secret, &confirm, &json!({})).await.refusal(), (409, "conflict"));

    let schedule = json!({"cron": "0 6 * * *", "paused": true, "request": links("example.org")});
    let made = api.post("/v1/schedules", &schedule).await;
    let path = format!("/v1/schedules/{}", made.body["id"].as_str().expect("an id"));
    let patch = async |token: &str, change: Value| {
        let token = bearer(token);
        let headers = [("authorization", token.as_str()), ("content-type", "application/json")];
        api.send(Method::PATCH, &path, &headers, &change.to_string()).await
    };
    for change in
        [json!({"paused": false}), json!({"cron": "@hourly"}), json!({"timezone": "Europe/Berlin"})]
    {
        for limited in [&secret, &modes] {
            let refused = patch(limited, change.clone()).await;
            assert_eq!(refused.refusal(), (403, "forbidden"), "{change}");
        }
        let answer = patch(&api.key, change).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert_eq!(patch(&secret, json!({"paused": true})).await.status, 200, "stopping is free");
    let taken_over = patch(&secret, json!({"paused": false, "request": links("example.org")}));
    assert_eq!(taken_over.await.status, 200, "it is charged to the key from now on");
    assert_eq!(patch(&secret, json!({"cron": "0 7 * * *"})).await.status, 200);
}

#[tokio::test]
async fn key_outside_of_its_networks_is_403() {
    let api = TestApi::with(|settings| settings.trust_forwarded_for = true).await;
    let (_, secret) = key(&api, json!({"networks": ["192.0.2.7/24", "2001:db8::/32"]})).await;
    let from = async |address: &str| {
        let token = bearer(&secret);
        let headers = [("authorization", token.as_str()), ("x-forwarded-for", address)];
        api.send(Method::GET, "/v1/account", &headers, "").await
    };
    let answer = from("192.0.2.200").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["key"]["networks"], json!(["192.0.2.0/24", "2001:db8::/32"]));
    assert_eq!(from("2001:db8::1").await.status, 200);
    let refused = from("198.51.100.1").await;
    assert_eq!(refused.refusal(), (403, "forbidden"));
    assert!(refused.text.contains("198.51.100.1"), "{}", refused.text);
    let direct = api.get_as(&secret, "/v1/account").await;
    assert_eq!(direct.refusal(), (403, "forbidden"), "127.0.0.1 is in none of them");
}

#[tokio::test]
async fn expired_key_is_401() {
    let api = TestApi::start().await;
    let expires_at = NOW.plus(Duration::from_secs(60)).to_string();
    let (id, secret) = key(&api, json!({"expires_at": expires_at})).await;
    assert_eq!(api.get_as(&secret, "/v1/account").await.status, 200);
    api.pass(Duration::from_secs(60));
    assert_eq!(api.get_as(&secret, "/v1/account").await.refusal(), (401, "unauthorized"));
    let changed = change(&api, &format!("/api-keys/{id}"), &json!({"expires_at": null})).await;
    assert_eq!((changed.status, &changed.body["expires_at"]), (200, &Value::Null));
    assert_eq!(api.get_as(&secret, "/v1/account").await.status, 200);
}

#[tokio::test]
async fn budget_pauses_a_job_until_it_is_raised() {
    let api = TestApi::start().await;
    let (id, secret) = key(&api, json!({"total_credits": 2})).await;
    let contacts = json!({"mode": "contacts", "domains": ["example.org"],
        "legal_basis_accepted": true});
    let refused = api.post_as(&secret, "/v1/jobs", &contacts).await;
    assert_eq!(refused.refusal(), (402, "insufficient_credits"));
    assert_eq!((&refused.body["required"], &refused.body["available"]), (&json!(10), &json!(2)));
    assert!(refused.text.contains("budget"), "{}", refused.text);

    let job = api.post_as(&secret, "/v1/jobs", &links("example.com")).await.job_id();
    let mut lease = api.taken_up().await;
    api.deliver(&mut lease, 0..2).await;
    api.report(&lease, &JobCommand::ExhaustCredits).await;
    let paused = api.get(&format!("/v1/jobs/{job}")).await;
    assert_eq!(paused.body["status"], "paused");
    assert_eq!(paused.body["error"]["code"], "credits_exhausted");
    let message = paused.body["error"]["message"].as_str().expect("a message");
    assert!(message.contains("budget of the key"), "{message}");
    let confirm = format!("/v1/jobs/{job}/confirm");
    let refused = api.post(&confirm, &json!({})).await;
    assert_eq!(refused.refusal(), (402, "insufficient_credits"));
    let raised = change(&api, &format!("/api-keys/{id}"), &json!({"total_credits": 5})).await;
    assert_eq!(raised.body["credits_used"], 2);
    assert_eq!(api.post(&confirm, &json!({})).await.body["status"], "queued");
}

#[tokio::test]
async fn invalid_limits_are_reported_by_field() {
    let api = TestApi::start().await;
    let session = api.session().await;
    for (body, field) in [
        (json!({"scopes": ["jobs:fly"]}), "scopes[0]"),
        (json!({"scopes": "jobs:read"}), "scopes"),
        (json!({"expires_at": "tomorrow"}), "expires_at"),
        (json!({"expires_at": "2020-01-01"}), "expires_at"),
        (json!({"networks": ["example.com"]}), "networks[0]"),
        (json!({"networks": vec!["192.0.2.1"; 21]}), "networks"),
        (json!({"modes": ["links", "books"]}), "modes[1]"),
        (json!({"daily_credits": 0}), "daily_credits"),
        (json!({"total_credits": 1.5}), "total_credits"),
        (json!({"total_credit": 1}), "total_credit"),
    ] {
        let answer = api.post_as(&session, "/api-keys", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{body}");
        let keys = api.get_as(&session, "/api-keys").await;
        let path = format!("/api-keys/{}", keys.body[0]["id"].as_str().expect("an id"));
        let answer = change(&api, &path, &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{body}");
    }
    let unknown = "/api-keys/key_019a8671c5f87a3b9c1d2e3f40516273";
    assert_eq!(change(&api, unknown, &json!({})).await.status, 404);
    let by_key = api.patch(unknown, &json!({})).await;
    assert_eq!(by_key.refusal(), (401, "unauthorized"), "keys do not change keys");
}

#[tokio::test]
async fn application_limits_are_enforced() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let session = api.session().await;
    let asks = notes.asks("jobs:read jobs:write account:read");
    let path = format!("/oauth/authorization?{}", crate::harness::query(&asks));
    let body = json!({"approved": true, "limits": {"modes": ["links"], "daily_credits": 1}});
    let answered = api.post_as(&session, &path, &body).await;
    let sent = crate::harness::sent_to(&answered);
    let code = crate::harness::parameter(&sent, "code").expect("a code");
    let tokens = api.redeem(&notes, &code).await;
    let token = tokens.body["access_token"].as_str().expect("a token").to_owned();

    let listed = api.get_as(&session, "/oauth/applications").await;
    assert_eq!(listed.body[0]["modes"], json!(["links"]));
    assert_eq!(listed.body[0]["daily_credits"], 1);
    let markdown = json!({"mode": "markdown", "url": "https://example.com/"});
    let refused = api.post_as(&token, "/v1/jobs", &markdown).await;
    assert_eq!(refused.refusal(), (403, "forbidden"));
    assert_eq!(api.post_as(&token, "/v1/jobs", &links("example.com")).await.status, 202);
    let second = api.post_as(&token, "/v1/jobs", &links("example.org")).await;
    assert_eq!(second.refusal(), (402, "insufficient_credits"), "the first unit is reserved");

    let path = format!("/oauth/applications/{}", notes.id);
    let changed = change(&api, &path, &json!({"modes": [], "daily_credits": 20})).await;
    assert_eq!((changed.status, &changed.body["modes"]), (200, &json!([])));
    assert_eq!(api.post_as(&token, "/v1/jobs", &links("example.org")).await.status, 202);
    let again = api.answer(&asks, true).await;
    assert_eq!(again.status, 200);
    let listed = api.get_as(&session, "/oauth/applications").await;
    assert_eq!(listed.body[0]["daily_credits"], 20, "another approval keeps the limits");
}

#[tokio::test]
async fn revoking_a_key_can_pause_its_schedules_and_webhooks() {
    let api = TestApi::start().await;
    let (id, secret) = key(&api, json!({})).await;
    let schedule = json!({"cron": "0 6 * * *", "request": links("example.com")});
    let made = api.post_as(&secret, "/v1/schedules", &schedule).await;
    assert_eq!(made.body["created_by"], json!(id));
    let own = api
        .post(
            "/v1/schedules",
            &json!({"cron": "0 7 * * *",
        "request": links("example.org")}),
        )
        .await;
    assert_ne!(own.body["created_by"], json!(id));
    let session = api.session().await;
    let path = format!("/api-keys/{id}");
    let wrong = api.delete_as(&session, &format!("{path}?pause=maybe")).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["pause"]));
    assert_eq!(api.delete_as(&session, &format!("{path}?pause=true")).await.status, 200);
    let paused = async |made: &ApiReply| {
        let id = made.body["id"].as_str().expect("an id");
        api.get(&format!("/v1/schedules/{id}")).await.body["paused"] == true
    };
    assert!(paused(&made).await);
    assert!(!paused(&own).await);
}

#[tokio::test]
async fn disconnecting_an_application_pauses_its_schedules() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let code = api.code(&notes, "jobs:read jobs:write").await;
    let tokens = api.redeem(&notes, &code).await;
    let token = tokens.body["access_token"].as_str().expect("a token");
    let schedule = json!({"cron": "0 6 * * *", "request": links("example.com")});
    let made = api.post_as(token, "/v1/schedules", &schedule).await;
    assert_eq!(made.body["created_by"], json!(notes.id));
    let session = api.session().await;
    let path = format!("/oauth/applications/{}", notes.id);
    assert_eq!(api.delete_as(&session, &path).await.status, 200);
    let id = made.body["id"].as_str().expect("an id");
    assert_eq!(api.get(&format!("/v1/schedules/{id}")).await.body["paused"], true);
}

#[tokio::test]
async fn schedule_is_charged_to_the_credential_of_its_request() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let code = api.code(&notes, "jobs:read jobs:write").await;
    let tokens = api.redeem(&notes, &code).await;
    let token = bearer(tokens.body["access_token"].as_str().expect("a token"));
    let schedule = json!({"cron": "0 6 * * *", "request": links("example.com")});
    let made = api.post("/v1/schedules", &schedule).await;
    let owner = made.body["created_by"].clone();
    let path = format!("/v1/schedules/{}", made.body["id"].as_str().expect("an id"));
    let headers = [("authorization", token.as_str()), ("content-type", "application/json")];
    for (change, creator) in
        [(json!({"name": "N"}), owner), (json!({"request": links("example.org")}), json!(notes.id))]
    {
        let changed = api.send(Method::PATCH, &path, &headers, &change.to_string()).await;
        assert_eq!((changed.status, &changed.body["created_by"]), (200, &creator), "{change}");
    }
    let session = api.session().await;
    let application = format!("/oauth/applications/{}", notes.id);
    assert_eq!(api.delete_as(&session, &application).await.status, 200);
    assert_eq!(api.get(&path).await.body["paused"], true);
}
