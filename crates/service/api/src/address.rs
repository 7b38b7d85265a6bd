//! The client address of a request, for limits by address and the audit log.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use contract::{AuditActorKind, RequestId};
use store::{AuditOrigin, Store};

use crate::{ApiSettings, ApiState};

/// The client address of a request and the id of the request.
#[derive(Debug)]
pub(crate) struct ClientOrigin {
    pub address: Option<IpAddr>,
    request: Option<RequestId>,
}

impl ClientOrigin {
    pub fn of(parts: &Parts, settings: &ApiSettings) -> Self {
        let address = caller_address(&parts.headers, &parts.extensions, settings);
        Self { address, request: parts.extensions.get().cloned() }
    }

    /// The store, with this actor in the audit log of all changes made through it.
    pub fn acting(&self, state: &ApiState, kind: AuditActorKind, id: Option<String>) -> Store {
        state.store.acting(AuditOrigin {
            address: self.address,
            request: self.request.clone(),
            at: Some(state.now()),
            ..AuditOrigin::of(kind, id)
        })
    }
}

/// The client address, if it is known.
pub(crate) fn caller_address(
    headers: &HeaderMap,
    extensions: &Extensions,
    settings: &ApiSettings,
) -> Option<IpAddr> {
    let peer = || extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
    forwarded_address(headers, settings).or_else(peer).map(|address| address.to_canonical())
}

/// The address in `X-Forwarded-For`, if the proxy is trusted.
pub(crate) fn forwarded_address(headers: &HeaderMap, settings: &ApiSettings) -> Option<IpAddr> {
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let forwarded = forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next());
    let forwarded = forwarded.and_then(|text| text.trim().parse().ok());
    forwarded.filter(|_| settings.trust_forwarded_for)
}

/// The key of an address in limits: an IPv6 client usually has a whole /64.
pub(crate) fn network(ip: IpAddr) -> String {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}
