//! The mode of a run: what it collects.

use crate::string_enum::string_enum;

string_enum! {
    /// What a run collects and delivers.
    pub enum Mode {
        /// Inventory of the URLs of a site.
        Links = "links",
        /// Data for an XML sitemap.
        Sitemap = "sitemap",
        /// Structured product data.
        Products = "products",
        /// Page text for retrieval.
        Markdown = "markdown",
        /// Contact data of companies and people, one record per domain.
        Contacts = "contacts",
    }
}

impl Mode {
    /// The modes that crawl one site from a start URL.
    pub const SITES: &'static [Self] =
        &[Self::Links, Self::Sitemap, Self::Products, Self::Markdown];

    /// Whether a run visits a list of domains instead of crawling one site.
    #[must_use]
    pub const fn visits_domains(self) -> bool {
        matches!(self, Self::Contacts)
    }
}
