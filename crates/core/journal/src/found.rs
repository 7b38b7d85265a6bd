//! How a URL becomes known: in which ways, what for, and what a sitemap says of it.

use std::sync::Arc;

use contract::DiscoveredBy;
use serde::{Deserialize, Serialize};

/// A URL seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub url: String,
    pub via: Via,
    pub role: Role,
    pub anchor: Option<Box<str>>,
    /// The link says not to follow it. Recorded; an inventory lists it all the same.
    pub nofollow: bool,
}

impl Found {
    /// A page.
    #[must_use]
    pub fn page(url: String, via: Via, anchor: Option<Box<str>>) -> Self {
        Self { url, via, role: Role::Page, anchor, nofollow: false }
    }

    /// Bytes of its texts, and of what holds them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.url.len() + anchor_bytes(&self.anchor)
    }
}

fn anchor_bytes(anchor: &Option<Box<str>>) -> usize {
    anchor.as_ref().map_or(0, |anchor| anchor.len())
}

/// What a URL is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// To be read, and followed further.
    Page,
    /// An image or a file of the site: only whether it is there.
    File,
    /// Of another site: only whether it is there.
    External,
    /// A sitemap that the site names.
    Sitemap,
    /// A place where a sitemap may be; that there is none means nothing.
    SitemapGuess,
}

impl Role {
    /// Whether it counts among the URLs of the site.
    #[must_use]
    pub fn is_of_site(self) -> bool {
        matches!(self, Self::Page | Self::File)
    }

    /// Whether it is read as a sitemap.
    #[must_use]
    pub fn is_sitemap(self) -> bool {
        matches!(self, Self::Sitemap | Self::SitemapGuess)
    }

    /// Whether only its head is asked for.
    #[must_use]
    pub fn is_check(self) -> bool {
        matches!(self, Self::File | Self::External)
    }
}

/// How a URL was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Via {
    /// It is where the run begins.
    Start,
    /// A link of the page.
    Link,
    /// The page redirects there.
    Redirect,
    /// The page calls it canonical.
    Canonical,
    /// A translation of the page.
    Hreflang,
    /// A sitemap.
    Sitemap,
}

impl Via {
    const ALL: [Self; 6] =
        [Self::Start, Self::Link, Self::Sitemap, Self::Hreflang, Self::Canonical, Self::Redirect];

    /// The word that an item has for it.
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

/// All ways in which a URL was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ways(u8);

impl Ways {
    /// One more way.
    pub fn add(&mut self, via: Via) {
        self.0 |= via.bit();
    }

    /// Whether this is one of them.
    #[must_use]
    pub fn has(self, via: Via) -> bool {
        self.0 & via.bit() != 0
    }

    /// The words for them, in the order of the contract.
    #[must_use]
    pub fn discovered_by(self) -> Vec<DiscoveredBy> {
        Via::ALL.into_iter().filter(|via| self.has(*via)).map(Via::discovered_by).collect()
    }
}

/// A further way in which a known URL was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    pub ordinal: u32,
    pub via: Via,
    /// The text of the link.
    pub anchor: Option<Box<str>>,
}

impl Way {
    /// Bytes of its text, and of what holds it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + anchor_bytes(&self.anchor)
    }
}

/// A URL that a sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    pub ordinal: u32,
    /// What it says of the URL, where the run delivers that.
    pub listing: Option<Arc<Listing>>,
}

impl Listed {
    /// Bytes of what it holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.listing.as_ref().map_or(0, |listing| listing.bytes())
    }
}

/// The sitemap's values for a page. The commit and the state of the run share one copy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Listing {
    pub lastmod: Option<Box<str>>,
    pub changefreq: Option<Box<str>>,
    pub priority: Option<Box<str>>,
    pub images: Vec<String>,
    /// By language tag, or `x-default`.
    pub alternates: Vec<(String, String)>,
}

impl Listing {
    /// Bytes of its texts, and of what holds them.
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
    fn ways_add_up_and_stand_in_one_order() {
        let mut ways = Ways::default();
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
