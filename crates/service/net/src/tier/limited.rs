//! The tier's own bounds: it is dearer and slower than plain requests, and somebody else's.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::{Answer, Fetch, FetchError, Request};
use runtime::InFlight;

/// The bounds of a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TierLimits {
    /// Requests of the node under way at a time.
    pub concurrency: usize,
    /// For one answer. Whoever passes a wall needs a while.
    pub whole: Duration,
}

impl Default for TierLimits {
    fn default() -> Self {
        Self { concurrency: 8, whole: Duration::from_secs(90) }
    }
}

/// A way past bot protection, within its bounds.
pub struct TierFetch {
    way: Arc<dyn Fetch>,
    places: Semaphore,
    limits: TierLimits,
}

impl std::fmt::Debug for TierFetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TierFetch").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl TierFetch {
    /// Goes by `way`, within `limits`.
    #[must_use]
    pub fn new(way: Arc<dyn Fetch>, limits: TierLimits) -> Self {
        Self { way, places: Semaphore::new(limits.concurrency.max(1)), limits }
    }
}

#[async_trait]
impl Fetch for TierFetch {
    async fn fetch(&self, request: Request) -> Result<Answer, FetchError> {
        // The semaphore is never closed.
        let _place = self.places.acquire().await.map_err(|_| FetchError::Protocol)?;
        let _counted = InFlight::new("trawl_tier_requests_under_way");
        self.way.fetch(request.within(self.limits.whole)).await
    }
}
