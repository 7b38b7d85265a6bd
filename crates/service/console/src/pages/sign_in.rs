//! `/sign-in` and `/sign-out`: the session cookie.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use client::{ApiCall, ApiCallError, RequestOrigin};
use contract::{CreateSession, ProblemCode, Session};
use maud::html;

use super::welcome;
use crate::form::TextField;
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, ListQuery, LocalPath,
    PageError, PageResult, same_site, see_other, session,
};

/// The account of the first start.
const OPERATOR: &str = "operator@localhost";

const DEVICE: HeaderName = HeaderName::from_static("x-device-token");

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/sign-in", get(ask).post(sign_in)).route("/sign-out", post(sign_out))
}

async fn ask(
    State(state): State<ConsoleState>,
    headers: HeaderMap,
    query: ListQuery,
) -> PageResult {
    let next = query.get("next").and_then(LocalPath::parse);
    if let Some(token) = session::token(&headers, &state) {
        match ConsoleUser::of_session(token, RequestOrigin::default(), &state).await {
            Ok(Some(_)) => {
                return Ok(see_other(next.as_ref().map_or("/runs", LocalPath::as_str)));
            }
            // The user of a suspended account may sign in to another account.
            Ok(None) | Err(PageError::Rejected { .. }) => {}
            Err(page_error) => return Err(page_error),
        }
    }
    Ok(form("", next.as_ref(), &FormErrors::default()))
}

async fn sign_in(
    State(state): State<ConsoleState>,
    origin: RequestOrigin,
    headers: HeaderMap,
    fields: FormFields,
) -> PageResult {
    let next = LocalPath::parse(fields.raw("next"));
    let email = fields.raw("email").trim();
    let body =
        CreateSession { email: email.to_owned(), password: fields.raw("password").to_owned() };
    // The API counts attempts by client address, as for direct requests.
    let mut call = origin.on(ApiCall::post("/session").json(&body));
    let device = session::device(&headers, &state);
    if let Some(device) = device.and_then(|device| HeaderValue::from_str(&device).ok()) {
        call = call.header(DEVICE, device);
    }
    let answer = state.client.send(call).await?;
    let session: Session = match answer.json() {
        Ok(session) => session,
        Err(refused) => {
            let (status, form_errors) = sign_in_errors(refused)?;
            let mut response = form(email, next.as_ref(), &form_errors);
            *response.status_mut() = status;
            if let Some(wait) = answer.headers.get(header::RETRY_AFTER) {
                response.headers_mut().insert(header::RETRY_AFTER, wait.clone());
            }
            return Ok(response);
        }
    };
    let mut response = match &next {
        Some(next) => see_other(next.as_str()),
        None => see_other(first_page(&session.token, origin, &state).await?),
    };
    let cookie = session::begin(&session.token, session.expires_at, &state);
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    if let Some(device) = &session.device {
        response.headers_mut().append(header::SET_COOKIE, session::remember(device, &state));
    }
    Ok(response)
}

/// The first page after a sign-in: the runs of the account, or the welcome page until it has one.
async fn first_page(
    token: &str,
    origin: RequestOrigin,
    state: &ConsoleState,
) -> PageResult<&'static str> {
    let user = ConsoleUser::of_session(token.to_owned(), origin, state).await?;
    let is_new = match &user {
        Some(user) => welcome::is_new(user).await?,
        None => false,
    };
    Ok(if is_new { "/welcome" } else { "/runs" })
}

/// The status and errors of a failed sign-in.
fn sign_in_errors(refused: ApiCallError) -> PageResult<(StatusCode, FormErrors)> {
    match refused {
        ApiCallError::Problem { status, problem } if problem.code == ProblemCode::Unauthorized => {
            Ok((status, FormErrors::message("E-mail or password is wrong.")))
        }
        ApiCallError::Problem { status, .. } => Ok((status, FormErrors::of(refused)?)),
        ApiCallError::Unexpected(_) => Err(refused.into()),
    }
}

fn form(email: &str, next: Option<&LocalPath>, form_errors: &FormErrors) -> Response {
    let first = email.is_empty();
    let address = TextField {
        name: "email",
        label: "E-mail",
        // Not type `email`: the operator's address has no dot; the API checks it.
        value: email,
        autocomplete: "username",
        required: true,
        autofocus: first,
        ..TextField::default()
    };
    let password = TextField {
        name: "password",
        label: "Password",
        kind: "password",
        autocomplete: "current-password",
        required: true,
        autofocus: !first,
        ..TextField::default()
    };
    ConsolePage::public("Sign in").show(html! {
        section.narrow {
            h1 { "Sign in" }
            (form_errors.shown(&["email", "password"]))
            form.stack method="post" action="/sign-in" {
                @if let Some(next) = next {
                    input type="hidden" name="next" value=(next.as_str());
                }
                (address.show(form_errors))
                (password.show(form_errors))
                button.primary type="submit" { "Sign in" }
            }
            p { a href="/forgot-password" { "Forgot your password?" } }
            p.quiet {
                "First time? Use the link, or the e-mail and password, that " code { "trawl serve" }
                " printed. Lost them? " code { "trawl account password " (OPERATOR) }
            }
        }
    })
}

/// Takes no [`ConsoleUser`]: users of suspended accounts can sign out too.
async fn sign_out(
    State(state): State<ConsoleState>,
    origin: RequestOrigin,
    headers: HeaderMap,
    fields: FormFields,
) -> PageResult {
    let token = session::token(&headers, &state).ok_or(PageError::SignIn { next: None })?;
    if same_site::is_cross_site(&headers, &state.settings.public_url)
        || !session::is_form_token(&token, fields.raw("form_token"))
    {
        return Err(PageError::InvalidFormToken);
    }
    let call = origin.on(ApiCall::delete("/session").bearer(&token));
    state.client.send(call).await?.check()?;
    let mut response = see_other("/sign-in").into_response();
    response.headers_mut().insert(header::SET_COOKIE, session::end(&state));
    Ok(response)
}
