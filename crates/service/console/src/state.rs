//! Shared state of all pages.

use std::ops::Deref;
use std::sync::Arc;

use client::{ApiCall, Client};
use contract::{Clock, Millis};
use guides::Documentation;
use serde_json::Value;
use store::Store;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::{PageError, PageResult};

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
    /// Whether a payment provider is set up, so that credits can be bought.
    pub sells_credits: bool,
    /// Whether the service sends e-mails, so that a forgotten password can be replaced.
    pub sends_mail: bool,
    /// Blocked domains, shown to the operator.
    pub blocked_domains: Vec<String>,
    /// All settings of the service, shown to the operator.
    pub shown: Vec<ShownSetting>,
}

/// A setting as the operator sees it; the value of a secret is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSetting {
    pub name: String,
    pub value: String,
    /// Where the value comes from: the default, a file or a variable.
    pub origin: String,
}

/// Shared state of all pages.
#[derive(Debug, Clone)]
pub struct ConsoleState {
    inner: Arc<ConsoleInner>,
}

/// The members of [`ConsoleState`].
pub struct ConsoleInner {
    /// The API without a session.
    pub(crate) client: Client,
    /// For data that the API does not have: sessions and operator pages.
    pub(crate) store: Store,
    clock: Arc<dyn Clock>,
    pub(crate) settings: ConsoleSettings,
    /// Cancelled when the service shuts down.
    pub(crate) stopped: CancellationToken,
    /// The documentation, made on the first request of a page of it.
    documentation: OnceCell<Documentation>,
}

impl Deref for ConsoleState {
    type Target = ConsoleInner;

    fn deref(&self) -> &ConsoleInner {
        &self.inner
    }
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
        let documentation = OnceCell::new();
        let inner = ConsoleInner { client, store, clock, settings, stopped, documentation };
        Self { inner: Arc::new(inner) }
    }

    /// The documentation of this service.
    pub(crate) async fn documentation(&self) -> PageResult<&Documentation> {
        let make = || async {
            let document: Value = self.client.send(ApiCall::get("/openapi.json")).await?.json()?;
            Ok::<_, PageError>(Documentation::new(&document))
        };
        self.documentation.get_or_try_init(make).await
    }

    pub(crate) fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Whether the public URL is https.
    pub(crate) fn is_secure(&self) -> bool {
        self.settings.public_url.starts_with("https://")
    }
}

runtime::partial_debug!(ConsoleInner, settings);
