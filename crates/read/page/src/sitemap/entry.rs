//! One page of a sitemap.

use urls::CanonicalUrl;

/// A page, with what its sitemap says of it. What it does not say, or says in
/// a way that is not allowed, is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapEntry {
    /// Where it is.
    pub url: CanonicalUrl,
    /// When it last changed, as a W3C datetime.
    pub lastmod: Option<String>,
    /// How often it changes: one of the seven words of sitemaps.org.
    pub changefreq: Option<String>,
    /// How much it matters within its site, from `0.0` to `1.0`.
    pub priority: Option<String>,
    /// The addresses of its images.
    pub images: Vec<String>,
    /// The addresses of its films: the files and their players.
    pub videos: Vec<String>,
    /// The same page in other languages, by language tag or `x-default`.
    pub alternates: Vec<(String, CanonicalUrl)>,
}

impl SitemapEntry {
    /// A page of which nothing is known but its address.
    #[must_use]
    pub fn bare(url: CanonicalUrl) -> Self {
        Self {
            url,
            lastmod: None,
            changefreq: None,
            priority: None,
            images: Vec::new(),
            videos: Vec::new(),
            alternates: Vec::new(),
        }
    }
}
