//! The interface of all fetchers.

use async_trait::async_trait;

use crate::{FetchRequest, FetchResponse, FetchResult};

/// Fetches URLs. Every status is a response; an error means that there is no usable response.
/// Fetchers do not follow redirects: each hop is a URL that the engine decides on. Dropping the
/// future cancels the request.
#[async_trait]
pub trait Fetch: Send + Sync {
    async fn fetch(&self, request: FetchRequest) -> FetchResult<FetchResponse>;
}
