//! Secrets are not logged.

use std::io::Write;
use std::sync::{Arc, Mutex};

use http::Method;
use serde_json::json;

use crate::harness::{ApiReply, EMAIL, Notes, PASSWORD, REDIRECT_URI, TestApi};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("whole").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn secrets_are_not_logged() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // For the whole process: what other tests log beside this one does no harm.
    tracing::subscriber::set_global_default(subscriber).expect("the first subscriber");
    let api = crate::webhooks::api().await;
    let headers = [("content-type", "application/json")];
    let body = json!({"email": EMAIL, "password": PASSWORD}).to_string();
    let session = api.send(Method::POST, "/session", &headers, &body).await;
    let token = session.body["token"].as_str().expect("a token").to_owned();
    let created = api.post_as(&token, "/api-keys", &json!({})).await;
    let made = created.body["key"].as_str().expect("a secret").to_owned();
    api.get_as(&made, "/v1/account").await;
    let webhook = json!({"url": "https://hooks.public.test/?token=hush-hush"});
    let webhook = api.post("/v1/webhooks", &webhook).await;
    let signing = webhook.body["secret"].as_str().expect("a secret").to_owned();
    let test = format!("/v1/webhooks/{}/test", webhook.body["id"].as_str().expect("an id"));
    api.post(&test, &json!({})).await;
    api.get("/v1/webhooks").await;
    let (application, code, tokens) = oauth(&api).await;
    api.get_as("key_live_wrong", "/v1/account").await;
    let answer = api.get("/v1/jobs?page=0").await;
    let path = format!("/v1/jobs?key={made}");
    api.get(&path).await;
    api.store.close().await;
    let failed = api.get("/v1/account").await;
    let log = String::from_utf8(log.0.lock().expect("whole").clone()).expect("text");
    let logged = |text: &str| log.contains(text);
    // The log contains both requests with their ids.
    assert!(logged("account.id"), "{log}");
    assert!(logged(answer.header("x-request-id").expect("an id")));
    let id = failed.header("x-request-id").expect("an id");
    let causes = log.lines().filter(|line| line.contains(id) && line.contains("cause="));
    assert_eq!(causes.count(), 1, "a cause is logged once");
    for secret in [&api.key, &token, &made, &signing, "hush-hush", PASSWORD, "key_live_wrong"] {
        assert!(!logged(secret), "{secret} is in the log");
    }
    for secret in [application, code, tokens[0].clone(), tokens[1].clone()] {
        assert!(!logged(&secret), "{secret} is in the log");
    }
}

/// The secrets of an application, all used: its own, a code, and the tokens for it.
async fn oauth(api: &TestApi) -> (String, String, [String; 2]) {
    let made = api.register(&json!({"redirect_uris": [REDIRECT_URI]})).await;
    let text = |answer: &ApiReply, name: &str| answer.body[name].as_str().expect(name).to_owned();
    let notes = Notes { id: text(&made, "client_id") };
    let secret = text(&made, "client_secret");
    let code = api.code(&notes, "account:read").await;
    let shows = [notes.shows(&code), vec![("client_secret", secret.as_str())]].concat();
    let tokens = api.form("/oauth/token", &shows).await;
    // Shown again: the refusal must not tell it either.
    api.form("/oauth/token", &shows).await;
    let tokens = ["access_token", "refresh_token"].map(|name| text(&tokens, name));
    api.get_as(&tokens[0], "/v1/account").await;
    (secret, code, tokens)
}
