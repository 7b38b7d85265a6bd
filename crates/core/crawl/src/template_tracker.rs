//! The extraction template of a run in mode `products`.

use std::sync::Arc;

use products::{ExtractionTemplate, TemplateLearner};

use crate::{CrawlPlan, RunState};

/// The extraction template of a site: the current version, and the learner of the next one.
#[derive(Debug, Default)]
pub(crate) struct TemplateTracker {
    pub current: Option<Arc<ExtractionTemplate>>,
    pub learner: TemplateLearner,
}

impl TemplateTracker {
    /// Continues with the version in the log.
    pub fn after(plan: &CrawlPlan, state: &RunState) -> Self {
        let kept = state.template.as_deref().filter(|_| plan.has_template());
        let current = kept.and_then(ExtractionTemplate::decode).map(Arc::new);
        Self { learner: TemplateLearner::after(current.as_deref()), current }
    }

    /// Replaces the current version. The learner continues.
    pub fn set_current(&mut self, kept: &[u8]) {
        self.current = ExtractionTemplate::decode(kept).map(Arc::new);
    }
}
