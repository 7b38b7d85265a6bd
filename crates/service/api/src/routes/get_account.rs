//! `GET /v1/account`: the balance, the credential of the caller, and the limits.

use axum::Json;
use axum::extract::State;
use contract::{Account, AuthMethod};

use super::get_auto_top_up::public_auto_top_up;
use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountRead, Credential, Granted};
use crate::openapi::{example, problems};

problems!(RouteErrors: Unauthorized, Forbidden, RateLimited, ServerError, Unavailable);

/// Get the account
///
/// The available credits, the key or the scopes of the caller, and the limits in force.
#[utoipa::path(
    get,
    path = "/v1/account",
    operation_id = "get_account",
    tag = "account",
    responses(
        (status = 200, description = "The account.", body = Account,
            example = json!(example::account())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["account:read"])),
)]
pub(crate) async fn get_account(
    State(state): State<ApiState>,
    caller: Granted<AccountRead>,
) -> Result<Json<Account>, ApiError> {
    let store = state.store();
    // Read before the balance: a response that shows a purchase also contains its credits.
    let auto_top_up =
        public_auto_top_up(store.auto_top_up(&caller.account).await?, state.settings());
    let account = store.account(&caller.account).await?;
    let account =
        account.ok_or_else(|| ApiError::internal("the account of the caller does not exist"))?;
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
        top_up_url: state.settings().top_up_url(),
        key,
        auth_method,
        scopes,
        keys_active: store.live_keys(&caller.account, state.now()).await?,
        webhook_failing: store.webhook_failing(&caller.account).await?,
        limits: state.settings().limits,
        auto_top_up,
        assistants_may_accept_legal_basis: store
            .assistants_may_accept_legal_basis(&caller.account)
            .await?,
    }))
}
