//! Drives a run: performs the requests of the engine, reads the answers, and passes its steps to a
//! [`Sink`].
//!
//! [`drive`] is the only loop of the crawler. The workers of the server call it with the database as
//! the sink, `trawl crawl` with a file; this crate knows neither. A [`Fetcher`] performs requests
//! under the limits of the [`HostGate`], a [`PageReader`] reads answers off the async runtime, and a
//! [`ReaderPool`] reads pages in child processes.

mod cause;
mod drive;
mod fetching;
mod host_gate;
mod isolated_reader;
mod page_reader;
mod reader_pool;
mod robots_cache;

pub use drive::{CommitLimits, Committed, Drove, Sink, Stop, drive};
pub use fetching::Fetcher;
pub use host_gate::{GateSettings, HostGate, Permit};
pub use isolated_reader::{ReaderLimits, read_isolated};
pub use page_reader::{PageReader, RunReading};
pub use reader_pool::{PoolSettings, ReaderPool, Trial};
