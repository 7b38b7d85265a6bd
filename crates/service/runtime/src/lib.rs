//! Helpers of all service crates: [`SystemClock`] (the only access to the wall clock), [`off_runtime`]
//! (long computations inside async code) and [`InFlight`] (a gauge of work in progress).

mod in_flight;
mod off_runtime;
mod system_clock;

pub use in_flight::InFlight;
pub use off_runtime::off_runtime;
pub use system_clock::SystemClock;
