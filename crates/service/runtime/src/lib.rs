//! What every crate with I/O shares: the system clock, blocking work beside the async runtime, and
//! gauges of work in flight.

mod in_flight;
mod off_runtime;
mod system_clock;

pub use in_flight::InFlight;
pub use off_runtime::off_runtime;
pub use system_clock::SystemClock;
