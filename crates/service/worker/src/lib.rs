//! Workers: lease shards, replay their logs, drive them and commit to the store.
//!
//! [`Workers`] claim shards of runs and call [`runner::drive`] with the store as the sink. The
//! [`Timekeeper`] starts the runs of due schedules.

mod frontier_memory;
mod lookout;
mod shard_runner;
mod store_sink;
mod timekeeper;
mod visit_places;
mod workers;

pub use timekeeper::{Timekeeper, TimekeeperSettings};
pub use workers::{WorkerSettings, Workers};
