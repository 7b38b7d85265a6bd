//! When a clock starts a run by itself: cron expressions in a time zone, and what becomes of
//! a slot that is met late.
//!
//! Pure. Whoever keeps schedules asks a [`Timetable`] for the next slot, and [`Timetable::due`]
//! for what is to be done about those that have come.

mod due;
mod timetable;

pub use due::{Due, Turn};
pub use timetable::{Timetable, TimetableError};
