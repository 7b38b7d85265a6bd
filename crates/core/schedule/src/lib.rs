//! Cron expressions in a time zone, and the handling of late slots. Pure: no clock and no I/O.
//!
//! [`CronSchedule::parse`] reads an expression, [`CronSchedule::next_after`] computes the next slot,
//! and [`CronSchedule::due`] decides whether due slots are started or missed. The store keeps the
//! next slot of each schedule and calls `due` when it has come.

mod cron_schedule;
mod due;

pub use cron_schedule::{CronError, CronSchedule};
pub use due::{DueSlots, SlotAction};
