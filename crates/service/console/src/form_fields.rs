//! What a form sends.

use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{StatusCode, header};
use tokio::time::timeout;
use url::form_urlencoded;

use crate::{ConsoleState, ConsoleUser, PageError, same_site, session};

/// As much as the API takes.
const MOST_BYTES: usize = 1024 * 1024;

/// A form arrives within this time.
const WITHIN: Duration = Duration::from_secs(30);

/// The fields of a form that a page of ours sent. For a form that needs no session; all others
/// take [`PostedForm`].
#[derive(Debug, Clone, Default)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Reads what a form, or the query of an address, says.
    pub fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// The words in a field; `None` when there are none.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.first(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// What stands in a field, as it was typed.
    pub fn raw(&self, name: &str) -> &str {
        self.first(name).unwrap_or_default()
    }

    /// Whether a box is ticked.
    pub fn is_on(&self, name: &str) -> bool {
        self.first(name).is_some()
    }

    fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Puts a value in the place of whatever stood there.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.retain(|(known, _)| known != name);
        self.0.push((name.to_owned(), value.into()));
    }
}

impl FromRequest<ConsoleState> for FormFields {
    type Rejection = PageError;

    async fn from_request(request: Request, state: &ConsoleState) -> Result<Self, PageError> {
        if same_site::is_foreign(request.headers(), &state.settings().public_url) {
            return Err(PageError::Foreign);
        }
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("application/x-www-form-urlencoded") {
            let message = "a form is sent as application/x-www-form-urlencoded";
            return Err(PageError::said(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let reading = axum::body::to_bytes(request.into_body(), MOST_BYTES);
        match timeout(WITHIN, reading).await {
            Ok(Ok(bytes)) => Ok(Self::parse(&bytes)),
            Ok(Err(_)) => {
                let message = "the form is larger than 1 MiB, or it was cut off on its way";
                Err(PageError::said(StatusCode::PAYLOAD_TOO_LARGE, message))
            }
            Err(_) => {
                let message = "the form took too long to arrive";
                Err(PageError::said(StatusCode::REQUEST_TIMEOUT, message))
            }
        }
    }
}

/// A form that this person sent from a page of ours.
#[derive(Debug)]
pub(crate) struct PostedForm {
    pub user: ConsoleUser,
    pub fields: FormFields,
}

impl FromRequest<ConsoleState> for PostedForm {
    type Rejection = PageError;

    async fn from_request(request: Request, state: &ConsoleState) -> Result<Self, PageError> {
        let (mut parts, body) = request.into_parts();
        if same_site::is_foreign(&parts.headers, &state.settings().public_url) {
            return Err(PageError::Foreign);
        }
        let user = ConsoleUser::from_request_parts(&mut parts, state).await?;
        let fields = FormFields::from_request(Request::from_parts(parts, body), state).await?;
        if session::is_form_token(user.token(), fields.raw("form_token")) {
            Ok(Self { user, fields })
        } else {
            Err(PageError::Foreign)
        }
    }
}
