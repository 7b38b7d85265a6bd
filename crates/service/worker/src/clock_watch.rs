//! Reports a clock that differs from the database's: leases do not depend on it, but schedules, the age
//! of results and the end of links do.

use std::time::Duration;

use store::{CLOCK_TOLERANCE, ClockDifference};
use tokio::time::Instant;

/// Minimum time between two warnings.
const WARN_EVERY: Duration = Duration::from_secs(600);

/// The last warning about the clock of this node.
#[derive(Debug, Default)]
pub(crate) struct ClockWatch {
    warned: Option<Instant>,
}

impl ClockWatch {
    /// Sets the gauge, and warns of an excessive difference.
    #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
    pub fn observe(&mut self, difference: ClockDifference) {
        metrics::gauge!("trawl_clock_ahead_seconds").set(difference.0 as f64 / 1_000.0);
        if !difference.is_excessive() {
            self.warned = None;
        } else if self.warned.is_none_or(|warned| warned.elapsed() >= WARN_EVERY) {
            self.warned = Some(Instant::now());
            tracing::warn!(
                ahead_ms = difference.0,
                tolerance_ms = u64::try_from(CLOCK_TOLERANCE.as_millis()).unwrap_or(u64::MAX),
                "the clock of this node differs from that of the database; synchronize both with NTP"
            );
        }
    }
}
