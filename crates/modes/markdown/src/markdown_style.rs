//! The options by which a run reads and writes its pages.

use contract::MarkdownLinks;

/// How pages are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkdownStyle {
    /// Selects the main content; false reads whole pages without navigation and footer.
    pub main_content: bool,
    pub links: MarkdownLinks,
}

impl Default for MarkdownStyle {
    fn default() -> Self {
        Self { main_content: true, links: MarkdownLinks::Inline }
    }
}

impl MarkdownStyle {
    /// The first byte of an encoded extractor.
    pub(crate) fn code(self) -> u8 {
        let links = match self.links {
            MarkdownLinks::Inline => 0,
            MarkdownLinks::Reference => 2,
            MarkdownLinks::None => 4,
        };
        links | u8::from(self.main_content)
    }

    /// The style with this code; `None` for an unknown code.
    pub(crate) fn of_code(code: u8) -> Option<Self> {
        let styles = [false, true].into_iter().flat_map(|main_content| {
            MarkdownLinks::ALL.iter().map(move |links| Self { main_content, links: *links })
        });
        styles.into_iter().find(|style| style.code() == code)
    }
}
