//! Cache of robots.txt responses, shared by all runs of the node and valid for at most a day
//! (RFC 9309 §2.4).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use contract::Millis;
use crawl::ParsedResponse;
use parking_lot::Mutex;
use urls::CanonicalUrl;

/// Upper limit of the validity of a response, also if its headers permit more.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum bytes of all entries; the oldest are removed first.
const MAX_BYTES: usize = 32 << 20;

/// Bytes of an entry besides its text.
const ENTRY_BYTES: usize = 512;

/// Clones share one cache.
#[derive(Debug, Clone, Default)]
pub(crate) struct RobotsCache {
    cache: Arc<Mutex<RobotsEntries>>,
}

#[derive(Debug, Default)]
struct RobotsEntries {
    entries: HashMap<CanonicalUrl, CachedRobots>,
    bytes: usize,
}

#[derive(Debug)]
struct CachedRobots {
    reading: ParsedResponse,
    read_at: Millis,
    until: Millis,
    bytes: usize,
}

impl RobotsCache {
    /// The cached response of `url` if it has not expired.
    pub fn get(&self, url: &CanonicalUrl, now: Millis) -> Option<ParsedResponse> {
        let cache = self.cache.lock();
        let entry = cache.entries.get(url)?;
        (now < entry.until).then(|| entry.reading.clone())
    }

    /// Stores a response whose body has `bytes` bytes, for `max_age` or [`MAX_AGE`].
    pub fn insert(
        &self,
        url: &CanonicalUrl,
        reading: &ParsedResponse,
        bytes: usize,
        max_age: Option<Duration>,
        now: Millis,
    ) {
        // Temporary errors are no rules.
        if reading.status() >= 500 || reading.status() == 429 {
            return;
        }
        let until = now.plus(max_age.unwrap_or(MAX_AGE).min(MAX_AGE));
        let bytes = bytes + ENTRY_BYTES;
        let mut cache = self.cache.lock();
        cache.remove(url);
        while cache.bytes + bytes > MAX_BYTES {
            let oldest = cache.entries.iter().min_by_key(|(_, entry)| entry.read_at);
            let Some(oldest) = oldest.map(|(url, _)| url.clone()) else { break };
            cache.remove(&oldest);
        }
        cache.bytes += bytes;
        let entry = CachedRobots { reading: reading.clone(), read_at: now, until, bytes };
        cache.entries.insert(url.clone(), entry);
    }
}

impl RobotsEntries {
    fn remove(&mut self, url: &CanonicalUrl) {
        if let Some(entry) = self.entries.remove(url) {
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use crawl::{FetchTask, Purpose, ResponseHead};

    use super::*;

    fn url(n: usize) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("https://a{n}.test/robots.txt")).expect("a URL")
    }

    fn reading(status: u16) -> ParsedResponse {
        let purpose = Purpose::Robots { origin: "https://a.test".to_owned(), hops: 0 };
        let task = FetchTask {
            url: url(0),
            purpose,
            visit: None,
            gap: None,
            fetch_via: crawl::FetchVia::Plain,
            extract: crawl::ExtractRequest::default(),
        };
        page::parse_response(
            &task,
            ResponseHead { status, ..ResponseHead::default() },
            b"User-agent: *",
        )
    }

    #[test]
    fn response_is_cached_for_its_max_age_but_at_most_a_day() {
        let cache = RobotsCache::default();
        let hours = |hours: u64| Millis(0).plus(Duration::from_secs(hours * 3_600));
        cache.insert(&url(1), &reading(200), 100, None, Millis(0));
        cache.insert(&url(2), &reading(404), 0, Some(Duration::from_secs(3_600)), Millis(0));
        cache.insert(&url(3), &reading(200), 100, Some(Duration::MAX), Millis(0));
        cache.insert(&url(4), &reading(200), 100, Some(Duration::ZERO), Millis(0));
        let held = |n, at| cache.get(&url(n), at).is_some();
        assert!(held(1, hours(23)) && !held(1, hours(24)));
        assert!(held(2, Millis(1)) && !held(2, hours(1)), "a 404 is cached as well");
        assert!(!held(3, hours(24)) && !held(4, Millis(0)));
    }

    #[test]
    fn temporary_errors_are_not_cached() {
        let cache = RobotsCache::default();
        for status in [429, 500, 503] {
            cache.insert(&url(1), &reading(status), 0, None, Millis(0));
            assert!(cache.get(&url(1), Millis(0)).is_none(), "{status}");
        }
    }

    #[test]
    fn oldest_entry_is_removed_when_the_cache_is_full() {
        let cache = RobotsCache::default();
        let large = MAX_BYTES / 4 - ENTRY_BYTES;
        for n in 0..5 {
            cache.insert(
                &url(n),
                &reading(200),
                large,
                None,
                Millis(i64::try_from(n).expect("few")),
            );
        }
        let held: Vec<_> = (0..5).map(|n| cache.get(&url(n), Millis(9)).is_some()).collect();
        assert_eq!(held, [false, true, true, true, true]);
        assert!(cache.cache.lock().bytes <= MAX_BYTES);
    }
}
