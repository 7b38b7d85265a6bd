//! What every mode needs to know of a page: links, head, kind, language, robots directives, bot
//! protection, JavaScript shells; and sitemaps and feeds.
//!
//! [`Page::read`] reads a page in one pass without a tree. Modes that need the tree pass a
//! `html::dom::Builder` to [`Page::read_text`], so that the bytes are read once for both.

mod fetch_context;
pub mod head;
pub mod kind;
mod missing;
mod page;
mod protection;
mod shell;
pub mod sitemap;
mod spoken;
mod wishes;

pub use fetch_context::FetchContext;
pub use head::PageHead;
pub use kind::{classify, expected_kind};
pub use missing::is_soft_404;
pub use page::{Link, LinkKind, Page, PageLimits};
pub use protection::{HeaderSigns, ProtectionKind, ProtectionMarker, Seen, UnknownMarker, Vendor};
pub use shell::Shell;
pub use sitemap::{
    SitemapEntry, SitemapError, SitemapFile, SitemapKind, SitemapLimits, SitemapPlaces,
};
pub use spoken::{spoken_language, spoken_language_of_page};
pub use wishes::noindex;
