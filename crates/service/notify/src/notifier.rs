//! The loop that delivers: it finds what is due, sends it, and writes down what came of it.
//!
//! Everything that lasts stands in the store; what is here can be lost at any instant. A
//! delivery whose outcome was not written down goes out again, with the same event id.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Millis, WebhookId};
use futures_util::stream::{self, StreamExt as _};
use net::HttpPost;
use store::{Attempted, DueDelivery, NodeId, Store, StoreError, Verdict};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};

use crate::RetrySchedule;
use crate::lane::{OpenLane, REST};
use crate::sender::Sender;

/// Free endpoints that are taken in one transaction.
const TAKEN_AT_ONCE: usize = 64;

/// Lanes that are looked into at a time.
const LOOKS_AT_ONCE: usize = 6;

/// Between two looks into the store: what comes in meanwhile is found by one look.
const BREATH: Duration = Duration::from_millis(5);

/// Between two batches of what came of attempts: the fewer there are, the less they stand in the
/// way of others who write.
const RECORD_EVERY: Duration = Duration::from_millis(10);

/// A batch that was written down, or was not.
type Recorded = Result<(Vec<Attempted>, Result<(), StoreError>), JoinError>;

/// How a node delivers.
#[derive(Debug, Clone)]
pub struct NotifierSettings {
    pub retries: RetrySchedule,
    /// How long an attempt may take.
    pub timeout: Duration,
    /// How long an endpoint stays ours without a renewal.
    pub lease: Duration,
    /// How often to look without a wake-up.
    pub poll: Duration,
    /// Deliveries under way to one endpoint at a time.
    pub per_endpoint: usize,
    /// Deliveries under way to endpoints that answer promptly, and as many again to those that
    /// fail or are slow: neither can take the places of the other.
    pub at_a_time: usize,
    /// How long an endpoint with nothing to deliver is kept.
    pub linger: Duration,
    /// How long a shutdown waits for what is under way.
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

/// Delivers events to webhook endpoints.
#[derive(Debug)]
pub struct Notifier {
    store: Store,
    sender: Arc<Sender>,
    clock: Arc<dyn Clock>,
    node: NodeId,
    settings: NotifierSettings,
    lanes: HashMap<WebhookId, OpenLane>,
    /// Endpoints whose secret does not open here.
    unreadable: HashSet<WebhookId>,
    prompt: Arc<Semaphore>,
    sluggish: Arc<Semaphore>,
    sending: JoinSet<(Attempted, OwnedSemaphorePermit)>,
    /// What came of attempts, and is not written down yet.
    made: Vec<Attempted>,
    /// What is being written down: one batch at a time.
    recording: JoinSet<(Vec<Attempted>, Result<(), StoreError>)>,
    /// When something is due again, as far as this node has put it off itself.
    again: BTreeSet<Millis>,
    rounds: usize,
}

impl Notifier {
    /// A notifier over this store that speaks through `http`.
    #[must_use]
    pub fn new(
        store: Store,
        http: HttpPost,
        clock: Arc<dyn Clock>,
        settings: NotifierSettings,
    ) -> Self {
        let retries = settings.retries.clone();
        let patience = retries.longest(settings.timeout);
        let sender = Arc::new(Sender { http, clock: Arc::clone(&clock), retries, patience });
        let places = || Arc::new(Semaphore::new(settings.at_a_time));
        Self {
            store,
            sender,
            clock,
            node: NodeId::random(),
            lanes: HashMap::new(),
            unreadable: HashSet::new(),
            prompt: places(),
            sluggish: places(),
            sending: JoinSet::new(),
            made: Vec::new(),
            recording: JoinSet::new(),
            again: BTreeSet::new(),
            rounds: 0,
            settings,
        }
    }

    /// Delivers until `shutdown` says so; then waits a little for what is under way and gives
    /// back what is held.
    pub async fn run(mut self, mut shutdown: watch::Receiver<bool>) {
        let mut wakes = self.store.deliveries_due();
        let mut poll = interval(self.settings.poll);
        let mut renew = interval(self.settings.lease / 3);
        for timer in [&mut poll, &mut renew] {
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        let mut is_well = true;
        let mut look = false;
        let (mut next_look, mut next_record) = (Instant::now(), Instant::now());
        while !*shutdown.borrow_and_update() {
            let again = self.again.first().map(|at| at.since(self.clock.now()));
            let record = !self.made.is_empty() && self.recording.is_empty();
            tokio::select! {
                _ = shutdown.changed() => continue,
                _ = renew.tick() => is_well = is_fine(self.renew().await, is_well),
                _ = poll.tick() => look = true,
                _ = wakes.changed() => look = true,
                () = sleep(again.unwrap_or_default()), if again.is_some() => look = true,
                Some(done) = self.sending.join_next() => self.gather(done),
                Some(done) = self.recording.join_next() => match self.learn(done) {
                    Ok(freed) => look |= freed,
                    Err(error) => {
                        // What was not written down keeps its place until it is.
                        is_well = is_fine(Err(error), is_well);
                        next_record = Instant::now() + self.settings.poll;
                    }
                },
                () = sleep_until(next_record), if record => {
                    self.write_down();
                    next_record = Instant::now() + RECORD_EVERY;
                }
                () = sleep_until(next_look), if look => {
                    look = false;
                    is_well = is_fine(self.round().await, is_well);
                    next_look = Instant::now() + BREATH;
                }
            }
            while let Some(done) = self.sending.try_join_next() {
                self.gather(done);
            }
        }
        self.finish().await;
    }

    /// Finds out what is due and sends as much of it as there is room for.
    async fn round(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.again = self.again.split_off(&Millis(now.0 + 1));
        let mut lanes = self.store.lanes(&self.node, now).await?;
        lanes.free.retain(|webhook| !self.unreadable.contains(webhook));
        // Those that we held before a restart of the loop, and forgot.
        let unknown = lanes.ours.extract_if(.., |id| !self.lanes.contains_key(id));
        lanes.free.extend(unknown);
        lanes.free.sort();
        for some in lanes.free.chunks(TAKEN_AT_ONCE) {
            lanes.ours.extend(self.take(some).await?);
        }
        // Each round begins with another endpoint: where places are short, all get their turn.
        self.rounds = self.rounds.wrapping_add(1);
        let first = self.rounds % lanes.ours.len().max(1);
        lanes.ours.rotate_left(first);
        let wanted: Vec<_> = lanes.ours.into_iter().filter_map(|id| self.wanted(id)).collect();
        let looks = wanted.into_iter().map(|(webhook, most)| {
            let store = self.store.clone();
            async move {
                let due = store.due_deliveries(&webhook, now, most).await;
                due.map(|due| (webhook, most, due))
            }
        });
        let looks: Vec<_> = stream::iter(looks).buffered(LOOKS_AT_ONCE).collect().await;
        for look in looks {
            let (webhook, most, due) = look?;
            self.send(&webhook, most, due);
        }
        Ok(())
    }

    /// How many deliveries of a lane to look at; `None` when there is no room for any.
    fn wanted(&mut self, webhook: WebhookId) -> Option<(WebhookId, usize)> {
        let open = self.lanes.get_mut(&webhook)?;
        if open.room() == 0 {
            open.has_more = true;
            return None;
        }
        // What is under way is still due in the store: it has to be looked past.
        Some((webhook, open.room() + open.under_way.len()))
    }

    async fn take(&mut self, webhooks: &[WebhookId]) -> Result<Vec<WebhookId>, StoreError> {
        let taken = self.store.take_lanes(&self.node, webhooks, self.settings.lease).await?;
        for webhook in taken.unreadable {
            tracing::error!(webhook.id = %webhook, "its secret does not open with our key");
            self.unreadable.insert(webhook);
        }
        let mut ours = Vec::new();
        for lane in taken.lanes {
            let webhook = lane.webhook.clone();
            // One that went through other hands meanwhile keeps what is under way.
            self.lanes.entry(webhook.clone()).or_insert_with(|| OpenLane::new(lane));
            ours.push(webhook);
        }
        Ok(ours)
    }

    /// Sends what is due, as far as there is room and there are places.
    fn send(&mut self, webhook: &WebhookId, looked_at: usize, due: Vec<DueDelivery>) {
        let Some(open) = self.lanes.get_mut(webhook) else { return };
        open.has_more = due.len() >= looked_at;
        let places = if open.is_sluggish() { &self.sluggish } else { &self.prompt };
        for due in due {
            if open.under_way.contains(&due.id) || open.room() == 0 {
                continue;
            }
            let Ok(place) = Arc::clone(places).try_acquire_owned() else {
                open.has_more = true;
                break;
            };
            open.under_way.insert(due.id.clone());
            open.last_used = Instant::now();
            let (sender, lane) = (Arc::clone(&self.sender), Arc::clone(&open.lane));
            let since = open.failing_since;
            self.sending.spawn(async move { (sender.attempt(&lane, due, since).await, place) });
        }
    }

    fn gather(&mut self, done: Result<(Attempted, OwnedSemaphorePermit), JoinError>) {
        match done {
            Ok((attempted, _place)) => self.made.push(attempted),
            // Its lane stays the narrower for it; the delivery goes out after the next start.
            Err(error) => tracing::error!(%error, "an attempt broke down: a bug"),
        }
    }

    /// Writes down what came of attempts, while the next ones are made.
    fn write_down(&mut self) {
        let (store, made) = (self.store.clone(), std::mem::take(&mut self.made));
        self.recording.spawn(async move {
            let recorded = store.record(&made).await;
            (made, recorded)
        });
    }

    /// Learns from what was written down. True when somebody waits for the room it leaves.
    fn learn(&mut self, recorded: Recorded) -> Result<bool, StoreError> {
        let Ok((mut made, recorded)) = recorded else { return Ok(false) };
        if let Err(error) = recorded {
            self.made.append(&mut made);
            return Err(error);
        }
        let mut freed = false;
        for attempted in made {
            if let Verdict::Retry { at } = attempted.verdict {
                self.again.insert(at);
            }
            if attempted.verdict != Verdict::Delivered {
                // What else waits for this endpoint goes on when it has rested.
                self.again.insert(self.clock.now().plus(REST + BREATH));
            }
            if let Some(open) = self.lanes.get_mut(&attempted.due.webhook) {
                open.learn(&attempted, self.settings.per_endpoint);
                freed |= open.has_more && open.room() > 0;
            }
        }
        Ok(freed)
    }

    /// Keeps what is used, lets go of what is not, and forgets what is in other hands.
    async fn renew(&mut self) -> Result<(), StoreError> {
        let idle: Vec<_> = self
            .lanes
            .iter()
            .filter(|(_, open)| {
                open.under_way.is_empty() && open.last_used.elapsed() >= self.settings.linger
            })
            .map(|(webhook, _)| webhook.clone())
            .collect();
        self.store.give_back_lanes(&self.node, &idle).await?;
        self.lanes.retain(|webhook, _| !idle.contains(webhook));
        if self.lanes.is_empty() {
            return Ok(());
        }
        let held = self.store.renew_lanes(&self.node, self.settings.lease).await?;
        let held: HashSet<_> = held.into_iter().collect();
        self.lanes.retain(|webhook, open| held.contains(webhook) || !open.under_way.is_empty());
        Ok(())
    }

    async fn finish(mut self) {
        let patience = self.settings.drain;
        let drain = async {
            while let Some(done) = self.sending.join_next().await {
                self.gather(done);
            }
        };
        // What does not end in time goes out again at the next start.
        let _ = timeout(patience, drain).await;
        self.sending.abort_all();
        self.end_recording().await;
        if !self.made.is_empty() {
            self.write_down();
            self.end_recording().await;
        }
        let held: Vec<_> = self.lanes.into_keys().collect();
        if let Err(error) = self.store.give_back_lanes(&self.node, &held).await {
            tracing::warn!(%error, "the endpoints could not be given back");
        }
    }

    async fn end_recording(&mut self) {
        while let Some(done) = self.recording.join_next().await {
            if let Err(error) = self.learn(done) {
                tracing::warn!(%error, "the last deliveries could not be written down");
            }
        }
    }
}

/// Tells of the first failure of a row of them.
fn is_fine(done: Result<(), StoreError>, was_well: bool) -> bool {
    match done {
        Ok(()) => true,
        Err(error) => {
            if was_well {
                tracing::warn!(%error, "deliveries wait for the database");
            }
            false
        }
    }
}
