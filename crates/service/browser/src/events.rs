//! DevTools events, with the fields that are used here.

use std::collections::HashMap;

use serde::Deserialize;

/// A paused request: before it is sent, or after the response headers.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPaused {
    pub(crate) request_id: String,
    pub(crate) request: PausedRequestInfo,
    pub(crate) frame_id: String,
    pub(crate) resource_type: String,
    pub(crate) response_error_reason: Option<String>,
    pub(crate) response_status_code: Option<u16>,
    #[serde(default)]
    pub(crate) response_headers: Vec<HeaderEntry>,
    /// The `request_id` of the `Network` events.
    pub(crate) network_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PausedRequestInfo {
    pub(crate) url: String,
    pub(crate) method: String,
    pub(crate) headers: HashMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct HeaderEntry {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// The proxy or a site requires credentials.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuthRequired {
    pub(crate) request_id: String,
    pub(crate) auth_challenge: AuthChallenge,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AuthChallenge {
    pub(crate) source: Option<String>,
    pub(crate) origin: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestWillBeSent {
    pub(crate) request_id: String,
    /// The document that sends it; empty for a worker.
    pub(crate) loader_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResponseReceived {
    pub(crate) request_id: String,
    pub(crate) response: ResponseInfo,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ResponseInfo {
    pub(crate) protocol: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataReceived {
    pub(crate) request_id: String,
    pub(crate) data_length: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadingFinished {
    pub(crate) request_id: String,
    pub(crate) encoded_data_length: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadingFailed {
    pub(crate) request_id: String,
    pub(crate) error_text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameStoppedLoading {
    pub(crate) frame_id: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FrameNavigated {
    pub(crate) frame: FrameInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameInfo {
    pub(crate) id: String,
    pub(crate) loader_id: String,
    pub(crate) url: String,
    /// Set if the frame shows the browser's error page.
    pub(crate) unreachable_url: Option<String>,
}

/// The result of `Page.navigate`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NavigateResult {
    pub(crate) error_text: Option<String>,
}
