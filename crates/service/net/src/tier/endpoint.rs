//! A request to the endpoint of a web unlocker.

use http::HeaderMap;

/// URL and headers of a request to the provider.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
}

runtime::partial_debug!(Endpoint);
