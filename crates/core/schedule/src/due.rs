//! What is to be done about slots that have come.

use std::time::Duration;

use contract::Millis;

use crate::Timetable;

/// Slots that are counted one by one: a service that was down for a year has missed more.
const COUNTED: u64 = 1_000;

/// What becomes of the slots that have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// A run is to be started for this slot: the last of those within the tolerance, once for
    /// all of them.
    Start {
        /// The slot.
        slot: Millis,
    },
    /// Nobody was there, and by now it is too late.
    Missed {
        /// The first of the slots that were missed.
        first: Millis,
        /// How many; from 1,000 on they are not counted any more.
        slots: u64,
    },
}

/// What is to be done, and which slot is the next to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// What is to be done.
    pub due: Due,
    /// The next slot; it may have come, too. None when there is none.
    pub next: Option<Millis>,
}

impl Timetable {
    /// What is to be done at `now` about a schedule whose next slot was `slot`; `None` when
    /// that has not come yet. Whatever is older than `tolerance` is missed.
    #[must_use]
    pub fn due(&self, slot: Millis, now: Millis, tolerance: Duration) -> Option<Turn> {
        if slot > now {
            return None;
        }
        let tolerance = i64::try_from(tolerance.as_millis()).unwrap_or(i64::MAX);
        let oldest = Millis(now.0.saturating_sub(tolerance));
        let later = std::iter::successors(Some(slot), |slot| self.next_after(*slot));
        if slot < oldest {
            let most = usize::try_from(COUNTED).unwrap_or(usize::MAX);
            let slots = later.take(most).take_while(|slot| *slot < oldest).count() as u64;
            let next = self.next_after(Millis(oldest.0.saturating_sub(1)));
            return Some(Turn { due: Due::Missed { first: slot, slots }, next });
        }
        let slot = later.take_while(|slot| *slot <= now).last().unwrap_or(slot);
        Some(Turn { due: Due::Start { slot }, next: self.next_after(slot) })
    }
}
