//! Fan-out of job progress to server-sent event (SSE) streams.
//!
//! Each watched job is read once per second, for any number of streams, and published as one text
//! to a `watch` channel. The channel keeps the latest state only: a slow stream skips states and
//! delays no other.
//!
//! The credential of a stream is checked once per second, once for all streams that were opened
//! with it. When it is no longer accepted, its channel is closed and the streams end.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::{AccountId, Clock, JobId};
use parking_lot::{Mutex, MutexGuard};
use store::{CredentialId, Store};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::keyed_limit::{KeyedLimit, KeyedPermit};
use crate::progress::{ProgressReader, ProgressSnapshot};

/// How often a watched job is read and a credential is checked. Runs do not commit more often.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A server-sent event, shared by all streams of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgressFrame {
    pub revision: i64,
    pub text: Bytes,
    /// Number of results that are stored.
    pub results: u64,
    /// The job has ended: no frame follows.
    pub is_last: bool,
}

type LatestFrame = Option<ProgressFrame>;

/// The account and the credential that a stream was opened with.
pub(crate) type StreamHolder = (AccountId, CredentialId);

/// Maximum numbers of open progress streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamLimits {
    pub total: usize,
    pub per_account: usize,
    /// 0 disables this limit.
    pub per_address: usize,
}

/// The limit that refused a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamLimitReached {
    Account(usize),
    Address(usize),
    /// The total of the service.
    Service,
}

/// Publishes the progress of watched jobs. Clones share one state.
#[derive(Debug, Clone)]
pub(crate) struct ProgressHub {
    state: Arc<HubState>,
}

#[derive(Debug)]
struct HubState {
    store: Store,
    clock: Arc<dyn Clock>,
    limits: StreamLimits,
    all: Arc<Semaphore>,
    by_account: KeyedLimit,
    by_address: KeyedLimit,
    streams: Mutex<OpenStreams>,
}

#[derive(Debug, Default)]
struct OpenStreams {
    /// One channel per watched job, with a task that publishes to it.
    jobs: HashMap<JobId, watch::Sender<LatestFrame>>,
    /// One channel per credential with open streams. Nothing is sent: it is closed when the
    /// credential is no longer accepted.
    holders: HashMap<StreamHolder, watch::Sender<()>>,
}

/// One stream's access to the progress of a job.
#[derive(Debug)]
pub(crate) struct ProgressSubscription {
    /// The latest state; closed when no other follows.
    pub latest: watch::Receiver<LatestFrame>,
    /// Closed when the credential is no longer accepted.
    pub accepted: watch::Receiver<()>,
    /// One of the service, of the account and of the address.
    _permits: (OwnedSemaphorePermit, KeyedPermit, KeyedPermit),
}

/// Why a stream waits no longer.
pub(crate) enum StreamChange {
    /// The job has a new state.
    State,
    /// Nothing has changed until the given time.
    Nothing,
    /// The credential is no longer accepted, the job was deleted or the server stops.
    Over,
}

impl ProgressSubscription {
    /// Waits for a new state, a shutdown, the end of the credential, or the given time.
    pub async fn changed(
        &mut self,
        shutdown: Option<&CancellationToken>,
        until: Instant,
    ) -> StreamChange {
        let closed = async {
            match shutdown {
                Some(shutdown) => shutdown.cancelled().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = closed => StreamChange::Over,
            // Nothing is sent: a change means that the channel is closed.
            _ = self.accepted.changed() => StreamChange::Over,
            changed = timeout_at(until, self.latest.changed()) => match changed {
                Ok(Ok(())) => StreamChange::State,
                Ok(Err(_)) => StreamChange::Over,
                Err(_) => StreamChange::Nothing,
            },
        }
    }
}

impl ProgressHub {
    pub fn new(store: Store, clock: Arc<dyn Clock>, limits: StreamLimits) -> Self {
        let state = HubState {
            store,
            clock,
            limits,
            all: Arc::new(Semaphore::new(limits.total)),
            by_account: KeyedLimit::new(limits.per_account),
            by_address: KeyedLimit::new(limits.per_address),
            streams: Mutex::default(),
        };
        Self { state: Arc::new(state) }
    }

    /// Subscribes to a job from an address, unless a limit is reached.
    pub fn subscribe(
        &self,
        holder: &StreamHolder,
        address: &str,
        job: &JobId,
    ) -> Result<ProgressSubscription, StreamLimitReached> {
        let (account, _) = holder;
        let HubState { limits, all, by_account, by_address, .. } = &*self.state;
        let of_address = by_address.take(address);
        let of_address = of_address.ok_or(StreamLimitReached::Address(limits.per_address))?;
        let of_account = by_account.take(account.as_str());
        let of_account = of_account.ok_or(StreamLimitReached::Account(limits.per_account))?;
        let permit = Arc::clone(all).try_acquire_owned();
        let permit = permit.map_err(|_| StreamLimitReached::Service)?;
        let mut streams = self.state.streams();
        let latest = match streams.jobs.get(job) {
            Some(sender) => sender.subscribe(),
            None => {
                let (sender, latest) = watch::channel(None);
                streams.jobs.insert(job.clone(), sender.clone());
                let task = publish(Arc::clone(&self.state), job.clone(), sender);
                tokio::spawn(task.instrument(tracing::error_span!("progress", job.id = %job)));
                latest
            }
        };
        let accepted = match streams.holders.get(holder) {
            Some(sender) => sender.subscribe(),
            None => {
                let (sender, accepted) = watch::channel(());
                streams.holders.insert(holder.clone(), sender.clone());
                let span = tracing::error_span!("credential_check", account.id = %holder.0);
                let task = check_credential(Arc::clone(&self.state), holder.clone(), sender);
                tokio::spawn(task.instrument(span));
                accepted
            }
        };
        Ok(ProgressSubscription { latest, accepted, _permits: (permit, of_account, of_address) })
    }
}

impl HubState {
    fn streams(&self) -> MutexGuard<'_, OpenStreams> {
        self.streams.lock()
    }
}

/// The channel of one polling task.
struct PolledChannel<'s, K, T> {
    state: &'s HubState,
    /// The map of [`OpenStreams`] that holds the channel.
    map: fn(&mut OpenStreams) -> &mut HashMap<K, watch::Sender<T>>,
    key: &'s K,
    sender: &'s watch::Sender<T>,
    timer: Interval,
}

impl<'s, K: Eq + Hash, T> PolledChannel<'s, K, T> {
    fn new(
        state: &'s HubState,
        map: fn(&mut OpenStreams) -> &mut HashMap<K, watch::Sender<T>>,
        key: &'s K,
        sender: &'s watch::Sender<T>,
    ) -> Self {
        let mut timer = interval(POLL_INTERVAL);
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { state, map, key, sender, timer }
    }

    /// Waits for the next poll. False when no stream is subscribed any more; the channel is then
    /// removed. Both under one lock: a new stream finds either a channel whose task runs or none.
    async fn next_poll(&mut self) -> bool {
        self.timer.tick().await;
        let mut streams = self.state.streams();
        let idle = is_idle(self.sender);
        if idle {
            (self.map)(&mut streams).remove(self.key);
        }
        !idle
    }

    /// Removes the channel. A stream that subscribes afterwards starts a new task.
    fn remove(&self) {
        (self.map)(&mut self.state.streams()).remove(self.key);
    }
}

fn is_idle<T>(sender: &watch::Sender<T>) -> bool {
    sender.receiver_count() == 0
}

/// Publishes the states of a job until it has no subscriber or no further state.
async fn publish(state: Arc<HubState>, job: JobId, sender: watch::Sender<LatestFrame>) {
    let mut reader = ProgressReader::new(state.store.clone(), job.clone());
    let mut channel = PolledChannel::new(&state, |streams| &mut streams.jobs, &job, &sender);
    while channel.next_poll().await {
        let frame = match reader.read().await {
            Ok(snapshot) => snapshot.as_ref().map(progress_frame),
            Err(error) => {
                // Streams stay open: their connections are not affected.
                tracing::debug!(%error, "failed to read job progress");
                continue;
            }
        };
        let is_over = frame.as_ref().is_none_or(|frame| frame.is_last);
        if is_over {
            // Before the last frame is sent: a later stream must start a new task.
            channel.remove();
        }
        if let Some(frame) = frame {
            sender.send_if_modified(|latest| {
                let is_new = latest.as_ref() != Some(&frame);
                *latest = Some(frame);
                is_new
            });
        }
        if is_over {
            return;
        }
    }
}

/// Ends the streams of a credential when it was revoked, has expired or was disconnected, or when
/// its account is suspended or deleted.
async fn check_credential(state: Arc<HubState>, holder: StreamHolder, sender: watch::Sender<()>) {
    let mut channel = PolledChannel::new(&state, |streams| &mut streams.holders, &holder, &sender);
    while channel.next_poll().await {
        let (account, credential) = &holder;
        match state.store.is_accepted(account, credential, state.clock.now()).await {
            Ok(true) => {}
            Ok(false) => {
                channel.remove();
                return;
            }
            Err(error) => {
                tracing::debug!(%error, "failed to check a credential");
            }
        }
    }
}

fn progress_frame(snapshot: &ProgressSnapshot) -> ProgressFrame {
    let ProgressSnapshot { revision, progress } = snapshot;
    let is_last = progress.status.is_final();
    let name = if is_last { "end" } else { "progress" };
    // Compact JSON contains no line breaks, so that it fits the one line of `data`.
    let data = serde_json::to_string(progress).unwrap_or_default();
    let text = Bytes::from(format!("id: {revision}\nevent: {name}\ndata: {data}\n\n"));
    ProgressFrame { revision: *revision, text, results: progress.counts.results, is_last }
}

#[cfg(test)]
mod tests {
    use contract::Millis;
    use store::StoreSettings;

    use super::*;

    const NOW: Millis = Millis(1_794_735_000_000);

    #[derive(Debug)]
    struct FixedClock;

    impl Clock for FixedClock {
        fn now(&self) -> Millis {
            NOW
        }
    }

    #[tokio::test]
    async fn one_task_polls_a_job_for_all_streams_and_stops_without_subscribers() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("a database URL");
        store.prepare().await.expect("the tables are created");
        let account = fixture::account(&store, 10).await;
        let lease = fixture::running(&store, &fixture::new_job(&account, "example.com")).await;
        let session = store.open_session(&account, NOW).await.expect("a session").token;
        let found = store.authenticate_session(&session, NOW).await.expect("the store responds");
        let holder = (account, CredentialId::Session(found.expect("a session").session));
        let limits = StreamLimits { total: 50, per_account: 50, per_address: 0 };
        let hub = ProgressHub::new(store.clone(), Arc::new(FixedClock), limits);
        let subscribe = || hub.subscribe(&holder, "192.0.2.1", &lease.job);
        let mut subscriptions: Vec<_> = (0..50).map(|_| subscribe().expect("a slot")).collect();
        assert_eq!(subscribe().err(), Some(StreamLimitReached::Account(50)));
        assert_eq!(hub.state.streams().jobs.len(), 1);
        let mut texts = Vec::new();
        for subscription in &mut subscriptions {
            let frame = subscription.latest.wait_for(Option::is_some).await.expect("a state");
            texts.extend(frame.as_ref().map(|frame| frame.text.clone()));
        }
        let first = texts[0].as_ptr();
        assert!(texts.iter().all(|text| text.as_ptr() == first), "all streams share one text");
        drop(subscriptions);
        let limit = tokio::time::Instant::now() + Duration::from_secs(30);
        let has_channels = || {
            let streams = hub.state.streams();
            !(streams.jobs.is_empty() && streams.holders.is_empty())
        };
        while has_channels() {
            assert!(tokio::time::Instant::now() < limit, "the job is still polled");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(hub.state.all.available_permits(), limits.total);
        let mut again = subscribe().expect("slots are free again");
        // The session ends, and with it the stream.
        store.end_session(&session).await.expect("the store responds");
        let ended = tokio::time::timeout(Duration::from_secs(30), again.accepted.changed()).await;
        assert!(ended.expect("in time").is_err(), "the channel is closed");
        assert!(hub.state.streams().holders.is_empty());
    }
}
