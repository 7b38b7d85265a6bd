//! Workers: claim shards, replay their logs, execute them and commit to the store.
//!
//! [`Workers`] claim shards under leases, which the lease monitor renews. A shard runner restores the
//! engine of a shard from its log and calls [`runner::drive`] with the store as the sink; it reports
//! the outcome as a command of the job. Frontier memory limits the memory of all runs of the node and
//! evicts runs beyond it. The [`Scheduler`] starts the jobs of due schedules.
//!
//! To handle another outcome of a run, add it to `runner::RunOutcome` and map it in `shard_runner.rs`.

mod claim_pause;
mod clock_watch;
mod frontier_memory;
mod lease_monitor;
mod run_guard;
mod scheduler;
mod settings;
mod shard_runner;
mod storage_maintenance;
mod store_sink;
mod visit_slots;
mod workers;

pub use scheduler::{Scheduler, SchedulerSettings};
pub use settings::WorkerSettings;
pub use workers::Workers;
