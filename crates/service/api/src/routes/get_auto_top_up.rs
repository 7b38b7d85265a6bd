//! `GET /auto-top-up`: the settings of automatic purchases of credits.

use axum::Json;
use axum::extract::State;
use contract::AutoTopUp;
use store::TopUpRecord;

use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::{example, problems};
use crate::{ApiSettings, ApiState};

problems!(RouteErrors: Unauthorized, RateLimited, ServerError, Unavailable);

/// Get auto top-up
///
/// Whether credits are bought when the balance is low, and the result of the last purchase.
#[utoipa::path(
    get,
    path = "/auto-top-up",
    operation_id = "get_auto_top_up",
    tag = "account",
    responses(
        (status = 200, description = "The settings.", body = AutoTopUp,
            example = json!(example::auto_top_up())),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn get_auto_top_up(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
) -> Result<Json<AutoTopUp>, ApiError> {
    let record = state.store().auto_top_up(&caller.account).await?;
    Ok(Json(public_auto_top_up(record, state.settings())))
}

/// The settings as the API returns them, without the payment method.
pub(super) fn public_auto_top_up(record: TopUpRecord, settings: &ApiSettings) -> AutoTopUp {
    AutoTopUp {
        // Without a payment provider nothing is bought.
        enabled: record.enabled && settings.payments.is_some(),
        threshold: record.threshold,
        amount: record.amount,
        monthly_credits: record.monthly,
        last_recharge_at: record.last_recharge_at,
        last_error: record.last_error,
    }
}
