//! The state that all handlers share.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use contract::{Clock, Millis};
use crawl::Retries;
use net::{Fetch, GuardedResolver};
use pages::PageService;
use reader::ReadExecutor;
use runner::{Fetcher, HostGate, HostGateSettings, PageCache};
use serde_json::Value;
use store::{NodeName, Store};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::file_lengths::FileLengths;
use crate::keyed_limit::KeyedLimit;
use crate::keyed_lock::KeyedLock;
use crate::progress_hub::{ProgressHub, StreamLimits};
use crate::query_names::QueryNames;
use crate::token_bucket::{RequestRate, TokenBuckets};
use crate::{ApiSettings, Metrics};

/// Concurrent probes of sites for estimates.
const MAX_PROBES: usize = 32;

/// Previews of one account per minute.
const PREVIEWS_PER_MINUTE: u32 = 6;

/// Concurrent uploads of lists: each uses up to 64 MiB of memory.
const MAX_UPLOADS: usize = 4;

/// Concurrent maps of one account.
const MAX_ACCOUNT_MAPS: usize = 4;

/// Concurrent downloads of exports: each uses a thread.
const MAX_EXPORTS: usize = 64;

/// Pages that are read at once at a time: each may hold a document of megabytes. Further calls wait.
const MAX_PAGES: usize = 512;

/// Concurrent previews of all accounts.
const MAX_PREVIEWS: usize = 64;

/// Bytes of the page cache without [`ApiState::with_pages`].
const PAGE_CACHE: usize = 16 << 20;

/// Concurrent comparisons: each reads all results of two runs.
const MAX_COMPARISONS: usize = 2;

/// Concurrent password checks: each uses 19 MiB and a core.
const MAX_PASSWORD_CHECKS: usize = 4;

/// The state that all handlers share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ApiState {
    inner: Arc<SharedState>,
}

/// The members of [`ApiState`].
pub struct SharedState {
    pub(crate) store: Store,
    pub(crate) settings: ApiSettings,
    clock: Arc<dyn Clock>,
    pub(crate) metrics: Option<Metrics>,
    /// Rate limit of requests by credential: the key or application, or the account of a session.
    pub(crate) requests: TokenBuckets,
    /// Rate limit of requests by account, over all its credentials.
    pub(crate) account_requests: TokenBuckets,
    /// Rate limit of requests by address, applied before authentication.
    pub(crate) addresses: TokenBuckets,
    /// Limit of requests in flight by account.
    pub(crate) requests_in_flight: KeyedLimit,
    /// Limit of concurrent downloads by account.
    pub(crate) account_exports: KeyedLimit,
    /// Limit of pages that are read at once, by account.
    pub(crate) account_pages: KeyedLimit,
    /// Limit of pages that are read at once.
    pub(crate) page_calls: Semaphore,
    /// Limit of previews at a time, apart from pages: they are free.
    pub(crate) preview_calls: Semaphore,
    /// Retries of a page wait for the request in progress, by account and `Idempotency-Key`.
    pub(crate) page_retries: KeyedLock,
    pages: OnceLock<PageService>,
    node: OnceLock<NodeName>,
    is_started: OnceLock<Arc<AtomicBool>>,
    shutdown: OnceLock<CancellationToken>,
    /// Limit of comparisons by account, running or waiting.
    pub(crate) account_comparisons: KeyedLimit,
    /// Limit of concurrent maps by account.
    pub(crate) account_maps: KeyedLimit,
    /// Rate limit of sign-ins by network. The store counts them by account.
    pub(crate) sign_ins: TokenBuckets,
    /// Rate limit of application registrations by address.
    pub(crate) registrations: TokenBuckets,
    /// Limit of concurrent password checks.
    pub(crate) passwords: Semaphore,
    /// The HTTP client that probes sites for estimates.
    pub(crate) fetch: Arc<dyn Fetch>,
    /// The executor that reads the responses of probed sites.
    pub(crate) readers: ReadExecutor,
    /// Resolves the hosts of webhook endpoints and checks their addresses.
    pub(crate) receivers: Arc<GuardedResolver>,
    /// Limit of concurrent probes for estimates.
    pub(crate) probes: Semaphore,
    /// Rate limit of previews by account.
    pub(crate) previews: TokenBuckets,
    /// Limit of concurrent uploads of lists.
    pub(crate) uploads: Semaphore,
    /// Limit of concurrent uploads of lists by account: one.
    pub(crate) account_uploads: KeyedLimit,
    /// Limit of concurrent comparisons.
    pub(crate) comparisons: Semaphore,
    exports: Arc<Semaphore>,
    /// Cached lengths of files, for HEAD requests.
    pub(crate) file_lengths: FileLengths,
    /// Publishes the progress of watched jobs.
    pub(crate) progress_hub: ProgressHub,
    warned_of_proxy: AtomicBool,
    document: OnceLock<ServedDocument>,
}

impl Deref for ApiState {
    type Target = SharedState;

    fn deref(&self) -> &SharedState {
        &self.inner
    }
}

/// The OpenAPI document, and what is derived from it.
#[derive(Default)]
struct ServedDocument {
    json: Bytes,
    query_names: QueryNames,
}

impl ApiState {
    /// The state of an API over `store`. `fetch` and `readers` probe sites for estimates,
    /// `receivers` resolves and checks the hosts of webhook endpoints. Without `metrics`,
    /// `GET /metrics` is empty.
    #[must_use]
    pub fn new(
        store: Store,
        settings: ApiSettings,
        clock: Arc<dyn Clock>,
        metrics: Option<Metrics>,
        fetch: Arc<dyn Fetch>,
        readers: ReadExecutor,
        receivers: Arc<GuardedResolver>,
    ) -> Self {
        let limits = &settings.limits;
        let buckets =
            |per_minute: u32, burst: u32| TokenBuckets::new(RequestRate { per_minute, burst });
        // The limit of an account is at least that of one key, and the limit of an address at least
        // that of an account.
        let account_rate = limits.account_requests_per_minute.max(limits.requests_per_minute);
        let address_rate = settings.address_per_minute.max(account_rate);
        let over_all = |per_minute| buckets(per_minute, limits.request_burst.max(per_minute / 10));
        let by_minute = |per_minute| buckets(per_minute, per_minute);
        let stream_limits = StreamLimits {
            total: settings.listeners,
            per_account: usize::try_from(limits.listeners).unwrap_or(usize::MAX),
            per_address: settings.address_listeners,
        };
        let inner = SharedState {
            progress_hub: ProgressHub::new(store.clone(), Arc::clone(&clock), stream_limits),
            requests: buckets(limits.requests_per_minute, limits.request_burst),
            account_requests: over_all(account_rate),
            addresses: over_all(address_rate),
            requests_in_flight: KeyedLimit::new(settings.account_requests_in_flight),
            account_exports: KeyedLimit::new(settings.account_exports),
            account_pages: KeyedLimit::new(settings.account_pages),
            page_calls: Semaphore::new(MAX_PAGES),
            preview_calls: Semaphore::new(MAX_PREVIEWS),
            page_retries: KeyedLock::default(),
            pages: OnceLock::new(),
            node: OnceLock::new(),
            is_started: OnceLock::new(),
            shutdown: OnceLock::new(),
            account_comparisons: KeyedLimit::new(settings.account_comparisons),
            account_maps: KeyedLimit::new(MAX_ACCOUNT_MAPS),
            sign_ins: by_minute(settings.sign_ins_per_network),
            registrations: by_minute(settings.registrations_per_minute),
            passwords: Semaphore::new(MAX_PASSWORD_CHECKS),
            probes: Semaphore::new(MAX_PROBES),
            previews: by_minute(PREVIEWS_PER_MINUTE),
            uploads: Semaphore::new(MAX_UPLOADS),
            account_uploads: KeyedLimit::new(1),
            comparisons: Semaphore::new(MAX_COMPARISONS),
            exports: Arc::new(Semaphore::new(MAX_EXPORTS)),
            file_lengths: FileLengths::default(),
            warned_of_proxy: AtomicBool::new(false),
            document: OnceLock::new(),
            store,
            clock,
            metrics,
            fetch,
            readers,
            receivers,
            settings,
        };
        Self { inner: Arc::new(inner) }
    }

    /// Reads single pages by `pages`, which shares its fetcher with the runs of the node. Without
    /// it, pages are read with the client of estimates. Only the first call has an effect.
    #[must_use]
    pub fn with_pages(self, pages: PageService) -> Self {
        let _: Result<(), PageService> = self.inner.pages.set(pages);
        self
    }

    /// Leases hosts as this node, the same as its workers. Only the first call has an effect.
    #[must_use]
    pub fn with_node(self, node: NodeName) -> Self {
        let _: Result<(), NodeName> = self.inner.node.set(node);
        self
    }

    /// Answers `GET /readyz` with 503 until `is_started`. Only the first call has an effect.
    #[must_use]
    pub fn with_start(self, is_started: Arc<AtomicBool>) -> Self {
        let _: Result<(), _> = self.inner.is_started.set(is_started);
        self
    }

    /// Answers `GET /readyz` with 503 once `shutdown` is cancelled. Only the first call has an effect.
    #[must_use]
    pub fn with_shutdown(self, shutdown: CancellationToken) -> Self {
        let _: Result<(), _> = self.inner.shutdown.set(shutdown);
        self
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.inner.shutdown.get().is_some_and(CancellationToken::is_cancelled)
    }

    pub(crate) fn is_started(&self) -> bool {
        self.inner.is_started.get().is_none_or(|flag| flag.load(Ordering::Acquire))
    }

    pub(crate) fn node(&self) -> &NodeName {
        self.inner.node.get_or_init(NodeName::random)
    }

    /// The service that reads single pages.
    pub(crate) fn pages(&self) -> &PageService {
        self.inner.pages.get_or_init(|| {
            let clock = Arc::clone(&self.inner.clock);
            let gate = HostGate::new(HostGateSettings::default(), Arc::clone(&clock));
            let fetcher = Fetcher::new(Arc::clone(&self.inner.fetch), gate, clock)
                .with_page_cache(PageCache::new(PAGE_CACHE));
            PageService::new(fetcher, Retries::default())
        })
    }

    pub(crate) fn now(&self) -> Millis {
        self.clock.now()
    }

    /// A permit to write an export, unless all are taken.
    pub(crate) fn export_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.exports).try_acquire_owned().ok()
    }

    /// True at the first call: the warning about a proxy is logged once per process.
    pub(crate) fn take_proxy_warning(&self) -> bool {
        !self.warned_of_proxy.swap(true, Ordering::Relaxed)
    }

    /// Sets the OpenAPI document, which the router builds from its routes. Later calls do nothing.
    pub(crate) fn set_document(&self, build: impl FnOnce() -> Value) {
        self.document.get_or_init(|| {
            let document = build();
            ServedDocument {
                query_names: QueryNames::of(&document),
                json: Bytes::from(document.to_string()),
            }
        });
    }

    fn served_document(&self) -> &ServedDocument {
        self.document.get_or_init(ServedDocument::default)
    }

    /// The query parameters of each operation.
    pub(crate) fn query_names(&self) -> &QueryNames {
        &self.served_document().query_names
    }

    /// The OpenAPI document as it is served.
    pub(crate) fn document(&self) -> Bytes {
        self.served_document().json.clone()
    }
}

runtime::partial_debug!(SharedState, settings);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_account_can_use_a_quarter_of_downloads_and_streams() {
        let settings = ApiSettings::default();
        assert!(settings.account_exports * 4 <= MAX_EXPORTS);
        assert!(settings.limits.listeners as usize * 4 <= settings.listeners);
    }
}
