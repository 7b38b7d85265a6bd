//! The life of a job: its states, what moves it between them, and what it costs.
//!
//! Pure. [`decide`] is the only place that knows which command fits which
//! status; whoever stores a job loads it, asks, and writes down the decision and
//! its effects in one transaction.

mod command;
mod decide;
mod ending;
mod life;
mod rate;

pub use command::{Command, Draft};
pub use decide::{Decision, Effect, Refusal, STALE_AFTER, decide};
pub use ending::Ending;
pub use life::{DOMAINS_A_SHARD, Job, WaitsFor};
pub use rate::{RateCard, Tier};
