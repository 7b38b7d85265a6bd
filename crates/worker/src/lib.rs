//! Work: shards are leased, replayed, driven and committed.
//!
//! [`drive`] is the one loop of the house: it turns the engine's actions into
//! requests and its steps into commits, whoever asked for the run. The server's
//! [`Workers`] call it with the store as the sink; the command line with a file. The
//! [`Timekeeper`] asks for the runs that clocks start.

mod cause;
mod drive;
mod fetching;
mod frontier_memory;
mod host_gate;
mod isolated_reader;
mod lookout;
mod page_reader;
mod reader_pool;
mod robots_cache;
mod shard_runner;
mod store_sink;
mod timekeeper;
mod visit_places;
mod workers;

pub use drive::{CommitLimits, Committed, Drove, Sink, Stop, drive};
pub use fetching::Fetcher;
pub use host_gate::{GateSettings, HostGate, Permit};
pub use isolated_reader::{ReaderLimits, read_isolated};
pub use page_reader::{PageReader, RunReading};
pub use reader_pool::{PoolSettings, ReaderPool, Trial};
pub use timekeeper::{Timekeeper, TimekeeperSettings};
pub use workers::{WorkerSettings, Workers};
