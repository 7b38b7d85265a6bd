//! Telling webhook endpoints what happened: sign, send, back off.
//!
//! Events wait in the store as deliveries, one for each endpoint that asked for them. A
//! [`Notifier`] takes endpoints as lanes, sends what is due in parallel over all of them,
//! and writes down what came of it. A receiver that is dead or slow holds up nobody but itself.

mod lane;
mod notifier;
mod retry_schedule;
mod sender;
mod signature;

pub use notifier::{Notifier, NotifierSettings};
pub use retry_schedule::{RetrySchedule, ScheduleError};
pub use signature::Signature;
