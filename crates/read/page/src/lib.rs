//! What every mode reads from a response: links, head, kind, language, robots directives, bot
//! protection, JavaScript shells; and sitemaps and feeds. The types are those of `document`.
//!
//! - [`read_page`] reads a page in one pass without a tree. Modes that need the tree pass a
//!   `html::dom::Builder` to [`read_page_text`], so that the bytes are read once for both.
//! - [`classify`] distinguishes pages from files, feeds and sitemaps; [`read_sitemap`] reads the latter.
//! - [`detect_protection`] names the bot protection that responded instead of the site, [`Shell`]
//!   recognises pages that have to be rendered, [`is_soft_404`] error pages with status 200.
//! - [`clean_html`] writes a page without scripts and with absolute URLs, [`selected_nodes`] is the part
//!   of a tree that CSS selectors choose.
//! - [`parse_response`] reads all of it that a request of the engine needs. [`ReadRequest`] is the
//!   same in a form that another process can read.
//!
//! A new vendor of bot protection is a `Vendor`, its needles in `protection/needles.rs` and a rule
//! in `protection/rules.rs`, with a challenge page in the tests.
//!
//! ```
//! use page::{PageHead, PageLimits, read_page};
//! use urls::CanonicalUrl;
//!
//! let url = CanonicalUrl::parse("https://example.com/shop/").expect("a valid URL");
//! let body = b"<title>Shop</title><a href=cart>Your  cart</a><a href='/login' rel=nofollow>In</a>";
//! let page = read_page(body, &PageHead::default(), &url, &PageLimits::default());
//! assert_eq!(page.title.as_deref(), Some("Shop"));
//! assert_eq!(page.links[0].url.as_str(), "https://example.com/shop/cart");
//! assert_eq!(page.anchor(&page.links[0]), "Your cart");
//! assert!(page.links[1].nofollow);
//! ```

mod clean_html;
mod kind;
mod language_detection;
mod link_header;
mod node_selection;
mod page;
mod protection;
mod read_request;
mod response;
mod shell;
pub mod sitemap;
mod soft_404;

pub use clean_html::clean_html;
pub use document::{
    FetchContext, HeaderSigns, LinkKind, Outlink, Page, PageHead, PageLimits, ProtectionKind,
    ProtectionMarker, SitemapEntry, SitemapFile, SitemapKind, SitemapLimits, SitemapLocations,
    UnknownMarker, Vendor, expected_kind, noindex,
};
pub use kind::classify;
pub use language_detection::{detect_language, detect_page_language};
pub use node_selection::selected_nodes;
pub use page::{read_page, read_page_text};
pub use protection::{ProtectionEvidence, detect_protection};
pub use read_request::{ReadRequest, page_bytes};
pub use response::parse_response;
pub use shell::Shell;
pub use sitemap::{SitemapError, read_sitemap, unpacked_sitemap_bytes};
pub use soft_404::is_soft_404;
