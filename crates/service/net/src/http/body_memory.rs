//! Memory limit of large bodies: a body beyond [`SMALL_BODY_BYTES`] waits until all of its maximum
//! size is available. Each owner (an account, or a host if no account is known) gets at most a
//! fraction of the memory, so that one owner cannot block the others.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::{FetchError, FetchResult};

/// A body up to this size needs no permit: most pages are smaller.
pub(super) const SMALL_BODY_BYTES: usize = 256 << 10;

/// One owner gets at most the memory divided by this.
const OWNER_FRACTION: u32 = 4;

/// The memory that all large bodies share. A body acquires its maximum size once, first from its
/// owner's part and then from the whole, so that two bodies cannot deadlock.
#[derive(Debug, Clone)]
pub(crate) struct BodyMemory {
    /// One permit for each [`SMALL_BODY_BYTES`] bytes.
    available: Arc<Semaphore>,
    /// Permits of one owner. A larger body counts as that many.
    owner_permits: u32,
    /// The semaphores of owners that have large bodies now.
    owners: Arc<Mutex<HashMap<Arc<str>, Weak<Semaphore>>>>,
}

impl BodyMemory {
    pub(crate) fn new(bytes: usize) -> Self {
        let permits = u32::try_from(bytes.div_ceil(SMALL_BODY_BYTES)).unwrap_or(u32::MAX).max(1);
        Self {
            available: Arc::new(Semaphore::new(permits as usize)),
            owner_permits: (permits / OWNER_FRACTION).max(1),
            owners: Arc::default(),
        }
    }

    pub(crate) fn of<'a>(&'a self, owner: &'a str) -> OwnerShare<'a> {
        OwnerShare { bodies: self, owner }
    }

    fn semaphore_of(&self, owner: &str) -> Arc<Semaphore> {
        let mut owners = self.owners.lock();
        if let Some(semaphore) = owners.get(owner).and_then(Weak::upgrade) {
            return semaphore;
        }
        owners.retain(|_, semaphore| semaphore.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(self.owner_permits as usize));
        owners.insert(owner.into(), Arc::downgrade(&semaphore));
        semaphore
    }
}

/// The part of one owner in [`BodyMemory`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnerShare<'a> {
    bodies: &'a BodyMemory,
    owner: &'a str,
}

impl OwnerShare<'_> {
    /// Waits until `deadline` for the memory of a body of at most `bytes`.
    pub(super) async fn acquire(self, bytes: usize, deadline: Instant) -> FetchResult<BodyPermits> {
        let permits = u32::try_from(bytes.div_ceil(SMALL_BODY_BYTES)).unwrap_or(u32::MAX);
        let permits = permits.clamp(1, self.bodies.owner_permits);
        let semaphore = self.bodies.semaphore_of(self.owner);
        let permits = async {
            let own = semaphore.acquire_many_owned(permits).await.ok()?;
            let all = Arc::clone(&self.bodies.available).acquire_many_owned(permits).await.ok()?;
            Some(BodyPermits { own, all })
        };
        // The semaphores are never closed.
        timeout_at(deadline, permits).await.ok().flatten().ok_or(FetchError::Busy)
    }
}

/// The memory of one body.
#[derive(Debug)]
pub(super) struct BodyPermits {
    own: OwnedSemaphorePermit,
    all: OwnedSemaphorePermit,
}

impl BodyPermits {
    /// Releases the permits beyond `bytes`.
    fn shrink(&mut self, bytes: usize) {
        let needed = bytes.div_ceil(SMALL_BODY_BYTES);
        for permits in [&mut self.own, &mut self.all] {
            drop(permits.split(permits.num_permits().saturating_sub(needed)));
        }
    }
}

/// A body that releases its permits when the last reference is dropped.
struct LargeBody {
    bytes: Vec<u8>,
    _permits: BodyPermits,
}

impl AsRef<[u8]> for LargeBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The bytes of a body together with its permits. Unused memory and permits are released.
pub(super) fn shared(mut bytes: Vec<u8>, permits: Option<BodyPermits>) -> Bytes {
    let Some(mut permits) = permits else { return Bytes::from(bytes) };
    bytes.shrink_to_fit();
    permits.shrink(bytes.capacity());
    Bytes::from_owner(LargeBody { bytes, _permits: permits })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn waiting_for_memory_ends_at_the_deadline() {
        let bodies = BodyMemory::new(2 * SMALL_BODY_BYTES);
        let permits = bodies.of("one").acquire(2 * SMALL_BODY_BYTES, soon()).await.expect("memory");
        let at_once = Instant::now() + Duration::from_millis(10);
        let waited = bodies.of("one").acquire(SMALL_BODY_BYTES, at_once).await;
        assert_eq!(waited.err(), Some(FetchError::Busy));
        drop(permits);
        assert!(bodies.of("one").acquire(SMALL_BODY_BYTES, soon()).await.is_ok());
    }

    #[tokio::test]
    async fn permits_are_released_with_the_last_reference_to_a_body() {
        let bodies = BodyMemory::new(32 * SMALL_BODY_BYTES);
        let permits = bodies.of("one").acquire(8 * SMALL_BODY_BYTES, soon()).await.expect("memory");
        assert_eq!(bodies.available.available_permits(), 24);
        let body = shared(vec![1; SMALL_BODY_BYTES + 1], Some(permits));
        assert_eq!(bodies.available.available_permits(), 30, "unused permits are released at once");
        let slice = body.slice(1..);
        drop(body);
        assert_eq!(bodies.available.available_permits(), 30);
        drop(slice);
        assert_eq!(bodies.available.available_permits(), 32);
    }

    #[tokio::test]
    async fn one_owner_gets_at_most_its_fraction() {
        let bodies = BodyMemory::new(8 * SMALL_BODY_BYTES);
        let larger = bodies.of("one").acquire(50 * SMALL_BODY_BYTES, soon()).await.expect("memory");
        assert_eq!(bodies.available.available_permits(), 6, "a quarter");
        let mut waiting = Box::pin(bodies.of("one").acquire(SMALL_BODY_BYTES, soon()));
        let at_once = Duration::from_millis(10);
        assert!(tokio::time::timeout(at_once, &mut waiting).await.is_err(), "it waits");
        let other = bodies.of("two").acquire(2 * SMALL_BODY_BYTES, soon()).await.expect("memory");
        drop(larger);
        drop((waiting.await.expect("memory"), other));
        drop(bodies.of("three").acquire(SMALL_BODY_BYTES, soon()).await);
        assert_eq!(bodies.owners.lock().len(), 1, "idle owners are removed");
    }
}
