//! Token buckets by name: how often somebody may come, and what is left.
//!
//! Memory is bounded: a bucket that is full again says the same as no bucket and is
//! forgotten.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use contract::Millis;

/// Buckets that are kept before the full ones are swept out.
const KEPT: usize = 65_536;

const MINUTE: Duration = Duration::from_secs(60);

/// A token, in the parts that one millisecond can give at one token a minute.
const TOKEN: u64 = 60_000;

/// How many tokens come in a minute, and how many can be saved up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate {
    pub per_minute: u32,
    pub burst: u32,
}

/// What is left after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub rate: Rate,
    pub remaining: u64,
    /// Seconds until the bucket is full again.
    pub full_in: u64,
    /// Refused: seconds until the next token.
    pub wait: Option<u64>,
    /// Requests that were let through since the last full minute began.
    pub in_minute: u64,
    pub of: QuotaOf,
}

/// Whose quota it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotaOf {
    Credential,
    /// The whole account.
    Account,
    Address,
}

impl QuotaOf {
    /// Its name in the headers.
    pub fn policy(self) -> &'static str {
        match self {
            Self::Credential => "default",
            Self::Account => "account",
            Self::Address => "address",
        }
    }
}

impl Quota {
    /// Which limit a refused request broke, in words.
    pub fn refusal(&self) -> String {
        let Rate { per_minute, burst } = self.rate;
        let wait = self.wait.unwrap_or(1);
        let whose = match self.of {
            QuotaOf::Credential => "",
            QuotaOf::Account => " over all keys of the account",
            QuotaOf::Address => " from one address",
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

/// Buckets of one rate.
#[derive(Debug)]
pub(crate) struct Buckets {
    rate: Rate,
    levels: Mutex<HashMap<String, Level>>,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    parts: u64,
    at: Millis,
    /// When the minute began that `taken` counts.
    minute: Millis,
    taken: u64,
}

impl Buckets {
    pub fn new(rate: Rate) -> Self {
        let rate = Rate { per_minute: rate.per_minute.max(1), burst: rate.burst.max(1) };
        Self { rate, levels: Mutex::new(HashMap::new()) }
    }

    /// Takes one token from the bucket of `name`, if it has one.
    pub fn take(&self, name: &str, now: Millis) -> Quota {
        let full = u64::from(self.rate.burst) * TOKEN;
        let speed = u64::from(self.rate.per_minute);
        // A panic elsewhere leaves whole levels behind: each is one plain value.
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if levels.len() >= KEPT && !levels.contains_key(name) {
            self.sweep(&mut levels, now);
        }
        let level = levels.get(name).copied().unwrap_or(Level {
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
        let wait = if parts >= TOKEN {
            parts -= TOKEN;
            taken += 1;
            None
        } else {
            Some((TOKEN - parts).div_ceil(speed * 1_000).max(1))
        };
        levels.insert(name.to_owned(), Level { parts, at: now, minute, taken });
        Quota {
            rate: self.rate,
            remaining: parts / TOKEN,
            full_in: (full - parts).div_ceil(speed * 1_000),
            wait,
            in_minute: taken,
            of: QuotaOf::Credential,
        }
    }

    fn refilled(&self, level: Level, now: Millis) -> u64 {
        let elapsed = u64::try_from(now.since(level.at).as_millis()).unwrap_or(u64::MAX);
        let gained = elapsed.saturating_mul(u64::from(self.rate.per_minute));
        level.parts.saturating_add(gained).min(u64::from(self.rate.burst) * TOKEN)
    }

    /// Forgets what is full, and when that is not enough half of the rest: whoever
    /// floods the table with names must not fill the memory.
    fn sweep(&self, levels: &mut HashMap<String, Level>, now: Millis) {
        let full = u64::from(self.rate.burst) * TOKEN;
        levels.retain(|_, level| self.refilled(*level, now) < full);
        if levels.len() > KEPT / 2 {
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
    fn a_burst_then_the_steady_rate() {
        let buckets = Buckets::new(Rate { per_minute: 600, burst: 3 });
        for left in [2, 1, 0] {
            let quota = buckets.take("a", Millis(0));
            assert_eq!((quota.remaining, quota.wait), (left, None));
        }
        let refused = buckets.take("a", Millis(0));
        assert_eq!((refused.remaining, refused.full_in, refused.wait), (0, 1, Some(1)));
        assert_eq!(buckets.take("b", Millis(0)).wait, None);
        assert_eq!(buckets.take("a", Millis(100)).wait, None);
        assert_eq!(buckets.take("a", Millis(150)).wait, Some(1));
    }

    #[test]
    fn refusal_names_the_limit_that_broke() {
        let buckets = Buckets::new(Rate { per_minute: 60, burst: 3 });
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
    fn a_clock_that_goes_back_gives_nothing_away() {
        let buckets = Buckets::new(Rate { per_minute: 60, burst: 1 });
        assert_eq!(buckets.take("a", Millis(10_000)).wait, None);
        assert_eq!(buckets.take("a", Millis(1_000)).wait, Some(1));
    }

    #[test]
    fn names_without_end_do_not_fill_the_memory() {
        let buckets = Buckets::new(Rate { per_minute: 5, burst: 5 });
        for number in 0..3 * KEPT {
            buckets.take(&number.to_string(), Millis(0));
        }
        assert!(buckets.levels.lock().expect("whole").len() <= KEPT);
    }
}
