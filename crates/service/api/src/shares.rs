//! Fair shares: how much of something one account or one address may have under way at a time.
//!
//! Memory is bounded by what is under way: a name without any has no entry.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is under way, by name.
#[derive(Debug, Clone)]
pub(crate) struct Shares {
    most: usize,
    counts: Arc<Mutex<HashMap<String, usize>>>,
}

/// One thing under way; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    name: String,
    counts: Arc<Mutex<HashMap<String, usize>>>,
}

impl Shares {
    /// At most `most` at a time of one name; 0 for no ceiling.
    pub fn new(most: usize) -> Self {
        let most = if most == 0 { usize::MAX } else { most };
        Self { most, counts: Arc::default() }
    }

    /// One more under this name, unless it has its share already.
    pub fn take(&self, name: &str) -> Option<Share> {
        let mut counts = lock(&self.counts);
        match counts.get_mut(name) {
            Some(count) if *count >= self.most => return None,
            Some(count) => *count += 1,
            None => {
                counts.insert(name.to_owned(), 1);
            }
        }
        Some(Share { name: name.to_owned(), counts: Arc::clone(&self.counts) })
    }

    pub fn most(&self) -> usize {
        self.most
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        if let Some(count) = counts.get_mut(&self.name) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.name);
            }
        }
    }
}

fn lock(counts: &Mutex<HashMap<String, usize>>) -> MutexGuard<'_, HashMap<String, usize>> {
    // Each change is one step: a panic elsewhere leaves whole counts behind.
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_at_its_ceiling_waits_for_a_share_to_be_dropped() {
        let shares = Shares::new(2);
        let first = shares.take("a").expect("a share");
        let _second = shares.take("a").expect("a share");
        assert!(shares.take("a").is_none());
        assert!(shares.take("b").is_some(), "another name has its own");
        drop(first);
        assert!(shares.take("a").is_some());
    }

    #[test]
    fn nothing_is_kept_of_what_is_over() {
        let shares = Shares::new(0);
        let under_way: Vec<_> = (0..1_000).map(|n| shares.take(&n.to_string())).collect();
        assert!(under_way.iter().all(Option::is_some));
        drop(under_way);
        assert!(lock(&shares.counts).is_empty());
    }
}
