//! `/session`.

use std::time::Duration;

use http::Method;
use serde_json::json;

use crate::bench::{Answer, Bench, EMAIL, NOW, PASSWORD};

async fn sign_in(bench: &Bench, email: &str, password: &str, from: &str) -> Answer {
    let headers = [("content-type", "application/json"), ("x-forwarded-for", from)];
    let body = json!({"email": email, "password": password}).to_string();
    bench.send(Method::POST, "/session", &headers, &body).await
}

#[tokio::test]
async fn a_session_opens_serves_and_ends() {
    let bench = Bench::start().await;
    let opened = sign_in(&bench, " ADA@example.com ", PASSWORD, "").await;
    assert_eq!(opened.status, 201);
    insta::assert_json_snapshot!(opened.stable());
    let token = opened.body["token"].as_str().expect("a token").to_owned();
    assert_eq!(bench.get_as(&token, "/api-keys").await.status, 200);
    let ended = bench.delete_as(&token, "/session").await;
    assert_eq!((ended.status, ended.text.as_str()), (200, ""));
    assert_eq!(bench.get_as(&token, "/api-keys").await.status, 401);
    assert_eq!(bench.delete_as(&token, "/session").await.status, 401);
}

#[tokio::test]
async fn a_session_ends_by_itself() {
    let bench = Bench::start().await;
    let token = bench.session().await;
    bench.pass(Duration::from_secs(12 * 60 * 60 - 1));
    assert_eq!(bench.get_as(&token, "/api-keys").await.status, 200);
    bench.pass(Duration::from_secs(1));
    assert_eq!(bench.get_as(&token, "/api-keys").await.refusal(), (401, "unauthorized"));
}

#[tokio::test]
async fn wrong_and_unknown_look_alike() {
    let bench = Bench::start().await;
    let wrong = sign_in(&bench, EMAIL, "wrong horse", "").await;
    let unknown = sign_in(&bench, "nobody@example.com", PASSWORD, "").await;
    assert_eq!(wrong.refusal(), (401, "unauthorized"));
    assert_eq!(wrong.stable(), unknown.stable());
    assert_eq!(wrong.header("www-authenticate"), Some("Bearer"));
}

#[tokio::test]
async fn a_network_has_thirty_attempts_a_minute_over_all_accounts() {
    let bench = Bench::start().await;
    for n in 0..30 {
        let answer = sign_in(&bench, &format!("n{n}@example.com"), PASSWORD, "").await;
        assert_eq!(answer.status, 401);
    }
    let answer = sign_in(&bench, EMAIL, PASSWORD, "203.0.113.9").await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert_eq!(answer.header("retry-after"), Some("2"));
    bench.pass(Duration::from_secs(2));
    assert_eq!(sign_in(&bench, EMAIL, PASSWORD, "").await.status, 201);
}

#[tokio::test]
async fn attempts_are_counted_by_account_and_network() {
    let bench = Bench::with(|settings| settings.trust_forwarded_for = true).await;
    for _ in 0..5 {
        let answer = sign_in(&bench, EMAIL, "wrong horse", "9.9.9.9, 203.0.113.1").await;
        assert_eq!(answer.status, 401);
    }
    let answer = sign_in(&bench, "Ada@example.com", PASSWORD, "203.0.113.1").await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert_eq!(answer.header("retry-after"), Some("12"));
    let elsewhere = sign_in(&bench, EMAIL, PASSWORD, "203.0.113.2").await;
    assert_eq!(elsewhere.status, 201, "the owner, from another network");
    let again = sign_in(&bench, EMAIL, "wrong horse", "203.0.113.1").await;
    assert_eq!(again.status, 429, "which gives the attacker nothing");
}

#[tokio::test]
async fn a_known_device_passes_the_delay_of_a_distributed_attack() {
    let bench = Bench::with(|settings| settings.trust_forwarded_for = true).await;
    let device = sign_in(&bench, EMAIL, PASSWORD, "203.0.113.1").await;
    let device = device.body["device"].as_str().expect("a device token").to_owned();
    for n in 0..40 {
        sign_in(&bench, EMAIL, "wrong horse", &format!("198.51.100.{n}")).await;
    }
    let unknown = sign_in(&bench, EMAIL, PASSWORD, "203.0.113.1").await;
    assert_eq!(unknown.refusal(), (429, "rate_limited"));
    let wait: u64 = unknown.header("retry-after").expect("a wait").parse().expect("seconds");
    assert!((1..=300).contains(&wait), "{wait}");
    let headers = [
        ("content-type", "application/json"),
        ("x-forwarded-for", "203.0.113.1"),
        ("x-device-token", &device),
    ];
    let wrong = json!({"email": EMAIL, "password": "wrong horse"}).to_string();
    assert_eq!(bench.send(Method::POST, "/session", &headers, &wrong).await.status, 401);
    let right = json!({"email": EMAIL, "password": PASSWORD}).to_string();
    let known = bench.send(Method::POST, "/session", &headers, &right).await;
    assert_eq!((known.status, known.body["device"].as_str()), (201, Some(device.as_str())));
}

#[tokio::test]
async fn a_network_of_ipv6_is_one_address() {
    let bench = Bench::with(|settings| settings.trust_forwarded_for = true).await;
    for n in 0..5 {
        sign_in(&bench, EMAIL, "wrong horse", &format!("2001:db8:1:2::{n}")).await;
    }
    let answer = sign_in(&bench, EMAIL, PASSWORD, "2001:db8:1:2:ffff::1").await;
    assert_eq!(answer.status, 429);
    assert_eq!(sign_in(&bench, EMAIL, PASSWORD, "2001:db8:1:3::1").await.status, 201);
}

#[tokio::test]
async fn sign_ins_are_in_the_audit_log() {
    let bench = Bench::start().await;
    for _ in 0..3 {
        sign_in(&bench, EMAIL, "wrong horse", "").await;
    }
    let opened = sign_in(&bench, EMAIL, PASSWORD, "").await;
    let token = opened.body["token"].as_str().expect("a token").to_owned();
    let refused = bench.get_as(&token, "/v1/audit?action=session.refused").await;
    let refused = refused.body["items"].as_array().expect("items").clone();
    assert_eq!(refused.len(), 2, "the first and the second attempt: {refused:?}");
    assert_eq!(
        (&refused[0]["address"], &refused[0]["actor"]["kind"]),
        (&json!("127.0.0.1"), &json!("anonymous"))
    );
    bench.delete_as(&token, "/session").await;
    for action in ["session.opened", "session.ended"] {
        let entries = bench.get(&format!("/v1/audit?action={action}")).await;
        assert_eq!(entries.body["items"].as_array().map(Vec::len), Some(1), "{action}");
        assert!(!entries.text.contains(&token));
    }
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    let bench = Bench::start().await;
    let (mine, other) = (bench.session().await, bench.session().await);
    let listed = bench.get_as(&mine, "/sessions").await;
    assert_eq!(listed.body.as_array().map(Vec::len), Some(2));
    let current: Vec<_> =
        listed.body.as_array().into_iter().flatten().filter(|one| one["current"] == true).collect();
    assert_eq!(current.len(), 1);
    let theirs = listed.body.as_array().into_iter().flatten().find(|one| one["current"] == false);
    let theirs = theirs.expect("the other")["id"].as_str().expect("an id").to_owned();
    assert_eq!(bench.delete_as(&mine, &format!("/sessions/{theirs}")).await.status, 200);
    assert_eq!(bench.delete_as(&mine, &format!("/sessions/{theirs}")).await.status, 404);
    assert_eq!(bench.get_as(&other, "/sessions").await.status, 401);
    let third = bench.session().await;
    let ended = bench.delete_as(&mine, "/sessions").await;
    assert_eq!((ended.status, &ended.body["ended"]), (200, &json!(2)));
    for token in [&mine, &third] {
        assert_eq!(bench.get_as(token, "/sessions").await.refusal(), (401, "unauthorized"));
    }
}

#[tokio::test]
async fn changing_the_password_ends_the_other_sessions() {
    let bench = Bench::start().await;
    let (mine, other) = (bench.session().await, bench.session().await);
    let change =
        |current: &str, new: &str| json!({"current_password": current, "new_password": new});
    let wrong =
        bench.post_as(&mine, "/session/password", &change("wrong horse", "battery staple")).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["current_password"]));
    let short = bench.post_as(&mine, "/session/password", &change(PASSWORD, "short")).await;
    assert_eq!((short.status, short.fields()), (422, vec!["new_password"]));
    let changed =
        bench.post_as(&mine, "/session/password", &change(PASSWORD, "battery staple")).await;
    assert_eq!((changed.status, &changed.body["ended"]), (200, &json!(1)), "{}", changed.text);
    assert_eq!(bench.get_as(&mine, "/sessions").await.status, 200);
    assert_eq!(bench.get_as(&other, "/sessions").await.status, 401);
    assert_eq!(sign_in(&bench, EMAIL, PASSWORD, "").await.status, 401);
    assert_eq!(sign_in(&bench, EMAIL, "battery staple", "").await.status, 201);
    let entries = bench.get("/v1/audit?action=password.changed").await;
    assert_eq!(entries.body["items"].as_array().map(Vec::len), Some(1));
    assert!(!entries.text.contains("battery"));
}

#[tokio::test]
async fn a_stolen_session_cannot_guess_the_password() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let guess = json!({"current_password": "wrong horse", "new_password": "battery staple"});
    for _ in 0..5 {
        assert_eq!(bench.post_as(&session, "/session/password", &guess).await.status, 422);
    }
    let sixth = bench.post_as(&session, "/session/password", &guess).await;
    assert_eq!(sixth.refusal(), (429, "rate_limited"));
    let log = bench.get("/v1/audit?action=session.refused").await;
    let entries = log.body["items"].as_array().expect("items");
    assert_eq!(entries.len(), 3, "the 1st, 2nd and 4th: {}", log.text);
    assert_eq!(entries[0]["actor"]["kind"], "session");
}

#[tokio::test]
async fn credentials_of_a_suspended_account_are_forbidden() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let token = bench.token("account:read").await;
    let (_, other) = bench.account("bob@example.com", 5).await;
    bench.store.suspend_account(&bench.account, NOW).await.expect("it answers");
    for (credential, path) in [
        (&bench.key, "/v1/account"),
        (&bench.key, "/v1/jobs"),
        (&session, "/api-keys"),
        (&session, "/sessions"),
        (&session, "/v1/audit"),
        (&token, "/v1/account"),
    ] {
        let answer = bench.get_as(credential, path).await;
        assert_eq!(answer.refusal(), (403, "account_suspended"), "{path}");
    }
    let body = json!({"mode": "links", "url": "https://example.com/"});
    assert_eq!(bench.post("/v1/jobs", &body).await.refusal(), (403, "account_suspended"));
    assert_eq!(sign_in(&bench, EMAIL, PASSWORD, "").await.refusal(), (403, "account_suspended"));
    let guessed = sign_in(&bench, EMAIL, "wrong horse", "").await;
    assert_eq!(guessed.refusal(), (401, "unauthorized"), "a stranger learns nothing");
    assert_eq!(bench.get_as(&other, "/v1/account").await.status, 200);
    bench.store.resume_account(&bench.account, NOW).await.expect("it answers");
    let log = bench.get("/v1/audit?action=session.refused").await;
    assert_eq!(log.body["items"].as_array().map(Vec::len), Some(2), "{}", log.text);
    for (credential, path) in
        [(&bench.key, "/v1/account"), (&session, "/api-keys"), (&token, "/v1/account")]
    {
        assert_eq!(bench.get_as(credential, path).await.status, 200, "{path}");
    }
    bench.store.delete_account(&bench.account, NOW).await.expect("it answers");
    assert_eq!(bench.get("/v1/account").await.refusal(), (401, "unauthorized"));
}

#[tokio::test]
async fn session_of_a_suspended_account_can_be_ended() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    bench.store.suspend_account(&bench.account, NOW).await.expect("it answers");
    assert_eq!(bench.delete_as(&session, "/session").await.status, 200);
    assert_eq!(bench.delete_as(&session, "/session").await.refusal(), (401, "unauthorized"));
    assert_eq!(bench.delete_as(&bench.key, "/session").await.refusal(), (401, "unauthorized"));
    let another = bench.get_as(&session, "/sessions").await;
    assert_eq!(another.refusal(), (401, "unauthorized"), "the session is over");
}

#[tokio::test]
async fn a_body_without_its_fields_is_refused() {
    let bench = Bench::start().await;
    let headers = [("content-type", "application/json")];
    for (body, fields) in [
        ("{}", vec!["email", "password"]),
        (r#"{"email":"a@b.c","password":null}"#, vec!["password"]),
        (r#"{"email":7,"password":"x\u0000"}"#, vec!["email", "password"]),
    ] {
        let answer = bench.send(Method::POST, "/session", &headers, body).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{body}");
        assert!(!answer.text.contains("\\u0000"));
    }
}
