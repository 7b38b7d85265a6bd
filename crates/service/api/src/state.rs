//! What every request can reach.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use contract::{Clock, Millis};
use net::{Fetch, GuardedResolver};
use reader::ReadExecutor;
use store::Store;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::audience::{Audience, Seats};
use crate::bucket::{Buckets, Rate};
use crate::file_lengths::FileLengths;
use crate::query_names::QueryNames;
use crate::shares::Shares;
use crate::{ApiSettings, Metrics, openapi};

/// Sites that are looked at for an estimate at a time.
const LOOKS_AT_ONCE: usize = 32;

/// Files that are taken away at a time: each takes a thread.
const EXPORTS_AT_ONCE: usize = 64;

/// Runs that are compared at a time: each reads two of them through.
const COMPARISONS_AT_ONCE: usize = 2;

/// Passwords that are checked at a time: each takes 19 MiB and a core for a while.
const SIGN_INS_AT_ONCE: usize = 4;

/// What every request can reach. Cheap to clone.
#[derive(Clone)]
pub struct ApiState {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    settings: ApiSettings,
    clock: Arc<dyn Clock>,
    metrics: Option<Metrics>,
    requests: Buckets,
    account_requests: Buckets,
    addresses: Buckets,
    under_way: Shares,
    account_exports: Shares,
    account_comparisons: Shares,
    sign_ins: Buckets,
    registrations: Buckets,
    passwords: Semaphore,
    fetch: Arc<dyn Fetch>,
    readers: ReadExecutor,
    receivers: Arc<GuardedResolver>,
    looks: Semaphore,
    comparisons: Semaphore,
    exports: Arc<Semaphore>,
    file_lengths: FileLengths,
    audience: Audience,
    document: Bytes,
    warned_of_proxy: AtomicBool,
    query_names: QueryNames,
}

impl ApiState {
    /// The state of an API over `store` that looks at sites through `fetch`, reads their answers
    /// in `readers` and finds out through `receivers` where webhook endpoints are. Without
    /// `metrics`, `GET /metrics` is empty.
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
        let requests = Buckets::new(Rate {
            per_minute: limits.requests_per_minute,
            burst: limits.request_burst,
        });
        // A ceiling over all keys that is lower than that of one key would be the ceiling of that
        // key; the same holds for addresses and accounts.
        let account_rate = limits.account_requests_per_minute.max(limits.requests_per_minute);
        let address_rate = settings.address_per_minute.max(account_rate);
        let over_all = |per_minute: u32| {
            Buckets::new(Rate { per_minute, burst: limits.request_burst.max(per_minute / 10) })
        };
        let sign_ins = Buckets::new(Rate {
            per_minute: settings.sign_ins_per_network,
            burst: settings.sign_ins_per_network,
        });
        let registrations = Buckets::new(Rate {
            per_minute: settings.registrations_per_minute,
            burst: settings.registrations_per_minute,
        });
        let document = openapi(&settings);
        let query_names = QueryNames::of(&document);
        let document = Bytes::from(document.to_string());
        let passwords = Semaphore::new(SIGN_INS_AT_ONCE);
        let of_account = usize::try_from(limits.listeners).unwrap_or(usize::MAX);
        let seats = Seats {
            in_all: settings.listeners,
            of_account,
            of_address: settings.address_listeners,
        };
        let audience = Audience::new(store.clone(), Arc::clone(&clock), seats);
        let under_way = Shares::new(settings.account_under_way);
        let account_exports = Shares::new(settings.account_exports);
        let account_comparisons = Shares::new(settings.account_comparisons);
        let (account_requests, addresses) = (over_all(account_rate), over_all(address_rate));
        let inner = Inner {
            store,
            settings,
            clock,
            metrics,
            requests,
            account_requests,
            addresses,
            under_way,
            account_exports,
            account_comparisons,
            sign_ins,
            registrations,
            passwords,
            fetch,
            readers,
            receivers,
            looks: Semaphore::new(LOOKS_AT_ONCE),
            comparisons: Semaphore::new(COMPARISONS_AT_ONCE),
            exports: Arc::new(Semaphore::new(EXPORTS_AT_ONCE)),
            file_lengths: FileLengths::default(),
            audience,
            document,
            warned_of_proxy: AtomicBool::new(false),
            query_names,
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

    /// Requests by key, or by account where a session calls.
    pub(crate) fn requests(&self) -> &Buckets {
        &self.inner.requests
    }

    /// Requests by account, over all its credentials.
    pub(crate) fn account_requests(&self) -> &Buckets {
        &self.inner.account_requests
    }

    /// Requests by address, before anybody is authenticated.
    pub(crate) fn addresses(&self) -> &Buckets {
        &self.inner.addresses
    }

    /// Requests that are being answered, by account.
    pub(crate) fn under_way(&self) -> &Shares {
        &self.inner.under_way
    }

    /// Files that are being downloaded, by account.
    pub(crate) fn account_exports(&self) -> &Shares {
        &self.inner.account_exports
    }

    /// Comparisons under way or waiting, by account.
    pub(crate) fn account_comparisons(&self) -> &Shares {
        &self.inner.account_comparisons
    }

    /// Attempts to sign in, by network. Those by account are counted in the store.
    pub(crate) fn sign_ins(&self) -> &Buckets {
        &self.inner.sign_ins
    }

    /// Registrations of applications, by address.
    pub(crate) fn registrations(&self) -> &Buckets {
        &self.inner.registrations
    }

    /// The right to check a password.
    pub(crate) fn passwords(&self) -> &Semaphore {
        &self.inner.passwords
    }

    /// The way out, for a first look at a site.
    pub(crate) fn fetch(&self) -> &dyn Fetch {
        self.inner.fetch.as_ref()
    }

    /// What reads the answers of a site that is looked at.
    pub(crate) fn readers(&self) -> &ReadExecutor {
        &self.inner.readers
    }

    /// Where webhook endpoints are, as far as they may be spoken to.
    pub(crate) fn receivers(&self) -> &GuardedResolver {
        &self.inner.receivers
    }

    /// The right to look at a site.
    pub(crate) fn looks(&self) -> &Semaphore {
        &self.inner.looks
    }

    /// The right to compare two runs.
    pub(crate) fn comparisons(&self) -> &Semaphore {
        &self.inner.comparisons
    }

    /// The right to write a file, unless too many are being written.
    pub(crate) fn exports(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.inner.exports).try_acquire_owned().ok()
    }

    /// The lengths of files that HEAD requests asked for.
    pub(crate) fn file_lengths(&self) -> &FileLengths {
        &self.inner.file_lengths
    }

    /// Whoever watches jobs live.
    pub(crate) fn audience(&self) -> &Audience {
        &self.inner.audience
    }

    /// True once in the life of the process: the operator is warned of a proxy once.
    pub(crate) fn warns_of_proxy(&self) -> bool {
        !self.inner.warned_of_proxy.swap(true, Ordering::Relaxed)
    }

    /// The query parameters of each operation.
    pub(crate) fn query_names(&self) -> &QueryNames {
        &self.inner.query_names
    }

    /// The OpenAPI document as it is served.
    pub(crate) fn document(&self) -> Bytes {
        self.inner.document.clone()
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
    fn one_account_takes_a_quarter_of_downloads_and_streams_at_most() {
        let settings = ApiSettings::default();
        assert!(settings.account_exports * 4 <= EXPORTS_AT_ONCE);
        assert!(settings.limits.listeners as usize * 4 <= settings.listeners);
    }
}
