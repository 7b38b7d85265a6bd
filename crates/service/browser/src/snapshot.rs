//! Evaluates expressions in a page, and serializes its DOM, truncated inside the page.

use serde::Deserialize;
use serde::de::DeserializeOwned;
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
struct EvaluateResult<T> {
    result: RemoteValue<T>,
}

#[derive(Deserialize)]
struct RemoteValue<T> {
    value: Option<T>,
}

/// The DOM of a session, at most `max_units` UTF-16 units.
pub(crate) async fn take(
    pipe: Pipe,
    session: String,
    frame: String,
    max_units: usize,
) -> Result<DomSnapshot, CallError> {
    evaluate(&pipe, &session, &frame, &format!("{SCRIPT}({max_units})")).await
}

/// The value of an expression in an isolated world: it sees the DOM, and no script of the page.
pub(crate) async fn evaluate<T: DeserializeOwned>(
    pipe: &Pipe,
    session: &str,
    frame: &str,
    expression: &str,
) -> Result<T, CallError> {
    let params = json!({"frameId": frame, "worldName": "trawl"});
    let world: IsolatedWorld = pipe.call(session, "Page.createIsolatedWorld", params).await?;
    let params = json!({
        "expression": expression,
        "contextId": world.execution_context_id,
        "returnByValue": true,
    });
    let evaluated: EvaluateResult<T> = pipe.call(session, "Runtime.evaluate", params).await?;
    let value = evaluated.result.value;
    value.ok_or_else(|| CallError::Refused("the page returned no value".to_owned()))
}
