//! Concurrency limits per key: how many requests, downloads or connections one account or one
//! address may have at a time.
//!
//! A key without permits has no entry, so that memory is bounded by the open permits.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// A limit on the permits of each key. Clones share the counts.
#[derive(Debug, Clone)]
pub(crate) struct KeyedLimit {
    limit: usize,
    counts: Arc<Mutex<HashMap<String, usize>>>,
}

/// One of the permits of a key; released when it is dropped.
#[derive(Debug)]
pub(crate) struct KeyedPermit {
    key: String,
    counts: Arc<Mutex<HashMap<String, usize>>>,
}

impl KeyedLimit {
    /// At most `limit` permits per key; 0 for no limit.
    pub fn new(limit: usize) -> Self {
        let limit = if limit == 0 { usize::MAX } else { limit };
        Self { limit, counts: Arc::default() }
    }

    /// A permit for this key, unless all are taken.
    pub fn take(&self, key: &str) -> Option<KeyedPermit> {
        let mut counts = self.counts.lock();
        match counts.get_mut(key) {
            Some(count) if *count >= self.limit => return None,
            Some(count) => *count += 1,
            None => {
                counts.insert(key.to_owned(), 1);
            }
        }
        Some(KeyedPermit { key: key.to_owned(), counts: Arc::clone(&self.counts) })
    }

    pub fn limit(&self) -> usize {
        self.limit
    }
}

impl Drop for KeyedPermit {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_at_its_limit_gets_a_permit_after_one_is_dropped() {
        let limit = KeyedLimit::new(2);
        let first = limit.take("a").expect("a permit");
        let _second = limit.take("a").expect("a permit");
        assert!(limit.take("a").is_none());
        assert!(limit.take("b").is_some(), "another key has its own permits");
        drop(first);
        assert!(limit.take("a").is_some());
    }

    #[test]
    fn keys_without_permits_take_no_memory() {
        let limit = KeyedLimit::new(0);
        let permits: Vec<_> = (0..1_000).map(|n| limit.take(&n.to_string())).collect();
        assert!(permits.iter().all(Option::is_some));
        drop(permits);
        assert!(limit.counts.lock().is_empty());
    }
}
