//! The identifier in a path.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use contract::DeliveryId;

use crate::ApiState;
use crate::fault::Fault;

/// The `{id}` of the path. One that cannot be an identifier names nothing: 404.
#[derive(Debug)]
pub(crate) struct Id<T>(pub T);

impl<T: FromStr> FromRequestParts<ApiState> for Id<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Fault> {
        named("id", parts, state).await.map(Self)
    }
}

/// The `{delivery}` of the path, under the same rule.
#[derive(Debug)]
pub(crate) struct Delivery(pub DeliveryId);

impl FromRequestParts<ApiState> for Delivery {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Fault> {
        named("delivery", parts, state).await.map(Self)
    }
}

async fn named<T: FromStr>(wanted: &str, parts: &mut Parts, state: &ApiState) -> Result<T, Fault> {
    let params =
        RawPathParams::from_request_parts(parts, state).await.map_err(|_| Fault::not_found())?;
    params
        .iter()
        .find(|(name, _)| *name == wanted)
        .and_then(|(_, text)| text.parse().ok())
        .ok_or_else(Fault::not_found)
}
