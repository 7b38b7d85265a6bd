//! What clocks may start, and when.

use std::time::Duration;

use store::SlotRules;
use worker::SchedulerSettings;

use super::{Layers, SettingError, Settings};

/// How often slots are looked for. A run begins within this time of its slot.
const POLL: Duration = Duration::from_secs(1);

/// What clocks may start, and when.
#[derive(Debug, Clone)]
pub struct ScheduleSettings {
    /// Schedules of one account.
    pub of_account: u32,
    /// How late a run may begin.
    pub tolerance: Duration,
    /// The least time between two starts of a schedule.
    pub every: Duration,
}

impl ScheduleSettings {
    pub(super) fn of(layers: &Layers) -> Result<Self, SettingError> {
        let minutes: u64 = layers.number("schedule_minutes", 1..=1_440)?;
        Ok(Self {
            of_account: layers.number("schedules", 0..=100_000)?,
            // A week: what is older nobody waits for any more.
            tolerance: Duration::from_secs(layers.number("schedule_tolerance", 0..=604_800)?),
            every: Duration::from_secs(60 * minutes),
        })
    }
}

impl Settings {
    /// How this node keeps time.
    #[must_use]
    pub fn scheduler(&self) -> SchedulerSettings {
        let rules =
            SlotRules { tolerance: self.schedules.tolerance, batch_size: self.limits.batch_size };
        SchedulerSettings { poll: POLL, rules }
    }
}
