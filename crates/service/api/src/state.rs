//! The state that all handlers share.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use contract::{Clock, Millis};
use net::{Fetch, GuardedResolver};
use reader::ReadExecutor;
use serde_json::Value;
use store::Store;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::file_lengths::FileLengths;
use crate::keyed_limit::KeyedLimit;
use crate::progress_hub::{ProgressHub, StreamLimits};
use crate::query_names::QueryNames;
use crate::token_bucket::{RequestRate, TokenBuckets};
use crate::{ApiSettings, Metrics};

/// Concurrent probes of sites for estimates.
const MAX_PROBES: usize = 32;

/// Concurrent downloads of exports: each uses a thread.
const MAX_EXPORTS: usize = 64;

/// Concurrent comparisons: each reads all results of two runs.
const MAX_COMPARISONS: usize = 2;

/// Concurrent password checks: each uses 19 MiB and a core.
const MAX_PASSWORD_CHECKS: usize = 4;

/// The state that all handlers share. Cheap to clone.
#[derive(Clone)]
pub struct ApiState {
    inner: Arc<SharedState>,
}

struct SharedState {
    store: Store,
    settings: ApiSettings,
    clock: Arc<dyn Clock>,
    metrics: Option<Metrics>,
    requests: TokenBuckets,
    account_requests: TokenBuckets,
    addresses: TokenBuckets,
    requests_in_flight: KeyedLimit,
    account_exports: KeyedLimit,
    account_comparisons: KeyedLimit,
    sign_ins: TokenBuckets,
    registrations: TokenBuckets,
    passwords: Semaphore,
    fetch: Arc<dyn Fetch>,
    readers: ReadExecutor,
    receivers: Arc<GuardedResolver>,
    probes: Semaphore,
    comparisons: Semaphore,
    exports: Arc<Semaphore>,
    file_lengths: FileLengths,
    progress_hub: ProgressHub,
    warned_of_proxy: AtomicBool,
    document: OnceLock<ServedDocument>,
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
        let requests = TokenBuckets::new(RequestRate {
            per_minute: limits.requests_per_minute,
            burst: limits.request_burst,
        });
        // The limit of an account is at least that of one key, and the limit of an address at least
        // that of an account.
        let account_rate = limits.account_requests_per_minute.max(limits.requests_per_minute);
        let address_rate = settings.address_per_minute.max(account_rate);
        let over_all = |per_minute: u32| {
            TokenBuckets::new(RequestRate {
                per_minute,
                burst: limits.request_burst.max(per_minute / 10),
            })
        };
        let sign_ins = TokenBuckets::new(RequestRate {
            per_minute: settings.sign_ins_per_network,
            burst: settings.sign_ins_per_network,
        });
        let registrations = TokenBuckets::new(RequestRate {
            per_minute: settings.registrations_per_minute,
            burst: settings.registrations_per_minute,
        });
        let passwords = Semaphore::new(MAX_PASSWORD_CHECKS);
        let per_account = usize::try_from(limits.listeners).unwrap_or(usize::MAX);
        let stream_limits = StreamLimits {
            total: settings.listeners,
            per_account,
            per_address: settings.address_listeners,
        };
        let progress_hub = ProgressHub::new(store.clone(), Arc::clone(&clock), stream_limits);
        let requests_in_flight = KeyedLimit::new(settings.account_requests_in_flight);
        let account_exports = KeyedLimit::new(settings.account_exports);
        let account_comparisons = KeyedLimit::new(settings.account_comparisons);
        let (account_requests, addresses) = (over_all(account_rate), over_all(address_rate));
        let inner = SharedState {
            store,
            settings,
            clock,
            metrics,
            requests,
            account_requests,
            addresses,
            requests_in_flight,
            account_exports,
            account_comparisons,
            sign_ins,
            registrations,
            passwords,
            fetch,
            readers,
            receivers,
            probes: Semaphore::new(MAX_PROBES),
            comparisons: Semaphore::new(MAX_COMPARISONS),
            exports: Arc::new(Semaphore::new(MAX_EXPORTS)),
            file_lengths: FileLengths::default(),
            progress_hub,
            warned_of_proxy: AtomicBool::new(false),
            document: OnceLock::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn settings(&self) -> &ApiSettings {
        &self.inner.settings
    }

    pub(crate) fn now(&self) -> Millis {
        self.inner.clock.now()
    }

    pub(crate) fn metrics(&self) -> Option<&Metrics> {
        self.inner.metrics.as_ref()
    }

    /// Rate limit of requests by credential: the key or application, or the account of a session.
    pub(crate) fn requests(&self) -> &TokenBuckets {
        &self.inner.requests
    }

    /// Rate limit of requests by account, over all its credentials.
    pub(crate) fn account_requests(&self) -> &TokenBuckets {
        &self.inner.account_requests
    }

    /// Rate limit of requests by address, applied before authentication.
    pub(crate) fn addresses(&self) -> &TokenBuckets {
        &self.inner.addresses
    }

    /// Limit of requests in flight by account.
    pub(crate) fn requests_in_flight(&self) -> &KeyedLimit {
        &self.inner.requests_in_flight
    }

    /// Limit of concurrent downloads by account.
    pub(crate) fn account_exports(&self) -> &KeyedLimit {
        &self.inner.account_exports
    }

    /// Limit of comparisons by account, running or waiting.
    pub(crate) fn account_comparisons(&self) -> &KeyedLimit {
        &self.inner.account_comparisons
    }

    /// Rate limit of sign-ins by network. The store counts them by account.
    pub(crate) fn sign_ins(&self) -> &TokenBuckets {
        &self.inner.sign_ins
    }

    /// Rate limit of application registrations by address.
    pub(crate) fn registrations(&self) -> &TokenBuckets {
        &self.inner.registrations
    }

    /// Limit of concurrent password checks.
    pub(crate) fn passwords(&self) -> &Semaphore {
        &self.inner.passwords
    }

    /// The HTTP client that probes sites for estimates.
    pub(crate) fn fetch(&self) -> &dyn Fetch {
        self.inner.fetch.as_ref()
    }

    /// The executor that reads the responses of probed sites.
    pub(crate) fn readers(&self) -> &ReadExecutor {
        &self.inner.readers
    }

    /// Resolves the hosts of webhook endpoints and checks their addresses.
    pub(crate) fn receivers(&self) -> &GuardedResolver {
        &self.inner.receivers
    }

    /// Limit of concurrent probes for estimates.
    pub(crate) fn probes(&self) -> &Semaphore {
        &self.inner.probes
    }

    /// Limit of concurrent comparisons.
    pub(crate) fn comparisons(&self) -> &Semaphore {
        &self.inner.comparisons
    }

    /// A permit to write an export, unless all are taken.
    pub(crate) fn export_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.inner.exports).try_acquire_owned().ok()
    }

    /// Cached lengths of files, for HEAD requests.
    pub(crate) fn file_lengths(&self) -> &FileLengths {
        &self.inner.file_lengths
    }

    /// Publishes the progress of watched jobs.
    pub(crate) fn progress_hub(&self) -> &ProgressHub {
        &self.inner.progress_hub
    }

    /// True at the first call: the warning about a proxy is logged once per process.
    pub(crate) fn take_proxy_warning(&self) -> bool {
        !self.inner.warned_of_proxy.swap(true, Ordering::Relaxed)
    }

    /// Sets the OpenAPI document, which the router builds from its routes. Later calls do nothing.
    pub(crate) fn set_document(&self, build: impl FnOnce() -> Value) {
        self.inner.document.get_or_init(|| {
            let document = build();
            ServedDocument {
                query_names: QueryNames::of(&document),
                json: Bytes::from(document.to_string()),
            }
        });
    }

    fn served_document(&self) -> &ServedDocument {
        self.inner.document.get_or_init(ServedDocument::default)
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

impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState").field("settings", &self.inner.settings).finish_non_exhaustive()
    }
}

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
