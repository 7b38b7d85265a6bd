//! What every mode reads from a response: links, head, kind, language, robots directives, bot
//! protection, JavaScript shells; and sitemaps and feeds.
//!
//! - [`Page::read`] reads a page in one pass without a tree. Modes that need the tree pass a
//!   `html::dom::Builder` to [`Page::read_text`], so that the bytes are read once for both.
//! - [`classify`] distinguishes pages from files, feeds and sitemaps; [`SitemapFile`] reads the latter.
//! - [`ProtectionMarker`] names the bot protection that responded instead of the site, [`Shell`]
//!   recognises pages that have to be rendered, [`is_soft_404`] error pages with status 200.
//!
//! A new vendor of bot protection is a `Vendor`, its needles in `protection/needles.rs` and a rule
//! in `protection/rules.rs`, with a challenge page in the tests.
//!
//! ```
//! use page::{Page, PageHead, PageLimits};
//! use urls::CanonicalUrl;
//!
//! let url = CanonicalUrl::parse("https://example.com/shop/").expect("a valid URL");
//! let body = b"<title>Shop</title><a href=cart>Your  cart</a><a href='/login' rel=nofollow>In</a>";
//! let page = Page::read(body, &PageHead::default(), &url, &PageLimits::default());
//! assert_eq!(page.title.as_deref(), Some("Shop"));
//! assert_eq!(page.links[0].url.as_str(), "https://example.com/shop/cart");
//! assert_eq!(page.anchor(&page.links[0]), "Your cart");
//! assert!(page.links[1].nofollow);
//! ```

mod fetch_context;
pub mod head;
pub mod kind;
mod language_detection;
mod page;
mod protection;
mod robots_directives;
mod shell;
pub mod sitemap;
mod soft_404;

pub use fetch_context::FetchContext;
pub use head::PageHead;
pub use kind::{classify, expected_kind};
pub use language_detection::{detect_language, detect_page_language};
pub use page::{LinkKind, Outlink, Page, PageLimits};
pub use protection::{
    HeaderSigns, ProtectionEvidence, ProtectionKind, ProtectionMarker, UnknownMarker, Vendor,
};
pub use robots_directives::noindex;
pub use shell::Shell;
pub use sitemap::{
    SitemapEntry, SitemapError, SitemapFile, SitemapKind, SitemapLimits, SitemapLocations,
};
pub use soft_404::is_soft_404;
