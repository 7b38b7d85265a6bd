//! Data for the account pages: a webhook with a failing receiver, a key with limits, two connected
//! applications, and an authorization request.

use reqwest::Response;
use serde_json::{Value, json};

use crate::server::Server;

/// The code challenge of the example in RFC 7636.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Creates the data and returns its identifiers.
pub async fn create(server: &Server, key: &str, password: &str) -> Value {
    let webhook = json!({"url": "https://hooks.lab/in"});
    let webhook = read(server.post("/v1/webhooks", key, &webhook).await).await;
    let webhook = webhook["id"].as_str().unwrap_or_else(|| panic!("{webhook}")).to_owned();
    server.post(&format!("/v1/webhooks/{webhook}/test"), key, &json!({})).await;

    let sign_in = json!({"email": "operator@localhost", "password": password});
    let session = read(server.post("/session", "", &sign_in).await).await;
    let session = session["token"].as_str().unwrap_or_else(|| panic!("{session}"));
    let limits = json!({"name": "Limited", "scopes": ["jobs:read", "jobs:write"],
        "modes": ["links"], "networks": ["127.0.0.0/8"], "daily_credits": 5_000,
        "expires_at": "2099-01-01T00:00:00Z"});
    let limited = read(server.post("/api-keys", session, &limits).await).await;
    let limited = limited["id"].as_str().unwrap_or_else(|| panic!("{limited}"));
    let (mut asks, mut application) = (Vec::new(), String::new());
    for name in ["Notes", "<script>alert(1)</script>"] {
        let new = json!({
            "client_name": name,
            "redirect_uris": ["http://127.0.0.1/back"],
            "token_endpoint_auth_method": "none",
        });
        let made = read(server.post("/oauth/register", "", &new).await).await;
        let id = made["client_id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
        asks.push(format!(
            "response_type=code&client_id={id}&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fback\
             &code_challenge={CHALLENGE}&code_challenge_method=S256&state=a%20b"
        ));
        application = id;
    }
    for ask in &asks {
        let path = format!("/oauth/authorization?{ask}");
        let answered = read(server.post(&path, session, &json!({"approved": true})).await).await;
        assert!(answered["redirect_to"].is_string(), "{answered}");
    }
    let account = server.get("/v1/account", key).await;
    json!({"webhook": webhook, "ask": asks[1], "limited": limited, "application": application,
        "account": account["account_id"]})
}

async fn read(answer: Response) -> Value {
    answer.json().await.expect("JSON")
}
