//! The list of objections while it changes: runs that go on ask it anew for every address.

use std::sync::{Arc, PoisonError, RwLock};

use super::OptOuts;

/// A list that whoever keeps it may replace. Clones see the same one.
#[derive(Debug, Clone, Default)]
pub struct LiveOptOuts(Arc<RwLock<Arc<OptOuts>>>);

impl LiveOptOuts {
    /// A list that does not change unless it is replaced.
    #[must_use]
    pub fn new(list: OptOuts) -> Self {
        let live = Self::default();
        live.replace(Arc::new(list));
        live
    }

    /// The list as it is now.
    #[must_use]
    pub fn now(&self) -> Arc<OptOuts> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another list in its place.
    pub fn replace(&self, list: Arc<OptOuts>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = list;
    }
}
