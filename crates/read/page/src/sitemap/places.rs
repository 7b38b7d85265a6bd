//! Where the sitemaps of a site may be.

use std::collections::HashSet;

use urls::{CanonicalUrl, Robots};

/// Where sites put their sitemaps when they do not say so, the likeliest first.
const WELL_KNOWN: [&str; 6] = [
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",
    "/sitemap.txt",
    "/sitemap.xml.gz",
];

/// The places to look for the sitemaps of an origin, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapPlaces {
    /// Those that robots.txt names: the site's own word.
    pub named: Vec<CanonicalUrl>,
    /// Those where sitemaps often are; one that is missing there means nothing.
    pub well_known: Vec<CanonicalUrl>,
}

impl SitemapPlaces {
    /// The places for the origin of `url`, given its robots.txt.
    #[must_use]
    pub fn of(url: &CanonicalUrl, robots: &Robots) -> Self {
        let mut seen = HashSet::new();
        let mut once = |place: &str| url.join(place).ok().filter(|url| seen.insert(url.clone()));
        // The standard asks for whole addresses; paths are written all the same.
        let named = robots.sitemaps().iter().filter_map(|place| once(&rooted(place))).collect();
        let well_known = WELL_KNOWN.iter().filter_map(|place| once(place)).collect();
        Self { named, well_known }
    }

    /// All of them, in the order in which to look.
    pub fn iter(&self) -> impl Iterator<Item = &CanonicalUrl> {
        self.named.iter().chain(&self.well_known)
    }
}

/// A relative place counts from the root, where robots.txt stands.
fn rooted(place: &str) -> String {
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
    fn the_sites_own_word_comes_first_and_nothing_twice() {
        let url = CanonicalUrl::parse("https://example.com/deep/page?x=1").unwrap();
        let robots = Robots::parse(
            b"Sitemap: https://cdn.example.net/map.xml.gz\nSitemap: maps/a.xml\n\
              Sitemap: /sitemap_index.xml\nSitemap: ftp://example.com/x\n",
            "Trawl",
        );
        let places = SitemapPlaces::of(&url, &robots);
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
        assert_eq!(SitemapPlaces::of(&url, &Robots::allow_all()).iter().count(), 6);
    }
}
