//! `POST /oauth/register`.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::harness::{REDIRECT_URI, TestApi};

#[tokio::test]
async fn public_client_registers() {
    let api = TestApi::start().await;
    let made = api
        .register(&json!({
            "redirect_uris": [REDIRECT_URI, "http://127.0.0.1/back", "org.notes.app:/back"],
            "client_name": " Notes ",
            "client_uri": "https://notes.example/",
            "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": "jobs:read openid account:read",
            "software_id": "4NRB1-0XZABZI9E6-5SM3R",
        }))
        .await;
    assert_eq!(made.status, 201);
    insta::assert_json_snapshot!(made.stable());
}

#[tokio::test]
async fn minimal_registration_gets_a_secret() {
    let api = TestApi::start().await;
    let made = api.register(&json!({"redirect_uris": [REDIRECT_URI]})).await;
    assert_eq!(made.status, 201);
    insta::assert_json_snapshot!(made.stable());
}

#[tokio::test]
async fn unsafe_redirect_uris_are_rejected() {
    let api = TestApi::with(|settings| settings.registrations_per_minute = 1_000).await;
    for uri in [
        "javascript:alert(document.cookie)",
        "JAVASCRIPT://notes.example/%0aalert(1)",
        "data:text/html,<script>",
        "http://notes.example/back",
        "https://*.notes.example/back",
        "https://notes.example/back#token",
        "https://user:password@notes.example/",
        "notes:/back",
        "/back",
        "",
    ] {
        let made = api.register(&json!({"redirect_uris": [REDIRECT_URI, uri]})).await;
        assert_eq!((made.status, &made.body["error"]), (400, &json!("invalid_redirect_uri")));
        let description = made.body["error_description"].as_str().expect("a text");
        assert!(description.starts_with("redirect_uris[1] must "), "{uri}: {description}");
    }
    for uris in [json!([]), json!(vec![REDIRECT_URI; 11]), Value::Null] {
        let made = api.register(&json!({"redirect_uris": uris})).await;
        assert_eq!((made.status, &made.body["error"]), (400, &json!("invalid_redirect_uri")));
    }
}

#[tokio::test]
async fn invalid_client_metadata_is_rejected() {
    let api = TestApi::with(|settings| settings.registrations_per_minute = 1_000).await;
    for (member, value) in [
        ("client_name", json!("x".repeat(101))),
        ("client_name", json!("Your bank\u{202e}")),
        ("client_name", json!("two\nlines")),
        ("client_name", json!("a\u{0}b")),
        ("client_name", json!(7)),
        ("client_uri", json!("javascript:alert(1)")),
        ("client_uri", json!("http://notes.example/")),
        ("token_endpoint_auth_method", json!("private_key_jwt")),
        ("grant_types", json!(["implicit"])),
        ("grant_types", json!("authorization_code")),
        ("response_types", json!(["token"])),
        ("redirect_uris", json!("https://notes.example/back")),
    ] {
        let mut body = json!({"redirect_uris": [REDIRECT_URI]});
        body[member] = value;
        let made = api.register(&body).await;
        assert_eq!((made.status, &made.body["error"]), (400, &json!("invalid_client_metadata")));
        let description = made.body["error_description"].as_str().expect("a text");
        assert!(description.starts_with(member), "{description}");
    }
    for (body, kind, status) in [
        ("[]", "application/json", 400),
        ("{", "application/json", 400),
        ("", "application/json", 400),
        ("{}", "text/plain", 415),
    ] {
        let headers = [("content-type", kind)];
        let made = api.send(Method::POST, "/oauth/register", &headers, body).await;
        assert_eq!((made.status, &made.body["error"]), (status, &json!("invalid_request")));
    }
}

#[tokio::test]
async fn registrations_per_address_are_limited() {
    let api = TestApi::with(|settings| settings.registrations_per_minute = 2).await;
    for _ in 0..2 {
        api.notes().await;
    }
    let body = json!({"redirect_uris": [REDIRECT_URI]});
    let refused = api.register(&body).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("30")));
    assert_eq!(refused.body["error"], "temporarily_unavailable");
    api.pass(Duration::from_secs(30));
    assert_eq!(api.register(&body).await.status, 201);
}
