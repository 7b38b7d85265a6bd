//! The cache of pages in memory, for page calls and runs: responses by URL and way of fetching.
//!
//! A response to a request with headers of a client, or of a browser, is kept for its account only.
//! `no-store`, `no-cache`, `private` and `Vary: *` are heeded; the other values of `Vary` name
//! headers that are the same in every request, or part of the key.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use contract::Millis;
use crawl::FetchVia;
use net::FetchResponse;
use parking_lot::Mutex;
use ring::digest::{Context, SHA256};
use urls::CanonicalUrl;

/// Approximate bytes of an entry besides body and headers.
const ENTRY_BYTES: usize = 1_024;

/// The part of the cache that one response may take.
const LARGEST_PART: usize = 8;

/// Longest time that a response is kept.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Clones share one cache.
#[derive(Debug, Clone)]
pub struct PageCache {
    max_bytes: usize,
    state: Arc<Mutex<CacheState>>,
}

#[derive(Debug, Default)]
struct CacheState {
    pages: HashMap<PageCacheKey, CachedPage>,
    /// The keys by the order of insertion.
    order: BTreeMap<u64, PageCacheKey>,
    inserted: u64,
    bytes: usize,
    /// The version of the opt-outs with which the pages were fetched.
    version: i64,
}

#[derive(Debug)]
struct CachedPage {
    response: FetchResponse,
    at: Millis,
    number: u64,
    bytes: usize,
}

/// What a cached response was requested with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageCacheKey {
    url: String,
    via: u8,
    account: Option<String>,
    /// A hash of the headers of the client, which are secrets.
    headers: Option<[u8; 32]>,
}

impl PageCacheKey {
    pub(crate) fn new(
        url: &CanonicalUrl,
        via: FetchVia,
        account: Option<String>,
        headers: impl Iterator<Item = (String, Vec<u8>)>,
    ) -> Self {
        let mut headers: Vec<_> = headers.collect();
        headers.sort();
        let hash = || {
            let mut context = Context::new(&SHA256);
            for (name, value) in &headers {
                for part in [name.as_bytes(), value] {
                    context.update(&(part.len() as u64).to_le_bytes());
                    context.update(part);
                }
            }
            let mut hash = [0; 32];
            hash.copy_from_slice(context.finish().as_ref());
            hash
        };
        let via = match via {
            FetchVia::Plain => 0,
            FetchVia::Browser => 1,
            FetchVia::Tier => 2,
        };
        let headers = (!headers.is_empty()).then(hash);
        Self { url: url.as_str().to_owned(), via, account, headers }
    }
}

impl PageCache {
    /// A cache of at most this many bytes; 0 keeps nothing.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, state: Arc::default() }
    }

    /// The response and when it was fetched, if it is young enough.
    #[must_use]
    pub fn get(
        &self,
        key: &PageCacheKey,
        max_age: Duration,
        now: Millis,
    ) -> Option<(FetchResponse, Millis)> {
        if max_age.is_zero() {
            return None;
        }
        let state = self.state.lock();
        let page = state.pages.get(key)?;
        (page.at.plus(max_age) >= now).then(|| (page.response.clone(), page.at))
    }

    /// Keeps a response, if its headers permit it, in the place of older ones.
    pub fn insert(&self, key: PageCacheKey, response: &FetchResponse, now: Millis) {
        let bytes = size(&key, response);
        if !is_kept(&key, response) || bytes > self.max_bytes / LARGEST_PART {
            return;
        }
        let mut state = self.state.lock();
        state.remove(&key);
        state.bytes += bytes;
        state.inserted += 1;
        let number = state.inserted;
        state.order.insert(number, key.clone());
        let page = CachedPage { response: response.clone(), at: now, number, bytes };
        state.pages.insert(key, page);
        let oldest = now.minus(LIFETIME);
        while let Some((_, first)) = state.order.first_key_value() {
            let first = first.clone();
            let is_old = state.pages.get(&first).is_none_or(|page| page.at < oldest);
            if state.bytes <= self.max_bytes && !is_old {
                break;
            }
            state.remove(&first);
        }
    }

    /// Removes all pages if the opt-outs have changed since they were fetched.
    pub fn set_opt_outs(&self, version: i64) {
        let mut state = self.state.lock();
        if state.version != version {
            *state = CacheState { version, ..CacheState::default() };
        }
    }

    /// The approximate bytes of all pages.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.state.lock().bytes
    }
}

impl CacheState {
    fn remove(&mut self, key: &PageCacheKey) {
        if let Some(page) = self.pages.remove(key) {
            self.order.remove(&page.number);
            self.bytes -= page.bytes;
        }
    }
}

fn size(key: &PageCacheKey, response: &FetchResponse) -> usize {
    let headers = response.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    ENTRY_BYTES + 2 * key.url.len() + response.body.len() + headers.sum::<usize>()
}

/// Whether status and headers permit to keep a response.
fn is_kept(key: &PageCacheKey, response: &FetchResponse) -> bool {
    let has = |name: &str, word: &str| {
        let values = response.headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        let mut words = values.flat_map(|value| value.split(','));
        // `private="set-cookie"` is read as `private`, which keeps less.
        words.any(|one| {
            one.split('=').next().is_some_and(|one| one.trim().eq_ignore_ascii_case(word))
        })
    };
    let is_forbidden = has("cache-control", "no-store")
        || has("cache-control", "no-cache")
        || (has("cache-control", "private") && key.account.is_none())
        || has("vary", "*");
    response.status == 200 && !response.body_truncated && !is_forbidden
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderName, HeaderValue, Version};
    use net::Encoding;

    use super::*;

    fn response(headers: &[(&'static str, &'static str)], bytes: usize) -> FetchResponse {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        FetchResponse {
            status: 200,
            version: Version::HTTP_11,
            headers,
            body: Bytes::from(vec![b'x'; bytes]),
            body_truncated: false,
            encoding: Encoding::Identity,
            wire_bytes: 0,
            remote: ([127, 0, 0, 1], 80).into(),
            first_byte: Duration::ZERO,
            elapsed: Duration::ZERO,
        }
    }

    fn key(path: &str, account: Option<&str>) -> PageCacheKey {
        let url = CanonicalUrl::parse(&format!("https://a.test/{path}")).expect("a URL");
        PageCacheKey::new(&url, FetchVia::Plain, account.map(str::to_owned), std::iter::empty())
    }

    const HOUR: Duration = Duration::from_secs(3_600);
    const NOW: Millis = Millis(1_000_000_000_000);

    #[test]
    fn page_is_returned_up_to_its_age() {
        let cache = PageCache::new(1 << 20);
        cache.insert(key("", None), &response(&[], 10), NOW);
        let get = |max_age, after: Duration| cache.get(&key("", None), max_age, NOW.plus(after));
        assert_eq!(get(HOUR, HOUR).map(|(_, at)| at), Some(NOW));
        assert!(get(HOUR, HOUR + Duration::from_millis(1)).is_none());
        assert!(get(Duration::ZERO, Duration::ZERO).is_none(), "not asked for");
        assert!(cache.get(&key("", Some("acc")), HOUR, NOW).is_none(), "of the account alone");
        cache.set_opt_outs(1);
        assert!(cache.get(&key("", None), HOUR, NOW).is_none(), "the opt-outs have changed");
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn headers_of_the_site_are_heeded() {
        for (headers, shared, own) in [
            (&[][..], true, true),
            (&[("cache-control", "max-age=60"), ("vary", "accept, cookie")], true, true),
            (&[("cache-control", "max-age=0, No-Store")], false, false),
            (&[("cache-control", "no-cache")], false, false),
            (&[("cache-control", "private, max-age=9")], false, true),
            (&[("cache-control", "private=\"x\"")], false, true),
            (&[("vary", "accept"), ("vary", "*")], false, false),
        ] {
            let cache = PageCache::new(1 << 20);
            for (account, kept) in [(None, shared), (Some("acc"), own)] {
                cache.insert(key("", account), &response(headers, 10), NOW);
                let found = cache.get(&key("", account), HOUR, NOW).is_some();
                assert_eq!(found, kept, "{headers:?} {account:?}");
            }
        }
        let cache = PageCache::new(1 << 20);
        let cut = FetchResponse { body_truncated: true, ..response(&[], 10) };
        let missing = FetchResponse { status: 404, ..response(&[], 10) };
        for response in [cut, missing] {
            cache.insert(key("", None), &response, NOW);
            assert_eq!(cache.bytes(), 0);
        }
    }

    #[test]
    fn oldest_pages_make_room() {
        let cache = PageCache::new(80 << 10);
        for number in 0..100 {
            cache.insert(key(&number.to_string(), None), &response(&[], 8 << 10), NOW);
            assert!(cache.bytes() <= 80 << 10);
        }
        assert!(cache.get(&key("99", None), HOUR, NOW).is_some());
        assert!(cache.get(&key("1", None), HOUR, NOW).is_none());
        let before = cache.bytes();
        cache.insert(key("large", None), &response(&[], 11 << 10), NOW);
        assert_eq!(cache.bytes(), before, "one page takes an eighth at most");
        cache.insert(key("99", None), &response(&[], 4 << 10), NOW);
        assert_eq!(cache.bytes(), before - (4 << 10), "replaced");
    }
}
