//! How much memory long bodies take together: a body beyond [`SMALL`] bytes waits until there
//! is room for all of it.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::{FetchError, Phase};

/// A body up to here needs no room: most pages are shorter.
pub(super) const SMALL: usize = 256 << 10;

/// The memory that all long bodies share. A body asks once, for all that it may come to take,
/// so that no two bodies wait for each other.
#[derive(Debug, Clone)]
pub(crate) struct LargeBodies {
    /// One permit for each [`SMALL`] bytes.
    room: Arc<Semaphore>,
    permits: u32,
}

impl LargeBodies {
    pub(crate) fn new(bytes: usize) -> Self {
        let permits = u32::try_from(bytes.div_ceil(SMALL)).unwrap_or(u32::MAX).max(1);
        Self { room: Arc::new(Semaphore::new(permits as usize)), permits }
    }

    /// Waits for room for a body of at most `bytes`, until `deadline`.
    pub(super) async fn acquire(
        &self,
        bytes: usize,
        deadline: Instant,
    ) -> Result<OwnedSemaphorePermit, FetchError> {
        let permits = u32::try_from(bytes.div_ceil(SMALL)).unwrap_or(u32::MAX);
        let permits = permits.clamp(1, self.permits);
        let room = Arc::clone(&self.room).acquire_many_owned(permits);
        let room = timeout_at(deadline, room).await;
        room.map_err(|_| FetchError::TimedOut(Phase::Whole))?.map_err(|_| FetchError::CutOff)
    }
}

/// A body that gives its room back when the last reference to it is dropped.
struct LargeBody {
    bytes: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for LargeBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The bytes of a body, together with the room that it takes. Room that it did not need is
/// given back.
pub(super) fn shared(bytes: Vec<u8>, room: Option<OwnedSemaphorePermit>) -> Bytes {
    let Some(mut room) = room else { return Bytes::from(bytes) };
    let needed = bytes.capacity().div_ceil(SMALL);
    drop(room.split(room.num_permits().saturating_sub(needed)));
    Bytes::from_owner(LargeBody { bytes, _room: room })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn wait_for_room_ends_at_the_deadline() {
        let bodies = LargeBodies::new(2 * SMALL);
        let room = bodies.acquire(2 * SMALL, soon()).await.expect("room");
        let waited = bodies.acquire(SMALL, Instant::now() + Duration::from_millis(10)).await;
        assert_eq!(waited.err(), Some(FetchError::TimedOut(Phase::Whole)));
        drop(room);
        assert!(bodies.acquire(SMALL, soon()).await.is_ok());
    }

    #[tokio::test]
    async fn room_comes_back_with_the_last_reference_to_a_body() {
        let bodies = LargeBodies::new(8 * SMALL);
        let room = bodies.acquire(8 * SMALL, soon()).await.expect("room");
        let body = shared(vec![1; SMALL + 1], Some(room));
        assert_eq!(bodies.room.available_permits(), 6, "what it did not need is free at once");
        let part = body.slice(1..);
        drop(body);
        assert_eq!(bodies.room.available_permits(), 6);
        drop(part);
        assert_eq!(bodies.room.available_permits(), 8);
    }

    #[tokio::test]
    async fn body_larger_than_all_the_room_waits_for_all_of_it() {
        let bodies = LargeBodies::new(2 * SMALL);
        assert!(bodies.acquire(50 * SMALL, soon()).await.is_ok());
    }
}
