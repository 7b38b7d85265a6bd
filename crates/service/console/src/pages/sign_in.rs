//! `/sign-in` and `/sign-out`: the account's session as a browser's cookie.

use axum::Router;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use client::{ApiCall, ApiCallError};
use contract::{CreateSession, ProblemCode, Session};
use maud::html;

use crate::form::Line;
use crate::person::RequestOrigin;
use crate::{
    Complaints, ConsoleState, Failure, Fields, LocalPath, Page, Person, Query, same_site,
    see_other, session,
};

const DEVICE: HeaderName = HeaderName::from_static("x-device-token");

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/sign-in", get(ask).post(sign_in)).route("/sign-out", post(sign_out))
}

async fn ask(
    State(state): State<ConsoleState>,
    headers: HeaderMap,
    query: Query,
) -> Result<Response, Failure> {
    let next = query.get("next").and_then(LocalPath::parse);
    if let Some(token) = session::token(&headers, &state) {
        match Person::of_session(token, RequestOrigin::default(), &state).await {
            Ok(Some(_)) => {
                return Ok(see_other(next.as_ref().map_or("/runs", LocalPath::as_str)));
            }
            // The session of a suspended account: its browser may sign in to another one.
            Ok(None) | Err(Failure::Said { .. }) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(form("", next.as_ref(), &Complaints::default()))
}

async fn sign_in(
    State(state): State<ConsoleState>,
    origin: RequestOrigin,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, Failure> {
    let next = LocalPath::parse(fields.raw("next"));
    let email = fields.raw("email").trim();
    let body =
        CreateSession { email: email.to_owned(), password: fields.raw("password").to_owned() };
    // Attempts are counted by where they come from, as if it had been asked directly.
    let mut call = origin.on(ApiCall::post("/session").json(&body));
    let device = session::device(&headers, &state);
    if let Some(device) = device.and_then(|device| HeaderValue::from_str(&device).ok()) {
        call = call.header(DEVICE, device);
    }
    let answer = state.client().send(call).await?;
    let session: Session = match answer.json() {
        Ok(session) => session,
        Err(refused) => {
            let (status, complaints) = judged(refused)?;
            let mut response = form(email, next.as_ref(), &complaints);
            *response.status_mut() = status;
            if let Some(wait) = answer.headers.get(header::RETRY_AFTER) {
                response.headers_mut().insert(header::RETRY_AFTER, wait.clone());
            }
            return Ok(response);
        }
    };
    let mut response = see_other(next.as_ref().map_or("/runs", LocalPath::as_str));
    let cookie = session::begin(&session.token, session.expires_at, &state);
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    if let Some(device) = &session.device {
        response.headers_mut().append(header::SET_COOKIE, session::remember(device, &state));
    }
    Ok(response)
}

impl FromRequestParts<ConsoleState> for RequestOrigin {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        _: &ConsoleState,
    ) -> Result<Self, Self::Rejection> {
        Ok(Self::of(parts))
    }
}

/// What is said to somebody who was not let in.
fn judged(refused: ApiCallError) -> Result<(StatusCode, Complaints), Failure> {
    match refused {
        ApiCallError::Problem { status, problem } if problem.code == ProblemCode::Unauthorized => {
            Ok((status, Complaints::saying("The e-mail or the password is not right.")))
        }
        ApiCallError::Problem { status, .. } => Ok((status, Complaints::of(refused)?)),
        ApiCallError::Unexpected(_) => Err(refused.into()),
    }
}

fn form(email: &str, next: Option<&LocalPath>, complaints: &Complaints) -> Response {
    let first = email.is_empty();
    let address = Line {
        name: "email",
        label: "E-mail",
        // Not `email`: the operator's own address has no dot, and the API judges.
        value: email,
        autocomplete: "username",
        required: true,
        autofocus: first,
        ..Line::default()
    };
    let password = Line {
        name: "password",
        label: "Password",
        kind: "password",
        autocomplete: "current-password",
        required: true,
        autofocus: !first,
        ..Line::default()
    };
    Page::for_anybody("Sign in").show(html! {
        section.narrow {
            h1 { "Sign in" }
            (complaints.shown(&["email", "password"]))
            form.stack method="post" action="/sign-in" {
                @if let Some(next) = next {
                    input type="hidden" name="next" value=(next.as_str());
                }
                (address.show(complaints))
                (password.show(complaints))
                button.primary type="submit" { "Sign in" }
            }
            p.quiet { "The first start of the server makes an account and says where its password is." }
        }
    })
}

/// Asks for no [`Person`]: one whose account is suspended can sign out too.
async fn sign_out(
    State(state): State<ConsoleState>,
    origin: RequestOrigin,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, Failure> {
    let token = session::token(&headers, &state).ok_or(Failure::SignIn { next: None })?;
    if same_site::is_foreign(&headers, &state.settings().public_url)
        || !session::is_form_token(&token, fields.raw("form_token"))
    {
        return Err(Failure::Foreign);
    }
    let call = origin.on(ApiCall::delete("/session").bearer(&token));
    state.client().send(call).await?.check()?;
    let mut response = see_other("/sign-in").into_response();
    response.headers_mut().insert(header::SET_COOKIE, session::end(&state));
    Ok(response)
}
