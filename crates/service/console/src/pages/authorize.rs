//! `/oauth/authorize`: the consent page of OAuth.
//!
//! Client and redirect URI are checked first, before sign-in: errors about them are shown here and
//! never redirected. All other errors are returned to the application in the words of the API.

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use client::{ApiCall, ApiCallError};
use contract::{AuthorizationAnswered, AuthorizationAsked, AuthorizationView, ProblemCode};
use maud::html;
use serde_json::{Map, json};
use url::Url;

use crate::link::link;
use crate::page_middleware::POLICY;
use crate::pages::account::limits;
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, PageError, PageResult,
    PostedForm,
};

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/oauth/authorize", get(ask).post(answer))
}

async fn ask(
    State(state): State<ConsoleState>,
    RawQuery(query): RawQuery,
    user: PageResult<ConsoleUser>,
) -> PageResult {
    let query = query.unwrap_or_default();
    let call = ApiCall::get(&operation(&query));
    match state.client.send(call).await?.json().map_err(shown)? {
        AuthorizationView::Back { redirect_to } => Ok(leave(&redirect_to)),
        AuthorizationView::Asked { asked } => Ok(question(&user?, &asked, &query)),
    }
}

async fn answer(RawQuery(query): RawQuery, PostedForm { user, fields }: PostedForm) -> PageResult {
    let approved = match fields.raw("answer") {
        "approve" => true,
        "deny" => false,
        _ => {
            let message = "the form has neither approve nor deny; open the page again";
            return Err(PageError::rejected(StatusCode::BAD_REQUEST, message));
        }
    };
    let limits = limits::body(&fields, false).map_err(|_| {
        PageError::rejected(
            StatusCode::BAD_REQUEST,
            "a limit is not a whole number; go back and correct it",
        )
    })?;
    // Empty fields keep the limits of an earlier approval.
    let limits: Map<_, _> =
        limits.into_iter().filter(|(_, limit)| !limit.is_null() && *limit != json!([])).collect();
    let path = operation(&query.unwrap_or_default());
    let body = json!({"approved": approved, "limits": limits});
    let answered: Result<AuthorizationAnswered, _> = user.api().post(&path, &body).await;
    Ok(leave(&answered.map_err(shown)?.redirect_to))
}

fn operation(query: &str) -> String {
    format!("/oauth/authorization?{query}")
}

/// Errors of the application itself (client, redirect URI), explained to the user.
fn shown(refused: ApiCallError) -> PageError {
    match refused {
        ApiCallError::Problem { problem, .. } if problem.code == ProblemCode::ValidationFailed => {
            let message = format!(
                "The authorization request of the application is invalid, and it is not safe to \
                 redirect you back to it: {}. Report this to the developers of the application.",
                problem.message
            );
            PageError::rejected(StatusCode::BAD_REQUEST, message)
        }
        other => other.into(),
    }
}

/// Redirects to the application. The API has built and checked the URL.
fn leave(address: &str) -> Response {
    match HeaderValue::from_str(address) {
        Ok(address) => (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response(),
        Err(_) => {
            PageError::internal("the redirect URI is not a valid header value").into_response()
        }
    }
}

fn question(user: &ConsoleUser, asked: &AuthorizationAsked, query: &str) -> Response {
    let target = redirect_target(&asked.redirect_uri);
    let title = format!("Connect {}?", asked.application_name);
    ConsolePage::of(user, title.clone()).policy(policy(&asked.redirect_uri)).show(html! {
        section.notice {
            h1 { (title) }
            p {
                "An application that calls itself " b { (asked.application_name) }
                " wants to use the account of " b { (user.email) } "."
            }
            div.panel {
                h2 { "It will be able to" }
                ul {
                    @for scope in &asked.scopes {
                        li { (scope.meaning()) " " code.quiet { (scope) } }
                    }
                }
            }
            div.asks {
                p { "You will be sent to " b { (target) } "." }
                p {
                    "The application chose this name; it is not verified. "
                    "If you did not start this from the application, deny."
                    @if let Some(uri) = &asked.application_uri { " More about it: " (link(uri)) "." }
                }
            }
            form method="post" action={ "/oauth/authorize?" (query) } {
                (user.form_token())
                (limits::fieldset(&FormFields::default(), &FormErrors::default(), false))
                div.row {
                    button.primary type="submit" name="answer" value="approve" { "Approve" }
                    button type="submit" name="answer" value="deny" { "Deny" }
                }
            }
            p.hint {
                "You can disconnect it at any time under "
                a href="/account/applications" { "Account, Applications" } "."
            }
        }
    })
}

/// A description of the redirect target.
fn redirect_target(redirect_uri: &str) -> String {
    let Ok(url) = Url::parse(redirect_uri) else { return redirect_uri.to_owned() };
    match (url.scheme(), url.host_str()) {
        ("https", Some(host)) => host.to_owned(),
        ("http", Some(_)) => "a program on this computer".to_owned(),
        (scheme, _) => format!("the app on this device that opens {scheme}: links"),
    }
}

/// Browsers check redirects of a form against `form-action` too.
fn policy(redirect_uri: &str) -> HeaderValue {
    let source = Url::parse(redirect_uri).ok().and_then(|url| match (url.scheme(), url.host()) {
        ("https", Some(_)) => csp_source(&url),
        // A CSP source cannot be an IPv6 address.
        ("http", Some(url::Host::Ipv6(_))) => Some("http:".to_owned()),
        ("http", Some(_)) => csp_source(&url),
        (scheme, _) => Some(format!("{scheme}:")),
    });
    let text = POLICY.to_str().unwrap_or_default().replace(
        "form-action 'self'",
        &format!("form-action 'self' {}", source.unwrap_or_default()),
    );
    HeaderValue::from_str(&text).unwrap_or(POLICY)
}

/// The origin of a URL as a CSP source. A host may contain characters that end a directive, such
/// as `;` and `,`: it is omitted then, and the browser blocks the redirect.
fn csp_source(url: &Url) -> Option<String> {
    let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '-');
    let is_plain = url.host_str().is_some_and(|host| host.chars().all(plain));
    is_plain.then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_action_allows_only_the_application() {
        for (uri, source) in [
            ("https://notes.example/back?x=1", "https://notes.example"),
            ("https://notes.example:8443/", "https://notes.example:8443"),
            ("http://127.0.0.1:49152/back", "http://127.0.0.1:49152"),
            ("http://[::1]:49152/back", "http:"),
            ("com.example.app:/back", "com.example.app:"),
        ] {
            let policy = policy(uri);
            let policy = policy.to_str().expect("text");
            assert!(policy.contains(&format!("form-action 'self' {source};")), "{policy}");
            assert!(policy.contains("frame-ancestors 'none'"));
        }
    }

    #[test]
    fn hosts_with_special_characters_are_not_added_to_the_policy() {
        for uri in [
            "https://a;script-src%20*.example/",
            "https://a,b.example/",
            "https://a_b.example/",
            "https://a'unsafe-inline'.example/",
            "http://a*.example/",
        ] {
            let policy = policy(uri);
            let policy = policy.to_str().expect("text");
            assert!(policy.contains("form-action 'self' ;"), "{uri}: {policy}");
        }
    }

    #[test]
    fn redirect_target_is_described() {
        assert_eq!(redirect_target("https://notes.example:8443/back"), "notes.example");
        assert_eq!(redirect_target("http://localhost:1/back"), "a program on this computer");
        assert!(redirect_target("com.example.app:/back").contains("com.example.app:"));
    }
}
