//! How often an address may talk to OAuth's endpoints, which nobody has to sign in for.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use contract::{ApplicationId, AuditActorKind, RequestId};
use store::{AuditOrigin, Store};

use super::OauthFault;
use crate::ApiState;
use crate::address::{caller_address, caller_network};
use crate::bucket::Buckets;

/// An address that may still register an application.
#[derive(Debug)]
pub(crate) struct MayRegister;

/// An address that may still ask for tokens.
#[derive(Debug)]
pub(crate) struct MayTalk {
    address: Option<IpAddr>,
    request: Option<RequestId>,
}

impl MayTalk {
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

impl FromRequestParts<ApiState> for MayRegister {
    type Rejection = OauthFault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, OauthFault> {
        count(parts, state, state.registrations()).map(|()| Self)
    }
}

impl FromRequestParts<ApiState> for MayTalk {
    type Rejection = OauthFault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, OauthFault> {
        count(parts, state, state.requests())?;
        let address = caller_address(&parts.headers, &parts.extensions, state.settings());
        Ok(Self { address, request: parts.extensions.get().cloned() })
    }
}

fn count(parts: &Parts, state: &ApiState, buckets: &Buckets) -> Result<(), OauthFault> {
    let Some(network) = caller_network(parts, state.settings()) else { return Ok(()) };
    match buckets.take(&format!("address {network}"), state.now()).wait {
        Some(wait) => Err(OauthFault::too_many(wait)),
        None => Ok(()),
    }
}
