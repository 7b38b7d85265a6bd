//! The lease of a page on its host, in a cluster.

use std::time::Duration;

use store::{Dialect, NodeName, Store};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use urls::{CanonicalUrl, is_sample_host};

use crate::ApiState;
use crate::api_error::ApiResult;

/// Pause between two attempts to lease a host.
const RETRY: Duration = Duration::from_millis(250);

/// The time of a lease beyond that of its call.
const MARGIN: Duration = Duration::from_secs(5);

/// The lease on a host, which ends when it is dropped.
pub(super) struct HostTurn {
    _leased: Option<LeasedHost>,
}

struct LeasedHost {
    store: Store,
    node: NodeName,
    host: String,
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
            if state.store.enter_host(state.node(), host, within + MARGIN).await? {
                let (store, node) = (state.store.clone(), state.node().clone());
                let leased = LeasedHost { store, node, host: host.to_owned() };
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
