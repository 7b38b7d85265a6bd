//! Deadlines that cannot overflow.

use std::time::Duration;

use tokio::time::Instant;

/// The instant `span` from now, at most a century away: `Instant + Duration::MAX` panics.
pub fn deadline_after(span: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
    Instant::now() + span.min(CENTURY)
}
