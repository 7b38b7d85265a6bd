//! The hosts of the fake web that belong to the crawled site.

pub(crate) const SITE: &str = "site.test";
pub(crate) const SHOP: &str = "shop.site.test";
pub(crate) const OLD: &str = "old.test";
/// The query that `ResourceKind::Queried` pages redirect to.
pub(crate) const QUERY: &str = "?form=long";
