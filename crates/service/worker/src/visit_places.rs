//! Places for shards of domains, each of which has many requests under way.
//!
//! A shard with a few domains left, or with slow ones, keeps an eighth of its place: the next one begins beside
//! it, or a long list would wait for the slowest domain of every shard. What is under way at a
//! time stays bounded, and so do the shards of one node.

use std::sync::Arc;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Parts of a place; a shard that fades keeps one of them.
const PARTS: u32 = 8;

#[derive(Debug, Clone)]
pub(crate) struct VisitPlaces {
    parts: Arc<Semaphore>,
    freed: Arc<Notify>,
}

/// A place that is taken, until it is dropped.
#[derive(Debug)]
pub(crate) struct VisitPlace {
    parts: OwnedSemaphorePermit,
    freed: Arc<Notify>,
}

impl VisitPlaces {
    pub fn new(places: usize) -> Self {
        // Those beyond whole places: as long as few fade, they are in nobody's way.
        let parts = places.saturating_mul(PARTS as usize).saturating_add(PARTS as usize - 1);
        let parts = parts.min(Semaphore::MAX_PERMITS);
        Self { parts: Arc::new(Semaphore::new(parts)), freed: Arc::default() }
    }

    /// A place, if one is free.
    pub fn take(&self) -> Option<VisitPlace> {
        let parts = Arc::clone(&self.parts).try_acquire_many_owned(PARTS).ok()?;
        Some(VisitPlace { parts, freed: Arc::clone(&self.freed) })
    }

    /// Waits until a shard has left most of its place to others.
    pub async fn freed(&self) {
        self.freed.notified().await;
    }
}

impl VisitPlace {
    /// Leaves most of it to another shard. Once is enough.
    pub fn leave_most(&mut self) {
        if let Some(most) = self.parts.split(PARTS as usize - 1) {
            drop(most);
            self.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_that_fade_make_room_and_have_a_bound() {
        for places in [1, 4] {
            let free = VisitPlaces::new(places);
            let mut taken: Vec<_> = std::iter::from_fn(|| free.take()).collect();
            assert_eq!(taken.len(), places);
            let mut fading = Vec::new();
            while let Some(mut place) = taken.pop() {
                place.leave_most();
                place.leave_most();
                fading.push(place);
                taken.extend(free.take());
            }
            assert_eq!(fading.len(), PARTS as usize * places);
            drop(fading);
            let all: Vec<_> = std::iter::from_fn(|| free.take()).collect();
            assert_eq!(all.len(), places, "every part came back");
        }
    }
}
