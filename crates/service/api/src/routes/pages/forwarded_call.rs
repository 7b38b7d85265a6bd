//! A page call that this node has forwarded to the node that has the lease on its host.

use std::time::Duration;

use contract::{PageId, Problem};
use metrics::counter;
use store::{
    NodeName, PageCallAnswer, PageCallRequest, PageCallStatus, PageForwarding, PageReplay, Store,
};
use tokio::runtime::Handle;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};

use super::page_reading::PageReply;
use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};

/// Pause between two looks at a call with wake-ups, and without.
const POLL: Duration = Duration::from_secs(1);
const POLL_WITHOUT_WAKES: Duration = Duration::from_millis(500);

/// `Retry-After` of a call over the limit of its account, in seconds.
const RETRY_AFTER: u64 = 2;

const FORWARDED: &str = "trawl_forwarded_pages_total";

/// An open call, which is withdrawn when it is dropped.
pub(super) struct ForwardedCall {
    store: Store,
    node: NodeName,
    id: PageId,
    ended: broadcast::Receiver<PageId>,
    is_open: bool,
}

/// What the node of the client has to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallEvent {
    /// Withdraw the call, which has an answer or was declined.
    Ended,
    /// Try to lease the host.
    HostFree,
    /// Withdraw the call, whose time has passed.
    TimedOut,
}

/// The error of an account that has as many page calls as it may have.
pub(super) fn account_limit(limit: usize) -> ApiError {
    let message = format!(
        "account limit: {limit} pages of the account are being read; wait for some of them"
    );
    ApiError::rate_limited(message, RETRY_AFTER)
}

impl ForwardedCall {
    /// Forwards a call; `None` if that is not possible.
    pub async fn send(
        state: &ApiState,
        call: &PageCallRequest,
        host: &str,
        within: Duration,
    ) -> ApiResult<Option<Self>> {
        let (store, node, limit) = (&state.store, state.node(), state.account_pages.limit());
        // Subscribed before the call can end.
        let ended = store.page_calls_ended();
        let id = call.page_id.clone();
        let mut forwarded =
            Self { store: store.clone(), node: node.clone(), id, ended, is_open: true };
        match store.forward_page(call, host, node, within, limit).await? {
            PageForwarding::Forwarded => Ok(Some(forwarded)),
            PageForwarding::NotPossible => {
                forwarded.is_open = false;
                Ok(None)
            }
            PageForwarding::AccountLimit => {
                forwarded.is_open = false;
                Err(account_limit(limit))
            }
        }
    }

    /// Waits until there is something to do.
    pub async fn wait(&mut self, until: Instant) -> ApiResult<CallEvent> {
        let poll = if self.store.has_listeners() { POLL } else { POLL_WITHOUT_WAKES };
        loop {
            tokio::select! {
                () = ended(&mut self.ended, &self.id) => {}
                () = sleep_until(until.min(Instant::now() + poll)) => {}
            }
            match self.store.page_call_status(&self.id, &self.node).await? {
                PageCallStatus::Ended => return Ok(CallEvent::Ended),
                PageCallStatus::Open { .. } if Instant::now() >= until => {
                    return Ok(CallEvent::TimedOut);
                }
                PageCallStatus::Open { host_is_free: true } => return Ok(CallEvent::HostFree),
                PageCallStatus::Open { host_is_free: false } => {}
            }
        }
    }

    /// Ends the call. Returns its answer; without one it is not charged by the other node.
    /// `otherwise` is the outcome that is counted then.
    pub async fn withdraw(mut self, otherwise: &'static str) -> ApiResult<Option<PageCallAnswer>> {
        let answer = self.store.withdraw_page_call(&self.id).await?;
        self.is_open = false;
        let outcome = if answer.is_some() { "answered" } else { otherwise };
        counter!(FORWARDED, "outcome" => outcome).increment(1);
        Ok(answer)
    }
}

/// Waits until the call has ended, or wake-ups were lost.
async fn ended(receiver: &mut broadcast::Receiver<PageId>, id: &PageId) {
    loop {
        match receiver.recv().await {
            Ok(ended) if ended == *id => return,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return,
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// The answer of another node, as this node returns it.
pub(super) async fn reply(
    state: &ApiState,
    call: &PageCallRequest,
    answer: PageCallAnswer,
) -> ApiResult<PageReply> {
    match answer {
        PageCallAnswer::Delivered(text) => Ok(PageReply::Answer(text)),
        PageCallAnswer::Failed(problem) => match serde_json::from_str::<Problem>(&problem) {
            Ok(problem) => Err(ApiError::forwarded(problem, &state.settings)),
            Err(cause) => {
                Err(ApiError::internal(format!("the error of another node is invalid: {cause}")))
            }
        },
        PageCallAnswer::Replayed => {
            let replay = match &call.idempotency {
                Some(key) => state.store.replay_page(&call.account, key, state.now()).await?,
                None => PageReplay::New,
            };
            Ok(PageReply::Replayed(replay))
        }
    }
}

impl Drop for ForwardedCall {
    /// Also if the client has closed the connection.
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let (store, id) = (self.store.clone(), self.id.clone());
        runtime.spawn(async move {
            if let Err(error) = store.withdraw_page_call(&id).await {
                tracing::warn!(%error, "failed to withdraw a forwarded page call; it expires");
            }
        });
    }
}
