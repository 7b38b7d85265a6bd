//! The account: balance, usage, ledger, audit log and the rights of assistants.

use std::time::Duration;

use axum::Json;
use contract::{
    Account, AssistantSettings, AuditAction, AuditPage, AuthMethod, BodyFields, LedgerPage, Limits,
    Millis, Usage, UsageGroup,
};
use store::AuditFilter;

use super::auto_top_up::public_auto_top_up;
use crate::api_error::{ApiError, ApiResult};
use crate::body::{JsonBody, finish};
use crate::caller::{AccountRead, AccountSession, AuditRead, Credential, Granted};
use crate::openapi::{PageParams, UsageParams};
use crate::query::Params;

/// Get the account
///
/// The available credits, the key or the scopes of the caller, and the limits in force.
#[utoipa::path(
    get, path = "/v1/account", tag = "account",
    responses((status = 200, description = "The account.", body = Account)),
    security(("api_key" = []), ("oauth" = ["account:read"])),
)]
pub(crate) async fn get_account(
    Granted { state, caller, .. }: Granted<AccountRead>,
) -> ApiResult<Json<Account>> {
    let store = &state.store;
    // Read before the balance: a response that shows a purchase also contains its credits.
    let auto_top_up =
        public_auto_top_up(store.auto_top_up(&caller.account).await?, &state.settings);
    let account = store.account(&caller.account).await?;
    let account =
        account.ok_or_else(|| ApiError::internal("the account of the caller does not exist"))?;
    let retention = store.account_retention(&caller.account).await?;
    let (key, auth_method, scopes) = match &caller.credential {
        Credential::Key(key) => {
            let scopes = key.scopes.iter().map(ToString::to_string).collect();
            (Some(key.as_ref().clone()), AuthMethod::ApiKey, scopes)
        }
        Credential::Application(granted) => {
            let scopes = granted.scopes.iter().map(|scope| scope.to_string()).collect();
            (None, AuthMethod::Oauth, scopes)
        }
        Credential::Session(..) => (None, AuthMethod::ApiKey, Vec::new()),
    };
    Ok(Json(Account {
        credits: account.available(),
        account_id: account.id,
        top_up_url: state.settings.top_up_url(),
        key,
        auth_method,
        scopes,
        keys_active: store.live_keys(&caller.account, state.now()).await?,
        webhook_failing: store.webhook_failing(&caller.account).await?,
        limits: Limits {
            results_days: retention.results_days.unwrap_or(state.settings.limits.results_days),
            ..state.settings.limits
        },
        auto_top_up,
        assistants_may_accept_legal_basis: store
            .assistants_may_accept_legal_basis(&caller.account)
            .await?,
    }))
}

/// The default time span.
const DEFAULT_SPAN: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Get usage
///
/// Jobs, units and credits by channel, mode or day, from `from` (inclusive) to `to` (exclusive).
#[utoipa::path(
    get, path = "/v1/usage", tag = "account",
    params(UsageParams),
    responses((status = 200, description = "The totals per group.", body = Usage)),
    security(("api_key" = []), ("oauth" = ["account:read"])),
)]
pub(crate) async fn get_usage(
    Granted { state, caller, .. }: Granted<AccountRead>,
    mut params: Params,
) -> ApiResult<Json<Usage>> {
    let to = params.instant("to").unwrap_or_else(|| state.now());
    let span = i64::try_from(DEFAULT_SPAN.as_millis()).unwrap_or(i64::MAX);
    let from = params.instant("from").unwrap_or(Millis(to.0.saturating_sub(span)));
    let group_by = params.one_of("group_by", UsageGroup::ALL).unwrap_or(UsageGroup::Source);
    if from > to {
        params.contradicts("from", "must not be later than to");
    }
    params.finish()?;
    let (items, total) = state.store.usage(&caller.account, from, to, group_by).await?;
    Ok(Json(Usage { from, to, group_by, items, total }))
}

/// List the ledger
///
/// All changes of the balance, newest first. The balance is the sum of all lines. With `group=job`
/// there is one line for all charges of a job, with its URL and the balance after it.
#[utoipa::path(
    get, path = "/v1/ledger", tag = "account",
    params(
        PageParams,
        ("group" = Option<String>, Query, pattern = "^job$", example = "job",
            description = "`job`: one line for all charges of a job."),
    ),
    responses((status = 200, description = "A page of the ledger.", body = LedgerPage)),
    security(("api_key" = []), ("oauth" = ["account:read"])),
)]
pub(crate) async fn list_ledger(
    Granted { state, caller, .. }: Granted<AccountRead>,
    mut params: Params,
) -> ApiResult<Json<LedgerPage>> {
    let page = params.page(&state.settings.limits);
    let group = params.one_of("group", &["job"]);
    params.finish()?;
    let (items, has_more) = match group {
        Some(_) => state.store.ledger_by_job(&caller.account, page).await?,
        None => state.store.ledger_lines(&caller.account, page).await?,
    };
    Ok(Json(LedgerPage { items, page: page.number, page_size: page.size, has_more }))
}

/// List the audit log
///
/// Sign-ins, keys, grants, credits, exports and changed settings of the account, newest first:
/// actor, object, address and request. Entries cannot be changed. Applications do not see
/// addresses.
#[utoipa::path(
    get, path = "/v1/audit", tag = "account",
    params(
        PageParams,
        ("action" = Option<AuditAction>, Query, description = "Only entries of this action."),
        ("from" = Option<String>, Query, description = "From this date or date-time on.",
            example = "2026-11-01"),
        ("to" = Option<String>, Query, description = "Before this date or date-time.",
            example = "2026-12-01"),
    ),
    responses((status = 200, description = "A page of the audit log.", body = AuditPage)),
    security(("api_key" = []), ("session" = []), ("oauth" = ["account:read"])),
)]
pub(crate) async fn list_audit(
    Granted { state, caller, .. }: Granted<AuditRead>,
    mut params: Params,
) -> ApiResult<Json<AuditPage>> {
    let page = params.page(&state.settings.limits);
    let filter = AuditFilter {
        account: Some(caller.account.clone()),
        action: params.one_of("action", AuditAction::ALL),
        from: params.instant("from"),
        to: params.instant("to"),
    };
    params.finish()?;
    let (mut items, has_more) = state.store.audit_entries(&filter, page).await?;
    if matches!(caller.credential, Credential::Application(_)) {
        for entry in &mut items {
            entry.address = None;
        }
    }
    Ok(Json(AuditPage { items, page: page.number, page_size: page.size, has_more }))
}

/// Get assistant settings
///
/// What assistants that use this account over MCP may do without the owner.
#[utoipa::path(
    get, path = "/assistant-settings", tag = "account",
    responses(
        (status = 200, description = "The settings.", body = AssistantSettings,
            example = json!({"may_accept_legal_basis": false})),
    ),
    security(("session" = [])),
)]
pub(crate) async fn get_assistant_settings(
    Granted { state, caller, .. }: Granted<AccountSession>,
) -> ApiResult<Json<AssistantSettings>> {
    let allowed = state.store.assistants_may_accept_legal_basis(&caller.account).await?;
    Ok(Json(AssistantSettings { may_accept_legal_basis: allowed }))
}

/// Set assistant settings
///
/// A `contacts` job collects personal data and needs a confirmed lawful basis. An assistant cannot
/// confirm it on behalf of the owner until the owner enables it here.
#[utoipa::path(
    put, path = "/assistant-settings", tag = "account",
    request_body(
        content = AssistantSettings,
        description = "The new settings.",
        example = json!({"may_accept_legal_basis": true}),
    ),
    responses(
        (status = 200, description = "The settings after the change.", body = AssistantSettings,
            example = json!({"may_accept_legal_basis": true})),
    ),
    security(("session" = [])),
)]
pub(crate) async fn set_assistant_settings(
    Granted { state, caller, .. }: Granted<AccountSession>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<AssistantSettings>> {
    let mut fields = BodyFields::of(&body)?;
    let allowed = fields.flag("may_accept_legal_basis");
    fields.require("may_accept_legal_basis");
    let allowed = finish(fields, allowed)?;
    let store = caller.store(&state);
    store.set_assistants_may_accept_legal_basis(&caller.account, allowed).await?;
    Ok(Json(AssistantSettings { may_accept_legal_basis: allowed }))
}
