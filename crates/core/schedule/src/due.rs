//! Decides whether due slots are started or missed.

use std::time::Duration;

use contract::Millis;

use crate::CronSchedule;

/// Missed slots are counted up to this number.
const MAX_COUNTED: u64 = 1_000;

/// What to do with the due slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotAction {
    /// Start one run, for the last due slot within the tolerance.
    Start { slot: Millis },
    /// The slots are older than the tolerance.
    Missed {
        /// The first missed slot.
        first: Millis,
        /// Number of missed slots, at most 1,000.
        slots: u64,
    },
}

/// The action for the due slots, and the next slot after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueSlots {
    pub action: SlotAction,
    /// The next slot, which may be due as well; none when the schedule never fires again.
    pub next: Option<Millis>,
}

impl CronSchedule {
    /// The action at `now` for a schedule whose next slot was `slot`; `None` when that slot is in
    /// the future. Slots older than `tolerance` are missed.
    #[must_use]
    pub fn due(&self, slot: Millis, now: Millis, tolerance: Duration) -> Option<DueSlots> {
        if slot > now {
            return None;
        }
        let tolerance = i64::try_from(tolerance.as_millis()).unwrap_or(i64::MAX);
        let oldest = Millis(now.0.saturating_sub(tolerance));
        let later = std::iter::successors(Some(slot), |slot| self.next_after(*slot));
        if slot < oldest {
            let most = usize::try_from(MAX_COUNTED).unwrap_or(usize::MAX);
            let slots = later.take(most).take_while(|slot| *slot < oldest).count() as u64;
            let next = self.next_after(Millis(oldest.0.saturating_sub(1)));
            return Some(DueSlots { action: SlotAction::Missed { first: slot, slots }, next });
        }
        let slot = later.take_while(|slot| *slot <= now).last().unwrap_or(slot);
        Some(DueSlots { action: SlotAction::Start { slot }, next: self.next_after(slot) })
    }
}
