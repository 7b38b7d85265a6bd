//! `GET /auto-top-up`: whether the account buys credits by itself.

use axum::Json;
use axum::extract::State;
use contract::AutoTopUp;
use store::TopUpRecord;

use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::{example, problems};
use crate::{ApiSettings, ApiState};

problems!(Refusals: Unauthorized, RateLimited, ServerError, Unavailable);

/// Get auto top-up
///
/// Whether credits are bought when the balance runs low, and how the last purchase went.
#[utoipa::path(
    get,
    path = "/auto-top-up",
    operation_id = "get_auto_top_up",
    tag = "account",
    responses(
        (status = 200, description = "As it is.", body = AutoTopUp,
            example = json!(example::auto_top_up())),
        Refusals,
    ),
    security(("session" = [])),
)]
pub(crate) async fn get_auto_top_up(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
) -> Result<Json<AutoTopUp>, ApiError> {
    let record = state.store().auto_top_up(&caller.account).await?;
    Ok(Json(shown(record, state.settings())))
}

/// As its owner sees it: who pays by what is between the operator and the provider.
pub(super) fn shown(record: TopUpRecord, settings: &ApiSettings) -> AutoTopUp {
    AutoTopUp {
        // Without a provider nothing is bought, whatever was set while there was one.
        enabled: record.enabled && settings.payments.is_some(),
        threshold: record.threshold,
        amount: record.amount,
        monthly_credits: record.monthly,
        last_recharge_at: record.last_recharge_at,
        last_error: record.last_error,
    }
}
