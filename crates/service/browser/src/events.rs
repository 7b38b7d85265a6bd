//! What the browser tells of a page, as far as it matters here.

use std::collections::HashMap;

use serde::Deserialize;

/// A request that waits for a word from us: before it is sent, or when its answer's
/// head is there.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPaused {
    pub(crate) request_id: String,
    pub(crate) request: Asked,
    pub(crate) frame_id: String,
    pub(crate) resource_type: String,
    pub(crate) response_error_reason: Option<String>,
    pub(crate) response_status_code: Option<u16>,
    #[serde(default)]
    pub(crate) response_headers: Vec<Header>,
    /// What the request is called in the events below.
    pub(crate) network_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    pub(crate) url: String,
    pub(crate) method: String,
    pub(crate) headers: HashMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Somebody wants a password: the proxy or the site.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuthRequired {
    pub(crate) request_id: String,
    pub(crate) auth_challenge: Challenge,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Challenge {
    pub(crate) source: Option<String>,
    pub(crate) origin: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestWillBeSent {
    pub(crate) request_id: String,
    /// The document that asks; empty for a worker.
    pub(crate) loader_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResponseReceived {
    pub(crate) request_id: String,
    pub(crate) response: Responded,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Responded {
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
    pub(crate) frame: Frame,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Frame {
    pub(crate) id: String,
    pub(crate) loader_id: String,
    pub(crate) url: String,
    /// What could not be shown: the frame holds the browser's own page about it.
    pub(crate) unreachable_url: Option<String>,
}

/// The answer to `Page.navigate`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Navigated {
    pub(crate) error_text: Option<String>,
}
