//! The rules for the requests of site crawls and domain visits: which failures are retried and
//! when, how robots.txt is honoured, and how long a chain of redirects may be. Both kinds of run
//! use the same code with their own limits.

use std::time::Duration;

use contract::Millis;
use journal::Cause;
use urls::{CanonicalUrl, Robots};

use crate::crawl_plan::Retries;

/// A longer chain of redirects is a failure.
pub(crate) const MAX_HOPS: usize = 10;

/// The longest `Crawl-delay` that is honoured.
const CRAWL_DELAY_AT_MOST: Duration = Duration::from_secs(10);

/// How failed requests are retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FetchPolicy {
    /// Retries after a transient failure.
    pub transient: u32,
    /// The delay before the first retry; it quadruples with each further one.
    pub back_off: Duration,
    /// Number of retries after status 429.
    pub rate_limits: u32,
    /// The delay after 429 without `Retry-After`; `None` is the back-off.
    pub rate_limit_wait: Option<Duration>,
    /// How long a URL is retried that answers 429.
    pub rate_limit_patience: Duration,
    /// The longest `Retry-After` that is honoured.
    pub retry_after_at_most: Duration,
    pub robots: RobotsRetries,
}

/// How the request of a robots.txt is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RobotsRetries {
    /// Attempts to fetch the file.
    pub attempts: u32,
    /// The shortest delay between two attempts.
    pub every: Duration,
    /// Whether a longer `Retry-After` is honoured.
    pub honours_retry_after: bool,
    /// Whether an origin is requested again that did not answer.
    pub without_response: bool,
}

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

/// The failed attempts of one URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Attempts {
    failed: u32,
    /// When the first attempt failed.
    since: Option<Millis>,
}

impl FetchPolicy {
    /// The policy of visits, which have little time and several entry URLs.
    pub const VISIT: Self = Self {
        transient: 1,
        back_off: Duration::from_secs(1),
        rate_limits: 3,
        rate_limit_wait: Some(Duration::from_secs(5)),
        rate_limit_patience: Duration::MAX,
        retry_after_at_most: Duration::MAX,
        robots: RobotsRetries {
            attempts: 2,
            every: Duration::from_secs(2),
            honours_retry_after: true,
            without_response: false,
        },
    };

    /// The policy of a site crawl.
    pub const fn of_site(retries: &Retries) -> Self {
        Self {
            transient: retries.pages,
            back_off: retries.back_off,
            rate_limits: u32::MAX,
            rate_limit_wait: None,
            rate_limit_patience: retries.rate_limit_patience,
            retry_after_at_most: retries.retry_after_at_most,
            robots: RobotsRetries {
                attempts: retries.robots,
                every: retries.robots_every,
                honours_retry_after: false,
                without_response: true,
            },
        }
    }

    /// The policy for a host that refuses connections and has never answered: one retry after a
    /// second at most, because a server that restarts listens again by then.
    pub fn of_absent_host(self) -> Self {
        let back_off = self.back_off.min(Duration::from_secs(1));
        Self { transient: self.transient.min(1), back_off, ..self }
    }

    /// Records a failed attempt. Returns when the next one is due; `None` if there is none.
    pub fn retry_at(
        &self,
        attempts: &mut Attempts,
        failure: AttemptFailure,
        now: Millis,
    ) -> Option<Millis> {
        attempts.failed += 1;
        let failed = attempts.failed;
        let since = *attempts.since.get_or_insert(now);
        // 1, 4, 16 … times the first delay.
        let back_off = self.back_off.saturating_mul(1 << (2 * (failed - 1)).min(16));
        let (tries_left, wait) = match failure {
            AttemptFailure::Cause(cause) => {
                (is_transient(cause) && failed <= self.transient, back_off)
            }
            AttemptFailure::Status { status: 429, retry_after } => {
                let wait = retry_after.or(self.rate_limit_wait).unwrap_or(back_off);
                let wait = wait.min(self.retry_after_at_most);
                let in_time = now.plus(wait).since(since) <= self.rate_limit_patience;
                (in_time && failed <= self.rate_limits, wait)
            }
            AttemptFailure::Status { status: 408 | 500 | 502..=504, retry_after } => (
                failed <= self.transient,
                retry_after.unwrap_or(back_off).min(self.retry_after_at_most),
            ),
            AttemptFailure::Challenge => (failed <= self.transient, back_off),
            AttemptFailure::Status { .. } => (false, Duration::ZERO),
        };
        tries_left.then(|| now.plus(wait))
    }
}

/// Whether robots.txt allows a URL: its `Crawl-delay`, or the cause of the refusal.
pub(crate) fn check_robots(rules: &Robots, url: &CanonicalUrl) -> Result<Option<Duration>, Cause> {
    if !rules.allows(url) {
        return Err(Cause::Robots);
    }
    Ok(rules.crawl_delay().map(|delay| delay.min(CRAWL_DELAY_AT_MOST)))
}

/// Whether a retry may succeed.
fn is_transient(cause: Cause) -> bool {
    match cause {
        Cause::NameServer
        | Cause::Connect
        | Cause::ConnectionRefused
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
        | Cause::ActionFailed
        | Cause::TooComplex
        | Cause::Bug => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// The times at which a URL is tried again that fails in the same way each time.
    fn retries(policy: &FetchPolicy, failure: AttemptFailure) -> Vec<i64> {
        let (mut attempts, mut now) = (Attempts::default(), Millis(0));
        let retries = std::iter::from_fn(|| {
            now = policy.retry_at(&mut attempts, failure, now)?;
            Some(now.0)
        });
        retries.take(100).collect()
    }

    #[test]
    fn transient_failure_is_retried_twice_in_a_crawl_and_once_in_a_visit() {
        let site = FetchPolicy::of_site(&Retries::default());
        let timeout = AttemptFailure::Cause(Cause::Timeout);
        assert_eq!(retries(&site, timeout), [1_000, 5_000]);
        assert_eq!(retries(&site, AttemptFailure::Challenge), [1_000, 5_000]);
        assert_eq!(retries(&FetchPolicy::VISIT, timeout), [1_000]);
        assert!(retries(&site, AttemptFailure::Cause(Cause::Tls)).is_empty());
        let gone = AttemptFailure::Status { status: 410, retry_after: None };
        assert!(retries(&site, gone).is_empty());
    }

    #[test]
    fn host_that_never_answered_is_retried_once_within_a_second() {
        let refused = AttemptFailure::Cause(Cause::ConnectionRefused);
        let slow =
            FetchPolicy { back_off: SECOND * 10, ..FetchPolicy::of_site(&Retries::default()) };
        assert_eq!(retries(&slow.of_absent_host(), refused), [1_000]);
        assert_eq!(retries(&FetchPolicy::VISIT.of_absent_host(), refused), [1_000]);
        assert_eq!(retries(&slow, refused), [10_000, 50_000], "a host that has answered");
    }

    #[test]
    fn rate_limit_is_retried_for_a_minute_in_a_crawl_and_three_times_in_a_visit() {
        let site = FetchPolicy::of_site(&Retries::default());
        let limited = |retry_after| AttemptFailure::Status { status: 429, retry_after };
        assert_eq!(retries(&site, limited(Some(SECOND * 20))), [20_000, 40_000, 60_000]);
        assert_eq!(retries(&FetchPolicy::VISIT, limited(None)), [5_000, 10_000, 15_000]);
    }

    #[test]
    fn site_crawl_limits_retry_after() {
        let site = FetchPolicy::of_site(&Retries::default());
        let forever = AttemptFailure::Status { status: 503, retry_after: Some(SECOND * 86_400) };
        assert_eq!(retries(&site, forever), [60_000, 120_000], "no site decides how long we wait");
    }
}
