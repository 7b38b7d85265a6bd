//! Numbers of what is under way, for whoever watches over the service.

use metrics::gauge;

/// One more of something, until it is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay(&'static str);

impl UnderWay {
    /// Counts in the gauge of this name.
    pub(crate) fn new(gauge: &'static str) -> Self {
        gauge!(gauge).increment(1.0);
        Self(gauge)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1.0);
    }
}
