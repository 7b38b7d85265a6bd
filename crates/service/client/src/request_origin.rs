//! Origin of the HTTP request that a call is made for.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, header};
use contract::RequestId;
use runtime::ServerShutdown;

use crate::ApiCall;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Origin of a request. Calls of the API carry it, for limits by address, keys limited to networks,
/// the audit log, and the end of live streams at a shutdown.
#[derive(Debug, Clone, Default)]
pub struct RequestOrigin {
    /// Id of the request, for errors and logs of the call.
    pub request: Option<RequestId>,
    peer: Option<SocketAddr>,
    forwarded_for: Option<HeaderValue>,
    user_agent: Option<HeaderValue>,
    shutdown: Option<ServerShutdown>,
}

impl RequestOrigin {
    #[must_use]
    pub fn of(parts: &Parts) -> Self {
        Self {
            request: parts.extensions.get().cloned(),
            peer: parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0),
            forwarded_for: parts.headers.get_all(FORWARDED_FOR).iter().next_back().cloned(),
            user_agent: parts.headers.get(header::USER_AGENT).cloned(),
            shutdown: parts.extensions.get().cloned(),
        }
    }

    /// The address of the client.
    #[must_use]
    pub fn address(&self, trust_forwarded_for: bool) -> Option<IpAddr> {
        let forwarded = self.forwarded_for.as_ref().filter(|_| trust_forwarded_for);
        let forwarded = forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next());
        let forwarded: Option<IpAddr> = forwarded.and_then(|text| text.trim().parse().ok());
        let address = forwarded.or_else(|| self.peer.map(|peer| peer.ip()));
        address.map(|address| address.to_canonical())
    }

    /// Adds the origin to a call, as if the client had sent it directly.
    #[must_use]
    pub fn on(&self, mut call: ApiCall) -> ApiCall {
        if let Some(request) = &self.request {
            call = call.with_extension(request.clone());
        }
        if let Some(peer) = self.peer {
            call = call.with_extension(ConnectInfo(peer));
        }
        if let Some(shutdown) = &self.shutdown {
            call = call.with_extension(shutdown.clone());
        }
        for (name, value) in
            [(FORWARDED_FOR, &self.forwarded_for), (header::USER_AGENT, &self.user_agent)]
        {
            if let Some(value) = value {
                call = call.header(name, value.clone());
            }
        }
        call
    }
}

impl<S: Sync> FromRequestParts<S> for RequestOrigin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}
