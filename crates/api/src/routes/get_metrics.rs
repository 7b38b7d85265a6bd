//! `GET /metrics`: the numbers of this process.

use std::net::SocketAddr;

use axum::Extension;
use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use axum::routing::get;

use crate::fault::Fault;
use crate::openapi::problems;
use crate::{ApiState, Metrics, MetricsAccess};

problems!(Refusals: Unauthorized, NotFound, RateLimited);

/// Headers by which a proxy tells that it passes a request on.
const FORWARDING: [&str; 6] =
    ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/// The numbers of this process
///
/// In Prometheus' text format, for the operator: with the operator's token, or, while no token is
/// set, to processes of the same machine alone. Everybody else is told that there is nothing.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "get_metrics",
    tag = "service",
    responses(
        (status = 200, description = "The numbers.", body = String, content_type = "text/plain",
            example = json!("trawl_queue 0\n")),
        Refusals,
    ),
    security(()),
)]
pub(crate) async fn get_metrics(
    State(state): State<ApiState>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Fault> {
    let peer = peer.map(|Extension(peer)| peer.0);
    match &state.settings().metrics {
        MetricsAccess::Loopback if is_local(peer, &headers) => {}
        MetricsAccess::Token(token) if token.is_shown_by(&headers) => {}
        MetricsAccess::Token(_) => return Err(Fault::unauthorized()),
        MetricsAccess::Loopback | MetricsAccess::Elsewhere => return Err(Fault::not_found()),
    }
    Ok(shown(state.metrics()))
}

/// Whether a process of this machine asks, and not a proxy for somebody else.
fn is_local(peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
    peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback())
        && !FORWARDING.iter().any(|name| headers.contains_key(*name))
}

fn shown(metrics: Option<&Metrics>) -> impl IntoResponse + use<> {
    let text = metrics.map(Metrics::render).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

/// `GET /metrics` alone, without a credential: for a listener of its own.
pub fn metrics_router(metrics: Metrics) -> Router {
    let answer = move || {
        let metrics = metrics.clone();
        async move { shown(Some(&metrics)) }
    };
    Router::new().route("/metrics", get(answer))
}
