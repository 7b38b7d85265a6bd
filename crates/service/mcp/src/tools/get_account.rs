//! `get_account`: the balance, and what is allowed.

use contract::{Account, Credits};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::{read, schema};
use crate::desk::Desk;
use crate::trouble::Trouble;

pub(super) const NAME: &str = "get_account";

const ABOUT: &str = "Shows the account that runs are paid from: the credits that are left, where \
    to buy more (top_up_url, for the user), what this connection may do, and the ceilings in \
    force. Use it when a run was refused for want of credits or stopped with credits_exhausted, \
    or when the user asks what is left. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {}

pub(super) fn tool() -> Tool {
    let input = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let hints = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(NAME, ABOUT, rmcp::model::object(input))
        .with_title("Look at the account")
        .with_annotations(hints)
        .with_raw_output_schema(schema::answer::<Account>(&json!({})))
}

pub(super) async fn call(desk: &Desk, arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    let Arguments {} = read(arguments)?;
    let account: Account = desk.get("/v1/account").await?;
    let next = if account.credits <= Credits::ZERO {
        format!("No credits are left. The user can buy more at {}.", account.top_up_url)
    } else {
        format!("{} credits are left. estimate_run tells what a run would cost.", account.credits)
    };
    Ok(CallToolResult::structured(schema::with_next(&account, &next)))
}
