//! One attempt at a delivery, and what follows from it.

use std::sync::Arc;

use contract::{Clock, DeliveryAttempt};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use net::{FetchError, HttpPost, Post};
use store::{Attempted, DueDelivery, Lane, Verdict};
use tokio::time::Instant;

use crate::{RetrySchedule, Signature};

/// The receiver wants no more.
const GONE: u16 = 410;

/// Makes attempts.
#[derive(Debug)]
pub(crate) struct Sender {
    pub http: HttpPost,
    pub clock: Arc<dyn Clock>,
    pub retries: RetrySchedule,
}

impl Sender {
    /// Tells the receiver once.
    pub async fn attempt(&self, lane: &Lane, due: DueDelivery) -> Attempted {
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
            Err(error) => Some(error.to_string()),
        };
        let attempt = DeliveryAttempt {
            at,
            status_code: answer.as_ref().ok().copied(),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            error,
        };
        let verdict = self.verdict(&due, &attempt);
        tell(&due, &attempt, verdict);
        Attempted { due, attempt, verdict }
    }

    fn post(lane: &Lane, due: &DueDelivery, signature: &Signature) -> Option<Post> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(Signature::HEADER, signature.to_string().parse().ok()?);
        Some(Post { url: lane.url.clone(), headers, body: due.body.clone().into() })
    }

    fn verdict(&self, due: &DueDelivery, attempt: &DeliveryAttempt) -> Verdict {
        if attempt.error.is_none() {
            return Verdict::Delivered;
        }
        if due.manual {
            return Verdict::Failed;
        }
        if attempt.status_code == Some(GONE) {
            return Verdict::Exhausted;
        }
        match self.retries.pause(due.attempts.saturating_add(1), rand::random()) {
            Some(pause) => Verdict::Retry { at: self.clock.now().plus(pause) },
            None => Verdict::Exhausted,
        }
    }
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
