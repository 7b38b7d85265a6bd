//! Pauses the claims of a node that cannot read the data of a run.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// The end of the pause, if one was started. A node that released a run of a newer release would
/// otherwise claim it again before a node of that release does.
#[derive(Debug, Default)]
pub(crate) struct ClaimPause(Mutex<Option<Instant>>);

impl ClaimPause {
    pub fn start(&self, span: Duration) {
        *self.0.lock() = Some(Instant::now() + span);
    }

    pub fn is_active(&self) -> bool {
        let end = *self.0.lock();
        end.is_some_and(|end| Instant::now() < end)
    }
}
