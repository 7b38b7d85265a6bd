//! `/session`.

use std::time::Duration;

use http::Method;
use serde_json::json;

use crate::bench::{Answer, Bench, EMAIL, PASSWORD};

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
async fn tries_are_counted_by_address() {
    let bench = Bench::start().await;
    for n in 0..5 {
        let answer = sign_in(&bench, &format!("n{n}@example.com"), PASSWORD, "").await;
        assert_eq!(answer.status, 401);
    }
    let answer = sign_in(&bench, EMAIL, PASSWORD, "203.0.113.9").await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert_eq!(answer.header("retry-after"), Some("12"));
    bench.pass(Duration::from_secs(12));
    assert_eq!(sign_in(&bench, EMAIL, PASSWORD, "").await.status, 201);
}

#[tokio::test]
async fn tries_are_counted_by_account() {
    let bench = Bench::with(|settings| settings.trust_forwarded_for = true).await;
    for n in 0..5 {
        let answer =
            sign_in(&bench, EMAIL, "wrong horse", &format!("9.9.9.9, 203.0.113.{n}")).await;
        assert_eq!(answer.status, 401);
    }
    let answer = sign_in(&bench, "Ada@example.com", PASSWORD, "203.0.113.99").await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
}

#[tokio::test]
async fn a_network_of_ipv6_is_one_address() {
    let bench = Bench::with(|settings| settings.trust_forwarded_for = true).await;
    for n in 0..5 {
        let from = format!("2001:db8:1:2::{n}");
        sign_in(&bench, &format!("n{n}@example.com"), PASSWORD, &from).await;
    }
    let answer = sign_in(&bench, EMAIL, PASSWORD, "2001:db8:1:2:ffff::1").await;
    assert_eq!(answer.status, 429);
    assert_eq!(sign_in(&bench, EMAIL, PASSWORD, "2001:db8:1:3::1").await.status, 201);
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
