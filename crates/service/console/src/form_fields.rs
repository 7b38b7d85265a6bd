//! Fields of submitted forms.

use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{StatusCode, header};
use tokio::time::timeout;
use url::form_urlencoded;

use crate::{ConsoleState, ConsoleUser, PageError, PageResult, same_site, session};

/// Maximum bytes of a form, as for request bodies of the API.
const MAX_BYTES: usize = 1024 * 1024;

/// Maximum bytes of the form of a run, whose list of URLs is uploaded if it is long.
const MAX_BYTES_OF_RUN: usize = 16 * 1024 * 1024;

/// Timeout for receiving a form.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The fields of a form sent from a page of the console. For forms without a session; all others
/// use [`PostedForm`].
#[derive(Debug, Clone, Default)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Parses a form body or query string.
    pub fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// The trimmed text of a field; `None` if it is empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.first(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// The value of a field as it was typed.
    pub fn raw(&self, name: &str) -> &str {
        self.first(name).unwrap_or_default()
    }

    /// All values of a field that is given several times.
    pub fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether a checkbox is checked.
    pub fn is_on(&self, name: &str) -> bool {
        self.first(name).is_some()
    }

    fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Sets a field, replacing its value.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.retain(|(known, _)| known != name);
        self.0.push((name.to_owned(), value.into()));
    }
}

impl FromRequest<ConsoleState> for FormFields {
    type Rejection = PageError;

    async fn from_request(request: Request, state: &ConsoleState) -> PageResult<Self> {
        if same_site::is_cross_site(request.headers(), &state.settings.public_url) {
            return Err(PageError::InvalidFormToken);
        }
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("application/x-www-form-urlencoded") {
            let message = "the form must be sent as application/x-www-form-urlencoded";
            return Err(PageError::rejected(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let max = match request.uri().path().starts_with("/runs/new") {
            true => MAX_BYTES_OF_RUN,
            false => MAX_BYTES,
        };
        let reading = axum::body::to_bytes(request.into_body(), max);
        match timeout(TIMEOUT, reading).await {
            Ok(Ok(bytes)) => Ok(Self::parse(&bytes)),
            Ok(Err(_)) => {
                let mebibytes = max >> 20;
                let message = format!("the form is larger than {mebibytes} MiB or incomplete");
                Err(PageError::rejected(StatusCode::PAYLOAD_TOO_LARGE, message))
            }
            Err(_) => {
                let message = "timeout while receiving the form";
                Err(PageError::rejected(StatusCode::REQUEST_TIMEOUT, message))
            }
        }
    }
}

/// A form sent by a signed-in user from a page of the console.
#[derive(Debug)]
pub(crate) struct PostedForm {
    pub user: ConsoleUser,
    pub fields: FormFields,
}

impl FromRequest<ConsoleState> for PostedForm {
    type Rejection = PageError;

    async fn from_request(request: Request, state: &ConsoleState) -> PageResult<Self> {
        let (mut parts, body) = request.into_parts();
        if same_site::is_cross_site(&parts.headers, &state.settings.public_url) {
            return Err(PageError::InvalidFormToken);
        }
        let user = ConsoleUser::from_request_parts(&mut parts, state).await?;
        let fields = FormFields::from_request(Request::from_parts(parts, body), state).await?;
        if session::is_form_token(user.token(), fields.raw("form_token")) {
            Ok(Self { user, fields })
        } else {
            Err(PageError::InvalidFormToken)
        }
    }
}
