//! A refusal in the shape of RFC 6749, section 5.2.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{OauthError, OauthErrorCode};
use store::StoreError;

use crate::api_error::{ApiError, status};

/// A refusal of an application.
#[derive(Debug)]
pub(crate) struct OauthRejection {
    status: StatusCode,
    body: OauthError,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl OauthRejection {
    pub fn new(error: OauthErrorCode, description: impl Into<String>) -> Self {
        let status = match error {
            OauthErrorCode::InvalidClient => StatusCode::UNAUTHORIZED,
            OauthErrorCode::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
            OauthErrorCode::TemporarilyUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            OauthErrorCode::InvalidRequest
            | OauthErrorCode::InvalidGrant
            | OauthErrorCode::UnauthorizedClient
            | OauthErrorCode::UnsupportedGrantType
            | OauthErrorCode::UnsupportedResponseType
            | OauthErrorCode::InvalidScope
            | OauthErrorCode::InvalidTarget
            | OauthErrorCode::InvalidRedirectUri
            | OauthErrorCode::InvalidClientMetadata
            | OauthErrorCode::AccessDenied => StatusCode::BAD_REQUEST,
        };
        let body = OauthError { error, error_description: description.into() };
        Self { status, body, headers: Vec::new() }
    }

    /// A parameter that is missing or makes no sense.
    pub fn request(description: impl Into<String>) -> Self {
        Self::new(OauthErrorCode::InvalidRequest, description)
    }

    /// An application that is unknown or did not prove itself. Never says which.
    pub fn client() -> Self {
        Self::new(OauthErrorCode::InvalidClient, "the application is unknown or not proved")
            .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"oauth\""))
    }

    /// A registration without the operator's initial access token (RFC 7591, section 3).
    pub fn registration_token() -> Self {
        let message = "registration needs the initial access token that the operator of this \
            service gives out, as Authorization: Bearer";
        Self::new(OauthErrorCode::InvalidClient, message)
            .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// Too many, from one address.
    pub fn too_many(wait: u64) -> Self {
        let mut fault =
            Self::new(OauthErrorCode::TemporarilyUnavailable, "too many requests; wait a little")
                .header(header::RETRY_AFTER, HeaderValue::from(wait));
        fault.status = StatusCode::TOO_MANY_REQUESTS;
        fault
    }

    fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl From<StoreError> for OauthRejection {
    fn from(error: StoreError) -> Self {
        ApiError::from(error).into()
    }
}

impl From<ApiError> for OauthRejection {
    fn from(fault: ApiError) -> Self {
        let status = status(fault.code());
        let error = match status {
            StatusCode::SERVICE_UNAVAILABLE => OauthErrorCode::TemporarilyUnavailable,
            StatusCode::INTERNAL_SERVER_ERROR => OauthErrorCode::ServerError,
            _ => OauthErrorCode::InvalidRequest,
        };
        if let Some(cause) = fault.cause() {
            tracing::error!(cause, "a request of an application failed on our side");
        }
        let mut told = Self::new(error, fault.message());
        told.status = status;
        told.headers = fault.headers().to_vec();
        told
    }
}

impl IntoResponse for OauthRejection {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}
