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

    /// The modes that visit a list of domains.
    pub const DOMAINS: &'static [Self] = &[Self::Contacts];

    /// The modes that take a list of URLs instead of a site.
    pub const LISTS: &'static [Self] = &[Self::Links, Self::Products, Self::Markdown];

    /// The modes that have an item for a single page.
    pub const PAGES: &'static [Self] =
        &[Self::Markdown, Self::Links, Self::Products, Self::Contacts];

    /// The mode of a page that is read at once, if the request names none.
    pub const PAGE_DEFAULT: Self = Self::Markdown;

    /// The modes whose clients must confirm a lawful basis, because they collect personal data.
    pub const LEGAL_BASIS: &'static [Self] = &[Self::Contacts];

    /// The modes in the order in which a form offers them.
    pub const DISPLAY_ORDER: &'static [Self] =
        &[Self::Links, Self::Sitemap, Self::Markdown, Self::Products, Self::Contacts];

    /// The mode that a form has selected at first.
    pub const PRESELECTED: Self = Self::Links;

    /// Whether a run visits a list of domains instead of crawling one site.
    #[must_use]
    pub const fn visits_domains(self) -> bool {
        matches!(self, Self::Contacts)
    }

    /// Whether a request must confirm a lawful basis for processing personal data.
    #[must_use]
    pub const fn requires_legal_basis(self) -> bool {
        matches!(self, Self::Contacts)
    }

    /// Whether a run delivers the URLs of a site with their status instead of page content.
    #[must_use]
    pub const fn lists_urls(self) -> bool {
        matches!(self, Self::Links | Self::Sitemap)
    }

    /// Whether a run searches the pages of a site for products, and counts them.
    #[must_use]
    pub const fn counts_products(self) -> bool {
        matches!(self, Self::Products)
    }

    /// The name of the mode in texts for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Links => "Links",
            Self::Sitemap => "Sitemap",
            Self::Products => "Products",
            Self::Markdown => "Markdown",
            Self::Contacts => "Contacts",
        }
    }

    /// What the mode delivers, in a few words.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Links => "Every URL of a site, with its status",
            Self::Sitemap => "The pages of a sitemap.xml",
            Self::Products => "The products of a shop",
            Self::Markdown => "The text of its pages",
            Self::Contacts => "Companies and people, one record per domain",
        }
    }

    /// Singular and plural of the unit that is charged.
    #[must_use]
    pub const fn unit(self) -> (&'static str, &'static str) {
        match self {
            Self::Links | Self::Sitemap => ("URL", "URLs"),
            Self::Products => ("product", "products"),
            Self::Markdown => ("page", "pages"),
            Self::Contacts => ("domain", "domains"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_modes_agree_with_their_properties() {
        for mode in Mode::ALL {
            assert_ne!(Mode::SITES.contains(mode), mode.visits_domains(), "{mode}");
            assert_eq!(Mode::DOMAINS.contains(mode), mode.visits_domains(), "{mode}");
            assert_eq!(Mode::LEGAL_BASIS.contains(mode), mode.requires_legal_basis(), "{mode}");
            assert!(Mode::DISPLAY_ORDER.contains(mode), "{mode}");
        }
        assert_eq!(Mode::DISPLAY_ORDER.len(), Mode::ALL.len());
    }
}
