//! Token buckets by key, for rate limits.
//!
//! Memory is bounded: a full bucket is equivalent to none and can be dropped.

use std::collections::HashMap;
use std::time::Duration;

use contract::Millis;
use parking_lot::Mutex;

/// Maximum number of buckets; full ones are dropped when it is reached.
const MAX_BUCKETS: usize = 65_536;

const MINUTE: Duration = Duration::from_secs(60);

/// Parts of a token: one part is what a millisecond adds at one token per minute.
const TOKEN_PARTS: u64 = 60_000;

/// Refill rate in tokens per minute, and capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestRate {
    pub per_minute: u32,
    pub burst: u32,
}

/// The state of a bucket after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub rate: RequestRate,
    pub remaining: u64,
    /// Seconds until the bucket is full again.
    pub reset_seconds: u64,
    /// Seconds until the next token, if the request is rejected.
    pub wait: Option<u64>,
    /// Requests that were accepted in the current minute window.
    pub in_minute: u64,
    pub of: QuotaScope,
}

/// What a quota applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotaScope {
    Credential,
    /// The account, over all its credentials.
    Account,
    Address,
}

impl QuotaScope {
    /// The policy name in the `RateLimit` headers.
    pub fn policy(self) -> &'static str {
        match self {
            Self::Credential => "default",
            Self::Account => "account",
            Self::Address => "address",
        }
    }
}

impl Quota {
    /// Names the limit that rejected a request.
    pub fn refusal(&self) -> String {
        let RequestRate { per_minute, burst } = self.rate;
        let wait = self.wait.unwrap_or(1);
        let whose = match self.of {
            QuotaScope::Credential => "",
            QuotaScope::Account => " over all keys of the account",
            QuotaScope::Address => " from one address",
        };
        if self.in_minute >= u64::from(per_minute) {
            format!(
                "minute limit: more than {per_minute} requests in a minute{whose}; retry after {wait} s"
            )
        } else {
            format!(
                "burst limit: more than {burst} requests at once{whose}, faster than the {per_minute} a \
                 minute that are allowed; retry after {wait} s, or space requests out"
            )
        }
    }
}

/// Buckets with a common rate, by key.
#[derive(Debug)]
pub(crate) struct TokenBuckets {
    rate: RequestRate,
    levels: Mutex<HashMap<String, BucketLevel>>,
}

#[derive(Debug, Clone, Copy)]
struct BucketLevel {
    parts: u64,
    at: Millis,
    /// Start of the minute window that `taken` counts.
    minute: Millis,
    taken: u64,
}

impl TokenBuckets {
    pub fn new(rate: RequestRate) -> Self {
        let rate = RequestRate { per_minute: rate.per_minute.max(1), burst: rate.burst.max(1) };
        Self { rate, levels: Mutex::new(HashMap::new()) }
    }

    /// Takes one token from the bucket of `key`, if it has one.
    pub fn take(&self, key: &str, now: Millis) -> Quota {
        let full = u64::from(self.rate.burst) * TOKEN_PARTS;
        let speed = u64::from(self.rate.per_minute);
        let mut levels = self.levels.lock();
        if levels.len() >= MAX_BUCKETS && !levels.contains_key(key) {
            self.sweep(&mut levels, now);
        }
        let level = levels.get(key).copied().unwrap_or(BucketLevel {
            parts: full,
            at: now,
            minute: now,
            taken: 0,
        });
        let (minute, mut taken) = match now.since(level.minute) < MINUTE {
            true => (level.minute, level.taken),
            false => (now, 0),
        };
        let mut parts = self.refilled(level, now);
        let wait = if parts >= TOKEN_PARTS {
            parts -= TOKEN_PARTS;
            taken += 1;
            None
        } else {
            Some((TOKEN_PARTS - parts).div_ceil(speed * 1_000).max(1))
        };
        levels.insert(key.to_owned(), BucketLevel { parts, at: now, minute, taken });
        Quota {
            rate: self.rate,
            remaining: parts / TOKEN_PARTS,
            reset_seconds: (full - parts).div_ceil(speed * 1_000),
            wait,
            in_minute: taken,
            of: QuotaScope::Credential,
        }
    }

    fn refilled(&self, level: BucketLevel, now: Millis) -> u64 {
        let elapsed = u64::try_from(now.since(level.at).as_millis()).unwrap_or(u64::MAX);
        let gained = elapsed.saturating_mul(u64::from(self.rate.per_minute));
        level.parts.saturating_add(gained).min(u64::from(self.rate.burst) * TOKEN_PARTS)
    }

    /// Drops full buckets and, if that is not enough, half of the others, so that a flood of keys
    /// cannot exhaust memory.
    fn sweep(&self, levels: &mut HashMap<String, BucketLevel>, now: Millis) {
        let full = u64::from(self.rate.burst) * TOKEN_PARTS;
        levels.retain(|_, level| self.refilled(*level, now) < full);
        if levels.len() > MAX_BUCKETS / 2 {
            let mut odd = false;
            levels.retain(|_, _| {
                odd = !odd;
                odd
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn burst_is_followed_by_the_refill_rate() {
        let buckets = TokenBuckets::new(RequestRate { per_minute: 600, burst: 3 });
        for left in [2, 1, 0] {
            let quota = buckets.take("a", Millis(0));
            assert_eq!((quota.remaining, quota.wait), (left, None));
        }
        let refused = buckets.take("a", Millis(0));
        assert_eq!((refused.remaining, refused.reset_seconds, refused.wait), (0, 1, Some(1)));
        assert_eq!(buckets.take("b", Millis(0)).wait, None);
        assert_eq!(buckets.take("a", Millis(100)).wait, None);
        assert_eq!(buckets.take("a", Millis(150)).wait, Some(1));
    }

    #[test]
    fn rejection_names_burst_or_minute_limit() {
        let buckets = TokenBuckets::new(RequestRate { per_minute: 60, burst: 3 });
        let refused = (0..4).map(|_| buckets.take("a", Millis(0))).last().expect("four");
        assert!(refused.refusal().starts_with("burst limit: more than 3 "), "{refused:?}");
        for second in 1..59 {
            assert_eq!(buckets.take("a", Millis(1_000 * second)).wait, None, "{second}");
        }
        let refused = buckets.take("a", Millis(58_000));
        assert_eq!((refused.in_minute, refused.wait), (3 + 58, Some(1)));
        assert!(refused.refusal().starts_with("minute limit: more than 60 "), "{refused:?}");
    }

    #[test]
    fn clock_going_backwards_adds_no_tokens() {
        let buckets = TokenBuckets::new(RequestRate { per_minute: 60, burst: 1 });
        assert_eq!(buckets.take("a", Millis(10_000)).wait, None);
        assert_eq!(buckets.take("a", Millis(1_000)).wait, Some(1));
    }

    #[test]
    fn number_of_buckets_is_bounded() {
        let buckets = TokenBuckets::new(RequestRate { per_minute: 5, burst: 5 });
        for number in 0..3 * MAX_BUCKETS {
            buckets.take(&number.to_string(), Millis(0));
        }
        assert!(buckets.levels.lock().len() <= MAX_BUCKETS);
    }
}
