//! Extractors of the identifiers in a path.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use contract::DeliveryId;

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};

/// The `{id}` of the path; 404 if it is not an identifier.
#[derive(Debug)]
pub(crate) struct PathId<T>(pub T);

impl<T: FromStr> FromRequestParts<ApiState> for PathId<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        named("id", parts, state).await.map(Self)
    }
}

/// The `{delivery}` of the path; 404 if it is not an identifier.
#[derive(Debug)]
pub(crate) struct DeliveryPath(pub DeliveryId);

impl FromRequestParts<ApiState> for DeliveryPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        named("delivery", parts, state).await.map(Self)
    }
}

async fn named<T: FromStr>(wanted: &str, parts: &mut Parts, state: &ApiState) -> ApiResult<T> {
    let params =
        RawPathParams::from_request_parts(parts, state).await.map_err(|_| ApiError::not_found())?;
    params
        .iter()
        .find(|(name, _)| *name == wanted)
        .and_then(|(_, text)| text.parse().ok())
        .ok_or_else(ApiError::not_found)
}
