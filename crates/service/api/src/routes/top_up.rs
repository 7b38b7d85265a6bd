//! `GET /top-up`: the page about buying credits.

use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse};

use crate::ApiState;

/// Page about buying credits
///
/// A page for users: how credits are bought at this service.
#[utoipa::path(
    get,
    path = "/top-up",
    operation_id = "top_up",
    tag = "service",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html",
        example = json!("<!doctype html>"))),
    security(()),
)]
pub(crate) async fn top_up(State(state): State<ApiState>) -> impl IntoResponse {
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let headers =
        [(header::CONTENT_SECURITY_POLICY, policy), (header::CACHE_CONTROL, "public, max-age=300")];
    let page = match &state.settings().payments {
        None => include_str!("top_up/none.html").to_owned(),
        Some(price) => {
            // Both settings are validated: they contain no markup.
            include_str!("top_up/stripe.html")
                .replace("{price}", &price.per_thousand.to_string())
                .replace("{currency}", &price.currency.to_uppercase())
        }
    };
    (headers, Html(page))
}
