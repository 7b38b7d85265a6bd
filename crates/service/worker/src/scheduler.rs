//! The scheduler: starts the jobs of due schedules, and sends deferred progress events.
//!
//! All state is in the store; a slot is consumed in the transaction that creates its job. Any number of
//! nodes may run a scheduler, and each may crash at any time.

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, ScheduleId};
use store::{SlotOutcome, SlotRules, Store, StoreError};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// How often slots are looked for, and what happens to late ones.
#[derive(Debug, Clone, Copy)]
pub struct SchedulerSettings {
    /// Interval of polling for due slots.
    pub poll: Duration,
    pub rules: SlotRules,
}

/// Starts the jobs of due schedules.
#[derive(Debug)]
pub struct Scheduler {
    store: Store,
    clock: Arc<dyn Clock>,
    settings: SchedulerSettings,
}

impl Scheduler {
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, settings: SchedulerSettings) -> Self {
        Self { store, clock, settings }
    }

    /// Runs until `shutdown` is cancelled.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut poll = interval(self.settings.poll);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_healthy = true;
        while !shutdown.is_cancelled() {
            match self.start_due_schedules(&shutdown).await {
                Ok(()) => is_healthy = true,
                Err(error) => {
                    if is_healthy {
                        tracing::warn!(%error, "failed to query due schedules");
                    }
                    is_healthy = false;
                }
            }
            tokio::select! {
                () = shutdown.cancelled() => {}
                _ = poll.tick() => {}
            }
        }
    }

    /// Starts all due schedules once.
    async fn start_due_schedules(&self, shutdown: &CancellationToken) -> Result<(), StoreError> {
        self.store.send_due_progress(self.clock.now()).await?;
        let mut after: Option<ScheduleId> = None;
        loop {
            let due = self.store.due_schedules(after.as_ref(), self.clock.now()).await?;
            for id in &due {
                if shutdown.is_cancelled() {
                    return Ok(());
                }
                let span = tracing::error_span!("slot", schedule.id = %id);
                self.start(id).instrument(span).await;
            }
            match due.into_iter().last() {
                Some(last) => after = Some(last),
                None => return Ok(()),
            }
        }
    }

    /// Starts the due slot of one schedule. A failure does not affect other schedules and is retried
    /// at the next poll.
    async fn start(&self, id: &ScheduleId) {
        let outcome = self.store.start_due(id, self.settings.rules, self.clock.now()).await;
        let (outcome, job, code) = match outcome {
            Ok(None) => return,
            Ok(Some(SlotOutcome::Started(job))) => ("started", Some(job), None),
            Ok(Some(SlotOutcome::Failed { job, code })) => ("failed", Some(job), Some(code)),
            Ok(Some(SlotOutcome::Dropped)) => ("dropped", None, None),
            Ok(Some(SlotOutcome::Paused)) => ("paused", None, None),
            Err(error) => {
                tracing::warn!(%error, "failed to start schedule");
                return;
            }
        };
        metrics::counter!("trawl_slots_total", "outcome" => outcome).increment(1);
        tracing::info!(
            job.id = job.map(|job| job.to_string()),
            outcome,
            code = code.map(|code| code.as_str()),
            "schedule slot handled"
        );
    }
}
