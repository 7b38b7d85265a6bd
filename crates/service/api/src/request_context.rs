//! The middleware around every request: request id, tracing span, metrics, address limit, and the
//! rendering of errors as problems.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::{CallOrigin, ProblemCode, RequestId};
use futures_util::FutureExt;
use tokio::time::Instant;
use tracing::Instrument;
use tracing::field::Empty;

use crate::ApiState;
use crate::address::{caller_address, network};
use crate::api_error::ApiError;
use crate::guarded_body::PermitSlot;
use crate::metrics;
use crate::token_bucket::{Quota, QuotaScope};

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// HSTS policy when the public URL is https.
const HSTS: &str = "max-age=31536000";

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
pub(crate) async fn request_context(
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
    let permit_slot = PermitSlot::default();
    request.extensions_mut().insert(permit_slot.clone());
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
    let rejected = check_address_limit(&request, &route, &state);
    let answered = async {
        match rejected {
            Some((error, quota)) => {
                // The response headers show the address quota, the only one that was counted.
                slot.fill(quota);
                error.into_response()
            }
            None => next.run(request).await,
        }
    };
    let answered = AssertUnwindSafe(answered).catch_unwind().instrument(span.clone());
    let mut response = answered.await.unwrap_or_else(|panic| {
        let cause = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let cause = cause.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        ApiError::internal(format!("panic: {cause}")).into_response()
    });
    let _entered = span.enter();
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        response = render_problem(&error, &id, &response, &state.settings.public_url);
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if state.settings.public_url.starts_with("https://") {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Some(quota) = slot.0.get() {
        let name = quota.of.policy();
        let left = format!("\"{name}\";r={};t={}", quota.remaining, quota.reset_seconds);
        let policy = format!("\"{name}\";q={};w=60", quota.rate.per_minute);
        for (name, text) in [(RATE_LIMIT, left), (RATE_LIMIT_POLICY, policy)] {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(name, value);
            }
        }
    }
    let elapsed = started.elapsed();
    metrics::record_response(&route, method, response.status(), elapsed);
    let status = response.status().as_u16();
    tracing::debug!(http.status = status, elapsed_ms = elapsed.as_millis(), "request completed");
    permit_slot.attach_to(response)
}

/// Logs a warning, once per process, when a request came through a proxy that is not configured:
/// all its clients count as one address.
fn warn_of_proxy(headers: &HeaderMap, state: &ApiState) {
    let forwarded =
        headers.contains_key("x-forwarded-for") || headers.contains_key(header::FORWARDED);
    if forwarded && !state.settings.trust_forwarded_for && state.take_proxy_warning() {
        tracing::warn!(
            "a request carries X-Forwarded-For or Forwarded, but behind_proxy is off: if a reverse \
             proxy is in front of this service, all its clients count as one address in rate \
             limits, sign-in throttling and the audit log; turn on behind_proxy. Without a \
             proxy, a client made the header up, and it is ignored"
        );
    }
}

/// Counts a request by its address before any lookup, so that rejecting a flood without
/// credentials is cheap. Health checks are not counted. Calls from inside the process were counted with
/// the request that they serve.
fn check_address_limit(
    request: &Request,
    route: &str,
    state: &ApiState,
) -> Option<(ApiError, Quota)> {
    if matches!(route, "/healthz" | "/readyz") || request.extensions().get::<CallOrigin>().is_some()
    {
        return None;
    }
    let ip = caller_address(request.headers(), request.extensions(), &state.settings)?;
    let quota = state.addresses.take(&network(ip), state.now());
    let (quota, wait) = (Quota { of: QuotaScope::Address, ..quota }, quota.wait?);
    Some((ApiError::rate_limited(quota.refusal(), wait), quota))
}

/// Renders an error as a problem, and logs its internal cause.
fn render_problem(
    error: &ApiError,
    id: &RequestId,
    empty: &Response,
    public_url: &str,
) -> Response {
    match (error.cause(), error.code()) {
        (None, _) => {}
        // The database is unavailable for now: a warning, not an error of this service.
        (Some(cause), ProblemCode::Unavailable) => {
            tracing::warn!(cause, "database or object storage unavailable");
        }
        (Some(cause), code) => {
            tracing::error!(code = code.as_str(), cause, "internal error while serving a request");
        }
    }
    let mut rendered = Json(error.problem(id.clone(), public_url)).into_response();
    *rendered.status_mut() = empty.status();
    for (name, value) in empty.headers() {
        if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
            rendered.headers_mut().insert(name, value.clone());
        }
    }
    rendered
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
    async fn panic_returns_500_without_its_message() {
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
            .layer(middleware::from_fn_with_state(state, request_context));
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
