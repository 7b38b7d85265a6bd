//! A lock per key: retries of a request in progress wait for its answer, in order.
//!
//! A key that is neither held nor waited for has no entry, so that memory is bounded by the requests
//! in flight.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

type Locks = Arc<Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>>;

/// Locks by key. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyedLock {
    locks: Locks,
}

/// The lock of a key, or the wait for it; released when it is dropped.
#[derive(Debug)]
pub(crate) struct KeyedGuard {
    key: String,
    locks: Locks,
    guard: Option<OwnedMutexGuard<()>>,
}

impl KeyedLock {
    /// Waits for the lock of this key. Waiting requests get it in their order.
    pub async fn lock(&self, key: String) -> KeyedGuard {
        let lock = Arc::clone(self.locks.lock().entry(key.clone()).or_default());
        // Built before the wait, so that an abandoned wait removes the entry too.
        let mut guard = KeyedGuard { key, locks: Arc::clone(&self.locks), guard: None };
        guard.guard = Some(lock.lock_owned().await);
        guard
    }
}

impl Drop for KeyedGuard {
    fn drop(&mut self) {
        self.guard.take();
        let mut locks = self.locks.lock();
        if locks.get(&self.key).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn second_holder_of_a_key_waits_and_no_entry_is_left() {
        let locks = KeyedLock::default();
        let first = locks.lock("a".to_owned()).await;
        let _other = locks.lock("b".to_owned()).await;
        let waiting = tokio::spawn({
            let locks = locks.clone();
            async move { drop(locks.lock("a".to_owned()).await) }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.expect("it got the lock");
        assert_eq!(locks.locks.lock().len(), 1, "only the other key");
    }
}
