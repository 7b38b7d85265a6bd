//! What every page can reach.

use std::fmt;
use std::sync::Arc;

use client::Client;
use contract::{Clock, Millis};
use store::Store;
use tokio::sync::watch;

use crate::{ConsoleUser, UserApi};

/// What the operator decides about the console.
#[derive(Debug, Clone)]
pub struct ConsoleSettings {
    /// Where people reach the service, without a slash at its end.
    pub public_url: String,
    /// The channels that a run may come from.
    pub sources: Vec<String>,
    /// As many entries a page as the API gives.
    pub page_size_max: u64,
    /// Whether the last entry of `X-Forwarded-For` is the client's address, as for the API.
    pub trust_forwarded_for: bool,
    /// Domains that are not crawled, for the operator to see.
    pub blocked_domains: Vec<String>,
}

/// What every page can reach. Cheap to clone.
#[derive(Clone)]
pub struct ConsoleState {
    inner: Arc<ConsoleInner>,
}

struct ConsoleInner {
    client: Client,
    store: Store,
    clock: Arc<dyn Clock>,
    settings: ConsoleSettings,
    stopped: watch::Receiver<bool>,
}

impl ConsoleState {
    /// The state of a console over the API that `client` reaches. Streams end when `stopped`
    /// becomes true.
    #[must_use]
    pub fn new(
        client: Client,
        store: Store,
        clock: Arc<dyn Clock>,
        settings: ConsoleSettings,
        stopped: watch::Receiver<bool>,
    ) -> Self {
        Self { inner: Arc::new(ConsoleInner { client, store, clock, settings, stopped }) }
    }

    /// The API as this person may use it.
    pub(crate) fn api<'a>(&'a self, user: &'a ConsoleUser) -> UserApi<'a> {
        UserApi::new(&self.inner.client, user)
    }

    /// The API as anybody may use it.
    pub(crate) fn client(&self) -> &Client {
        &self.inner.client
    }

    /// For what the API does not tell: who is signed in, the operator's pages.
    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn now(&self) -> Millis {
        self.inner.clock.now()
    }

    pub(crate) fn settings(&self) -> &ConsoleSettings {
        &self.inner.settings
    }

    /// Whether people reach us over TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.inner.settings.public_url.starts_with("https://")
    }

    /// Becomes true when the service ends.
    pub(crate) fn stopped(&self) -> watch::Receiver<bool> {
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
