//! The concurrency window of a leased webhook endpoint: how many deliveries may be in flight.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use contract::{DeliveryId, Millis};
use store::{CompletedAttempt, DeliveryOutcome, EndpointLease};
use tokio::time::Instant;

/// An endpoint that takes longer to respond is slow.
const SLOW: Duration = Duration::from_secs(1);

/// Pause after a failed attempt, so that an endpoint with a backlog that refuses every request is
/// not called in a tight loop.
pub(crate) const PAUSE: Duration = Duration::from_millis(200);

/// A leased endpoint with its deliveries in flight.
#[derive(Debug)]
pub(crate) struct EndpointWindow {
    pub lease: Arc<EndpointLease>,
    /// Sent, or completed and not stored yet.
    pub in_flight: HashSet<DeliveryId>,
    /// Whether more deliveries were due than the window allowed.
    pub has_more: bool,
    /// Maximum deliveries in flight. Starts at 1; each fast success doubles it and a failure resets
    /// it, so that a dead receiver occupies one slot.
    limit: usize,
    degraded: bool,
    /// The first failed attempt since the last success.
    pub failing_since: Option<Millis>,
    paused_until: Option<Instant>,
    pub last_used: Instant,
}

impl EndpointWindow {
    pub fn new(lease: EndpointLease) -> Self {
        Self {
            degraded: lease.failing_since.is_some(),
            failing_since: lease.failing_since,
            lease: Arc::new(lease),
            in_flight: HashSet::new(),
            has_more: false,
            limit: 1,
            paused_until: None,
            last_used: Instant::now(),
        }
    }

    /// How many more deliveries may be sent now.
    pub fn available(&self) -> usize {
        if self.paused_until.is_some_and(|until| Instant::now() < until) {
            return 0;
        }
        self.limit.saturating_sub(self.in_flight.len())
    }

    /// Whether the endpoint fails or is slow: such endpoints share a separate pool of slots.
    pub fn is_degraded(&self) -> bool {
        self.degraded
    }

    /// Adjusts the window after an attempt was stored.
    pub fn update(&mut self, completed: &CompletedAttempt, max_limit: usize) {
        self.in_flight.remove(&completed.due.id);
        self.last_used = Instant::now();
        let is_slow = Duration::from_millis(completed.attempt.duration_ms) >= SLOW;
        match completed.outcome {
            DeliveryOutcome::Delivered => {
                self.degraded = is_slow;
                self.failing_since = None;
                self.paused_until = None;
                if !is_slow {
                    self.limit = self.limit.saturating_mul(2).min(max_limit.max(1));
                }
            }
            DeliveryOutcome::Retry { .. }
            | DeliveryOutcome::Exhausted
            | DeliveryOutcome::Failed => {
                if !completed.due.manual {
                    self.failing_since.get_or_insert(completed.attempt.at);
                }
                self.degraded = true;
                self.limit = 1;
                self.paused_until = Some(Instant::now() + PAUSE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use contract::{AccountId, DeliveryAttempt, WebhookFormat, WebhookId};
    use store::{DueDelivery, WebhookSecret};

    use super::*;

    fn completed(outcome: DeliveryOutcome, duration_ms: u64) -> CompletedAttempt {
        let due = DueDelivery {
            webhook: WebhookId::new(Millis(1), [1; 10]),
            id: DeliveryId::new(Millis(1), [2; 10]),
            body: String::new(),
            job: None,
            part: None,
            attempts: 0,
            manual: false,
            history: Vec::new(),
        };
        let attempt =
            DeliveryAttempt { at: Millis(1), status_code: None, duration_ms, error: None };
        CompletedAttempt { due, attempt, outcome }
    }

    #[test]
    fn window_doubles_with_fast_responses_and_resets_after_a_failure() {
        let lease = EndpointLease {
            webhook: WebhookId::new(Millis(1), [1; 10]),
            account: AccountId::new(Millis(1), [3; 10]),
            url: "https://hooks.example/".to_owned(),
            secret: WebhookSecret::mint(),
            failing_since: None,
            format: WebhookFormat::Event,
            headers: BTreeMap::new(),
        };
        let mut window = EndpointWindow::new(lease);
        assert_eq!((window.available(), window.is_degraded()), (1, false));
        let available: Vec<_> = (0..4)
            .map(|_| {
                window.update(&completed(DeliveryOutcome::Delivered, 5), 8);
                window.available()
            })
            .collect();
        assert_eq!(available, [2, 4, 8, 8]);
        window.update(&completed(DeliveryOutcome::Delivered, 1_500), 8);
        assert_eq!((window.available(), window.is_degraded()), (8, true), "slow, but it responds");
        window.update(&completed(DeliveryOutcome::Retry { at: Millis(9) }, 5), 8);
        assert_eq!(
            window.paused_until.take().map(|_| window.available()),
            Some(1),
            "after a pause"
        );
        assert_eq!((window.available(), window.is_degraded()), (1, true));
        assert_eq!(window.failing_since, Some(Millis(1)));
        window.update(&completed(DeliveryOutcome::Delivered, 5), 8);
        assert_eq!((window.available(), window.is_degraded()), (2, false));
        assert_eq!(window.failing_since, None);
    }
}
