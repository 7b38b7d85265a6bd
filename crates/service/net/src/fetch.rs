//! The one way to ask a site for something, whoever does the asking.

use async_trait::async_trait;

use crate::{Answer, FetchError, Request};

/// Asks sites. A redirect or a 404 is an answer; an error means that there is no
/// usable one. Redirects are never followed: each hop is for the engine to judge.
/// Dropping the future ends the request.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// The answer to `request`.
    async fn fetch(&self, request: Request) -> Result<Answer, FetchError>;
}
