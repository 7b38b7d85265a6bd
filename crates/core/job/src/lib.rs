//! The state machine of a job, and the rates of its units. Pure: no clock and no I/O.
//!
//! [`decide`] is the only function that knows which [`JobCommand`] is valid in which status. The
//! store loads a [`Job`], calls `decide`, and stores the [`Decision`] with its [`JobEffect`]s in one
//! transaction. [`RateCard`] holds the credits per unit of each mode and [`Tier`].
//!
//! To add a command: add a variant to [`JobCommand`], handle it in `decide` for every status, and
//! add it to `tests/matrix.rs`, whose snapshot shows every status under every command.

mod backoff;
mod command;
mod decide;
mod job;
mod rate;
mod run_ending;

pub use backoff::Backoff;
pub use command::{JobCommand, JobDraft};
pub use decide::{Decision, JobEffect, Refusal, STALE_AFTER, decide};
pub use job::{Job, WaitsFor};
pub use rate::{RateCard, Tier};
pub use run_ending::RunEnding;
