//! What is tried again, and when.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use contract::Millis;
use journal::Cause;

use crate::Retries;

/// Why an attempt gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No usable answer.
    Cause(Cause),
    /// An answer that may be another next time.
    Status {
        /// The status.
        status: u16,
        /// How long the site asked us to wait.
        retry_after: Option<Duration>,
    },
    /// A challenge within the protected tier: the next visitor may pass.
    Challenge,
}

/// The attempts at URLs that have failed so far. Not lasting: after a crash a URL gets
/// all its tries again.
#[derive(Debug, Clone, Default)]
pub(crate) struct RetryList {
    attempts: HashMap<u32, Attempts>,
    due: BTreeSet<(Millis, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Attempts {
    failed: u32,
    since: Millis,
}

impl RetryList {
    /// Notes a failure; true when the URL will be tried again.
    pub fn again(
        &mut self,
        ordinal: u32,
        failure: Failure,
        retries: &Retries,
        now: Millis,
    ) -> bool {
        let attempts = self.attempts.entry(ordinal).or_insert(Attempts { failed: 0, since: now });
        attempts.failed += 1;
        // 1, 4, 16 … times the first wait.
        let back_off = retries.back_off.saturating_mul(1 << (2 * (attempts.failed - 1)).min(16));
        let (tries_left, wait) = match failure {
            Failure::Cause(cause) => {
                (is_passing(cause) && attempts.failed <= retries.pages, back_off)
            }
            Failure::Status { status: 429, retry_after } => {
                let wait = retry_after.unwrap_or(back_off).min(retries.retry_after_at_most);
                (now.plus(wait).since(attempts.since) <= retries.rate_limit_patience, wait)
            }
            Failure::Status { status: 408 | 500 | 502..=504, retry_after } => (
                attempts.failed <= retries.pages,
                retry_after.unwrap_or(back_off).min(retries.retry_after_at_most),
            ),
            Failure::Challenge => (attempts.failed <= retries.pages, back_off),
            Failure::Status { .. } => (false, Duration::ZERO),
        };
        if tries_left {
            self.due.insert((now.plus(wait), ordinal));
        } else {
            self.attempts.remove(&ordinal);
        }
        tries_left
    }

    /// A URL that got its answer.
    pub fn forget(&mut self, ordinal: u32) {
        self.attempts.remove(&ordinal);
    }

    /// The next URL whose time has come.
    pub fn pop_due(&mut self, now: Millis) -> Option<u32> {
        let (at, ordinal) = *self.due.first()?;
        if at > now {
            return None;
        }
        self.due.remove(&(at, ordinal));
        Some(ordinal)
    }

    /// When the next one's time comes.
    pub fn next_due(&self) -> Option<Millis> {
        self.due.first().map(|(at, _)| *at)
    }
}

/// Whether waiting may mend it.
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
        // Who does not speak HTTP will not have learned it in a second.
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
    fn what_a_retry_can_mend_is_tried_twice_more() {
        let (mut list, retries) = (RetryList::default(), Retries::default());
        assert!(list.again(6, Failure::Cause(Cause::Busy), &retries, Millis(0)));
        assert_eq!(list.pop_due(Millis(1_000)), Some(6));
        let timeout = Failure::Cause(Cause::Timeout);
        assert!(list.again(7, timeout, &retries, Millis(0)));
        assert_eq!(list.next_due(), Some(Millis(1_000)));
        assert_eq!(list.pop_due(Millis(999)), None);
        assert_eq!(list.pop_due(Millis(1_000)), Some(7));
        assert!(list.again(7, timeout, &retries, Millis(1_000)));
        assert_eq!(list.pop_due(Millis(5_000)), Some(7));
        assert!(!list.again(7, timeout, &retries, Millis(5_000)));
        assert!(!list.again(8, Failure::Cause(Cause::Tls), &retries, Millis(0)));
        let gone = Failure::Status { status: 410, retry_after: None };
        assert!(!list.again(9, gone, &retries, Millis(0)));
        assert_eq!(list.next_due(), None);
    }

    #[test]
    fn too_many_requests_is_waited_out_for_a_minute() {
        let (mut list, retries) = (RetryList::default(), Retries::default());
        let limited = Failure::Status { status: 429, retry_after: Some(SECOND * 20) };
        let mut now = Millis(0);
        let mut tries = 0;
        while list.again(1, limited, &retries, now) {
            now = list.next_due().expect("a time");
            assert_eq!(list.pop_due(now), Some(1));
            tries += 1;
        }
        assert_eq!((tries, now), (3, Millis(60_000)));
        let forever = Failure::Status { status: 503, retry_after: Some(SECOND * 86_400) };
        assert!(list.again(2, forever, &retries, now));
        assert_eq!(
            list.next_due(),
            Some(now.plus(SECOND * 60)),
            "no site decides how long we wait"
        );
    }
}
