//! Rate limits by address of the OAuth endpoints, which need no user session.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use contract::{ApplicationId, AuditActorKind, RequestId};
use store::{AuditOrigin, Store};

use super::OauthRejection;
use crate::ApiState;
use crate::address::{caller_address, caller_network};
use crate::token_bucket::TokenBuckets;

/// A request within the rate limit of registrations.
#[derive(Debug)]
pub(crate) struct RegistrationLimit;

/// A request to the token or revocation endpoint within the rate limit.
#[derive(Debug)]
pub(crate) struct OauthClient {
    address: Option<IpAddr>,
    request: Option<RequestId>,
}

impl OauthClient {
    /// The store, with this application as the actor of all changes made through it.
    pub fn acting(&self, state: &ApiState, application: &ApplicationId) -> Store {
        let id = Some(application.to_string());
        state.store().acting(AuditOrigin {
            address: self.address,
            request: self.request.clone(),
            at: Some(state.now()),
            ..AuditOrigin::of(AuditActorKind::Application, id)
        })
    }
}

impl FromRequestParts<ApiState> for RegistrationLimit {
    type Rejection = OauthRejection;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ApiState,
    ) -> Result<Self, OauthRejection> {
        count(parts, state, state.registrations()).map(|()| Self)
    }
}

impl FromRequestParts<ApiState> for OauthClient {
    type Rejection = OauthRejection;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ApiState,
    ) -> Result<Self, OauthRejection> {
        count(parts, state, state.requests())?;
        let address = caller_address(&parts.headers, &parts.extensions, state.settings());
        Ok(Self { address, request: parts.extensions.get().cloned() })
    }
}

fn count(parts: &Parts, state: &ApiState, buckets: &TokenBuckets) -> Result<(), OauthRejection> {
    let Some(network) = caller_network(parts, state.settings()) else { return Ok(()) };
    match buckets.take(&format!("address {network}"), state.now()).wait {
        Some(wait) => Err(OauthRejection::too_many(wait)),
        None => Ok(()),
    }
}
