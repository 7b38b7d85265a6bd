//! The delivery loop: finds due deliveries, sends them, and stores the outcomes.
//!
//! All durable state is in the store; the state here can be lost at any time. A delivery whose
//! outcome was not stored is sent again, with the same event id.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Millis, WebhookFormat, WebhookId};
use futures_util::stream::{self, StreamExt as _};
use net::HttpPost;
use store::{
    CompletedAttempt, DeliveryOutcome, DueDelivery, EndpointLease, JobPart, NodeName, Store,
    StoreError,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::endpoint_window::{EndpointWindow, PAUSE};
use crate::message::MessageWriter;
use crate::sender::Sender;
use crate::{DeliveryFormat, RetrySchedule};

/// Endpoints that are claimed in one transaction.
const CLAIM_BATCH: usize = 64;

const CONCURRENT_QUERIES: usize = 6;

/// Minimum time between two scans, so that one scan finds all deliveries of a burst.
const SCAN_EVERY: Duration = Duration::from_millis(5);

/// Minimum time between two batches of outcomes: fewer transactions block other writers less.
const RECORD_EVERY: Duration = Duration::from_millis(10);

/// Maximum results in flight, each of which may have megabytes.
const RESULTS_AT_A_TIME: usize = 32;

/// A completed attempt with its slots.
type SentDelivery = (CompletedAttempt, OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

/// A batch of outcomes, and whether it was stored.
type RecordedBatch = Result<(Vec<CompletedAttempt>, Result<(), StoreError>), JoinError>;

#[derive(Debug, Clone)]
pub struct NotifierSettings {
    pub retries: RetrySchedule,
    /// Timeout of an attempt.
    pub timeout: Duration,
    /// Duration of an endpoint lease; it is renewed three times in that time.
    pub lease: Duration,
    /// Interval of scans without a wake-up.
    pub poll: Duration,
    /// Maximum deliveries in flight per endpoint.
    pub per_endpoint: usize,
    /// Maximum deliveries in flight to healthy endpoints, and separately to degraded ones.
    pub at_a_time: usize,
    /// Idle endpoints are released after this time.
    pub linger: Duration,
    /// Maximum time that a shutdown waits for deliveries in flight.
    pub drain: Duration,
}

impl Default for NotifierSettings {
    fn default() -> Self {
        Self {
            retries: RetrySchedule::default(),
            timeout: Duration::from_secs(15),
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            per_endpoint: 8,
            at_a_time: 256,
            linger: Duration::from_secs(30),
            drain: Duration::from_secs(5),
        }
    }
}

/// Sends webhook deliveries.
#[derive(Debug)]
pub struct Notifier {
    store: Store,
    sender: Arc<Sender>,
    clock: Arc<dyn Clock>,
    node: NodeName,
    settings: NotifierSettings,
    windows: HashMap<WebhookId, EndpointWindow>,
    /// Endpoints whose secret cannot be decrypted with the key of this node.
    undecryptable: HashSet<WebhookId>,
    healthy_slots: Arc<Semaphore>,
    degraded_slots: Arc<Semaphore>,
    /// Limits the memory for results in flight.
    results: Arc<Semaphore>,
    sending: JoinSet<SentDelivery>,
    /// Attempts whose outcome is not stored yet.
    completed: Vec<CompletedAttempt>,
    /// The batch that is being stored; at most one.
    recording: JoinSet<(Vec<CompletedAttempt>, Result<(), StoreError>)>,
    /// Times of retries and ends of pauses that this node knows of.
    wake_at: BTreeSet<Millis>,
    scans: usize,
}

impl Notifier {
    /// A notifier that sends the deliveries of `store` through `http`.
    #[must_use]
    pub fn new(
        store: Store,
        http: HttpPost,
        clock: Arc<dyn Clock>,
        settings: NotifierSettings,
    ) -> Self {
        let retries = settings.retries.clone();
        let max_failing = retries.max_duration(settings.timeout);
        let messages = MessageWriter { store: store.clone(), firecrawl: None };
        let clock_of_sender = Arc::clone(&clock);
        let sender =
            Arc::new(Sender { http, messages, clock: clock_of_sender, retries, max_failing });
        let slots = || Arc::new(Semaphore::new(settings.at_a_time));
        Self {
            store,
            sender,
            clock,
            node: NodeName::random(),
            windows: HashMap::new(),
            undecryptable: HashSet::new(),
            healthy_slots: slots(),
            degraded_slots: slots(),
            results: Arc::new(Semaphore::new(RESULTS_AT_A_TIME)),
            sending: JoinSet::new(),
            completed: Vec::new(),
            recording: JoinSet::new(),
            wake_at: BTreeSet::new(),
            scans: 0,
            settings,
        }
    }

    /// Adds the format of webhooks with [`WebhookFormat::Firecrawl`].
    #[must_use]
    pub fn with_firecrawl(mut self, format: Arc<dyn DeliveryFormat>) -> Self {
        if let Some(sender) = Arc::get_mut(&mut self.sender) {
            sender.messages.firecrawl = Some(format);
        }
        self
    }

    /// Delivers until `shutdown` is cancelled; then waits for deliveries in flight and releases all
    /// leases.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut wakes = self.store.deliveries_due();
        let mut poll = interval(self.settings.poll);
        let mut renew = interval(self.settings.lease / 3);
        for timer in [&mut poll, &mut renew] {
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        let mut is_healthy = true;
        let mut scan = false;
        let (mut next_scan, mut next_record) = (Instant::now(), Instant::now());
        while !shutdown.is_cancelled() {
            let wake_in = self.wake_at.first().map(|at| at.since(self.clock.now()));
            let record = !self.completed.is_empty() && self.recording.is_empty();
            tokio::select! {
                () = shutdown.cancelled() => continue,
                _ = renew.tick() => is_healthy = log_first_failure(self.renew().await, is_healthy),
                _ = poll.tick() => scan = true,
                _ = wakes.changed() => scan = true,
                () = sleep(wake_in.unwrap_or_default()), if wake_in.is_some() => scan = true,
                Some(done) = self.sending.join_next() => self.collect(done),
                Some(done) = self.recording.join_next() => match self.update_windows(done) {
                    Ok(freed) => scan |= freed,
                    Err(error) => {
                        // Attempts that were not stored stay in flight until they are.
                        is_healthy = log_first_failure(Err(error), is_healthy);
                        next_record = Instant::now() + self.settings.poll;
                    }
                },
                () = sleep_until(next_record), if record => {
                    self.record();
                    next_record = Instant::now() + RECORD_EVERY;
                }
                () = sleep_until(next_scan), if scan => {
                    scan = false;
                    is_healthy = log_first_failure(self.scan().await, is_healthy);
                    next_scan = Instant::now() + SCAN_EVERY;
                }
            }
            while let Some(done) = self.sending.try_join_next() {
                self.collect(done);
            }
        }
        self.finish().await;
    }

    /// Finds due deliveries and sends as many as windows and slots allow.
    async fn scan(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.wake_at = self.wake_at.split_off(&Millis(now.0 + 1));
        let mut due = self.store.due_endpoints(&self.node, now).await?;
        due.free.retain(|webhook| !self.undecryptable.contains(webhook));
        // Leases of this node without a window, which was dropped: claim them again.
        let unknown = due.held.extract_if(.., |id| !self.windows.contains_key(id));
        due.free.extend(unknown);
        due.free.sort();
        for batch in due.free.chunks(CLAIM_BATCH) {
            due.held.extend(self.claim(batch).await?);
        }
        // Each scan starts with another endpoint, so that all get slots when these are scarce.
        self.scans = self.scans.wrapping_add(1);
        let first = self.scans % due.held.len().max(1);
        due.held.rotate_left(first);
        let wanted: Vec<_> = due.held.into_iter().filter_map(|id| self.wanted(id)).collect();
        let queries = wanted.into_iter().map(|(webhook, most)| {
            let store = self.store.clone();
            async move {
                let due = store.due_deliveries(&webhook, now, most).await;
                due.map(|due| (webhook, most, due))
            }
        });
        let results: Vec<_> = stream::iter(queries).buffered(CONCURRENT_QUERIES).collect().await;
        for result in results {
            let (webhook, most, due) = result?;
            self.send(&webhook, most, due);
        }
        Ok(())
    }

    /// How many due deliveries of an endpoint to read; `None` when its window is full.
    fn wanted(&mut self, webhook: WebhookId) -> Option<(WebhookId, usize)> {
        let window = self.windows.get_mut(&webhook)?;
        if window.available() == 0 {
            window.has_more = true;
            return None;
        }
        // Deliveries in flight are still due in the store and have to be skipped.
        Some((webhook, window.available() + window.in_flight.len()))
    }

    async fn claim(&mut self, webhooks: &[WebhookId]) -> Result<Vec<WebhookId>, StoreError> {
        let claimed = self.store.claim_endpoints(&self.node, webhooks, self.settings.lease).await?;
        for webhook in claimed.undecryptable {
            tracing::error!(
                webhook.id = %webhook,
                "cannot decrypt webhook secret with the configured secret_key"
            );
            self.undecryptable.insert(webhook);
        }
        let mut held = Vec::new();
        for lease in claimed.leases {
            let webhook = lease.webhook.clone();
            // An existing window, of a lease that was lost meanwhile, keeps its deliveries in flight.
            self.windows.entry(webhook.clone()).or_insert_with(|| EndpointWindow::new(lease));
            held.push(webhook);
        }
        Ok(held)
    }

    /// Sends due deliveries, as far as window and slots allow.
    fn send(&mut self, webhook: &WebhookId, requested: usize, due: Vec<DueDelivery>) {
        let Some(window) = self.windows.get_mut(webhook) else { return };
        window.has_more = due.len() >= requested;
        let slots = if window.is_degraded() { &self.degraded_slots } else { &self.healthy_slots };
        for due in due {
            if window.in_flight.contains(&due.id) || window.available() == 0 {
                continue;
            }
            let Ok(slot) = Arc::clone(slots).try_acquire_owned() else {
                window.has_more = true;
                break;
            };
            let of_result = match due.part {
                Some((_, JobPart::Result(_))) => {
                    let Ok(slot) = Arc::clone(&self.results).try_acquire_owned() else {
                        window.has_more = true;
                        break;
                    };
                    Some(slot)
                }
                Some((_, JobPart::Start)) | None => None,
            };
            window.in_flight.insert(due.id.clone());
            window.last_used = Instant::now();
            let (sender, lease) = (Arc::clone(&self.sender), Arc::clone(&window.lease));
            let since = window.failing_since;
            let span = delivery_span(&lease, &due);
            let attempt =
                async move { (sender.attempt(&lease, due, since).await, slot, of_result) };
            self.sending.spawn(attempt.instrument(span));
        }
    }

    fn collect(&mut self, done: Result<SentDelivery, JoinError>) {
        match done {
            Ok((completed, ..)) => self.completed.push(completed),
            // The delivery stays in flight here, and is sent again after a restart.
            Err(error) => tracing::error!(%error, "webhook delivery task panicked"),
        }
    }

    /// Stores the outcomes of completed attempts, in the background.
    fn record(&mut self) {
        let (store, completed) = (self.store.clone(), std::mem::take(&mut self.completed));
        self.recording.spawn(async move {
            let recorded = store.record_attempts(&completed).await;
            (completed, recorded)
        });
    }

    /// Updates the windows after a batch was stored. True when an endpoint has more deliveries and
    /// its window allows them now.
    fn update_windows(&mut self, recorded: RecordedBatch) -> Result<bool, StoreError> {
        let Ok((mut batch, recorded)) = recorded else { return Ok(false) };
        if let Err(error) = recorded {
            self.completed.append(&mut batch);
            return Err(error);
        }
        let mut freed = false;
        for completed in batch {
            if let DeliveryOutcome::Retry { at } = completed.outcome {
                self.wake_at.insert(at);
            }
            if completed.outcome != DeliveryOutcome::Delivered {
                // Other deliveries of the endpoint continue after its pause.
                self.wake_at.insert(self.clock.now().plus(PAUSE + SCAN_EVERY));
            }
            if let Some(window) = self.windows.get_mut(&completed.due.webhook) {
                window.update(&completed, self.settings.per_endpoint);
                // In another format the next delivery may have waited for this one.
                let has_more = window.has_more || window.lease.format != WebhookFormat::Event;
                freed |= has_more && window.available() > 0;
            }
        }
        Ok(freed)
    }

    /// Renews the leases in use, releases idle ones, and drops the windows of lost ones.
    async fn renew(&mut self) -> Result<(), StoreError> {
        let idle: Vec<_> = self
            .windows
            .iter()
            .filter(|(_, window)| {
                window.in_flight.is_empty() && window.last_used.elapsed() >= self.settings.linger
            })
            .map(|(webhook, _)| webhook.clone())
            .collect();
        self.store.release_endpoints(&self.node, &idle).await?;
        self.windows.retain(|webhook, _| !idle.contains(webhook));
        if self.windows.is_empty() {
            return Ok(());
        }
        let held = self.store.renew_endpoints(&self.node, self.settings.lease).await?;
        let held: HashSet<_> = held.into_iter().collect();
        self.windows
            .retain(|webhook, window| held.contains(webhook) || !window.in_flight.is_empty());
        Ok(())
    }

    async fn finish(mut self) {
        let limit = self.settings.drain;
        let drain = async {
            while let Some(done) = self.sending.join_next().await {
                self.collect(done);
            }
        };
        // Deliveries that do not complete in time are sent again after the next start.
        let _ = timeout(limit, drain).await;
        self.sending.abort_all();
        self.end_recording().await;
        if !self.completed.is_empty() {
            self.record();
            self.end_recording().await;
        }
        let held: Vec<_> = self.windows.into_keys().collect();
        if let Err(error) = self.store.release_endpoints(&self.node, &held).await {
            tracing::warn!(%error, "failed to release webhook endpoints");
        }
    }

    async fn end_recording(&mut self) {
        while let Some(done) = self.recording.join_next().await {
            if let Err(error) = self.update_windows(done) {
                tracing::warn!(%error, "failed to persist the last delivery outcomes");
            }
        }
    }
}

/// The span of one attempt at a delivery.
fn delivery_span(lease: &EndpointLease, due: &DueDelivery) -> tracing::Span {
    // Not its host: some receivers keep a secret in the host name. At every log level, so that
    // warnings have the ids.
    tracing::error_span!(
        "delivery",
        webhook.id = %lease.webhook,
        account.id = %lease.account,
        delivery.id = %due.id,
        job.id = due.job.as_ref().map(tracing::field::display),
    )
}

/// Logs the first of consecutive failures. Returns whether there was none.
fn log_first_failure(done: Result<(), StoreError>, was_healthy: bool) -> bool {
    match done {
        Ok(()) => true,
        Err(error) => {
            if was_healthy {
                tracing::warn!(%error, "database unavailable, webhook deliveries are waiting");
            }
            false
        }
    }
}
