//! The form that sends an operation of the reference, with the session or a pasted key.
//!
//! The call runs in this process, as all calls of the console. A key is used for this call only: it
//! is neither stored nor shown again.

use std::fmt::Write;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use client::{ApiCall, RequestOrigin};
use futures_util::StreamExt;
use guides::{ApiOperation, ApiParameter};
use maud::{Markup, html};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use url::form_urlencoded;

use crate::{ConsoleState, ConsoleUser, FormFields, PageError, PageResult, session};

/// Maximum bytes of a response that are shown.
const MAX_SHOWN_BYTES: usize = 64 * 1024;

/// Time after which a response is shown as far as it has arrived: some are streams.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The outcome of a form: a response, or what is wrong with a field.
pub(super) enum TryOutcome {
    Answered { status: StatusCode, kind: String, body: String, note: &'static str },
    Invalid(String),
}

/// Sends the operation with the fields of the form.
pub(super) async fn send(
    state: &ConsoleState,
    operation: &ApiOperation,
    user: Option<&ConsoleUser>,
    origin: &RequestOrigin,
    fields: &FormFields,
) -> PageResult<TryOutcome> {
    let call = match call(operation, fields) {
        Ok(call) => call,
        Err(message) => return Ok(TryOutcome::Invalid(message)),
    };
    let call = match (fields.text("key"), user) {
        (Some(key), _) => call.bearer(key),
        (None, Some(user)) => {
            // The session is sent without the user's typing: another site must not cause it.
            if !session::is_form_token(user.token(), fields.raw("form_token")) {
                return Err(PageError::InvalidFormToken);
            }
            call.bearer(user.token())
        }
        (None, None) => call,
    };
    Ok(shown(state.client.open(origin.on(call)).await).await)
}

/// The request of the form, without a credential.
fn call(operation: &ApiOperation, fields: &FormFields) -> Result<ApiCall, String> {
    let mut path = operation.path.clone();
    let mut query = form_urlencoded::Serializer::new(String::new());
    let mut headers = Vec::new();
    for parameter in &operation.parameters {
        let name = &parameter.name;
        let Some(value) = fields.text(&field_name(parameter)) else {
            if parameter.is_required {
                return Err(format!("{name} is required."));
            }
            continue;
        };
        match parameter.place.as_str() {
            "path" => path = path.replace(&format!("{{{name}}}"), &path_segment(value)),
            "query" => {
                query.append_pair(name, value);
            }
            _ => {
                let pair =
                    HeaderName::try_from(name.as_str()).ok().zip(HeaderValue::from_str(value).ok());
                headers.push(pair.ok_or_else(|| format!("{name} is not a valid header."))?);
            }
        }
    }
    let query = query.finish();
    if !query.is_empty() {
        path = format!("{path}?{query}");
    }
    let method = Method::from_bytes(operation.method.as_bytes()).unwrap_or(Method::GET);
    let mut call = ApiCall::new(method, &path);
    if let Some(body) = fields.text("body").filter(|_| operation.json_body.is_some()) {
        let body: Value = serde_json::from_str(body)
            .map_err(|error| format!("The body is not valid JSON: {error}."))?;
        call = call.json(&body);
    }
    Ok(headers.into_iter().fold(call, |call, (name, value)| call.header(name, value)))
}

/// A value as one segment of a path.
fn path_segment(value: &str) -> String {
    value.bytes().fold(String::with_capacity(value.len()), |mut segment, byte| {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) {
            segment.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(segment, "%{byte:02X}");
        }
        segment
    })
}

fn field_name(parameter: &ApiParameter) -> String {
    format!("p.{}", parameter.name)
}

/// The response, read up to its limits.
async fn shown(response: Response) -> TryOutcome {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    let (bytes, note) = read(response.into_body()).await;
    let is_text = ["json", "text/", "xml", "csv"].iter().any(|part| kind.contains(part));
    let body = if is_text || bytes.is_empty() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let pretty =
            serde_json::from_str::<Value>(&text).and_then(|it| serde_json::to_string_pretty(&it));
        pretty.unwrap_or(text)
    } else {
        format!("{} bytes or more that are not text", bytes.len())
    };
    TryOutcome::Answered { status, kind, body, note }
}

async fn read(body: Body) -> (Vec<u8>, &'static str) {
    let end = Instant::now() + TIMEOUT;
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    loop {
        match timeout_at(end, stream.next()).await {
            Ok(Some(Ok(chunk))) => bytes.extend_from_slice(&chunk),
            Ok(Some(Err(_))) => return (bytes, "The response broke off."),
            Ok(None) => return (bytes, ""),
            Err(_) => return (bytes, "The response had not ended after 10 s."),
        }
        if bytes.len() > MAX_SHOWN_BYTES {
            bytes.truncate(MAX_SHOWN_BYTES);
            return (bytes, "Only the first 64 KiB are shown.");
        }
    }
}

/// The form with the fields as they were sent, and the outcome.
pub(super) fn form(
    operation: &ApiOperation,
    user: Option<&ConsoleUser>,
    fields: &FormFields,
    outcome: Option<&TryOutcome>,
) -> Markup {
    if operation.has_body && operation.json_body.is_none() {
        return html! {};
    }
    html! {
        section.tryout #tryout {
            h2 { "Try it" }
            @if let Some(outcome) = outcome { (outcome_of(outcome)) }
            form.stack method="post" action={ (operation.url()) "#tryout" } {
                @if let Some(user) = user { (user.form_token()) }
                @for parameter in &operation.parameters { (parameter_field(parameter, fields)) }
                @if let Some(example) = &operation.json_body {
                    div.field {
                        label for="body" { "Body" }
                        textarea #body name="body" rows="12" spellcheck="false" {
                            // The first line break of a text area is not part of its value.
                            "\n" (fields.text("body").unwrap_or(example))
                        }
                    }
                }
                @if operation.is_secured { (key_field(user.is_some())) }
                div {
                    button.primary type="submit" { "Send " (operation.method) }
                    @if operation.method != "GET" {
                        p.hint { "The request is executed with your account and your credits." }
                    }
                }
            }
        }
    }
}

fn parameter_field(parameter: &ApiParameter, fields: &FormFields) -> Markup {
    let name = field_name(parameter);
    html! {
        div.field {
            label for=(name) {
                (parameter.name) " " span.quiet { "(" (parameter.place) (if parameter.is_required { ", required" } else { "" }) ")" }
            }
            input id=(name) name=(name) value=(fields.raw(&name)) required[parameter.is_required]
                placeholder=[parameter.example.as_deref()] autocomplete="off" spellcheck="false";
        }
    }
}

fn key_field(has_session: bool) -> Markup {
    html! {
        div.field {
            label for="key" { "API key" }
            input #key type="password" name="key" autocomplete="off" placeholder="key_live_…";
            p.hint {
                @if has_session {
                    "Empty: your session is used."
                } @else {
                    a href="/sign-in" { "Sign in" } " to use your session instead."
                }
                " A key is used once and not stored."
            }
        }
    }
}

fn outcome_of(outcome: &TryOutcome) -> Markup {
    match outcome {
        TryOutcome::Invalid(message) => html! { div.complaint role="alert" { p { (message) } } },
        TryOutcome::Answered { status, kind, body, note } => {
            let colour = if status.is_success() { "good" } else { "bad" };
            html! {
                div role="status" {
                    h3 { "Response" }
                    p {
                        span class={ "chip " (colour) } { (status) } " " span.quiet { (kind) }
                        @if !note.is_empty() { " " (note) }
                    }
                    @if !body.is_empty() {
                        div.code { pre tabindex="0" { code { (body) } } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_paths_stay_in_their_segment() {
        for (value, expected) in
            [("job_1", "job_1"), ("../a?b#c", "%2E%2E%2Fa%3Fb%23c"), ("ä b", "%C3%A4%20b")]
        {
            assert_eq!(path_segment(value), expected);
        }
    }
}
