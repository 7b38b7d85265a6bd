//! `GET /healthz`: liveness probe.

/// Check liveness
///
/// Does not check the database; see `/readyz`.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "healthz",
    tag = "service",
    responses((status = 200, description = "The process is alive.", body = String, content_type = "text/plain",
        example = json!("ok"))),
    security(()),
)]
pub(crate) async fn healthz() -> &'static str {
    "ok"
}
