//! `GET /bot`: a page about the crawler for site owners.

use axum::http::header;
use axum::response::{Html, IntoResponse};

/// About the crawler
///
/// A page for site owners: what the crawler does, and how to block it.
#[utoipa::path(
    get,
    path = "/bot",
    operation_id = "bot",
    tag = "service",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html",
        example = json!("<!doctype html>"))),
    security(()),
)]
pub(crate) async fn bot() -> impl IntoResponse {
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, Html(include_str!("bot.html")))
}
