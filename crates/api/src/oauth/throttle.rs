//! How often an address may talk to OAuth's endpoints, which nobody has to sign in for.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::OauthFault;
use crate::ApiState;
use crate::address::caller_network;
use crate::bucket::Buckets;

/// An address that may still register an application.
#[derive(Debug)]
pub(crate) struct MayRegister;

/// An address that may still ask for tokens.
#[derive(Debug)]
pub(crate) struct MayTalk;

impl FromRequestParts<ApiState> for MayRegister {
    type Rejection = OauthFault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, OauthFault> {
        count(parts, state, state.registrations()).map(|()| Self)
    }
}

impl FromRequestParts<ApiState> for MayTalk {
    type Rejection = OauthFault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, OauthFault> {
        count(parts, state, state.requests()).map(|()| Self)
    }
}

fn count(parts: &Parts, state: &ApiState, buckets: &Buckets) -> Result<(), OauthFault> {
    let Some(network) = caller_network(parts, state.settings()) else { return Ok(()) };
    match buckets.take(&format!("address {network}"), state.now()).wait {
        Some(wait) => Err(OauthFault::too_many(wait)),
        None => Ok(()),
    }
}
