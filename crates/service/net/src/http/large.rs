//! How much memory long bodies take together: a body beyond [`SMALL`] bytes waits until there
//! is room for all of it. Each owner (an account, or a host where no account is known) has a part
//! of the room, so that the bodies of one never keep out those of another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::FetchError;

/// A body up to here needs no room: most pages are shorter.
pub(super) const SMALL: usize = 256 << 10;

/// The room is divided by this for the share of one owner.
const OWNER_PART: u32 = 4;

/// The memory that all long bodies share. A body asks once, for all that it may come to take,
/// first of its owner and then of all, so that no two bodies wait for each other.
#[derive(Debug, Clone)]
pub(crate) struct LargeBodies {
    /// One permit for each [`SMALL`] bytes.
    room: Arc<Semaphore>,
    /// What one owner may take of it. A larger body is counted as that much.
    part: u32,
    /// The parts of owners that have long bodies now.
    owners: Arc<Mutex<HashMap<Arc<str>, Weak<Semaphore>>>>,
}

impl LargeBodies {
    pub(crate) fn new(bytes: usize) -> Self {
        let permits = u32::try_from(bytes.div_ceil(SMALL)).unwrap_or(u32::MAX).max(1);
        Self {
            room: Arc::new(Semaphore::new(permits as usize)),
            part: (permits / OWNER_PART).max(1),
            owners: Arc::default(),
        }
    }

    /// The same for the bodies of one owner.
    pub(crate) fn of<'a>(&'a self, owner: &'a str) -> OwnerShare<'a> {
        OwnerShare { bodies: self, owner }
    }

    fn part_of(&self, owner: &str) -> Arc<Semaphore> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = owners.get(owner).and_then(Weak::upgrade) {
            return part;
        }
        owners.retain(|_, part| part.strong_count() > 0);
        let part = Arc::new(Semaphore::new(self.part as usize));
        owners.insert(owner.into(), Arc::downgrade(&part));
        part
    }
}

/// Access to the room for the bodies of one owner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnerShare<'a> {
    bodies: &'a LargeBodies,
    owner: &'a str,
}

impl OwnerShare<'_> {
    /// Waits for room for a body of at most `bytes`, until `deadline`.
    pub(super) async fn acquire(
        self,
        bytes: usize,
        deadline: Instant,
    ) -> Result<BodyRoom, FetchError> {
        let permits = u32::try_from(bytes.div_ceil(SMALL)).unwrap_or(u32::MAX);
        let permits = permits.clamp(1, self.bodies.part);
        let part = self.bodies.part_of(self.owner);
        let room = async {
            let own = part.acquire_many_owned(permits).await.ok()?;
            let all = Arc::clone(&self.bodies.room).acquire_many_owned(permits).await.ok()?;
            Some(BodyRoom { own, all })
        };
        // The semaphores are never closed.
        timeout_at(deadline, room).await.ok().flatten().ok_or(FetchError::Busy)
    }
}

/// Room for one body.
#[derive(Debug)]
pub(super) struct BodyRoom {
    own: OwnedSemaphorePermit,
    all: OwnedSemaphorePermit,
}

impl BodyRoom {
    /// Gives back what is beyond `bytes`.
    fn shrink(&mut self, bytes: usize) {
        let needed = bytes.div_ceil(SMALL);
        for permits in [&mut self.own, &mut self.all] {
            drop(permits.split(permits.num_permits().saturating_sub(needed)));
        }
    }
}

/// A body that gives its room back when the last reference to it is dropped.
struct LargeBody {
    bytes: Vec<u8>,
    _room: BodyRoom,
}

impl AsRef<[u8]> for LargeBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The bytes of a body, together with the room that it takes. Memory and room that it did not
/// need are given back.
pub(super) fn shared(mut bytes: Vec<u8>, room: Option<BodyRoom>) -> Bytes {
    let Some(mut room) = room else { return Bytes::from(bytes) };
    bytes.shrink_to_fit();
    room.shrink(bytes.capacity());
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
        let room = bodies.of("one").acquire(2 * SMALL, soon()).await.expect("room");
        let at_once = Instant::now() + Duration::from_millis(10);
        let waited = bodies.of("one").acquire(SMALL, at_once).await;
        assert_eq!(waited.err(), Some(FetchError::Busy));
        drop(room);
        assert!(bodies.of("one").acquire(SMALL, soon()).await.is_ok());
    }

    #[tokio::test]
    async fn room_comes_back_with_the_last_reference_to_a_body() {
        let bodies = LargeBodies::new(32 * SMALL);
        let room = bodies.of("one").acquire(8 * SMALL, soon()).await.expect("room");
        assert_eq!(bodies.room.available_permits(), 24);
        let body = shared(vec![1; SMALL + 1], Some(room));
        assert_eq!(bodies.room.available_permits(), 30, "what it did not need is free at once");
        let part = body.slice(1..);
        drop(body);
        assert_eq!(bodies.room.available_permits(), 30);
        drop(part);
        assert_eq!(bodies.room.available_permits(), 32);
    }

    #[tokio::test]
    async fn one_owner_takes_no_more_than_its_part() {
        let bodies = LargeBodies::new(8 * SMALL);
        let larger = bodies.of("one").acquire(50 * SMALL, soon()).await.expect("room");
        assert_eq!(bodies.room.available_permits(), 6, "a quarter");
        let mut waiting = Box::pin(bodies.of("one").acquire(SMALL, soon()));
        let at_once = Duration::from_millis(10);
        assert!(tokio::time::timeout(at_once, &mut waiting).await.is_err(), "it waits");
        let other = bodies.of("two").acquire(2 * SMALL, soon()).await.expect("room");
        drop(larger);
        drop((waiting.await.expect("room"), other));
        drop(bodies.of("three").acquire(SMALL, soon()).await);
        assert_eq!(bodies.owners.lock().expect("a list").len(), 1, "owners are forgotten");
    }
}
