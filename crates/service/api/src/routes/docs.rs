//! `GET /docs`: the OpenAPI document as an interactive page (Swagger UI).
//!
//! All assets are embedded. The content security policy allows no other host.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use utoipa_swagger_ui::{Config, Url};

use crate::api_error::ApiError;

const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; frame-ancestors 'none'";

/// Relative URLs in the page need the trailing slash.
pub(crate) async fn redirect() -> Redirect {
    Redirect::permanent("docs/")
}

pub(crate) async fn reference() -> Response {
    answer("index.html")
}

pub(crate) async fn file(file: Result<Path<String>, PathRejection>) -> Response {
    match file {
        Ok(Path(file)) => answer(&file),
        Err(_) => ApiError::not_found().into_response(),
    }
}

fn answer(file: &str) -> Response {
    // The badge would send the URL of this service to an online validator.
    let config = Config::new([Url::new("Trawl", "../openapi.json")])
        .validator_url("none")
        .try_it_out_enabled(true)
        .query_config_enabled(false);
    match utoipa_swagger_ui::serve(file, Arc::new(config)) {
        Ok(Some(found)) => {
            let mut response = Body::from(found.bytes.into_owned()).into_response();
            let headers = response.headers_mut();
            let kind = HeaderValue::from_str(&found.content_type);
            headers.insert(
                header::CONTENT_TYPE,
                kind.unwrap_or(HeaderValue::from_static("application/octet-stream")),
            );
            if found.gzpipped {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            response
        }
        Ok(None) => ApiError::not_found().into_response(),
        Err(cause) => ApiError::internal(cause.to_string()).into_response(),
    }
}
