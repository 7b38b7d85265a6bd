//! An endpoint as this node serves it: what is under way to it, and how it bears that.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use contract::{DeliveryId, Millis};
use store::{Attempted, Lane, Verdict};
use tokio::time::Instant;

/// A receiver that takes longer to answer is a slow one.
const SLOW: Duration = Duration::from_secs(1);

/// How long a receiver is left alone after a failure: whoever refuses at once, with a backlog
/// behind it, is not asked without a pause.
pub(crate) const REST: Duration = Duration::from_millis(200);

/// A lane with its traffic.
#[derive(Debug)]
pub(crate) struct OpenLane {
    pub lane: Arc<Lane>,
    /// Sent, or answered and not written down yet.
    pub under_way: HashSet<DeliveryId>,
    /// Whether more was due than there was room for.
    pub has_more: bool,
    /// How many may be under way. An endpoint that is not known yet gets one; each prompt
    /// success doubles it, a failure brings it back: a dead receiver holds one place, not many.
    width: usize,
    sluggish: bool,
    /// The first failed attempt since the last success.
    pub failing_since: Option<Millis>,
    rests_until: Option<Instant>,
    pub last_used: Instant,
}

impl OpenLane {
    pub fn new(lane: Lane) -> Self {
        Self {
            sluggish: lane.failing_since.is_some(),
            failing_since: lane.failing_since,
            lane: Arc::new(lane),
            under_way: HashSet::new(),
            has_more: false,
            width: 1,
            rests_until: None,
            last_used: Instant::now(),
        }
    }

    /// How many more may go out now.
    pub fn room(&self) -> usize {
        if self.rests_until.is_some_and(|until| Instant::now() < until) {
            return 0;
        }
        self.width.saturating_sub(self.under_way.len())
    }

    /// Whether the receiver fails or is slow: such ones share places of their own.
    pub fn is_sluggish(&self) -> bool {
        self.sluggish
    }

    /// Learns from an attempt that was written down.
    pub fn learn(&mut self, attempted: &Attempted, widest: usize) {
        self.under_way.remove(&attempted.due.id);
        self.last_used = Instant::now();
        let slow = Duration::from_millis(attempted.attempt.duration_ms) >= SLOW;
        match attempted.verdict {
            Verdict::Delivered => {
                self.sluggish = slow;
                self.failing_since = None;
                self.rests_until = None;
                if !slow {
                    self.width = self.width.saturating_mul(2).min(widest.max(1));
                }
            }
            Verdict::Retry { .. } | Verdict::Exhausted | Verdict::Failed => {
                if !attempted.due.manual {
                    self.failing_since.get_or_insert(attempted.attempt.at);
                }
                self.sluggish = true;
                self.width = 1;
                self.rests_until = Some(Instant::now() + REST);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::{DeliveryAttempt, WebhookId};
    use store::{DueDelivery, WebhookSecret};

    use super::*;

    fn attempted(verdict: Verdict, duration_ms: u64) -> Attempted {
        let due = DueDelivery {
            webhook: WebhookId::new(Millis(1), [1; 10]),
            id: DeliveryId::new(Millis(1), [2; 10]),
            body: String::new(),
            attempts: 0,
            manual: false,
            history: Vec::new(),
        };
        let attempt =
            DeliveryAttempt { at: Millis(1), status_code: None, duration_ms, error: None };
        Attempted { due, attempt, verdict }
    }

    #[test]
    fn a_lane_widens_with_prompt_answers_and_narrows_with_a_failure() {
        let lane = Lane {
            webhook: WebhookId::new(Millis(1), [1; 10]),
            url: "https://hooks.example/".to_owned(),
            secret: WebhookSecret::mint(),
            failing_since: None,
        };
        let mut lane = OpenLane::new(lane);
        assert_eq!((lane.room(), lane.is_sluggish()), (1, false));
        let rooms: Vec<_> = (0..4)
            .map(|_| {
                lane.learn(&attempted(Verdict::Delivered, 5), 8);
                lane.room()
            })
            .collect();
        assert_eq!(rooms, [2, 4, 8, 8]);
        lane.learn(&attempted(Verdict::Delivered, 1_500), 8);
        assert_eq!((lane.room(), lane.is_sluggish()), (8, true), "slow, but it answers");
        lane.learn(&attempted(Verdict::Retry { at: Millis(9) }, 5), 8);
        assert_eq!(lane.rests_until.take().map(|_| lane.room()), Some(1), "after a rest");
        assert_eq!((lane.room(), lane.is_sluggish()), (1, true));
        assert_eq!(lane.failing_since, Some(Millis(1)));
        lane.learn(&attempted(Verdict::Delivered, 5), 8);
        assert_eq!((lane.room(), lane.is_sluggish()), (2, false));
        assert_eq!(lane.failing_since, None);
    }
}
