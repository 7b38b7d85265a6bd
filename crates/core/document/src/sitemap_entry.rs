//! One page of a sitemap.

use urls::CanonicalUrl;

/// A page with the values of its sitemap. Missing and invalid values are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapEntry {
    /// The normalised URL of the page.
    pub url: CanonicalUrl,
    /// Last modification as a W3C datetime.
    pub lastmod: Option<String>,
    /// One of the seven change frequencies of sitemaps.org.
    pub changefreq: Option<String>,
    /// Priority within the site, from `0.0` to `1.0`.
    pub priority: Option<String>,
    /// The URLs of its images.
    pub images: Vec<String>,
    /// The URLs of its videos and their players.
    pub videos: Vec<String>,
    /// Alternates by language tag or `x-default`.
    pub alternates: Vec<(String, CanonicalUrl)>,
}

impl SitemapEntry {
    /// A page with no other values than its URL.
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
