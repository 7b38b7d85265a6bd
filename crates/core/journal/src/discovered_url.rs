//! How a URL was discovered, what it is requested for, and what a sitemap says about it.
//!
//! Enum variants and fields are stored by position, not by name.

use std::sync::Arc;

use contract::DiscoveredBy;
use serde::{Deserialize, Serialize};

use crate::url_id::UrlId;

/// A URL that was found for the first time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredUrl {
    pub url: String,
    pub via: Via,
    pub role: UrlRole,
    pub anchor: Option<Box<str>>,
    /// Whether the link has `rel=nofollow`. An inventory lists it all the same.
    pub nofollow: bool,
}

impl DiscoveredUrl {
    /// A page with this link text.
    #[must_use]
    pub fn page(url: String, via: Via, anchor: Option<Box<str>>) -> Self {
        Self { url, via, role: UrlRole::Page, anchor, nofollow: false }
    }

    /// Approximate memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.url.len() + anchor_bytes(&self.anchor)
    }
}

fn anchor_bytes(anchor: &Option<Box<str>>) -> usize {
    anchor.as_ref().map_or(0, |anchor| anchor.len())
}

/// What a URL is requested for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UrlRole {
    /// Read, and its links are followed.
    Page,
    /// An image or file of the site: only its existence is checked.
    File,
    /// A URL of another site: only its existence is checked.
    External,
    /// A sitemap that the site names.
    Sitemap,
    /// A well-known location of a sitemap, which may be missing.
    SitemapGuess,
}

impl UrlRole {
    /// Whether it counts as a URL of the site.
    #[must_use]
    pub fn is_internal(self) -> bool {
        matches!(self, Self::Page | Self::File)
    }

    /// Whether it is read as a sitemap.
    #[must_use]
    pub fn is_sitemap(self) -> bool {
        matches!(self, Self::Sitemap | Self::SitemapGuess)
    }

    /// Whether only its headers are requested.
    #[must_use]
    pub fn is_head_only(self) -> bool {
        matches!(self, Self::File | Self::External)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Via {
    /// The start URL of the run.
    Start,
    Link,
    /// The target of a redirect.
    Redirect,
    /// The canonical URL that a page declares.
    Canonical,
    /// A translation that a page or sitemap declares.
    Hreflang,
    Sitemap,
}

impl Via {
    const ALL: [Self; 6] =
        [Self::Start, Self::Link, Self::Sitemap, Self::Hreflang, Self::Canonical, Self::Redirect];

    /// The value of the item's `discovered_by`.
    #[must_use]
    pub fn discovered_by(self) -> DiscoveredBy {
        match self {
            Self::Start => DiscoveredBy::Start,
            Self::Link => DiscoveredBy::Link,
            Self::Redirect => DiscoveredBy::Redirect,
            Self::Canonical => DiscoveredBy::Canonical,
            Self::Hreflang => DiscoveredBy::Hreflang,
            Self::Sitemap => DiscoveredBy::Sitemap,
        }
    }

    fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// All ways in which a URL was found, as a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ViaSet(u8);

impl ViaSet {
    pub fn add(&mut self, via: Via) {
        self.0 |= via.bit();
    }

    #[must_use]
    pub fn has(self, via: Via) -> bool {
        self.0 & via.bit() != 0
    }

    /// The values of the item's `discovered_by`, in the order of the contract.
    #[must_use]
    pub fn discovered_by(self) -> Vec<DiscoveredBy> {
        Via::ALL.into_iter().filter(|via| self.has(*via)).map(Via::discovered_by).collect()
    }
}

/// A known URL that was found again in a new way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rediscovery {
    pub id: UrlId,
    pub via: Via,
    pub anchor: Option<Box<str>>,
}

impl Rediscovery {
    /// Approximate memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + anchor_bytes(&self.anchor)
    }
}

/// A URL that a sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedUrl {
    pub id: UrlId,
    /// The metadata of the sitemap, in mode `sitemap`.
    pub metadata: Option<Arc<SitemapMetadata>>,
}

impl ListedUrl {
    /// Approximate memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.metadata.as_ref().map_or(0, |metadata| metadata.bytes())
    }
}

/// The metadata that a sitemap has for a URL. The commit and the state of the run share one copy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SitemapMetadata {
    pub lastmod: Option<Box<str>>,
    pub changefreq: Option<Box<str>>,
    pub priority: Option<Box<str>>,
    pub images: Vec<String>,
    /// By language tag, or `x-default`.
    pub alternates: Vec<(String, String)>,
}

impl SitemapMetadata {
    /// Approximate memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let words = [&self.lastmod, &self.changefreq, &self.priority];
        let words: usize = words.into_iter().flatten().map(|word| word.len()).sum();
        let images: usize = self.images.iter().map(|url| url.len() + size_of::<String>()).sum();
        let alternates = self.alternates.iter();
        let alternates: usize =
            alternates.map(|(tag, url)| tag.len() + url.len() + 2 * size_of::<String>()).sum();
        size_of::<Self>() + words + images + alternates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn via_set_lists_all_ways_in_contract_order() {
        let mut ways = ViaSet::default();
        assert_eq!(ways.discovered_by(), []);
        for via in [Via::Redirect, Via::Sitemap, Via::Link, Via::Link] {
            ways.add(via);
        }
        assert_eq!(
            ways.discovered_by(),
            [DiscoveredBy::Link, DiscoveredBy::Sitemap, DiscoveredBy::Redirect]
        );
        assert!(!ways.has(Via::Start));
    }
}
