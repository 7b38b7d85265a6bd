//! The lease of a page on its host, in a cluster.

use std::time::Duration;

use store::{Dialect, NodeName, Store};
use tokio::runtime::Handle;
use tokio::spawn;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};
use urls::{CanonicalUrl, is_sample_host};

use crate::ApiState;
use crate::api_error::ApiResult;

/// Pause between two attempts to lease a host.
const RETRY: Duration = Duration::from_millis(250);

/// The time of a lease, and the pause after which it is renewed.
const LEASE: Duration = Duration::from_secs(8);
const RENEWAL: Duration = Duration::from_secs(2);

/// The lease on a host, which ends when it is dropped.
pub(crate) struct HostTurn {
    _leased: Option<LeasedHost>,
}

struct LeasedHost {
    store: Store,
    node: NodeName,
    host: String,
    renewal: AbortHandle,
}

/// Renews a lease until the task is aborted.
async fn renew(store: Store, node: NodeName, host: String) {
    loop {
        sleep(RENEWAL).await;
        if let Err(error) = store.stay_on_host(&node, &host, LEASE).await {
            tracing::warn!(%error, host, "failed to renew the host lease of a page");
        }
    }
}

impl HostTurn {
    /// Waits until no other node sends requests to the host, and leases it. `None` if that takes
    /// longer than `within`. A service on SQLite has one node.
    pub async fn wait(
        state: &ApiState,
        url: &CanonicalUrl,
        within: Duration,
    ) -> ApiResult<Option<Self>> {
        let host = url.bare_host();
        if state.store.dialect() == Dialect::Sqlite || is_sample_host(host) {
            return Ok(Some(Self { _leased: None }));
        }
        let until = Instant::now() + within;
        loop {
            if state.store.enter_host(state.node(), host, LEASE).await? {
                let (store, node) = (state.store.clone(), state.node().clone());
                let host = host.to_owned();
                let renewal = spawn(renew(store.clone(), node.clone(), host.clone()));
                let leased = LeasedHost { store, node, host, renewal: renewal.abort_handle() };
                return Ok(Some(Self { _leased: Some(leased) }));
            }
            if Instant::now() + RETRY >= until {
                return Ok(None);
            }
            sleep(RETRY).await;
        }
    }
}

impl Drop for LeasedHost {
    /// Also if the client has closed the connection.
    fn drop(&mut self) {
        self.renewal.abort();
        let Ok(runtime) = Handle::try_current() else { return };
        let (store, node) = (self.store.clone(), self.node.clone());
        let host = std::mem::take(&mut self.host);
        runtime.spawn(async move {
            if let Err(error) = store.leave_host(&node, &host).await {
                tracing::warn!(%error, host, "failed to release the host lease of a page; it expires");
            }
        });
    }
}
