//! The retry queue: which URLs are retried, and when.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use contract::Millis;
use journal::{Cause, UrlId};

use crate::Retries;

/// Why an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptFailure {
    Cause(Cause),
    /// A response that may differ next time.
    Status {
        status: u16,
        /// The value of `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// A challenge within the protected tier: another exit may pass.
    Challenge,
}

/// Failed attempts by URL. Not durable: after a crash a URL has all its retries again.
#[derive(Debug, Clone, Default)]
pub(crate) struct RetryQueue {
    attempts: HashMap<UrlId, Attempts>,
    due: BTreeSet<(Millis, UrlId)>,
}

#[derive(Debug, Clone, Copy)]
struct Attempts {
    failed: u32,
    since: Millis,
}

impl RetryQueue {
    /// Records a failure. Returns whether the URL will be retried.
    pub fn schedule_retry(
        &mut self,
        id: UrlId,
        failure: AttemptFailure,
        retries: &Retries,
        now: Millis,
    ) -> bool {
        let attempts = self.attempts.entry(id).or_insert(Attempts { failed: 0, since: now });
        attempts.failed += 1;
        // 1, 4, 16 … times the first delay.
        let back_off = retries.back_off.saturating_mul(1 << (2 * (attempts.failed - 1)).min(16));
        let (tries_left, wait) = match failure {
            AttemptFailure::Cause(cause) => {
                (is_passing(cause) && attempts.failed <= retries.pages, back_off)
            }
            AttemptFailure::Status { status: 429, retry_after } => {
                let wait = retry_after.unwrap_or(back_off).min(retries.retry_after_at_most);
                (now.plus(wait).since(attempts.since) <= retries.rate_limit_patience, wait)
            }
            AttemptFailure::Status { status: 408 | 500 | 502..=504, retry_after } => (
                attempts.failed <= retries.pages,
                retry_after.unwrap_or(back_off).min(retries.retry_after_at_most),
            ),
            AttemptFailure::Challenge => (attempts.failed <= retries.pages, back_off),
            AttemptFailure::Status { .. } => (false, Duration::ZERO),
        };
        if tries_left {
            self.due.insert((now.plus(wait), id));
        } else {
            self.attempts.remove(&id);
        }
        tries_left
    }

    /// Forgets the attempts of a URL that got its response.
    pub fn forget(&mut self, id: UrlId) {
        self.attempts.remove(&id);
    }

    /// The next URL whose retry is due.
    pub fn pop_due(&mut self, now: Millis) -> Option<UrlId> {
        let (at, id) = *self.due.first()?;
        if at > now {
            return None;
        }
        self.due.remove(&(at, id));
        Some(id)
    }

    /// When the next retry is due.
    pub fn next_due(&self) -> Option<Millis> {
        self.due.first().map(|(at, _)| *at)
    }
}

/// Whether a retry may succeed.
fn is_passing(cause: Cause) -> bool {
    match cause {
        Cause::NameServer
        | Cause::Connect
        | Cause::Timeout
        | Cause::ProviderDown
        | Cause::Egress
        | Cause::Busy => true,
        Cause::NameNotFound
        | Cause::AddressRefused
        | Cause::Blacklisted
        | Cause::Tls
        | Cause::TooLarge
        | Cause::BadEncoding
        | Cause::RedirectLoop
        | Cause::Robots
        | Cause::RobotsUnavailable
        | Cause::RateLimited
        // A server that does not speak HTTP will not do so a second later.
        | Cause::Protocol
        | Cause::Protected
        | Cause::NeedsRendering
        | Cause::Renderer
        | Cause::TooComplex
        | Cause::Bug => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn transient_failure_is_retried_twice() {
        let (mut list, retries) = (RetryQueue::default(), Retries::default());
        assert!(list.schedule_retry(
            UrlId(6),
            AttemptFailure::Cause(Cause::Busy),
            &retries,
            Millis(0)
        ));
        assert_eq!(list.pop_due(Millis(1_000)), Some(UrlId(6)));
        let timeout = AttemptFailure::Cause(Cause::Timeout);
        assert!(list.schedule_retry(UrlId(7), timeout, &retries, Millis(0)));
        assert_eq!(list.next_due(), Some(Millis(1_000)));
        assert_eq!(list.pop_due(Millis(999)), None);
        assert_eq!(list.pop_due(Millis(1_000)), Some(UrlId(7)));
        assert!(list.schedule_retry(UrlId(7), timeout, &retries, Millis(1_000)));
        assert_eq!(list.pop_due(Millis(5_000)), Some(UrlId(7)));
        assert!(!list.schedule_retry(UrlId(7), timeout, &retries, Millis(5_000)));
        assert!(!list.schedule_retry(
            UrlId(8),
            AttemptFailure::Cause(Cause::Tls),
            &retries,
            Millis(0)
        ));
        let gone = AttemptFailure::Status { status: 410, retry_after: None };
        assert!(!list.schedule_retry(UrlId(9), gone, &retries, Millis(0)));
        assert_eq!(list.next_due(), None);
    }

    #[test]
    fn rate_limit_is_retried_for_a_minute() {
        let (mut list, retries) = (RetryQueue::default(), Retries::default());
        let limited = AttemptFailure::Status { status: 429, retry_after: Some(SECOND * 20) };
        let mut now = Millis(0);
        let mut tries = 0;
        while list.schedule_retry(UrlId(1), limited, &retries, now) {
            now = list.next_due().expect("a time");
            assert_eq!(list.pop_due(now), Some(UrlId(1)));
            tries += 1;
        }
        assert_eq!((tries, now), (3, Millis(60_000)));
        let forever = AttemptFailure::Status { status: 503, retry_after: Some(SECOND * 86_400) };
        assert!(list.schedule_retry(UrlId(2), forever, &retries, now));
        assert_eq!(
            list.next_due(),
            Some(now.plus(SECOND * 60)),
            "no site decides how long we wait"
        );
    }
}
