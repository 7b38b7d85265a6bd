//! The recharge loop: finds low balances, calls the payment provider, and stores the outcomes.
//!
//! All durable state is in the store; the state here can be lost at any time.

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, CreditPrice, Millis};
use job::Backoff;
use store::{DeferredRecharge, Recharge, RechargeFailurePolicy, Store, StoreError};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::Stripe;
use crate::stripe::ChargeOutcome;

/// Maximum concurrent recharges of a node.
const MAX_CONCURRENT: usize = 16;

/// A recharge fails after this many attempts that did not reach the provider.
const MAX_UNDELIVERED: u64 = 5;

/// Providers keep idempotency keys for a day. A payment that is in doubt for longer must not be
/// requested again: it could be charged twice.
const KEY_LIFETIME: Duration = Duration::from_secs(20 * 60 * 60);

/// Maximum pause between two attempts at a recharge.
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);

#[derive(Debug, Clone)]
pub struct RechargerSettings {
    pub price: CreditPrice,
    /// Interval of the search for low balances and due recharges.
    pub poll: Duration,
    /// Duration of a lease, longer than the timeout of the provider.
    pub lease: Duration,
    /// The pause after an attempt with an unknown outcome; it doubles with each.
    pub retry: Duration,
    /// The pause after a failed recharge; it doubles with each.
    pub back_off: Duration,
    /// The longest pause after a failed recharge.
    pub longest_back_off: Duration,
    /// Maximum time that a shutdown waits for recharges in progress.
    pub drain: Duration,
}

/// Buys credits for accounts with automatic top-ups.
#[derive(Debug, Clone)]
pub struct Recharger {
    store: Store,
    provider: Stripe,
    clock: Arc<dyn Clock>,
    settings: Arc<RechargerSettings>,
}

impl Recharger {
    #[must_use]
    pub fn new(
        store: Store,
        provider: Stripe,
        clock: Arc<dyn Clock>,
        settings: RechargerSettings,
    ) -> Self {
        Self { store, provider, clock, settings: Arc::new(settings) }
    }

    /// Runs until `shutdown` is cancelled, then waits for recharges in progress. Interrupted ones are
    /// retried after the end of their lease.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut poll = interval(self.settings.poll);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut in_progress = JoinSet::new();
        let mut is_healthy = true;
        while !shutdown.is_cancelled() {
            match self.start_due(&mut in_progress).await {
                Ok(()) => is_healthy = true,
                Err(error) => {
                    if is_healthy {
                        tracing::warn!(%error, "database unavailable, automatic top-ups are waiting");
                    }
                    is_healthy = false;
                }
            }
            tokio::select! {
                () = shutdown.cancelled() => {}
                _ = poll.tick() => {}
                Some(_) = in_progress.join_next(), if !in_progress.is_empty() => {}
            }
        }
        let drained = async { while in_progress.join_next().await.is_some() {} };
        if timeout(self.settings.drain, drained).await.is_err() {
            let unfinished = in_progress.len();
            tracing::info!(unfinished, "shutdown interrupts recharges, which are retried later");
        }
    }

    /// Opens recharges for low balances and starts those that are due.
    async fn start_due(&self, in_progress: &mut JoinSet<()>) -> Result<(), StoreError> {
        let opened = self.store.open_recharges(&self.settings.price, self.clock.now()).await?;
        metrics::counter!("trawl_recharges_total", "outcome" => "opened").increment(opened);
        while in_progress.len() < MAX_CONCURRENT {
            let now = self.clock.now();
            let claimed = self.store.claim_recharge(self.settings.lease, now).await?;
            let Some(recharge) = claimed else { break };
            let recharger = self.clone();
            let span = tracing::error_span!(
                "recharge",
                recharge.id = %recharge.id,
                account.id = %recharge.account,
            );
            let attempt = async move { recharger.attempt(&recharge).await };
            in_progress.spawn(attempt.instrument(span));
        }
        Ok(())
    }

    /// Calls the provider for a recharge and stores the outcome.
    async fn attempt(&self, recharge: &Recharge) {
        let outcome = self.provider.charge(recharge).await;
        let now = self.clock.now();
        let stored = match self.decide(recharge, outcome, now) {
            RechargeDecision::Grant { reference } => {
                report(recharge, "granted", None);
                self.store.grant_recharge(recharge, &reference, now).await
            }
            RechargeDecision::Fail { reason, policy } => {
                report(recharge, "failed", Some(&reason));
                self.store.fail_recharge(recharge, &reason, policy, now).await
            }
            RechargeDecision::Defer(deferred) => {
                report(recharge, "put_off", Some(&deferred.reason));
                self.store.defer_recharge(recharge, &deferred).await
            }
        };
        // The recharge is attempted again when the lease expires.
        if let Err(error) = stored {
            tracing::warn!(%error, "failed to persist recharge outcome");
        }
    }

    /// How the recharge continues after an attempt.
    fn decide(&self, recharge: &Recharge, outcome: ChargeOutcome, now: Millis) -> RechargeDecision {
        let RechargerSettings { retry, back_off, longest_back_off, .. } = *self.settings;
        let backoff = Backoff { first: back_off, longest: longest_back_off };
        let policy = RechargeFailurePolicy::BackOff(backoff);
        let (reason, may_have_arrived, reference) = match outcome {
            ChargeOutcome::Paid { reference } => return RechargeDecision::Grant { reference },
            ChargeOutcome::Declined { reason } => return RechargeDecision::Fail { reason, policy },
            // With an earlier attempt in doubt, a refusal does not tell whether that one was paid.
            ChargeOutcome::Refused { reason } if recharge.in_doubt == 0 => {
                return RechargeDecision::Fail { reason, policy };
            }
            ChargeOutcome::Refused { reason } => (reason, false, None),
            ChargeOutcome::Pending { reference } => {
                ("the payment is being processed".to_owned(), true, Some(reference))
            }
            ChargeOutcome::Unknown { reason, may_have_arrived } => (reason, may_have_arrived, None),
        };
        let is_in_doubt = recharge.in_doubt > 0 || may_have_arrived;
        if !is_in_doubt && recharge.attempts >= MAX_UNDELIVERED {
            return RechargeDecision::Fail { reason, policy };
        }
        // A payment with a reference can be queried without a time limit.
        let has_reference = reference.is_some() || recharge.reference.is_some();
        if is_in_doubt && !has_reference && now.since(recharge.asked_at) >= KEY_LIFETIME {
            let reason = format!(
                "it is unknown whether the payment {} was made ({reason}); automatic top-up is \
                 disabled until the operator has checked the payments at the payment provider",
                recharge.id
            );
            let policy = RechargeFailurePolicy::Disable;
            return RechargeDecision::Fail { reason, policy };
        }
        let pause = Backoff { first: retry, longest: LONGEST_PAUSE }.pause(recharge.attempts);
        let until = now.plus(pause);
        RechargeDecision::Defer(DeferredRecharge { until, may_have_arrived, reference, reason })
    }
}

/// How a recharge continues after an attempt.
enum RechargeDecision {
    Grant { reference: String },
    Fail { reason: String, policy: RechargeFailurePolicy },
    Defer(DeferredRecharge),
}

fn report(recharge: &Recharge, outcome: &'static str, reason: Option<&str>) {
    metrics::counter!("trawl_recharges_total", "outcome" => outcome).increment(1);
    tracing::info!(
        recharge.credits = recharge.credits.0,
        recharge.attempts,
        outcome,
        reason,
        "recharge attempted"
    );
}
