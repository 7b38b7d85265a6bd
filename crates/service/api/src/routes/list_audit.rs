//! `GET /v1/audit`: the audit log of the account.

use axum::Json;
use axum::extract::State;
use contract::{AuditAction, AuditPage};
use store::AuditFilter;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AuditRead, Credential, Granted};
use crate::openapi::{PageParams, example, problems};
use crate::query::Params;

problems!(RouteErrors: Unauthorized, Forbidden, ValidationFailed, RateLimited, ServerError,
    Unavailable);

/// List the audit log
///
/// Sign-ins, keys, grants, credits, exports and changed settings of the account, newest first:
/// actor, object, address and request. Entries cannot be changed. Applications do not see
/// addresses.
#[utoipa::path(
    get,
    path = "/v1/audit",
    operation_id = "list_audit",
    tag = "account",
    params(
        PageParams,
        ("action" = Option<AuditAction>, Query, description = "Only entries of this action."),
        ("from" = Option<String>, Query, description = "From this date or date-time on.",
            example = "2026-11-01"),
        ("to" = Option<String>, Query, description = "Before this date or date-time.",
            example = "2026-12-01"),
    ),
    responses(
        (status = 200, description = "A page of the audit log.", body = AuditPage,
            example = json!(example::audit())),
        RouteErrors,
    ),
    security(("api_key" = []), ("session" = []), ("oauth" = ["account:read"])),
)]
pub(crate) async fn list_audit(
    State(state): State<ApiState>,
    caller: Granted<AuditRead>,
    mut params: Params,
) -> Result<Json<AuditPage>, ApiError> {
    let page = params.page(&state.settings().limits);
    let filter = AuditFilter {
        account: Some(caller.account.clone()),
        action: params.one_of("action", AuditAction::ALL),
        from: params.instant("from"),
        to: params.instant("to"),
    };
    params.finish()?;
    let (mut items, has_more) = state.store().audit_entries(&filter, page).await?;
    if matches!(caller.credential, Credential::Application(_)) {
        for entry in &mut items {
            entry.address = None;
        }
    }
    Ok(Json(AuditPage { items, page: page.number, page_size: page.size, has_more }))
}
