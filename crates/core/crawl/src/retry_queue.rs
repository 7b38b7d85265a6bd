//! The retry queue of a site crawl: URLs whose next attempt is due later.

use std::collections::{BTreeSet, HashMap};

use contract::Millis;
use journal::UrlId;

use crate::fetch_policy::{AttemptFailure, Attempts, FetchPolicy};

/// Failed attempts by URL. Not durable: after a crash a URL has all its retries again.
#[derive(Debug, Clone, Default)]
pub(crate) struct RetryQueue {
    attempts: HashMap<UrlId, Attempts>,
    due: BTreeSet<(Millis, UrlId)>,
}

impl RetryQueue {
    /// Records a failure. Returns whether the URL will be retried.
    pub fn schedule_retry(
        &mut self,
        id: UrlId,
        failure: AttemptFailure,
        policy: &FetchPolicy,
        now: Millis,
    ) -> bool {
        let attempts = self.attempts.entry(id).or_default();
        let at = policy.retry_at(attempts, failure, now);
        match at {
            Some(at) => {
                self.due.insert((at, id));
            }
            None => self.forget(id),
        }
        at.is_some()
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

#[cfg(test)]
mod tests {
    use journal::Cause;

    use super::*;
    use crate::Retries;

    #[test]
    fn url_is_due_at_its_time_until_its_retries_are_used() {
        let mut queue = RetryQueue::default();
        let policy = FetchPolicy::of_site(&Retries::default());
        let timeout = AttemptFailure::Cause(Cause::Timeout);
        assert!(queue.schedule_retry(UrlId(7), timeout, &policy, Millis(0)));
        assert_eq!((queue.next_due(), queue.pop_due(Millis(999))), (Some(Millis(1_000)), None));
        assert_eq!(queue.pop_due(Millis(1_000)), Some(UrlId(7)));
        assert!(queue.schedule_retry(UrlId(7), timeout, &policy, Millis(1_000)));
        assert_eq!(queue.pop_due(Millis(5_000)), Some(UrlId(7)));
        assert!(!queue.schedule_retry(UrlId(7), timeout, &policy, Millis(5_000)));
        assert_eq!(queue.next_due(), None);
        assert!(queue.schedule_retry(UrlId(7), timeout, &policy, Millis(9_000)), "counted anew");
    }
}
