//! Serializes the DOM of a page, truncated inside the page.

use serde::Deserialize;
use serde_json::json;

use super::pipe::{CallError, Pipe};

const SCRIPT: &str = include_str!("snapshot.js");

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomSnapshot {
    pub(crate) html: String,
    /// Whether `html` is complete.
    pub(crate) is_whole: bool,
    /// Whether the page has neither text nor links.
    pub(crate) is_bare: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IsolatedWorld {
    execution_context_id: i64,
}

#[derive(Deserialize)]
struct EvaluateResult {
    result: RemoteValue,
}

#[derive(Deserialize)]
struct RemoteValue {
    value: Option<DomSnapshot>,
}

/// The DOM of a session, at most `max_units` UTF-16 units.
pub(crate) async fn take(
    pipe: Pipe,
    session: String,
    frame: String,
    max_units: usize,
) -> Result<DomSnapshot, CallError> {
    let params = json!({"frameId": frame, "worldName": "trawl"});
    let world: IsolatedWorld = pipe.call(&session, "Page.createIsolatedWorld", params).await?;
    let params = json!({
        "expression": format!("{SCRIPT}({max_units})"),
        "contextId": world.execution_context_id,
        "returnByValue": true,
    });
    let evaluated: EvaluateResult = pipe.call(&session, "Runtime.evaluate", params).await?;
    evaluated
        .result
        .value
        .ok_or_else(|| CallError::Refused("the page returned no snapshot".to_owned()))
}
