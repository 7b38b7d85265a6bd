//! Rate limits by address of the OAuth endpoints, which need no user session.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use contract::{ApplicationId, AuditActorKind};
use store::Store;

use super::{OauthRejection, OauthResult};
use crate::ApiState;
use crate::address::{ClientOrigin, network};
use crate::token_bucket::TokenBuckets;

/// A request within the rate limit of registrations.
#[derive(Debug)]
pub(crate) struct RegistrationLimit;

/// A request to the token or revocation endpoint within the rate limit.
#[derive(Debug)]
pub(crate) struct OauthClient(ClientOrigin);

impl OauthClient {
    /// The store, with this application as the actor of all changes made through it.
    pub fn acting(&self, state: &ApiState, application: &ApplicationId) -> Store {
        self.0.acting(state, AuditActorKind::Application, Some(application.to_string()))
    }
}

impl FromRequestParts<ApiState> for RegistrationLimit {
    type Rejection = OauthRejection;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> OauthResult<Self> {
        count(parts, state, &state.registrations).map(|_| Self)
    }
}

impl FromRequestParts<ApiState> for OauthClient {
    type Rejection = OauthRejection;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> OauthResult<Self> {
        count(parts, state, &state.requests).map(Self)
    }
}

fn count(parts: &Parts, state: &ApiState, buckets: &TokenBuckets) -> OauthResult<ClientOrigin> {
    let origin = ClientOrigin::of(parts, &state.settings);
    let take = |ip| buckets.take(&format!("address {}", network(ip)), state.now()).wait;
    match origin.address.and_then(take) {
        Some(wait) => Err(OauthRejection::too_many(wait)),
        None => Ok(origin),
    }
}
