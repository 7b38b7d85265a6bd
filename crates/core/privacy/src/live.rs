//! The list of opt-outs while it changes. Runs look it up for every URL.

use std::sync::Arc;

use parking_lot::RwLock;

use super::OptOuts;

/// A list that can be replaced. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct LiveOptOuts(Arc<RwLock<Arc<OptOuts>>>);

impl LiveOptOuts {
    /// Creates a list with this content.
    #[must_use]
    pub fn new(list: OptOuts) -> Self {
        let live = Self::default();
        live.replace(Arc::new(list));
        live
    }

    /// The current list of opt-outs.
    #[must_use]
    pub fn now(&self) -> Arc<OptOuts> {
        Arc::clone(&self.0.read())
    }

    /// Replaces the list for all clones.
    pub fn replace(&self, list: Arc<OptOuts>) {
        *self.0.write() = list;
    }
}
