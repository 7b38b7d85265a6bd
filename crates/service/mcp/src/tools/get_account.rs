//! `get_account`: balance, permissions and limits.

use contract::{Account, Credits};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;

use super::{define, read, read_only, schema};
use crate::api_session::ApiSession;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "get_account";

const ABOUT: &str = "Shows the account that runs are paid from: the credits that are left, where \
    to buy more (top_up_url, for the user), the permissions of this connection, and the limits in \
    force. Use it when a run was rejected for lack of credits or stopped with credits_exhausted, \
    or when the user asks what is left. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GetAccountArguments {}

pub(super) fn tool() -> Tool {
    define(NAME, "Show the account", ABOUT, &json!({}), &[])
        .with_annotations(read_only(false))
        .with_raw_output_schema(schema::response::<Account>())
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let GetAccountArguments {} = read(arguments)?;
    let account: Account = session.get("/v1/account").await?;
    let next = if account.credits <= Credits::ZERO {
        format!("No credits are left. The user can buy more at {}.", account.top_up_url)
    } else {
        format!("{} credits are left. estimate_run estimates the cost of a run.", account.credits)
    };
    Ok(schema::result(&account, &next))
}
