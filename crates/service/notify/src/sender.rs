//! One attempt at a delivery, and what follows from it.

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, DeliveryAttempt, Millis};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use net::{FetchError, HttpPost, Post};
use store::{Attempted, DueDelivery, Lane, Verdict};
use tokio::time::Instant;

use crate::{RetrySchedule, Signature};

/// The receiver wants no more.
const GONE: u16 = 410;

/// Characters of an error that are kept.
const LONGEST_ERROR: usize = 300;

/// Makes attempts.
#[derive(Debug)]
pub(crate) struct Sender {
    pub http: HttpPost,
    pub clock: Arc<dyn Clock>,
    pub retries: RetrySchedule,
    /// How long the attempts at one delivery can take in all. An endpoint that has failed for
    /// longer is exhausted, even where a backlog has kept each of its deliveries from being
    /// tried as often as it might have been.
    pub patience: Duration,
}

impl Sender {
    /// Tells the receiver once.
    pub async fn attempt(
        &self,
        lane: &Lane,
        due: DueDelivery,
        failing_since: Option<Millis>,
    ) -> Attempted {
        let (at, started) = (self.clock.now(), Instant::now());
        let signature = Signature::of(&lane.secret, at.0.div_euclid(1_000), due.body.as_bytes());
        let answer = match Self::post(lane, &due, &signature) {
            Some(post) => self.http.post(post).await,
            None => Err(FetchError::BadUrl),
        };
        let error = match &answer {
            Ok(200..=299) => None,
            Ok(status @ 300..=399) => {
                Some(format!("answered {status}; redirects are not followed"))
            }
            Ok(status) => Some(format!("answered {status}")),
            Err(error) => Some(plain(&error.to_string())),
        };
        let attempt = DeliveryAttempt {
            at,
            status_code: answer.as_ref().ok().copied(),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            error,
        };
        let verdict = self.verdict(&due, &attempt, failing_since);
        tell(&due, &attempt, verdict);
        Attempted { due, attempt, verdict }
    }

    fn post(lane: &Lane, due: &DueDelivery, signature: &Signature) -> Option<Post> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(Signature::HEADER, signature.to_string().parse().ok()?);
        Some(Post { url: lane.url.clone(), headers, body: due.body.clone().into() })
    }

    fn verdict(
        &self,
        due: &DueDelivery,
        attempt: &DeliveryAttempt,
        failing_since: Option<Millis>,
    ) -> Verdict {
        if attempt.error.is_none() {
            return Verdict::Delivered;
        }
        if due.manual {
            return Verdict::Failed;
        }
        let now = self.clock.now();
        let is_hopeless = failing_since.is_some_and(|since| now.since(since) > self.patience);
        if attempt.status_code == Some(GONE) || is_hopeless {
            return Verdict::Exhausted;
        }
        match self.retries.pause(due.attempts.saturating_add(1), rand::random()) {
            Some(pause) => Verdict::Retry { at: now.plus(pause) },
            None => Verdict::Exhausted,
        }
    }
}

/// What the other side may have had a hand in, such as the names in its certificate: without
/// control characters, and short.
fn plain(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(LONGEST_ERROR).collect()
}

/// Neither the address nor the body: either may hold what is nobody's business.
fn tell(due: &DueDelivery, attempt: &DeliveryAttempt, verdict: Verdict) {
    let outcome = match verdict {
        Verdict::Delivered => "delivered",
        Verdict::Retry { .. } => "retried",
        Verdict::Exhausted | Verdict::Failed => "given_up",
    };
    metrics::counter!("trawl_deliveries_total", "outcome" => outcome).increment(1);
    let (webhook, delivery) = (&due.webhook, &due.id);
    let error = attempt.error.as_deref().unwrap_or_default();
    match verdict {
        Verdict::Delivered => {
            tracing::debug!(webhook.id = %webhook, delivery.id = %delivery, "delivered");
        }
        Verdict::Retry { .. } | Verdict::Failed => {
            tracing::debug!(webhook.id = %webhook, delivery.id = %delivery, error, "not delivered");
        }
        Verdict::Exhausted => {
            tracing::warn!(webhook.id = %webhook, delivery.id = %delivery, error,
                "attempts are exhausted: the endpoint is switched off");
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::{DeliveryId, WebhookId};
    use net::HttpSettings;
    use runtime::SystemClock;

    use super::*;

    #[test]
    fn what_the_other_side_writes_is_kept_short_and_plain() {
        assert_eq!(plain("tls: only valid for \0\n\u{7f}x"), "tls: only valid for x");
        assert_eq!(plain(&"ü".repeat(1_000)).chars().count(), 300);
    }

    #[test]
    fn the_verdict_follows_from_the_answer_the_schedule_and_the_patience() {
        let retries = RetrySchedule::parse("5,30").expect("a schedule");
        let sender = Sender {
            http: HttpPost::new(HttpSettings::default()).expect("a way out"),
            clock: Arc::new(SystemClock),
            patience: retries.longest(Duration::from_secs(15)),
            retries,
        };
        let due = |attempts, manual| DueDelivery {
            webhook: WebhookId::new(Millis(1), [1; 10]),
            id: DeliveryId::new(Millis(1), [2; 10]),
            body: String::new(),
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
        let judge = |due, status, since| sender.verdict(&due, &answered(status), since);
        let now = sender.clock.now();
        let retried = |verdict| matches!(verdict, Verdict::Retry { at } if at > now);
        assert_eq!(judge(due(2, false), Some(200), None), Verdict::Delivered);
        for (attempts, status) in [(0, Some(500)), (1, None)] {
            assert!(retried(judge(due(attempts, false), status, Some(now))));
        }
        assert_eq!(judge(due(2, false), None, Some(now)), Verdict::Exhausted);
        assert_eq!(judge(due(0, false), Some(410), None), Verdict::Exhausted);
        for status in [Some(410), Some(500), None] {
            assert_eq!(judge(due(9, true), status, None), Verdict::Failed, "asked for by hand");
        }
        // A backlog kept its deliveries from being tried; it has failed for too long all the same.
        let long_ago = Millis(now.0 - 84_000);
        assert_eq!(judge(due(0, false), Some(500), Some(long_ago)), Verdict::Exhausted);
        assert_eq!(judge(due(0, false), Some(200), Some(long_ago)), Verdict::Delivered);
        assert!(retried(judge(due(0, false), Some(500), Some(Millis(now.0 - 60_000)))));
    }
}
