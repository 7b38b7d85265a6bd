//! Taking the page as it is: its document as text, bounded before it leaves the page.

use serde::Deserialize;
use serde_json::json;

use super::pipe::{CallError, Pipe};

const SCRIPT: &str = include_str!("snapshot.js");

/// The page as text.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Snapshot {
    pub(crate) html: String,
    /// Whether that is all of it.
    pub(crate) is_whole: bool,
    /// Whether there is nothing to read and nowhere to go.
    pub(crate) is_bare: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    execution_context_id: i64,
}

#[derive(Deserialize)]
struct Evaluated {
    result: Remote,
}

#[derive(Deserialize)]
struct Remote {
    value: Option<Snapshot>,
}

/// The page of a session, cut at `most` UTF-16 units.
pub(crate) async fn take(
    pipe: Pipe,
    session: String,
    frame: String,
    most: usize,
) -> Result<Snapshot, CallError> {
    let params = json!({"frameId": frame, "worldName": "trawl"});
    let world: World = pipe.call(&session, "Page.createIsolatedWorld", params).await?;
    let params = json!({
        "expression": format!("{SCRIPT}({most})"),
        "contextId": world.execution_context_id,
        "returnByValue": true,
    });
    let evaluated: Evaluated = pipe.call(&session, "Runtime.evaluate", params).await?;
    evaluated.result.value.ok_or_else(|| CallError::Refused("the page is not readable".to_owned()))
}
