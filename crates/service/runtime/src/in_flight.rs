//! Gauges of work in flight.

use metrics::gauge;

/// Increments a gauge until it is dropped.
#[derive(Debug)]
pub struct InFlight(&'static str);

impl InFlight {
    #[must_use]
    pub fn new(gauge: &'static str) -> Self {
        gauge!(gauge).increment(1.0);
        Self(gauge)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1.0);
    }
}
