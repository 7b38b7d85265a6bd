//! Shared state of all pages.

use std::fmt;
use std::sync::Arc;

use client::Client;
use contract::{Clock, Millis};
use store::Store;
use tokio_util::sync::CancellationToken;

use crate::{ConsoleUser, UserApi};

/// Settings of the console.
#[derive(Debug, Clone)]
pub struct ConsoleSettings {
    /// Public URL of the service, without a slash at its end.
    pub public_url: String,
    /// Names of the sources of runs, for the filter.
    pub sources: Vec<String>,
    /// Maximum page size of the API.
    pub page_size_max: u64,
    /// Whether the last entry of `X-Forwarded-For` is the client address, as for the API.
    pub trust_forwarded_for: bool,
    /// Blocked domains, shown to the operator.
    pub blocked_domains: Vec<String>,
}

/// Shared state of all pages.
#[derive(Clone)]
pub struct ConsoleState {
    inner: Arc<ConsoleInner>,
}

struct ConsoleInner {
    client: Client,
    store: Store,
    clock: Arc<dyn Clock>,
    settings: ConsoleSettings,
    stopped: CancellationToken,
}

impl ConsoleState {
    /// A console on the API that `client` calls. Streams end when `stopped` is cancelled.
    #[must_use]
    pub fn new(
        client: Client,
        store: Store,
        clock: Arc<dyn Clock>,
        settings: ConsoleSettings,
        stopped: CancellationToken,
    ) -> Self {
        Self { inner: Arc::new(ConsoleInner { client, store, clock, settings, stopped }) }
    }

    /// The API with the session of this user.
    pub(crate) fn api<'a>(&'a self, user: &'a ConsoleUser) -> UserApi<'a> {
        UserApi::new(&self.inner.client, user)
    }

    /// The API without a session.
    pub(crate) fn client(&self) -> &Client {
        &self.inner.client
    }

    /// The store, for data that the API does not have: sessions and operator pages.
    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn now(&self) -> Millis {
        self.inner.clock.now()
    }

    pub(crate) fn settings(&self) -> &ConsoleSettings {
        &self.inner.settings
    }

    /// Whether the public URL is https.
    pub(crate) fn is_secure(&self) -> bool {
        self.inner.settings.public_url.starts_with("https://")
    }

    /// Cancelled when the service shuts down.
    pub(crate) fn stopped(&self) -> CancellationToken {
        self.inner.stopped.clone()
    }
}

impl fmt::Debug for ConsoleState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleState")
            .field("settings", &self.inner.settings)
            .finish_non_exhaustive()
    }
}
