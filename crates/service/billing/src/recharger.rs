//! The loop that buys: it finds balances that run low, asks, and writes down what was told.
//!
//! Everything that lasts stands in the store; what is here can be lost at any instant.

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, CreditPrice, Millis};
use store::{Consequence, PutOff, Recharge, Store, StoreError};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::Stripe;
use crate::stripe::Told;

/// Purchases that a node asks about at a time.
const AT_A_TIME: usize = 16;

/// Attempts of which none can have arrived, after which a purchase is given up: whoever is
/// concerned should know.
const FRUITLESS: u64 = 5;

/// A provider remembers its idempotency keys for a day. What is in doubt for longer must not
/// be asked for again: it could be paid twice.
const KEY_LIFE: Duration = Duration::from_secs(20 * 60 * 60);

/// The longest pause between two attempts at a purchase.
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);

/// How a node buys.
#[derive(Debug, Clone)]
pub struct RechargerSettings {
    pub price: CreditPrice,
    /// How often to look for balances that run low, and for purchases that are due.
    pub poll: Duration,
    /// How long a purchase stays ours: longer than a provider may take to answer.
    pub lease: Duration,
    /// The pause after an attempt that nobody told the outcome of; it doubles with each.
    pub retry: Duration,
    /// The pause after a purchase that failed; it doubles with each.
    pub back_off: Duration,
    /// The longest such pause.
    pub longest_back_off: Duration,
    /// How long a shutdown waits for what is under way.
    pub drain: Duration,
}

/// Buys credits for accounts that asked for it.
#[derive(Debug, Clone)]
pub struct Recharger {
    store: Store,
    provider: Stripe,
    clock: Arc<dyn Clock>,
    settings: Arc<RechargerSettings>,
}

impl Recharger {
    /// Buys by way of this provider.
    #[must_use]
    pub fn new(
        store: Store,
        provider: Stripe,
        clock: Arc<dyn Clock>,
        settings: RechargerSettings,
    ) -> Self {
        Self { store, provider, clock, settings: Arc::new(settings) }
    }

    /// Buys until `shutdown` says so, then waits a little for what is under way. What is cut
    /// off is asked about again by whoever comes next.
    pub async fn run(self, mut shutdown: watch::Receiver<bool>) {
        let mut poll = interval(self.settings.poll);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut asking = JoinSet::new();
        let mut is_well = true;
        while !*shutdown.borrow_and_update() {
            match self.look(&mut asking).await {
                Ok(()) => is_well = true,
                Err(error) => {
                    if is_well {
                        tracing::warn!(%error, "nobody can be topped up");
                    }
                    is_well = false;
                }
            }
            tokio::select! {
                _ = shutdown.changed() => {}
                _ = poll.tick() => {}
                Some(_) = asking.join_next(), if !asking.is_empty() => {}
            }
        }
        let drained = async { while asking.join_next().await.is_some() {} };
        if timeout(self.settings.drain, drained).await.is_err() {
            tracing::info!(left = asking.len(), "purchases are asked about again later");
        }
    }

    /// Opens what is wanted and takes what is due.
    async fn look(&self, asking: &mut JoinSet<()>) -> Result<(), StoreError> {
        let opened = self.store.open_recharges(&self.settings.price, self.clock.now()).await?;
        metrics::counter!("trawl_recharges_total", "outcome" => "opened").increment(opened);
        while asking.len() < AT_A_TIME {
            let now = self.clock.now();
            let claimed = self.store.claim_recharge(self.settings.lease, now).await?;
            let Some(recharge) = claimed else { break };
            let recharger = self.clone();
            asking.spawn(async move { recharger.settle(&recharge).await });
        }
        Ok(())
    }

    /// Asks about a purchase and writes down what was told.
    async fn settle(&self, recharge: &Recharge) {
        let told = self.provider.charge(recharge).await;
        let now = self.clock.now();
        let written = match self.judged(recharge, told, now) {
            Verdict::Grant { reference } => {
                log(recharge, "granted", None);
                self.store.grant_recharge(recharge, &reference, now).await
            }
            Verdict::Fail { reason, consequence } => {
                log(recharge, "failed", Some(&reason));
                self.store.fail_recharge(recharge, &reason, consequence, now).await
            }
            Verdict::Wait(put_off) => {
                log(recharge, "put_off", Some(&put_off.why));
                self.store.put_off_recharge(recharge, &put_off).await
            }
        };
        // What was not written down is asked about again when the lease runs out.
        if let Err(error) = written {
            tracing::warn!(recharge.id = %recharge.id, %error, "what was told is not written down");
        }
    }

    /// What follows from what was told.
    fn judged(&self, recharge: &Recharge, told: Told, now: Millis) -> Verdict {
        let RechargerSettings { back_off, longest_back_off, .. } = *self.settings;
        let consequence = Consequence::BackOff { first: back_off, most: longest_back_off };
        let (why, may_have_arrived, reference) = match told {
            Told::Paid { reference } => return Verdict::Grant { reference },
            Told::Declined { reason } => return Verdict::Fail { reason, consequence },
            // An earlier attempt may have been heard: only its own answer can tell.
            Told::Refused { reason } if recharge.in_doubt == 0 => {
                return Verdict::Fail { reason, consequence };
            }
            Told::Refused { reason } => (reason, false, None),
            Told::Pending { reference } => {
                ("the payment is being processed".to_owned(), true, Some(reference))
            }
            Told::Unknown { why, may_have_arrived } => (why, may_have_arrived, None),
        };
        let is_in_doubt = recharge.in_doubt > 0 || may_have_arrived;
        if !is_in_doubt && recharge.attempts >= FRUITLESS {
            return Verdict::Fail { reason: why, consequence };
        }
        // By its name at the provider it can be asked about for ever.
        let has_name = reference.is_some() || recharge.reference.is_some();
        if is_in_doubt && !has_name && now.since(recharge.asked_at) >= KEY_LIFE {
            let reason = format!(
                "nobody knows whether the payment {} was made ({why}); auto top-up is switched \
                 off until its operator has looked at the payment provider's own list",
                recharge.id
            );
            return Verdict::Fail { reason, consequence: Consequence::SwitchOff };
        }
        let doublings = u32::try_from(recharge.attempts).unwrap_or(u32::MAX).clamp(1, 16) - 1;
        let pause = self.settings.retry.saturating_mul(1 << doublings).min(LONGEST_PAUSE);
        Verdict::Wait(PutOff { until: now.plus(pause), may_have_arrived, reference, why })
    }
}

/// What becomes of a purchase.
enum Verdict {
    Grant { reference: String },
    Fail { reason: String, consequence: Consequence },
    Wait(PutOff),
}

fn log(recharge: &Recharge, outcome: &'static str, why: Option<&str>) {
    metrics::counter!("trawl_recharges_total", "outcome" => outcome).increment(1);
    tracing::info!(
        recharge.id = %recharge.id,
        account.id = %recharge.account,
        recharge.credits = recharge.credits.0,
        recharge.attempts,
        outcome,
        why,
        "a top-up"
    );
}
