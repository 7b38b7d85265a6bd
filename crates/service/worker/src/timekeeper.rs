//! The clock's hand: starts the runs of schedules whose slots have come, and sends progress
//! events that were deferred.
//!
//! All that lasts is in the store; a slot is taken in the transaction that starts its run.
//! Any number of nodes may look at once, and any of them may be gone in the next instant.

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, ScheduleId};
use store::{SlotOutcome, SlotRules, Store, StoreError};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

/// How a node keeps time.
#[derive(Debug, Clone, Copy)]
pub struct TimekeeperSettings {
    /// How often to look for slots that have come.
    pub poll: Duration,
    pub rules: SlotRules,
}

/// Starts what schedules ask for.
#[derive(Debug)]
pub struct Timekeeper {
    store: Store,
    clock: Arc<dyn Clock>,
    settings: TimekeeperSettings,
}

impl Timekeeper {
    /// Keeps time by this clock.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, settings: TimekeeperSettings) -> Self {
        Self { store, clock, settings }
    }

    /// Starts runs until `shutdown` says so.
    pub async fn run(self, mut shutdown: watch::Receiver<bool>) {
        let mut poll = interval(self.settings.poll);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_well = true;
        while !*shutdown.borrow_and_update() {
            match self.look(&shutdown).await {
                Ok(()) => is_well = true,
                Err(error) => {
                    if is_well {
                        tracing::warn!(%error, "no schedule can be looked at");
                    }
                    is_well = false;
                }
            }
            tokio::select! {
                _ = shutdown.changed() => {}
                _ = poll.tick() => {}
            }
        }
    }

    /// Goes once through all schedules whose slots have come.
    async fn look(&self, shutdown: &watch::Receiver<bool>) -> Result<(), StoreError> {
        self.store.send_due_progress(self.clock.now()).await?;
        let mut after: Option<ScheduleId> = None;
        loop {
            let due = self.store.due_schedules(after.as_ref(), self.clock.now()).await?;
            for id in &due {
                if *shutdown.borrow() {
                    return Ok(());
                }
                self.start(id).await;
            }
            match due.into_iter().last() {
                Some(last) => after = Some(last),
                None => return Ok(()),
            }
        }
    }

    /// Takes what has come of one schedule. What goes wrong with it is its own affair: the
    /// others are looked at all the same, and it is looked at again.
    async fn start(&self, id: &ScheduleId) {
        let outcome = self.store.start_due(id, self.settings.rules, self.clock.now()).await;
        let (outcome, job, code) = match outcome {
            Ok(None) => return,
            Ok(Some(SlotOutcome::Started(job))) => ("started", Some(job), None),
            Ok(Some(SlotOutcome::Failed { job, code })) => ("failed", Some(job), Some(code)),
            Ok(Some(SlotOutcome::Dropped)) => ("dropped", None, None),
            Ok(Some(SlotOutcome::Paused)) => ("paused", None, None),
            Err(error) => {
                tracing::warn!(schedule.id = %id, %error, "a slot could not be taken");
                return;
            }
        };
        metrics::counter!("trawl_slots_total", "outcome" => outcome).increment(1);
        tracing::info!(
            schedule.id = %id,
            job.id = job.map(|job| job.to_string()),
            outcome,
            code = code.map(|code| code.as_str()),
            "a slot"
        );
    }
}
