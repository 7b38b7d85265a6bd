//! Cron expressions in a time zone, and the handling of late slots. Pure: no clock and no I/O.
//!
//! [`CronSchedule::parse`] reads an expression, [`CronSchedule::next_after`] computes the next slot,
//! and [`CronSchedule::due`] decides whether due slots are started or missed. The store keeps the
//! next slot of each schedule and calls `due` when it has come.
//!
//! To add a form of expression, extend [`CronSchedule::parse`]; its slots at clock changes are decided
//! in `cron_schedule/wall_clock.rs`. To add a rule about late slots, add a [`SlotAction`] and handle it
//! in `store` (`slot.rs`).

mod cron_schedule;
mod due;

pub use cron_schedule::{CronError, CronSchedule};
pub use due::{DueSlots, SlotAction};
