//! The middleware around every request: request id, tracing span, metrics, address limit, and the
//! rendering of refusals as problems.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::{Door, ProblemCode, RequestId};
use futures_util::FutureExt;
use tokio::time::Instant;
use tracing::Instrument;
use tracing::field::Empty;

use crate::ApiState;
use crate::address::{caller_address, network};
use crate::bucket::{Quota, QuotaOf};
use crate::fault::Fault;
use crate::held_body::ShareSlot;
use crate::metrics;

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// How long browsers speak TLS alone to this host, where clients reach the service by it.
const ONE_YEAR: &str = "max-age=31536000";

/// Carries the caller's remaining quota from authentication to the response headers.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuotaSlot(Arc<OnceLock<Quota>>);

impl QuotaSlot {
    pub fn fill(&self, quota: Quota) {
        // A request is authenticated once: a second value is ignored.
        let _ = self.0.set(quota);
    }
}

/// Runs a request and returns a response in any case, also after a panic.
pub(crate) async fn attend(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    // A call from inside the process keeps the id of the request that it serves.
    let outer = request.extensions().get::<RequestId>().cloned();
    let id = outer.unwrap_or_else(|| RequestId::new(state.now(), rand::random()));
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("unmatched", MatchedPath::as_str).to_owned();
    let method = metrics::method(request.method());
    warn_of_proxy(request.headers(), &state);
    let slot = QuotaSlot::default();
    request.extensions_mut().insert(slot.clone());
    let under_way = ShareSlot::default();
    request.extensions_mut().insert(under_way.clone());
    request.extensions_mut().insert(id.clone());
    let span = tracing::info_span!(
        "request",
        request.id = %id,
        http.method = method,
        http.route = route,
        account.id = Empty,
        key.id = Empty,
        application.id = Empty,
    );
    let started = Instant::now();
    let flood = too_many_of_address(&request, &route, &state);
    let answered = async {
        match flood {
            Some((fault, quota)) => {
                // The response headers show the address quota, the only one that was counted.
                slot.fill(quota);
                fault.into_response()
            }
            None => next.run(request).await,
        }
    };
    let answered = AssertUnwindSafe(answered).catch_unwind().instrument(span.clone());
    let mut response = answered.await.unwrap_or_else(|panic| {
        let cause = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let cause = cause.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Fault::ours(format!("a panic: {cause}")).into_response()
    });
    let _entered = span.enter();
    if let Some(fault) = response.extensions_mut().remove::<Fault>() {
        response = dress(&fault, &id, &response, &state.settings().public_url);
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if state.settings().public_url.starts_with("https://") {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(ONE_YEAR));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Some(quota) = slot.0.get() {
        let name = quota.of.policy();
        let left = format!("\"{name}\";r={};t={}", quota.remaining, quota.full_in);
        let policy = format!("\"{name}\";q={};w=60", quota.rate.per_minute);
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
    under_way.held_by(response)
}

/// Logs a warning, once per process, when a request came through a proxy that is not configured:
/// all its clients count as one address.
fn warn_of_proxy(headers: &HeaderMap, state: &ApiState) {
    let forwarded =
        headers.contains_key("x-forwarded-for") || headers.contains_key(header::FORWARDED);
    if forwarded && !state.settings().trust_forwarded_for && state.warns_of_proxy() {
        tracing::warn!(
            "a request carries X-Forwarded-For or Forwarded, but behind_proxy is off: if a reverse \
             proxy is in front of this service, all its clients count as one address in rate \
             limits, sign-in throttling and the audit log; turn on behind_proxy. Without a \
             proxy, a client made the header up, and it is ignored"
        );
    }
}

/// Counts a request by its address before any lookup, so that a flood without credentials is
/// cheap to refuse. Health checks are not counted. Calls from inside the process were counted with
/// the request that they serve.
fn too_many_of_address(request: &Request, route: &str, state: &ApiState) -> Option<(Fault, Quota)> {
    if matches!(route, "/healthz" | "/readyz") || request.extensions().get::<Door>().is_some() {
        return None;
    }
    let ip = caller_address(request.headers(), request.extensions(), state.settings())?;
    let quota = state.addresses().take(&network(ip), state.now());
    let (quota, wait) = (Quota { of: QuotaOf::Address, ..quota }, quota.wait?);
    Some((Fault::rate_limited(quota.refusal(), wait), quota))
}

/// Renders a refusal as a problem, and logs the causes that are the service's own.
fn dress(fault: &Fault, id: &RequestId, bare: &Response, public_url: &str) -> Response {
    match (fault.cause(), fault.code()) {
        (None, _) => {}
        // The database is unavailable for now: a warning, not an error of this service.
        (Some(cause), ProblemCode::Unavailable) => {
            tracing::warn!(cause, "a request came while the database was away");
        }
        (Some(cause), code) => {
            tracing::error!(code = code.as_str(), cause, "a request failed on our side");
        }
    }
    let mut dressed = Json(fault.problem(id.clone(), public_url)).into_response();
    *dressed.status_mut() = bare.status();
    for (name, value) in bare.headers() {
        if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
            dressed.headers_mut().insert(name, value.clone());
        }
    }
    dressed
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::Router;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::middleware;
    use axum::routing::get;
    use http_body_util::BodyExt;
    use runtime::SystemClock;
    use store::{Store, StoreSettings};
    use tower::ServiceExt;

    use super::*;
    use crate::ApiSettings;

    #[tokio::test]
    async fn a_panic_is_an_answer_without_details() {
        let store = Store::new(StoreSettings::new("sqlite::memory:")).expect("an address");
        let fetch = net::HttpFetch::new(net::HttpSettings::default()).expect("a way out");
        let receivers = Arc::clone(fetch.resolver());
        let state = ApiState::new(
            store,
            ApiSettings::default(),
            Arc::new(SystemClock),
            None,
            Arc::new(fetch),
            reader::ReadExecutor::default(),
            receivers,
        );
        let router: Router = Router::new()
            .route("/", get(async || -> StatusCode { panic!("a secret detail") }))
            .layer(middleware::from_fn_with_state(state, attend));
        let request = Request::get("/").body(Body::empty()).expect("a request");
        let response = router.oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let id = response.headers()[REQUEST_ID].to_str().expect("an id").to_owned();
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!((&body["code"], &body["request_id"]), (&"server_error".into(), &id.into()));
        assert!(!body.to_string().contains("detail"));
    }
}
