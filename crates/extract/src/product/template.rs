//! Where the pages of a site show what their data names, learned from the pages that have
//! both, for those that have not.

/// What one page teaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateLesson {}

/// A template of a site, in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {}

impl Template {
    /// Names it in records: the same for the same content.
    #[must_use]
    pub fn id(&self) -> String {
        String::new()
    }

    /// As it is kept.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        Vec::new()
    }

    /// A template that was kept; none when it was kept by another version of the service
    /// that wrote it differently, or is broken.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let _ = bytes;
        None
    }
}

/// Learns the template of a site while its pages are read.
#[derive(Debug, Default)]
pub struct TemplateLearner {}

impl TemplateLearner {
    /// Goes on from a template that is in force.
    #[must_use]
    pub fn after(template: Option<&Template>) -> Self {
        let _ = template;
        Self::default()
    }

    /// Sees a page. Gives a new version when one is due: the first after a few pages, then
    /// when what it knows grew, or when the fill rate of the one in force falls.
    pub fn see(&mut self, lesson: &TemplateLesson) -> Option<Template> {
        let _ = lesson;
        None
    }
}
