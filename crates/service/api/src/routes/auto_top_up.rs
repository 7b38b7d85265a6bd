//! Automatic purchases of credits.

use axum::Json;
use contract::{AutoTopUp, BodyFields, Credits, SetAutoTopUp};
use store::{TopUpChange, TopUpRecord};

use crate::ApiSettings;
use crate::api_error::ApiResult;
use crate::body::{JsonBody, finish};
use crate::caller::{AccountSession, Granted};

/// Get auto top-up
///
/// Whether credits are bought when the balance is low, and the result of the last purchase.
#[utoipa::path(
    get, path = "/auto-top-up", tag = "account",
    responses((status = 200, description = "The settings.", body = AutoTopUp)),
    security(("session" = [])),
)]
pub(crate) async fn get_auto_top_up(
    Granted { state, caller, .. }: Granted<AccountSession>,
) -> ApiResult<Json<AutoTopUp>> {
    let record = state.store.auto_top_up(&caller.account).await?;
    Ok(Json(public_auto_top_up(record, &state.settings)))
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

/// Maximum credits of a purchase, threshold or monthly limit.
const MAX_CREDITS: i64 = 1_000_000_000_000;

/// Set auto top-up
///
/// When fewer than `threshold` credits are available, `amount` credits are bought with the
/// payment method on file. A failed purchase sends the event `billing.recharge_failed` and delays
/// the next one by an hour, twice as long after each further failure, at most a day. Any change of
/// these settings ends the delay.
#[utoipa::path(
    put, path = "/auto-top-up", tag = "account",
    request_body(content = SetAutoTopUp, description = "The changes."),
    responses((status = 200, description = "The settings after the change.", body = AutoTopUp)),
    security(("session" = [])),
)]
pub(crate) async fn set_auto_top_up(
    Granted { state, caller, .. }: Granted<AccountSession>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<AutoTopUp>> {
    let (store, settings) = (caller.store(&state), &state.settings);
    let record = store.auto_top_up(&caller.account).await?;
    let mut fields = BodyFields::of(&body)?;
    let enabled = fields.flag("enabled");
    if enabled.is_none() {
        fields.require("enabled");
    }
    let threshold = credits(&mut fields, "threshold");
    let amount = credits(&mut fields, "amount");
    let unlimited = fields.is_cleared("monthly_credits");
    let monthly = credits(&mut fields, "monthly_credits");
    let lowest = amount.or(record.amount);
    if let (Some(monthly), Some(lowest)) = (monthly, lowest)
        && monthly < lowest
    {
        fields.wrong("monthly_credits", format!("must be at least the amount, {lowest}"));
    }
    let kept = record.monthly.filter(|_| !unlimited && monthly.is_none());
    if let (Some(kept), Some(amount)) = (kept, amount)
        && kept < amount
    {
        fields.wrong("amount", format!("must be at most monthly_credits, {kept}"));
    }
    if enabled == Some(true) {
        check_enabling(&record, &mut fields, threshold, amount, settings);
    }
    finish(fields, Some(()))?;
    let change = TopUpChange {
        enabled: enabled.unwrap_or(false),
        threshold,
        amount,
        monthly: (unlimited || monthly.is_some()).then_some(monthly),
    };
    let record = store.set_auto_top_up(&caller.account, change).await?;
    Ok(Json(public_auto_top_up(record, settings)))
}

fn credits(fields: &mut BodyFields<'_>, name: &'static str) -> Option<Credits> {
    let credits = fields.integer(name, 1)?;
    if credits > MAX_CREDITS {
        fields.wrong(name, format!("must be at most {MAX_CREDITS}"));
        return None;
    }
    Some(Credits(credits))
}

/// Checks that automatic purchases can be enabled with these values.
fn check_enabling(
    record: &TopUpRecord,
    fields: &mut BodyFields<'_>,
    threshold: Option<Credits>,
    amount: Option<Credits>,
    settings: &ApiSettings,
) {
    let Some(price) = &settings.payments else {
        let message = "cannot be enabled: this service has no payment provider; ask its \
            operator";
        fields.wrong("enabled", message);
        return;
    };
    if record.source.is_none() {
        let message = "cannot be enabled: no payment method is on file for this account; ask \
            the operator of the service to add one";
        fields.wrong("enabled", message);
    }
    // Invalid values are reported already.
    let known =
        |given: Option<Credits>, kept: Option<Credits>, fields: &mut BodyFields<'_>, name| {
            if given.is_none() && kept.is_none() {
                fields.require(name);
            }
            given.or(kept.filter(|_| !fields.given(name)))
        };
    let threshold = known(threshold, record.threshold, fields, "threshold");
    let amount = known(amount, record.amount, fields, "amount");
    let Some(amount) = amount else { return };
    if price.of(amount).is_none() {
        fields.wrong("amount", "exceeds the maximum of one payment");
    }
    if threshold.is_some_and(|threshold| threshold > amount) {
        fields.wrong("amount", "must be at least the threshold, so that one purchase is enough");
    }
}
