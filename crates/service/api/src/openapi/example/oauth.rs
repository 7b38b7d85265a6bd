//! Examples of OAuth operations, all about one application.

use contract::{
    ApplicationId, AuthorizationAnswered, AuthorizationAsked, AuthorizationView, ClientAuth,
    ConnectedApplication, OauthScope, OauthScopes, RegisterApplication, RegisteredApplication,
    TokenAnswer,
};
use serde_json::Value;

use super::NOW;
use crate::ApiSettings;
use crate::oauth::{authorization_server_metadata, protected_resource_metadata};

const REDIRECT_URI: &str = "https://notes.example/back";

fn settings() -> ApiSettings {
    ApiSettings { public_url: "https://trawl.example".to_owned(), ..ApiSettings::default() }
}

pub(crate) fn authorization_server() -> Value {
    authorization_server_metadata(&settings())
}

pub(crate) fn protected_resource(path: &str) -> Value {
    protected_resource_metadata(&settings(), path)
}

fn application_id() -> ApplicationId {
    ApplicationId::new(NOW, [0x8b; 10])
}

fn scopes() -> OauthScopes {
    [OauthScope::JobsRead, OauthScope::AccountRead].into_iter().collect()
}

pub(crate) fn register_application() -> RegisterApplication {
    RegisterApplication {
        redirect_uris: vec![REDIRECT_URI.to_owned()],
        client_name: Some("Notes".to_owned()),
        client_uri: None,
        token_endpoint_auth_method: Some(ClientAuth::None),
        grant_types: None,
        response_types: None,
        scope: Some(scopes().to_string()),
    }
}

pub(crate) fn registered_application() -> RegisteredApplication {
    RegisteredApplication {
        client_id: application_id(),
        client_id_issued_at: NOW.0 / 1_000,
        client_secret: None,
        client_secret_expires_at: None,
        client_name: "Notes".to_owned(),
        client_uri: None,
        redirect_uris: vec![REDIRECT_URI.to_owned()],
        token_endpoint_auth_method: ClientAuth::None,
        grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
        response_types: vec!["code".to_owned()],
        scope: scopes().to_string(),
    }
}

pub(crate) fn token_answer() -> TokenAnswer {
    TokenAnswer {
        access_token: format!("oat_{}", "0".repeat(43)),
        token_type: "Bearer".to_owned(),
        expires_in: 3_600,
        refresh_token: format!("ort_{}", "0".repeat(43)),
        scope: scopes().to_string(),
    }
}

pub(crate) fn authorization_view() -> AuthorizationView {
    AuthorizationView::Asked {
        asked: AuthorizationAsked {
            application_id: application_id(),
            application_name: "Notes".to_owned(),
            application_uri: None,
            redirect_uri: REDIRECT_URI.to_owned(),
            scopes: scopes().iter().collect(),
        },
    }
}

pub(crate) fn authorization_answered() -> AuthorizationAnswered {
    let code = format!("oac_{}", "0".repeat(43));
    let redirect_to =
        format!("{REDIRECT_URI}?code={code}&state=af0ifjsldkj&iss=https%3A%2F%2Ftrawl.example");
    AuthorizationAnswered { redirect_to }
}

pub(crate) fn connected_application() -> ConnectedApplication {
    ConnectedApplication {
        id: application_id(),
        name: "Notes".to_owned(),
        uri: None,
        scopes: scopes().iter().collect(),
        connected_at: NOW,
        last_used_at: Some(NOW),
        limits: super::limits(),
    }
}
