//! Where the sitemaps of a site may be found.

use std::collections::HashSet;

use urls::{CanonicalUrl, Robots};

/// Usual paths of sitemaps, the most frequent first.
const USUAL_PATHS: [&str; 6] = [
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",
    "/sitemap.txt",
    "/sitemap.xml.gz",
];

/// The URLs to try for the sitemaps of an origin, without duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapLocations {
    /// The sitemaps that robots.txt names.
    pub named: Vec<CanonicalUrl>,
    /// Usual URLs of sitemaps; they may not exist.
    pub well_known: Vec<CanonicalUrl>,
}

impl SitemapLocations {
    /// The sitemap URLs of the origin of `url`, given its robots.txt.
    #[must_use]
    pub fn of(url: &CanonicalUrl, robots: &Robots) -> Self {
        let mut seen = HashSet::new();
        let mut once = |place: &str| url.join(place).ok().filter(|url| seen.insert(url.clone()));
        // The standard requires absolute URLs; sites use paths as well.
        let named = robots.sitemaps().iter().filter_map(|place| once(&from_root(place))).collect();
        let well_known = USUAL_PATHS.iter().filter_map(|place| once(place)).collect();
        Self { named, well_known }
    }

    /// All URLs in the order in which to try them.
    pub fn iter(&self) -> impl Iterator<Item = &CanonicalUrl> {
        self.named.iter().chain(&self.well_known)
    }
}

/// Resolves a relative path against the root, where robots.txt is.
fn from_root(place: &str) -> String {
    if place.starts_with('/') || place.contains("://") {
        place.to_owned()
    } else {
        format!("/{place}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_sitemaps_come_first_without_duplicates() {
        let url = CanonicalUrl::parse("https://example.com/deep/page?x=1").unwrap();
        let robots = Robots::parse(
            b"Sitemap: https://cdn.example.net/map.xml.gz\nSitemap: maps/a.xml\n\
              Sitemap: /sitemap_index.xml\nSitemap: ftp://example.com/x\n",
            "Trawl",
        );
        let places = SitemapLocations::of(&url, &robots);
        let all: Vec<_> = places.iter().map(CanonicalUrl::as_str).collect();
        assert_eq!(
            all,
            [
                "https://cdn.example.net/map.xml.gz",
                "https://example.com/maps/a.xml",
                "https://example.com/sitemap_index.xml",
                "https://example.com/sitemap.xml",
                "https://example.com/sitemap-index.xml",
                "https://example.com/wp-sitemap.xml",
                "https://example.com/sitemap.txt",
                "https://example.com/sitemap.xml.gz",
            ]
        );
        assert_eq!(places.named.len(), 3);
        assert_eq!(SitemapLocations::of(&url, &Robots::allow_all()).iter().count(), 6);
    }
}
