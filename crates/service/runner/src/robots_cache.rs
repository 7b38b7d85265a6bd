//! The answers to robots.txt that were read lately: they hold for a day, for every run of
//! the node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::Millis;
use crawl::ParsedResponse;
use urls::CanonicalUrl;

/// No answer is used for longer, whatever it says.
const HOLDS_AT_MOST: Duration = Duration::from_secs(24 * 60 * 60);

/// Bytes of robots.txt that are kept; what is oldest goes first.
const BYTES_AT_MOST: usize = 32 << 20;

/// What an entry weighs besides its text.
const ENTRY_BYTES: usize = 512;

/// The cache. Cheap to clone; clones are one cache.
#[derive(Debug, Clone, Default)]
pub(crate) struct RobotsCache {
    shelf: Arc<Mutex<Shelf>>,
}

#[derive(Debug, Default)]
struct Shelf {
    entries: HashMap<CanonicalUrl, Entry>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    reading: ParsedResponse,
    read_at: Millis,
    until: Millis,
    bytes: usize,
}

impl RobotsCache {
    /// The answer of `url`, while it holds.
    pub fn get(&self, url: &CanonicalUrl, now: Millis) -> Option<ParsedResponse> {
        let shelf = self.lock();
        let entry = shelf.entries.get(url)?;
        (now < entry.until).then(|| entry.reading.clone())
    }

    /// Keeps an answer of so many bytes for as long as it may be kept.
    pub fn keep(
        &self,
        url: &CanonicalUrl,
        reading: &ParsedResponse,
        bytes: usize,
        max_age: Option<Duration>,
        now: Millis,
    ) {
        // "Not now" is no rule.
        if reading.status() >= 500 || reading.status() == 429 {
            return;
        }
        let until = now.plus(max_age.unwrap_or(HOLDS_AT_MOST).min(HOLDS_AT_MOST));
        let bytes = bytes + ENTRY_BYTES;
        let mut shelf = self.lock();
        shelf.remove(url);
        while shelf.bytes + bytes > BYTES_AT_MOST {
            let oldest = shelf.entries.iter().min_by_key(|(_, entry)| entry.read_at);
            let Some(oldest) = oldest.map(|(url, _)| url.clone()) else { break };
            shelf.remove(&oldest);
        }
        shelf.bytes += bytes;
        let entry = Entry { reading: reading.clone(), read_at: now, until, bytes };
        shelf.entries.insert(url.clone(), entry);
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
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
        ParsedResponse::of(
            &task,
            ResponseHead { status, ..ResponseHead::default() },
            b"User-agent: *",
        )
    }

    #[test]
    fn an_answer_holds_for_a_day_or_for_as_long_as_it_says() {
        let cache = RobotsCache::default();
        let hours = |hours: u64| Millis(0).plus(Duration::from_secs(hours * 3_600));
        cache.keep(&url(1), &reading(200), 100, None, Millis(0));
        cache.keep(&url(2), &reading(404), 0, Some(Duration::from_secs(3_600)), Millis(0));
        cache.keep(&url(3), &reading(200), 100, Some(Duration::MAX), Millis(0));
        cache.keep(&url(4), &reading(200), 100, Some(Duration::ZERO), Millis(0));
        let held = |n, at| cache.get(&url(n), at).is_some();
        assert!(held(1, hours(23)) && !held(1, hours(24)));
        assert!(held(2, Millis(1)) && !held(2, hours(1)), "that there is none holds as well");
        assert!(!held(3, hours(24)) && !held(4, Millis(0)));
    }

    #[test]
    fn not_now_is_asked_again() {
        let cache = RobotsCache::default();
        for status in [429, 500, 503] {
            cache.keep(&url(1), &reading(status), 0, None, Millis(0));
            assert!(cache.get(&url(1), Millis(0)).is_none(), "{status}");
        }
    }

    #[test]
    fn the_oldest_goes_when_there_is_no_room() {
        let cache = RobotsCache::default();
        let large = BYTES_AT_MOST / 4 - ENTRY_BYTES;
        for n in 0..5 {
            cache.keep(&url(n), &reading(200), large, None, Millis(i64::try_from(n).expect("few")));
        }
        let held: Vec<_> = (0..5).map(|n| cache.get(&url(n), Millis(9)).is_some()).collect();
        assert_eq!(held, [false, true, true, true, true]);
        assert!(cache.lock().bytes <= BYTES_AT_MOST);
    }
}
