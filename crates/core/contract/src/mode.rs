//! The five kinds of run.

use crate::string_enum::string_enum;

string_enum! {
    /// What a run delivers.
    pub enum Mode {
        /// URL inventory.
        Links = "links",
        /// XML sitemap data.
        Sitemap = "sitemap",
        /// Structured product data.
        Products = "products",
        /// Page text for retrieval.
        Markdown = "markdown",
        /// Company and person contact data, one record a domain.
        Contacts = "contacts",
    }
}
