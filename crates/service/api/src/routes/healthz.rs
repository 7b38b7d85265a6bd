//! `GET /healthz`: the process lives.

/// Whether the process lives
///
/// Says nothing about the database; see `/readyz`.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "healthz",
    tag = "service",
    responses((status = 200, description = "It does.", body = String, content_type = "text/plain",
        example = json!("ok"))),
    security(()),
)]
pub(crate) async fn healthz() -> &'static str {
    "ok"
}
