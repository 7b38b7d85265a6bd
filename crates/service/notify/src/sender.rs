//! One attempt at a delivery, and its outcome.

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, DeliveryAttempt, Millis};
use net::{HttpPost, Post};
use store::{CompletedAttempt, DeliveryOutcome, DueDelivery, EndpointLease};
use tokio::time::Instant;

use crate::RetrySchedule;
use crate::message::{DeliveryMessage, MessageWriter};

/// The receiver asks to disable the endpoint.
const GONE: u16 = 410;

/// Longer errors are truncated.
const MAX_ERROR_CHARS: usize = 300;

/// Sends deliveries and decides how they continue.
#[derive(Debug)]
pub(crate) struct Sender {
    pub http: HttpPost,
    pub messages: MessageWriter,
    pub clock: Arc<dyn Clock>,
    pub retries: RetrySchedule,
    /// Maximum time for all attempts at one delivery. An endpoint that has failed for longer is
    /// exhausted, even if its backlog kept single deliveries from being retried that often.
    pub max_failing: Duration,
}

impl Sender {
    /// Sends a delivery once.
    pub async fn attempt(
        &self,
        lease: &EndpointLease,
        due: DueDelivery,
        failing_since: Option<Millis>,
    ) -> CompletedAttempt {
        let (at, started) = (self.clock.now(), Instant::now());
        let message = self.messages.message(lease, &due, at.0.div_euclid(1_000)).await;
        let (status_code, error) = match message {
            Ok(DeliveryMessage::Request(post)) => self.post(post).await,
            Ok(DeliveryMessage::Nothing) => (None, None),
            Err(error) => {
                tracing::warn!(%error, "cannot read the content of a webhook delivery");
                (None, Some("the content was not readable".to_owned()))
            }
        };
        let attempt = DeliveryAttempt {
            at,
            status_code,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            error,
        };
        let outcome = self.outcome(&due, &attempt, failing_since);
        report(&attempt, outcome);
        CompletedAttempt { due, attempt, outcome }
    }

    /// The status of the response, and why the attempt failed.
    async fn post(&self, post: Post) -> (Option<u16>, Option<String>) {
        let response = self.http.post(post).await;
        let error = match &response {
            Ok(200..=299) => None,
            Ok(status @ 300..=399) => {
                Some(format!("answered {status}; redirects are not followed"))
            }
            Ok(status) => Some(format!("answered {status}")),
            Err(error) => Some(sanitize(&error.to_string())),
        };
        (response.ok(), error)
    }

    fn outcome(
        &self,
        due: &DueDelivery,
        attempt: &DeliveryAttempt,
        failing_since: Option<Millis>,
    ) -> DeliveryOutcome {
        if attempt.error.is_none() {
            return DeliveryOutcome::Delivered;
        }
        if due.manual {
            return DeliveryOutcome::Failed;
        }
        let now = self.clock.now();
        let is_dead = failing_since.is_some_and(|since| now.since(since) > self.max_failing);
        if attempt.status_code == Some(GONE) || is_dead {
            return DeliveryOutcome::Exhausted;
        }
        match self.retries.pause(due.attempts.saturating_add(1), rand::random()) {
            Some(pause) => DeliveryOutcome::Retry { at: now.plus(pause) },
            None => DeliveryOutcome::Exhausted,
        }
    }
}

/// Removes control characters and truncates: the receiver can influence the text, for example by
/// the names in its certificate.
fn sanitize(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_ERROR_CHARS).collect()
}

/// Counts and logs an attempt, without URL path and body, which may contain secrets. The span of
/// the delivery has the ids.
fn report(attempt: &DeliveryAttempt, outcome: DeliveryOutcome) {
    let label = match outcome {
        DeliveryOutcome::Delivered => "delivered",
        DeliveryOutcome::Retry { .. } => "retried",
        DeliveryOutcome::Exhausted | DeliveryOutcome::Failed => "given_up",
    };
    metrics::counter!("trawl_deliveries_total", "outcome" => label).increment(1);
    let error = attempt.error.as_deref().unwrap_or_default();
    match outcome {
        DeliveryOutcome::Delivered => tracing::debug!("webhook delivered"),
        DeliveryOutcome::Retry { .. } => {
            tracing::debug!(error, "webhook delivery failed, will be retried");
        }
        DeliveryOutcome::Failed => tracing::debug!(error, "webhook delivery failed"),
        DeliveryOutcome::Exhausted => {
            tracing::warn!(error, "webhook retries exhausted, endpoint disabled");
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::{DeliveryId, WebhookId};
    use net::HttpSettings;
    use runtime::SystemClock;
    use store::{Store, StoreSettings};

    use super::*;

    #[test]
    fn error_of_a_receiver_is_truncated_and_has_no_control_characters() {
        assert_eq!(sanitize("tls: only valid for \0\n\u{7f}x"), "tls: only valid for x");
        assert_eq!(sanitize(&"ü".repeat(1_000)).chars().count(), 300);
    }

    #[tokio::test]
    async fn outcome_depends_on_response_retry_schedule_and_time_of_failing() {
        let retries = RetrySchedule::parse("5,30").expect("a schedule");
        let sender = Sender {
            http: HttpPost::new(HttpSettings::default()).expect("an HTTP client"),
            messages: MessageWriter {
                store: Store::new(StoreSettings::new("sqlite::memory:")).expect("an address"),
                firecrawl: None,
            },
            clock: Arc::new(SystemClock),
            max_failing: retries.max_duration(Duration::from_secs(15)),
            retries,
        };
        let due = |attempts, manual| DueDelivery {
            webhook: WebhookId::new(Millis(1), [1; 10]),
            id: DeliveryId::new(Millis(1), [2; 10]),
            body: String::new(),
            job: None,
            part: None,
            attempts,
            manual,
            history: Vec::new(),
        };
        let answered = |status_code| DeliveryAttempt {
            at: Millis(1),
            status_code,
            duration_ms: 1,
            error: (status_code != Some(200)).then(String::new),
        };
        let outcome = |due, status, since| sender.outcome(&due, &answered(status), since);
        let now = sender.clock.now();
        let retried = |outcome| matches!(outcome, DeliveryOutcome::Retry { at } if at > now);
        assert_eq!(outcome(due(2, false), Some(200), None), DeliveryOutcome::Delivered);
        for (attempts, status) in [(0, Some(500)), (1, None)] {
            assert!(retried(outcome(due(attempts, false), status, Some(now))));
        }
        assert_eq!(outcome(due(2, false), None, Some(now)), DeliveryOutcome::Exhausted);
        assert_eq!(outcome(due(0, false), Some(410), None), DeliveryOutcome::Exhausted);
        for status in [Some(410), Some(500), None] {
            assert_eq!(outcome(due(9, true), status, None), DeliveryOutcome::Failed, "manual");
        }
        // The endpoint has failed for too long, even though this delivery was tried only once.
        let long_ago = Millis(now.0 - 84_000);
        assert_eq!(outcome(due(0, false), Some(500), Some(long_ago)), DeliveryOutcome::Exhausted);
        assert_eq!(outcome(due(0, false), Some(200), Some(long_ago)), DeliveryOutcome::Delivered);
        assert!(retried(outcome(due(0, false), Some(500), Some(Millis(now.0 - 60_000)))));
    }
}
