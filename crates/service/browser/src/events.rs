//! DevTools events, with the fields that are used here.

use std::collections::HashMap;

use serde::Deserialize;

/// Structs that are read from JSON with names in camel case, as the protocol writes them.
macro_rules! protocol_structs {
    ($($(#[$about:meta])* $name:ident {
        $($(#[$about_field:meta])* $field:ident: $type:ty,)+
    })+) => {$(
        $(#[$about])*
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name {
            $($(#[$about_field])* pub(crate) $field: $type,)+
        }
    )+};
}

protocol_structs! {
    /// A paused request: before it is sent, or after the response headers.
    RequestPaused {
        request_id: String,
        request: PausedRequestInfo,
        frame_id: String,
        resource_type: String,
        response_error_reason: Option<String>,
        response_status_code: Option<u16>,
        #[serde(default)]
        response_headers: Vec<HeaderEntry>,
        /// The `request_id` of the `Network` events.
        network_id: Option<String>,
    }

    PausedRequestInfo { url: String, method: String, headers: HashMap<String, String>, }

    HeaderEntry { name: String, value: String, }

    /// The proxy or a site requires credentials.
    AuthRequired { request_id: String, auth_challenge: AuthChallenge, }

    AuthChallenge { source: Option<String>, origin: String, }

    RequestWillBeSent {
        request_id: String,
        /// The document that sends it; empty for a worker.
        loader_id: String,
        #[serde(rename = "type")]
        kind: Option<String>,
    }

    ResponseReceived { request_id: String, response: ResponseInfo, }

    ResponseInfo { protocol: Option<String>, }

    DataReceived { request_id: String, data_length: u64, }

    LoadingFinished { request_id: String, encoded_data_length: f64, }

    LoadingFailed { request_id: String, error_text: String, }

    FrameStoppedLoading { frame_id: String, }

    FrameNavigated { frame: FrameInfo, }

    FrameInfo {
        id: String,
        loader_id: String,
        url: String,
        /// Set if the frame shows the browser's error page.
        unreachable_url: Option<String>,
    }

    /// The result of `Page.navigate`.
    NavigateResult { error_text: Option<String>, }
}
