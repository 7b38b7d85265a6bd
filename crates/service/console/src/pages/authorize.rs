//! `/oauth/authorize`: an application asks to act for a person, and the person decides.
//!
//! Who asks and where the answer may go is judged first, before anybody signs in: what is wrong
//! about that is shown here and sent nowhere. Everything else that is wrong goes back to the
//! application, in the API's words.

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

use crate::frame::POLICY;
use crate::link::link;
use crate::pages::account::limits;
use crate::{Complaints, ConsoleState, Failure, Fields, Page, Person, Posted};

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/oauth/authorize", get(ask).post(answer))
}

async fn ask(
    State(state): State<ConsoleState>,
    RawQuery(query): RawQuery,
    person: Result<Person, Failure>,
) -> Result<Response, Failure> {
    let query = query.unwrap_or_default();
    let call = ApiCall::get(&operation(&query));
    match state.client().send(call).await?.json().map_err(shown)? {
        AuthorizationView::Back { redirect_to } => Ok(leave(&redirect_to)),
        AuthorizationView::Asked { asked } => Ok(question(&person?, &asked, &query)),
    }
}

async fn answer(
    State(state): State<ConsoleState>,
    RawQuery(query): RawQuery,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let approved = match fields.raw("answer") {
        "approve" => true,
        "deny" => false,
        _ => {
            let message = "the form says neither yes nor no; open the page again";
            return Err(Failure::said(StatusCode::BAD_REQUEST, message));
        }
    };
    let limits = limits::body(&fields, false).map_err(|_| {
        Failure::said(StatusCode::BAD_REQUEST, "a limit is no whole number; go back and mend it")
    })?;
    // What was left empty stays as an earlier approval left it.
    let limits: Map<_, _> =
        limits.into_iter().filter(|(_, limit)| !limit.is_null() && *limit != json!([])).collect();
    let path = operation(&query.unwrap_or_default());
    let body = json!({"approved": approved, "limits": limits});
    let answered: Result<AuthorizationAnswered, _> = state.api(&person).post(&path, &body).await;
    Ok(leave(&answered.map_err(shown)?.redirect_to))
}

fn operation(query: &str) -> String {
    format!("/oauth/authorization?{query}")
}

/// What is wrong about the application itself is its makers' fault, and the person is told so.
fn shown(refused: ApiCallError) -> Failure {
    match refused {
        ApiCallError::Problem { problem, .. } if problem.code == ProblemCode::ValidationFailed => {
            let message = format!(
                "The application that sent you here asks in a way that is not safe to answer, so \
                 you were not sent back to it. Its makers have to mend this: {}.",
                problem.message
            );
            Failure::said(StatusCode::BAD_REQUEST, message)
        }
        other => other.into(),
    }
}

/// Sends the person to the application. The address was built and judged by the API.
fn leave(address: &str) -> Response {
    match HeaderValue::from_str(address) {
        Ok(address) => (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response(),
        Err(_) => Failure::ours("an address that fits no header").into_response(),
    }
}

fn question(person: &Person, asked: &AuthorizationAsked, query: &str) -> Response {
    let place = place(&asked.redirect_uri);
    let title = format!("Connect {}?", asked.application_name);
    Page::of(person, title.clone()).policy(policy(&asked.redirect_uri)).show(html! {
        section.notice {
            h1 { (title) }
            p {
                "An application that calls itself " b { (asked.application_name) }
                " wants to use the account of " b { (person.email) } "."
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
                p { "You will be sent to " b { (place) } "." }
                p {
                    "The name is the application’s own word: nobody here has checked it. "
                    "If you did not come from there, deny."
                    @if let Some(uri) = &asked.application_uri { " It says more at " (link(uri)) "." }
                }
            }
            form method="post" action={ "/oauth/authorize?" (query) } {
                (person.form_token())
                (limits::fieldset(&Fields::default(), &Complaints::default(), false))
                button.primary type="submit" name="answer" value="approve" { "Approve" }
                " "
                button type="submit" name="answer" value="deny" { "Deny" }
            }
            p.hint {
                "You can disconnect it at any time under "
                a href="/account/applications" { "Account, Applications" } "."
            }
        }
    })
}

/// Where the person will be, as far as it tells who is there.
fn place(redirect_uri: &str) -> String {
    let Ok(url) = Url::parse(redirect_uri) else { return redirect_uri.to_owned() };
    match (url.scheme(), url.host_str()) {
        ("https", Some(host)) => host.to_owned(),
        ("http", Some(_)) => "a program on this computer".to_owned(),
        (scheme, _) => format!("the app on this device that opens {scheme}: links"),
    }
}

/// Browsers hold the way that a form leads on by a redirect against `form-action`, too.
fn policy(redirect_uri: &str) -> HeaderValue {
    let source = Url::parse(redirect_uri).ok().and_then(|url| match (url.scheme(), url.host()) {
        ("https", Some(_)) => named(&url),
        // No source can name an IPv6 address.
        ("http", Some(url::Host::Ipv6(_))) => Some("http:".to_owned()),
        ("http", Some(_)) => named(&url),
        (scheme, _) => Some(format!("{scheme}:")),
    });
    let text = POLICY.to_str().unwrap_or_default().replace(
        "form-action 'self'",
        &format!("form-action 'self' {}", source.unwrap_or_default()),
    );
    HeaderValue::from_str(&text).unwrap_or(POLICY)
}

/// The origin of a URL as a source of a policy. A host may hold signs that end a directive, as
/// `;` and `,`: such a host is not named, and the browser keeps the person on this page.
fn named(url: &Url) -> Option<String> {
    let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '-');
    let is_plain = url.host_str().is_some_and(|host| host.chars().all(plain));
    is_plain.then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_lets_the_form_lead_to_the_application_alone() {
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
    fn a_host_with_other_signs_never_reaches_the_policy() {
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
    fn a_person_is_told_where_the_way_leads() {
        assert_eq!(place("https://notes.example:8443/back"), "notes.example");
        assert_eq!(place("http://localhost:1/back"), "a program on this computer");
        assert!(place("com.example.app:/back").contains("com.example.app:"));
    }
}
