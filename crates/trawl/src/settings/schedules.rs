//! Settings of schedules.

use std::time::Duration;

use store::SlotRules;
use worker::SchedulerSettings;

use super::{Layers, SettingError, Settings};

/// Poll interval of the scheduler: a job starts within this time of its slot.
const POLL: Duration = Duration::from_secs(1);

/// Limits of schedules and their tolerance for late starts.
#[derive(Debug, Clone)]
pub struct ScheduleSettings {
    /// Maximum schedules of one account.
    pub of_account: u32,
    /// Maximum delay of a start after its slot.
    pub tolerance: Duration,
    /// Minimum time between two starts of a schedule.
    pub every: Duration,
}

impl ScheduleSettings {
    pub(super) fn of(layers: &Layers) -> Result<Self, SettingError> {
        let minutes: u64 = layers.number("schedule_minutes", 1..=1_440)?;
        Ok(Self {
            of_account: layers.number("schedules", 0..=100_000)?,
            // At most a week.
            tolerance: Duration::from_secs(layers.number("schedule_tolerance", 0..=604_800)?),
            every: Duration::from_secs(60 * minutes),
        })
    }
}

impl Settings {
    #[must_use]
    pub fn scheduler(&self) -> SchedulerSettings {
        let rules =
            SlotRules { tolerance: self.schedules.tolerance, batch_size: self.limits.batch_size };
        SchedulerSettings { poll: POLL, rules }
    }
}
