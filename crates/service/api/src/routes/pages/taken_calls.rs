//! Answers the page calls that other nodes forward, because this node has the lease on their host.
//!
//! They are read like the calls of this node, through its host gate. The answer is written in the
//! transaction of the charge; the other node withdraws a call that it does not wait for any more.

use std::time::Duration;

use contract::ReadPage;
use store::{Dialect, NodeName, PageCallAnswer, PageCallRequest, Store, TakenPageCall};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::host_turn::{HostTurn, LEASE};
use super::page_reading::{AnswerTo, PageReading, PageReply};
use crate::ApiState;
use crate::api_error::ApiResult;

/// Calls of other nodes that this node reads at a time, besides its own. The others wait.
const MAX_TAKEN: usize = 512;

/// Pause between two looks for calls with wake-ups, and without.
const POLL: Duration = Duration::from_secs(2);
const POLL_WITHOUT_WAKES: Duration = Duration::from_millis(500);

/// Pause between two deletions of expired calls.
const DELETE_EVERY: Duration = Duration::from_secs(5);

/// Time that is left to the other node for its response.
const MARGIN: Duration = Duration::from_millis(250);

/// Answers forwarded calls until `stop` is cancelled, and then those that it has begun. A node without
/// workers receives its wake-ups here, with `listens`. A service on SQLite has one node.
pub async fn answer_forwarded_pages(state: ApiState, listens: bool, stop: CancellationToken) {
    if state.store.dialect() == Dialect::Sqlite {
        return;
    }
    let listener = listens.then(|| tokio::spawn(listen(state.store.clone(), state.node().clone())));
    let mut waiting = state.store.page_calls_waiting();
    let poll = if state.store.has_listeners() { POLL } else { POLL_WITHOUT_WAKES };
    let mut next_deletion = Instant::now();
    let mut calls = JoinSet::new();
    while !stop.is_cancelled() {
        take_all(&state, &mut calls).await;
        if next_deletion <= Instant::now() {
            delete_expired(&state.store).await;
            next_deletion = Instant::now() + DELETE_EVERY;
        }
        // Nodes do not look at the same time.
        let pause = poll.mul_f64(0.75 + rand::random::<f64>() / 2.0);
        tokio::select! {
            () = stop.cancelled() => {}
            Ok(()) = waiting.changed() => {}
            _ = calls.join_next(), if !calls.is_empty() => {}
            () = sleep(pause) => {}
        }
    }
    let all = async { while calls.join_next().await.is_some() {} };
    if timeout(state.settings.inbound.drain, all).await.is_err() {
        tracing::warn!("page calls of other nodes are ended by the shutdown; those read the pages");
    }
    if let Some(listener) = listener {
        listener.abort();
    }
}

/// Takes the calls that wait, up to the limit, in their order.
async fn take_all(state: &ApiState, calls: &mut JoinSet<()>) {
    while calls.len() < MAX_TAKEN {
        match state.store.take_page_call(state.node(), LEASE).await {
            Ok(Some(taken)) => {
                calls.spawn(answer(state.clone(), taken));
            }
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "failed to take a page call of another node");
                return;
            }
        }
    }
}

async fn delete_expired(store: &Store) {
    match store.delete_expired_page_calls().await {
        Ok(0) => {}
        Ok(calls) => tracing::warn!(calls, "deleted page calls of nodes that have ended"),
        Err(error) => tracing::warn!(%error, "failed to delete expired page calls"),
    }
}

/// Receives wake-ups; reconnects after failures.
async fn listen(store: Store, node: NodeName) {
    loop {
        if let Err(error) = store.listen(&node).await {
            tracing::warn!(%error, "failed to listen for wake-ups of other nodes, polling continues");
        }
        sleep(Duration::from_secs(1)).await;
    }
}

/// Reads the page of a call, and stores what the other node returns.
async fn answer(state: ApiState, taken: TakenPageCall) {
    let TakenPageCall { request: call, host, remaining } = taken;
    let _turn = HostTurn::entered(&state, &host);
    let (store, id) = (&state.store, &call.page_id);
    let stored = match read(&state, &call, remaining.saturating_sub(MARGIN)).await {
        // Stored with the charge.
        Some(Ok(PageReply::Answer(_))) => Ok(()),
        Some(Ok(PageReply::Replayed(_))) => {
            store.end_page_call(id, &PageCallAnswer::Replayed).await
        }
        Some(Ok(PageReply::NotForwarded)) | None => store.decline_page_call(id).await,
        Some(Err(error)) => {
            if let Some(cause) = error.cause() {
                let request_id = call.request_id.as_str();
                tracing::error!(request_id, cause, "failed to answer a page call of another node");
            }
            let problem = error.problem(call.request_id.clone(), &call.public_url);
            let problem = serde_json::to_string(&problem).unwrap_or_default();
            store.end_page_call(id, &PageCallAnswer::Failed(problem)).await
        }
    };
    if let Err(error) = stored {
        tracing::warn!(%error, "failed to store the answer to a page call of another node");
    }
}

/// `None` if this node does not accept the request, because its settings differ.
async fn read(
    state: &ApiState,
    call: &PageCallRequest,
    within: Duration,
) -> Option<ApiResult<PageReply>> {
    let (request, url) = ReadPage::from_json(&call.body, &state.settings).ok()?;
    let read = async {
        let reading = PageReading::new(state, call, &request, &url)?;
        let cover = reading.cover().await?;
        reading.read_and_charge(cover, within, AnswerTo::Node).await
    };
    Some(read.await)
}
