//! The identifier in a path.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

use crate::ApiState;
use crate::fault::Fault;

/// The `{id}` of the path. One that cannot be an identifier names nothing: 404.
#[derive(Debug)]
pub(crate) struct Id<T>(pub T);

impl<T: FromStr> FromRequestParts<ApiState> for Id<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Fault> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Fault::not_found())?;
        params
            .iter()
            .find(|(name, _)| *name == "id")
            .and_then(|(_, text)| text.parse().ok())
            .map(Self)
            .ok_or_else(Fault::not_found)
    }
}
