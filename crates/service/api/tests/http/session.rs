//! `/session`.

use std::time::Duration;

use http::Method;
use serde_json::json;

use crate::harness::{ApiReply, EMAIL, NOW, PASSWORD, TestApi};

async fn sign_in(api: &TestApi, email: &str, password: &str, from: &str) -> ApiReply {
    let headers = [("content-type", "application/json"), ("x-forwarded-for", from)];
    let body = json!({"email": email, "password": password}).to_string();
    api.send(Method::POST, "/session", &headers, &body).await
}

#[tokio::test]
async fn session_is_opened_used_and_ended() {
    let api = TestApi::start().await;
    let opened = sign_in(&api, " ADA@example.com ", PASSWORD, "").await;
    assert_eq!(opened.status, 201);
    insta::assert_json_snapshot!(opened.stable());
    let token = opened.body["token"].as_str().expect("a token").to_owned();
    assert_eq!(api.get_as(&token, "/api-keys").await.status, 200);
    let ended = api.delete_as(&token, "/session").await;
    assert_eq!((ended.status, ended.text.as_str()), (200, ""));
    assert_eq!(api.get_as(&token, "/api-keys").await.status, 401);
    assert_eq!(api.delete_as(&token, "/session").await.status, 401);
}

#[tokio::test]
async fn session_expires() {
    let api = TestApi::start().await;
    let token = api.session().await;
    api.pass(Duration::from_secs(12 * 60 * 60 - 1));
    assert_eq!(api.get_as(&token, "/api-keys").await.status, 200);
    api.pass(Duration::from_secs(1));
    assert_eq!(api.get_as(&token, "/api-keys").await.refusal(), (401, "unauthorized"));
}

#[tokio::test]
async fn wrong_password_and_unknown_email_get_the_same_401() {
    let api = TestApi::start().await;
    let wrong = sign_in(&api, EMAIL, "wrong horse", "").await;
    let unknown = sign_in(&api, "nobody@example.com", PASSWORD, "").await;
    assert_eq!(wrong.refusal(), (401, "unauthorized"));
    assert_eq!(wrong.stable(), unknown.stable());
    assert_eq!(wrong.header("www-authenticate"), Some("Bearer"));
}

#[tokio::test]
async fn sign_ins_are_limited_by_network() {
    let api = TestApi::start().await;
    for n in 0..30 {
        let answer = sign_in(&api, &format!("n{n}@example.com"), PASSWORD, "").await;
        assert_eq!(answer.status, 401);
    }
    let answer = sign_in(&api, EMAIL, PASSWORD, "203.0.113.9").await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert_eq!(answer.header("retry-after"), Some("2"));
    api.pass(Duration::from_secs(2));
    assert_eq!(sign_in(&api, EMAIL, PASSWORD, "").await.status, 201);
}

#[tokio::test]
async fn sign_ins_are_limited_by_account_and_network() {
    let api = TestApi::with(|settings| settings.trust_forwarded_for = true).await;
    for _ in 0..5 {
        let answer = sign_in(&api, EMAIL, "wrong horse", "9.9.9.9, 203.0.113.1").await;
        assert_eq!(answer.status, 401);
    }
    let answer = sign_in(&api, "Ada@example.com", PASSWORD, "203.0.113.1").await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert_eq!(answer.header("retry-after"), Some("12"));
    let elsewhere = sign_in(&api, EMAIL, PASSWORD, "203.0.113.2").await;
    assert_eq!(elsewhere.status, 201, "the owner, from another network");
    let again = sign_in(&api, EMAIL, "wrong horse", "203.0.113.1").await;
    assert_eq!(again.status, 429, "which gives the attacker nothing");
}

#[tokio::test]
async fn known_device_is_not_delayed_by_an_attack() {
    let api = TestApi::with(|settings| settings.trust_forwarded_for = true).await;
    let device = sign_in(&api, EMAIL, PASSWORD, "203.0.113.1").await;
    let device = device.body["device"].as_str().expect("a device token").to_owned();
    for n in 0..40 {
        sign_in(&api, EMAIL, "wrong horse", &format!("198.51.100.{n}")).await;
    }
    let unknown = sign_in(&api, EMAIL, PASSWORD, "203.0.113.1").await;
    assert_eq!(unknown.refusal(), (429, "rate_limited"));
    let wait: u64 = unknown.header("retry-after").expect("a wait").parse().expect("seconds");
    assert!((1..=300).contains(&wait), "{wait}");
    let headers = [
        ("content-type", "application/json"),
        ("x-forwarded-for", "203.0.113.1"),
        ("x-device-token", &device),
    ];
    let wrong = json!({"email": EMAIL, "password": "wrong horse"}).to_string();
    assert_eq!(api.send(Method::POST, "/session", &headers, &wrong).await.status, 401);
    let right = json!({"email": EMAIL, "password": PASSWORD}).to_string();
    let known = api.send(Method::POST, "/session", &headers, &right).await;
    assert_eq!((known.status, known.body["device"].as_str()), (201, Some(device.as_str())));
}

#[tokio::test]
async fn ipv6_network_counts_as_one_address() {
    let api = TestApi::with(|settings| settings.trust_forwarded_for = true).await;
    for n in 0..5 {
        sign_in(&api, EMAIL, "wrong horse", &format!("2001:db8:1:2::{n}")).await;
    }
    let answer = sign_in(&api, EMAIL, PASSWORD, "2001:db8:1:2:ffff::1").await;
    assert_eq!(answer.status, 429);
    assert_eq!(sign_in(&api, EMAIL, PASSWORD, "2001:db8:1:3::1").await.status, 201);
}

#[tokio::test]
async fn sign_ins_are_audited() {
    let api = TestApi::start().await;
    for _ in 0..3 {
        sign_in(&api, EMAIL, "wrong horse", "").await;
    }
    let opened = sign_in(&api, EMAIL, PASSWORD, "").await;
    let token = opened.body["token"].as_str().expect("a token").to_owned();
    let refused = api.get_as(&token, "/v1/audit?action=session.refused").await;
    let refused = refused.body["items"].as_array().expect("items").clone();
    assert_eq!(refused.len(), 2, "the first and the second attempt: {refused:?}");
    assert_eq!(
        (&refused[0]["address"], &refused[0]["actor"]["kind"]),
        (&json!("127.0.0.1"), &json!("anonymous"))
    );
    api.delete_as(&token, "/session").await;
    for action in ["session.opened", "session.ended"] {
        let entries = api.get(&format!("/v1/audit?action={action}")).await;
        assert_eq!(entries.body["items"].as_array().map(Vec::len), Some(1), "{action}");
        assert!(!entries.text.contains(&token));
    }
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    let api = TestApi::start().await;
    let (mine, other) = (api.session().await, api.session().await);
    let listed = api.get_as(&mine, "/sessions").await;
    assert_eq!(listed.body.as_array().map(Vec::len), Some(2));
    let current: Vec<_> =
        listed.body.as_array().into_iter().flatten().filter(|one| one["current"] == true).collect();
    assert_eq!(current.len(), 1);
    let theirs = listed.body.as_array().into_iter().flatten().find(|one| one["current"] == false);
    let theirs = theirs.expect("the other")["id"].as_str().expect("an id").to_owned();
    assert_eq!(api.delete_as(&mine, &format!("/sessions/{theirs}")).await.status, 200);
    assert_eq!(api.delete_as(&mine, &format!("/sessions/{theirs}")).await.status, 404);
    assert_eq!(api.get_as(&other, "/sessions").await.status, 401);
    let third = api.session().await;
    let ended = api.delete_as(&mine, "/sessions").await;
    assert_eq!((ended.status, &ended.body["ended"]), (200, &json!(2)));
    for token in [&mine, &third] {
        assert_eq!(api.get_as(token, "/sessions").await.refusal(), (401, "unauthorized"));
    }
}

#[tokio::test]
async fn changing_the_password_ends_the_other_sessions() {
    let api = TestApi::start().await;
    let (mine, other) = (api.session().await, api.session().await);
    let change =
        |current: &str, new: &str| json!({"current_password": current, "new_password": new});
    let wrong =
        api.post_as(&mine, "/session/password", &change("wrong horse", "battery staple")).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["current_password"]));
    let short = api.post_as(&mine, "/session/password", &change(PASSWORD, "short")).await;
    assert_eq!((short.status, short.fields()), (422, vec!["new_password"]));
    let changed =
        api.post_as(&mine, "/session/password", &change(PASSWORD, "battery staple")).await;
    assert_eq!((changed.status, &changed.body["ended"]), (200, &json!(1)), "{}", changed.text);
    assert_eq!(api.get_as(&mine, "/sessions").await.status, 200);
    assert_eq!(api.get_as(&other, "/sessions").await.status, 401);
    assert_eq!(sign_in(&api, EMAIL, PASSWORD, "").await.status, 401);
    assert_eq!(sign_in(&api, EMAIL, "battery staple", "").await.status, 201);
    let entries = api.get("/v1/audit?action=password.changed").await;
    assert_eq!(entries.body["items"].as_array().map(Vec::len), Some(1));
    assert!(!entries.text.contains("battery"));
}

#[tokio::test]
async fn password_guesses_of_a_session_are_limited() {
    let api = TestApi::start().await;
    let session = api.session().await;
    let guess = json!({"current_password": "wrong horse", "new_password": "battery staple"});
    for _ in 0..5 {
        assert_eq!(api.post_as(&session, "/session/password", &guess).await.status, 422);
    }
    let sixth = api.post_as(&session, "/session/password", &guess).await;
    assert_eq!(sixth.refusal(), (429, "rate_limited"));
    let log = api.get("/v1/audit?action=session.refused").await;
    let entries = log.body["items"].as_array().expect("items");
    assert_eq!(entries.len(), 3, "the 1st, 2nd and 4th: {}", log.text);
    assert_eq!(entries[0]["actor"]["kind"], "session");
}

#[tokio::test]
async fn credentials_of_a_suspended_account_are_403() {
    let api = TestApi::start().await;
    let session = api.session().await;
    let token = api.token("account:read").await;
    let (_, other) = api.account("bob@example.com", 5).await;
    api.store.suspend_account(&api.account, NOW).await.expect("it answers");
    for (credential, path) in [
        (&api.key, "/v1/account"),
        (&api.key, "/v1/jobs"),
        (&session, "/api-keys"),
        (&session, "/sessions"),
        (&session, "/v1/audit"),
        (&token, "/v1/account"),
    ] {
        let answer = api.get_as(credential, path).await;
        assert_eq!(answer.refusal(), (403, "account_suspended"), "{path}");
    }
    let body = json!({"mode": "links", "url": "https://example.com/"});
    assert_eq!(api.post("/v1/jobs", &body).await.refusal(), (403, "account_suspended"));
    assert_eq!(sign_in(&api, EMAIL, PASSWORD, "").await.refusal(), (403, "account_suspended"));
    let guessed = sign_in(&api, EMAIL, "wrong horse", "").await;
    assert_eq!(guessed.refusal(), (401, "unauthorized"), "a stranger learns nothing");
    assert_eq!(api.get_as(&other, "/v1/account").await.status, 200);
    api.store.resume_account(&api.account, NOW).await.expect("it answers");
    let log = api.get("/v1/audit?action=session.refused").await;
    assert_eq!(log.body["items"].as_array().map(Vec::len), Some(2), "{}", log.text);
    for (credential, path) in
        [(&api.key, "/v1/account"), (&session, "/api-keys"), (&token, "/v1/account")]
    {
        assert_eq!(api.get_as(credential, path).await.status, 200, "{path}");
    }
    api.store.delete_account(&api.account, NOW).await.expect("it answers");
    assert_eq!(api.get("/v1/account").await.refusal(), (401, "unauthorized"));
}

#[tokio::test]
async fn session_of_a_suspended_account_can_be_ended() {
    let api = TestApi::start().await;
    let session = api.session().await;
    api.store.suspend_account(&api.account, NOW).await.expect("it answers");
    assert_eq!(api.delete_as(&session, "/session").await.status, 200);
    assert_eq!(api.delete_as(&session, "/session").await.refusal(), (401, "unauthorized"));
    assert_eq!(api.delete_as(&api.key, "/session").await.refusal(), (401, "unauthorized"));
    let another = api.get_as(&session, "/sessions").await;
    assert_eq!(another.refusal(), (401, "unauthorized"), "the session is over");
}

#[tokio::test]
async fn sign_in_without_fields_is_rejected() {
    let api = TestApi::start().await;
    let headers = [("content-type", "application/json")];
    for (body, fields) in [
        ("{}", vec!["email", "password"]),
        (r#"{"email":"a@b.c","password":null}"#, vec!["password"]),
        (r#"{"email":7,"password":"x\u0000"}"#, vec!["email", "password"]),
    ] {
        let answer = api.send(Method::POST, "/session", &headers, body).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{body}");
        assert!(!answer.text.contains("\\u0000"));
    }
}
