//! Concurrency and time limits of the protected tier.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::{Fetch, FetchError, FetchRequest, FetchResponse, FetchResult};
use runtime::InFlight;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TierLimits {
    /// Maximum concurrent requests of the node.
    pub concurrency: usize,
    /// Timeout of a request. Providers are slower than sites.
    pub whole: Duration,
}

impl Default for TierLimits {
    fn default() -> Self {
        Self { concurrency: 8, whole: Duration::from_secs(90) }
    }
}

/// Wraps the fetcher of the protected tier with its limits.
pub struct TierFetch {
    inner: Arc<dyn Fetch>,
    slots: Semaphore,
    limits: TierLimits,
}

runtime::partial_debug!(TierFetch, limits);

impl TierFetch {
    #[must_use]
    pub fn new(inner: Arc<dyn Fetch>, limits: TierLimits) -> Self {
        Self { inner, slots: Semaphore::new(limits.concurrency.max(1)), limits }
    }
}

#[async_trait]
impl Fetch for TierFetch {
    async fn fetch(&self, request: FetchRequest) -> FetchResult<FetchResponse> {
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await.map_err(|_| FetchError::Protocol)?;
        let _counted = InFlight::new("trawl_tier_requests_under_way");
        self.inner.fetch(request.within(self.limits.whole)).await
    }
}
