//! How a page was fetched: the part of an item that does not come from the page itself.

use contract::Millis;

/// Where, when and how a page was fetched. Modes add it to the items that they make of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchContext {
    /// The canonical URL of the page within the run.
    pub url: String,
    /// The URL after redirects, if it differs.
    pub final_url: Option<String>,
    /// Number of clicks from the start page.
    pub depth: Option<u32>,
    pub status_code: u16,
    /// The detected language of the page.
    pub language: Option<String>,
    /// Whether a browser rendered the page.
    pub rendered: bool,
    pub fetched_at: Millis,
}
