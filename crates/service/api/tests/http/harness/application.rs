//! An OAuth application and its authorization.

use http::Method;
use serde_json::{Value, json};
use url::Url;
use url::form_urlencoded::Serializer;

use super::{ApiReply, TestApi};

pub const REDIRECT_URI: &str = "https://notes.example/back";
/// The example of RFC 7636.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A public client without a secret.
pub struct Notes {
    pub id: String,
}

impl TestApi {
    pub async fn register(&self, body: &Value) -> ApiReply {
        let headers = [("content-type", "application/json")];
        self.send(Method::POST, "/oauth/register", &headers, &body.to_string()).await
    }

    pub async fn notes(&self) -> Notes {
        let body = json!({
            "redirect_uris": [REDIRECT_URI],
            "client_name": "Notes",
            "token_endpoint_auth_method": "none",
        });
        let made = self.register(&body).await;
        Notes { id: made.body["client_id"].as_str().expect("an id").to_owned() }
    }

    pub async fn form(&self, path: &str, members: &[(&str, &str)]) -> ApiReply {
        self.form_with(path, &[], members).await
    }

    pub async fn form_with(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        members: &[(&str, &str)],
    ) -> ApiReply {
        let body = query(members);
        let kind = [("content-type", "application/x-www-form-urlencoded")];
        let headers: Vec<_> = kind.iter().chain(headers).copied().collect();
        self.send(Method::POST, path, &headers, &body).await
    }

    /// Answers an authorization request as the user.
    pub async fn answer(&self, parameters: &[(&str, &str)], approved: bool) -> ApiReply {
        let session = self.session().await;
        let path = format!("/oauth/authorization?{}", query(parameters));
        self.post_as(&session, &path, &json!({"approved": approved})).await
    }

    /// An authorization code for these scopes.
    pub async fn code(&self, notes: &Notes, scope: &str) -> String {
        let answered = self.answer(&notes.asks(scope), true).await;
        let sent = sent_to(&answered);
        parameter(&sent, "code").expect("a code")
    }

    pub async fn redeem(&self, notes: &Notes, code: &str) -> ApiReply {
        self.form("/oauth/token", &notes.shows(code)).await
    }

    /// An access token with these scopes.
    pub async fn token(&self, scope: &str) -> String {
        let notes = self.notes().await;
        let code = self.code(&notes, scope).await;
        let tokens = self.redeem(&notes, &code).await;
        tokens.body["access_token"].as_str().expect("a token").to_owned()
    }
}

impl Notes {
    /// The parameters of its authorization request.
    pub fn asks<'n>(&'n self, scope: &'n str) -> Vec<(&'n str, &'n str)> {
        vec![
            ("response_type", "code"),
            ("client_id", &self.id),
            ("redirect_uri", REDIRECT_URI),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("scope", scope),
            ("state", "a b&c"),
        ]
    }

    /// The parameters of its token request.
    pub fn shows<'n>(&'n self, code: &'n str) -> Vec<(&'n str, &'n str)> {
        vec![
            ("grant_type", "authorization_code"),
            ("client_id", &self.id),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", REDIRECT_URI),
        ]
    }
}

pub fn query(pairs: &[(&str, &str)]) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// The URL that the user is redirected to.
pub fn sent_to(answer: &ApiReply) -> Url {
    let address = answer.body["redirect_to"].as_str();
    address.unwrap_or_else(|| panic!("{}", answer.text)).parse().expect("an address")
}

pub fn parameter(address: &Url, name: &str) -> Option<String> {
    let found = address.query_pairs().find(|(given, _)| given == name);
    found.map(|(_, value)| value.into_owned())
}
