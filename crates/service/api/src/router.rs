//! The router: all routes with their middleware.

use axum::Router;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use contract::{ERRORS_PAGE, ProblemCode};
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api_error::ApiError;
use crate::request_context::request_context;
use crate::routes as at;
use crate::{ApiSettings, ApiState};
use crate::{compression, query_names};

/// The API without the console: `/` lists the entry points.
pub fn router(state: ApiState) -> Router {
    let fallback = Router::new()
        .route("/", get(at::index::index))
        .fallback(async || ApiError::not_found())
        .with_state(state.clone());
    router_with(state, fallback)
}

/// The API merged with `other` routes, such as the console. All requests have an id and are
/// counted. `other` serves `/` and has the fallback for unknown paths.
pub fn router_with(state: ApiState, other: Router) -> Router {
    state.set_document(|| openapi(state.settings()));
    let (router, _) = described_routes().split_for_parts();
    let check_query = middleware::from_fn_with_state(state.clone(), query_names::check_public);
    router
        .route_layer(check_query)
        // Pages for people, which are not part of the OpenAPI document.
        .route("/docs", get(at::docs::redirect))
        .route("/docs/", get(at::docs::reference))
        .route(ERRORS_PAGE, get(at::errors::errors))
        .route("/docs/{*file}", get(at::docs::file))
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(state.clone())
        // Before `merge`: pages of the console must not be compressed (see `compressed`).
        .layer(compression::layer())
        .merge(other)
        .layer(middleware::from_fn_with_state(state, request_context))
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
        .routes(routes!(at::create_job::create_job, at::list_jobs::list_jobs))
        .routes(routes!(at::get_job::get_job))
        .routes(routes!(at::watch_job::watch_job))
        .routes(routes!(at::confirm_job::confirm_job))
        .routes(routes!(at::abort_job::abort_job))
        .routes(routes!(at::get_results::get_results))
        .routes(routes!(at::get_skipped::get_skipped))
        .routes(routes!(at::get_changes::get_changes))
        .routes(routes!(at::export_job::export_job))
        .routes(routes!(at::download::download, at::download::look_at_download))
        .routes(routes!(at::create_schedule::create_schedule, at::list_schedules::list_schedules))
        .routes(routes!(
            at::get_schedule::get_schedule,
            at::change_schedule::change_schedule,
            at::remove_schedule::remove_schedule
        ))
        .routes(routes!(at::run_schedule::run_schedule))
        .routes(routes!(at::get_account::get_account))
        .routes(routes!(at::get_usage::get_usage))
        .routes(routes!(at::list_ledger::list_ledger))
        .routes(routes!(at::list_audit::list_audit))
        .routes(routes!(at::list_webhooks::list_webhooks, at::create_webhook::create_webhook))
        .routes(routes!(at::change_webhook::change_webhook, at::remove_webhook::remove_webhook))
        .routes(routes!(at::list_deliveries::list_deliveries))
        .routes(routes!(at::test_webhook::test_webhook))
        .routes(routes!(at::redeliver::redeliver))
        .routes(routes!(at::list_events::list_events))
        .routes(routes!(at::list_keys::list_keys, at::create_key::create_key))
        .routes(routes!(at::revoke_key::revoke_key, at::change_key::change_key))
        .routes(routes!(at::get_auto_top_up::get_auto_top_up, at::set_auto_top_up::set_auto_top_up))
        .routes(routes!(
            at::assistant_settings::get_assistant_settings,
            at::assistant_settings::set_assistant_settings
        ))
        .routes(routes!(at::open_session::open_session, at::end_session::end_session))
        .routes(routes!(at::change_password::change_password))
        .routes(routes!(at::list_sessions::list_sessions, at::end_sessions::end_sessions))
        .routes(routes!(at::revoke_session::revoke_session))
        .routes(routes!(at::authorization_server::authorization_server))
        .routes(routes!(at::protected_resource::protected_resource))
        .routes(routes!(at::protected_resource::protected_tools))
        .routes(routes!(at::register_application::register_application))
        .routes(routes!(at::issue_token::issue_token))
        .routes(routes!(at::revoke_token::revoke_token))
        .routes(routes!(
            at::ask_authorization::ask_authorization,
            at::answer_authorization::answer_authorization
        ))
        .routes(routes!(at::list_applications::list_applications))
        .routes(routes!(
            at::disconnect_application::disconnect_application,
            at::change_application::change_application
        ))
        .routes(routes!(at::healthz::healthz))
        .routes(routes!(at::readyz::readyz))
        .routes(routes!(at::get_metrics::get_metrics))
        .routes(routes!(at::get_openapi::get_openapi))
        .routes(routes!(at::bot::bot))
        .routes(routes!(at::top_up::top_up))
}

async fn method_not_allowed() -> Response {
    // axum adds `Allow`, which lists the methods of the route.
    ApiError::new(ProblemCode::MethodNotAllowed, "the path exists, this method does not")
        .into_response()
}
