//! The router: all routes with their middleware.

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use contract::ProblemCode;
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api_error::{ApiError, ApiResult};
use crate::request_context::request_context;
use crate::routes as at;
use crate::{ApiSettings, ApiState, compression};

/// The API without the console: `/` lists the entry points.
pub fn router(state: ApiState) -> Router {
    let fallback = Router::new()
        .route("/", get(at::service::index))
        .fallback(async || ApiError::not_found())
        .with_state(state.clone());
    router_with(state, fallback)
}

/// The API merged with `other` routes, such as the console. All requests have an id and are
/// counted. `other` serves `/` and has the fallback for unknown paths.
pub fn router_with(state: ApiState, other: Router) -> Router {
    state.set_document(|| openapi(&state.settings));
    let (router, _) = described_routes().split_for_parts();
    let check_query = middleware::from_fn_with_state(state.clone(), check_public_query);
    router
        .route_layer(check_query)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(state.clone())
        // Before `merge`: pages of the console must not be compressed (see `compressed`).
        .layer(compression::layer())
        .merge(other)
        .layer(middleware::from_fn_with_state(state, request_context))
}

/// Rejects unknown query parameters of operations without a credential.
async fn check_public_query(
    State(state): State<ApiState>,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    state.query_names().check(&parts, false)?;
    Ok(next.run(Request::from_parts(parts, body)).await)
}

/// The OpenAPI document of a service with these settings.
#[must_use]
pub fn openapi(settings: &ApiSettings) -> Value {
    crate::openapi::document(described_routes().into_openapi(), settings)
}

/// The routes that are part of the OpenAPI document.
fn described_routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(at::estimate::estimate))
        .routes(routes!(at::map_urls::map_urls))
        .routes(routes!(at::create_job::create_job, at::jobs::list_jobs))
        .routes(routes!(at::jobs::get_job, at::jobs::change_job, at::jobs::delete_job))
        .routes(routes!(at::lists::create_list))
        .routes(routes!(at::lists::get_list, at::lists::remove_list))
        .routes(routes!(at::watch_job::watch_job))
        .routes(routes!(at::jobs::confirm_job))
        .routes(routes!(at::jobs::abort_job))
        .routes(routes!(at::explain::explain_url))
        .routes(routes!(at::read_results::get_results))
        .routes(routes!(at::results::get_skipped))
        .routes(routes!(at::results::get_requests))
        .routes(routes!(at::results::get_changes))
        .routes(routes!(at::pages::read_page))
        .routes(routes!(at::previews::preview_page))
        .routes(routes!(at::page_files::page_file))
        .routes(routes!(at::exports::export_job))
        .routes(routes!(at::exports::download, at::exports::look_at_download))
        .routes(routes!(at::schedules::create_schedule, at::schedules::list_schedules))
        .routes(routes!(
            at::schedules::get_schedule,
            at::schedules::change_schedule,
            at::schedules::remove_schedule
        ))
        .routes(routes!(at::schedules::run_schedule))
        .routes(routes!(at::account::get_account))
        .routes(routes!(at::account::get_usage))
        .routes(routes!(at::account::list_ledger))
        .routes(routes!(at::account::list_audit))
        .routes(routes!(at::webhooks::list_webhooks, at::webhooks::create_webhook))
        .routes(routes!(at::webhooks::change_webhook, at::webhooks::remove_webhook))
        .routes(routes!(at::deliveries::list_deliveries))
        .routes(routes!(at::deliveries::test_webhook))
        .routes(routes!(at::deliveries::redeliver))
        .routes(routes!(at::deliveries::list_events))
        .routes(routes!(at::api_keys::list_keys, at::api_keys::create_key))
        .routes(routes!(at::api_keys::revoke_key, at::api_keys::change_key))
        .routes(routes!(at::auto_top_up::get_auto_top_up, at::auto_top_up::set_auto_top_up))
        .routes(routes!(at::account::get_assistant_settings, at::account::set_assistant_settings))
        .routes(routes!(at::sessions::open_session, at::sessions::end_session))
        .routes(routes!(at::sessions::change_password))
        .routes(routes!(at::sessions::list_sessions, at::sessions::end_sessions))
        .routes(routes!(at::sessions::revoke_session))
        .routes(routes!(at::oauth_metadata::authorization_server))
        .routes(routes!(at::oauth_metadata::protected_resource))
        .routes(routes!(at::oauth_metadata::protected_tools))
        .routes(routes!(at::register_application::register_application))
        .routes(routes!(at::oauth_tokens::issue_token))
        .routes(routes!(at::oauth_tokens::revoke_token))
        .routes(routes!(
            at::oauth_authorization::ask_authorization,
            at::oauth_authorization::answer_authorization
        ))
        .routes(routes!(at::applications::list_applications))
        .routes(routes!(
            at::applications::disconnect_application,
            at::applications::change_application
        ))
        .routes(routes!(at::service::healthz))
        .routes(routes!(at::service::readyz))
        .routes(routes!(at::service::get_metrics))
        .routes(routes!(at::service::get_openapi))
        .routes(routes!(at::service::bot))
        .routes(routes!(at::service::top_up))
}

async fn method_not_allowed() -> Response {
    // axum adds `Allow`, which lists the methods of the route.
    ApiError::new(ProblemCode::MethodNotAllowed, "the path exists, this method does not")
        .into_response()
}
