//! What a response contains, as plain types: pages with their links, sitemaps, bot protection.
//!
//! The engine decides by these types, and `page` fills them: reading bytes is not done here. What
//! follows from a URL or a header alone is: [`expected_kind`], [`noindex`], [`HeaderSigns`] and
//! [`SitemapLocations`].
//!
//! A new value of a page is a field of [`Page`], filled in `page`.

mod expected_kind;
mod fetch_context;
mod header_signs;
mod link;
mod page;
mod page_head;
mod protection_marker;
mod robots_directives;
mod sitemap_entry;
mod sitemap_file;
mod sitemap_locations;

pub use expected_kind::expected_kind;
pub use fetch_context::FetchContext;
pub use header_signs::HeaderSigns;
pub use link::{AnchorSpan, LinkKind, Outlink};
pub use page::{Page, PageLimits};
pub use page_head::PageHead;
pub use protection_marker::{ProtectionKind, ProtectionMarker, UnknownMarker, Vendor};
pub use robots_directives::{RobotsDirectives, noindex};
pub use sitemap_entry::SitemapEntry;
pub use sitemap_file::{SitemapFile, SitemapKind, SitemapLimits};
pub use sitemap_locations::SitemapLocations;
