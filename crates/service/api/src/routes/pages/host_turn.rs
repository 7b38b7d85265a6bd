//! The lease of a page on its host, in a cluster. While another node has the host, the call is
//! forwarded to that node.

use std::time::Duration;

use store::{Dialect, NodeName, PageCallAnswer, PageCallRequest, Store};
use tokio::runtime::Handle;
use tokio::spawn;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};
use urls::{CanonicalUrl, is_sample_host};

use super::forwarded_call::{CallEvent, ForwardedCall};
use crate::ApiState;
use crate::api_error::ApiResult;

/// Pause between two attempts to lease a host for a call that cannot be forwarded.
const RETRY: Duration = Duration::from_millis(250);

/// The time of a lease, and the pause after which it is renewed.
pub(super) const LEASE: Duration = Duration::from_secs(8);
const RENEWAL: Duration = Duration::from_secs(2);

/// How a page of a host is read.
pub(super) enum HostAccess {
    /// By this node, as long as the lease is not dropped.
    Leased(HostTurn),
    /// Another node has the host, and has answered.
    Answered(PageCallAnswer),
    /// Another node had the host for the whole time of the call, and has not answered.
    TimedOut,
}

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

/// Whether other nodes may request the host: a service on SQLite has one node, and sample sites are
/// built in.
fn needs_lease(state: &ApiState, host: &str) -> bool {
    state.store.dialect() != Dialect::Sqlite && !is_sample_host(host)
}

impl HostTurn {
    /// The turn of a page that has entered the host for [`LEASE`].
    pub fn entered(state: &ApiState, host: &str) -> Self {
        let (store, node) = (state.store.clone(), state.node().clone());
        let host = host.to_owned();
        let renewal = spawn(renew(store.clone(), node.clone(), host.clone())).abort_handle();
        Self { _leased: Some(LeasedHost { store, node, host, renewal }) }
    }

    /// Leases the host, for a page that is not forwarded; `None` if another node has it for the
    /// whole time.
    pub async fn lease(
        state: &ApiState,
        url: &CanonicalUrl,
        within: Duration,
    ) -> ApiResult<Option<Self>> {
        let host = url.bare_host();
        if !needs_lease(state, host) {
            return Ok(Some(Self { _leased: None }));
        }
        let until = Instant::now() + within;
        while !state.store.enter_host(state.node(), host, LEASE).await? {
            if Instant::now() + RETRY >= until {
                return Ok(None);
            }
            sleep(RETRY).await;
        }
        Ok(Some(Self::entered(state, host)))
    }

    /// Leases the host, or forwards the call to the node that has it, whichever is possible first.
    pub(super) async fn wait(
        state: &ApiState,
        url: &CanonicalUrl,
        call: &PageCallRequest,
        within: Duration,
    ) -> ApiResult<HostAccess> {
        let host = url.bare_host();
        if !needs_lease(state, host) {
            return Ok(HostAccess::Leased(Self { _leased: None }));
        }
        let until = Instant::now() + within;
        let mut forwarded: Option<ForwardedCall> = None;
        let mut is_new = true;
        loop {
            if state.store.enter_host(state.node(), host, LEASE).await? {
                let turn = Self::entered(state, host);
                return Ok(match withdraw(forwarded, "read_here").await? {
                    Some(answer) => HostAccess::Answered(answer),
                    None => HostAccess::Leased(turn),
                });
            }
            if std::mem::take(&mut is_new) {
                let left = until.saturating_duration_since(Instant::now());
                forwarded = ForwardedCall::send(state, call, host, left).await?;
            }
            let Some(open) = &mut forwarded else {
                if Instant::now() + RETRY >= until {
                    return Ok(HostAccess::TimedOut);
                }
                sleep(RETRY).await;
                continue;
            };
            match open.wait(until).await? {
                CallEvent::HostFree => {}
                CallEvent::Ended => {
                    if let Some(answer) = withdraw(forwarded.take(), "declined").await? {
                        return Ok(HostAccess::Answered(answer));
                    }
                }
                CallEvent::TimedOut => {
                    return Ok(match withdraw(forwarded, "timed_out").await? {
                        Some(answer) => HostAccess::Answered(answer),
                        None => HostAccess::TimedOut,
                    });
                }
            }
        }
    }
}

async fn withdraw(
    call: Option<ForwardedCall>,
    otherwise: &'static str,
) -> ApiResult<Option<PageCallAnswer>> {
    match call {
        Some(call) => call.withdraw(otherwise).await,
        None => Ok(None),
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
