//! The frame around every request: its id, its span, its numbers, and the last word
//! on how its answer looks.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::RequestId;
use futures_util::FutureExt;
use tokio::time::Instant;
use tracing::Instrument;
use tracing::field::Empty;

use crate::ApiState;
use crate::bucket::Quota;
use crate::fault::Fault;
use crate::metrics;

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Where the authentication of a request leaves what its caller has left, so that
/// every answer can say it.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuotaSlot(Arc<OnceLock<Quota>>);

impl QuotaSlot {
    pub fn fill(&self, quota: Quota) {
        // A request is authenticated once; a second word would change nothing.
        let _ = self.0.set(quota);
    }
}

/// Answers a request, whatever happens inside.
pub(crate) async fn attend(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = RequestId::new(state.now(), rand::random());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("unmatched", MatchedPath::as_str).to_owned();
    let method = metrics::method(request.method());
    let slot = QuotaSlot::default();
    request.extensions_mut().insert(slot.clone());
    let span = tracing::info_span!(
        "request",
        request.id = %id,
        http.method = method,
        http.route = route,
        account.id = Empty,
        key.id = Empty,
    );
    let started = Instant::now();
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone());
    let mut response = answered.await.unwrap_or_else(|panic| {
        let cause = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let cause = cause.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Fault::ours(format!("a panic: {cause}")).into_response()
    });
    let _entered = span.enter();
    if let Some(fault) = response.extensions_mut().remove::<Fault>() {
        response = dress(&fault, &id, response);
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Some(quota) = slot.0.get() {
        let left = format!("\"default\";r={};t={}", quota.remaining, quota.full_in);
        let policy = format!("\"default\";q={};w=60", quota.rate.per_minute);
        for (name, text) in [(RATE_LIMIT, left), (RATE_LIMIT_POLICY, policy)] {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(name, value);
            }
        }
    }
    let elapsed = started.elapsed();
    metrics::answered(&route, method, response.status(), elapsed);
    let status = response.status().as_u16();
    tracing::debug!(http.status = status, elapsed_ms = elapsed.as_millis(), "answered");
    response
}

/// Writes the body of a refusal, and into the log what was our own doing.
fn dress(fault: &Fault, id: &RequestId, bare: Response) -> Response {
    if let Some(cause) = fault.cause() {
        tracing::error!(code = fault.code().as_str(), cause, "a request failed on our side");
    }
    let mut dressed = Json(fault.problem(id.clone())).into_response();
    *dressed.status_mut() = bare.status();
    for (name, value) in bare.headers() {
        if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
            dressed.headers_mut().insert(name, value.clone());
        }
    }
    dressed
}
