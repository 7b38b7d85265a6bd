//! OAuth error responses (RFC 6749, section 5.2).

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{OauthError, OauthErrorCode};
use store::StoreError;

use crate::api_error::{ApiError, status};

#[derive(Debug)]
pub(crate) struct OauthRejection {
    status: StatusCode,
    body: OauthError,
    headers: Vec<(HeaderName, HeaderValue)>,
}

pub(crate) type OauthResult<T> = Result<T, OauthRejection>;

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

    /// `invalid_request`: a parameter is missing or invalid.
    pub fn request(description: impl Into<String>) -> Self {
        Self::new(OauthErrorCode::InvalidRequest, description)
    }

    /// `invalid_client`. Does not reveal whether the application exists.
    pub fn client() -> Self {
        Self::new(
            OauthErrorCode::InvalidClient,
            "the application is unknown or its credentials are invalid",
        )
        .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"oauth\""))
    }

    /// A registration without the operator's initial access token (RFC 7591, section 3).
    pub fn registration_token() -> Self {
        let message = "registration needs the initial access token of the operator of this \
            service, as Authorization: Bearer";
        Self::new(OauthErrorCode::InvalidClient, message)
            .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// The rate limit of the address is exceeded.
    pub fn too_many(wait: u64) -> Self {
        let mut error =
            Self::new(OauthErrorCode::TemporarilyUnavailable, "too many requests; retry later")
                .header(header::RETRY_AFTER, HeaderValue::from(wait));
        error.status = StatusCode::TOO_MANY_REQUESTS;
        error
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
    fn from(error: ApiError) -> Self {
        let status = status(error.code());
        let code = match status {
            StatusCode::SERVICE_UNAVAILABLE => OauthErrorCode::TemporarilyUnavailable,
            StatusCode::INTERNAL_SERVER_ERROR => OauthErrorCode::ServerError,
            _ => OauthErrorCode::InvalidRequest,
        };
        if let Some(cause) = error.cause() {
            tracing::error!(cause, "internal error while serving an OAuth request");
        }
        let mut rejection = Self::new(code, error.message());
        rejection.status = status;
        rejection.headers = error.headers().to_vec();
        rejection
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
