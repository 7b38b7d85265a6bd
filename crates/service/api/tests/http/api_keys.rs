//! `/api-keys`.

use http::Method;
use serde_json::json;
use store::is_key_shaped;

use crate::harness::{NOW, TestApi, bearer};

#[tokio::test]
async fn key_is_created_listed_and_revoked() {
    let api = TestApi::start().await;
    let session = api.session().await;
    // Newer than the key that the account has already.
    api.pass(std::time::Duration::from_millis(1));
    let body = json!({"name": " nightly ", "source": "mcp", "test": true});
    let created = api.post_as(&session, "/api-keys", &body).await;
    assert_eq!(created.status, 201);
    insta::assert_json_snapshot!("created", created.stable());
    let secret = created.body["key"].as_str().expect("a secret").to_owned();
    assert!(secret.starts_with("key_test_") && is_key_shaped(&secret));
    assert_eq!(api.get_as(&secret, "/v1/account").await.body["key"]["source"], "mcp");
    let listed = api.get_as(&session, "/api-keys").await;
    insta::assert_json_snapshot!("listed", listed.stable());
    assert!(!listed.text.contains(&secret));
    let path = format!("/api-keys/{}", created.body["id"].as_str().expect("an id"));
    let revoked = api.delete_as(&session, &path).await;
    insta::assert_json_snapshot!("revoked", revoked.stable());
    assert_eq!(api.get_as(&secret, "/v1/account").await.refusal(), (401, "unauthorized"));
    let again = api.delete_as(&session, &path).await;
    assert_eq!((again.status, again.body), (200, revoked.body));
}

#[tokio::test]
async fn key_is_created_without_a_body() {
    let api = TestApi::start().await;
    let session = bearer(&api.session().await);
    let created = api.send(Method::POST, "/api-keys", &[("authorization", &session)], "").await;
    assert_eq!((created.status, &created.body["name"]), (201, &json!("API key")));
    assert_eq!(
        (&created.body["source"], &created.body["prefix"]),
        (&json!("direct"), &json!("key_live"))
    );
}

#[tokio::test]
async fn invalid_key_bodies_are_rejected() {
    let api = TestApi::start().await;
    let session = api.session().await;
    for (body, field) in [
        (json!({"name": "x".repeat(101)}), "name"),
        (json!({"name": "  "}), "name"),
        (json!({"name": "a\nb"}), "name"),
        (json!({"name": "a\u{0}b"}), "name"),
        (json!({"source": "carrier pigeon"}), "source"),
        (json!({"test": "yes"}), "test"),
        (json!({"sources": "mcp"}), "sources"),
    ] {
        let answer = api.post_as(&session, "/api-keys", &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{body}");
    }
    let longest = json!({"name": "ü".repeat(100)});
    assert_eq!(api.post_as(&session, "/api-keys", &longest).await.status, 201);
}

#[tokio::test]
async fn number_of_live_keys_is_limited() {
    let change = |store: &mut store::StoreSettings| store.keys = 2;
    let api = TestApi::with_store(change, |settings| settings.limits.keys = 2).await;
    let session = api.session().await;
    let second = api.post_as(&session, "/api-keys", &json!({})).await;
    assert_eq!(second.status, 201);
    let third = api.post_as(&session, "/api-keys", &json!({})).await;
    assert_eq!(third.refusal(), (409, "conflict"));
    let path = format!("/api-keys/{}", second.body["id"].as_str().expect("an id"));
    api.delete_as(&session, &path).await;
    assert_eq!(api.post_as(&session, "/api-keys", &json!({})).await.status, 201);
}

#[tokio::test]
async fn key_of_another_account_is_404() {
    let api = TestApi::start().await;
    let (other, secret) = api.account("bob@example.com", 5).await;
    let keys = api.store.keys(&other, NOW).await.expect("the database answers");
    let session = api.session().await;
    let answer = api.delete_as(&session, &format!("/api-keys/{}", keys[0].id)).await;
    assert_eq!(answer.refusal(), (404, "not_found"));
    assert_eq!(api.get_as(&secret, "/v1/account").await.status, 200);
    assert_eq!(api.delete_as(&session, "/api-keys/1").await.status, 404);
}
