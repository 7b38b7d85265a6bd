//! A response, parsed as far as its purpose needs by `page::parse_response`.

use std::time::Duration;

use contract::{FailedAction, LinkType, Millis};
use document::{HeaderSigns, Page, ProtectionMarker, SitemapFile};
use serde::{Deserialize, Serialize};
use urls::{LanguageTag, Robots};

use crate::kept_page::KeptPage;
use crate::page_extractor::AnyContent;

/// Status and headers of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResponseHead {
    pub status: u16,
    pub content_type: Option<String>,
    pub location: Option<String>,
    pub retry_after: Option<Duration>,
    /// The size of the body, or the `Content-Length`.
    pub size_bytes: u64,
    pub elapsed: Duration,
    /// The values of the `Link` headers.
    pub links: Vec<String>,
    /// The values of `X-Robots-Tag`.
    pub robots: Vec<String>,
    /// The value of the `Content-Language` header.
    pub language: Option<String>,
    /// The value of the `Last-Modified` header.
    pub last_modified: Option<Millis>,
    /// Headers that indicate bot protection.
    pub signs: HeaderSigns,
}

impl ResponseHead {
    /// The target of a redirect, as written.
    pub(crate) fn redirect(&self) -> Option<&str> {
        let location = self.location.as_deref();
        location.filter(|_| matches!(self.status, 301 | 302 | 303 | 307 | 308))
    }
}

#[derive(Debug, Clone)]
pub struct ParsedResponse {
    pub head: ResponseHead,
    pub content: ResponseContent,
    /// What the mode extracted from a page.
    pub extracted: Option<Box<AnyContent>>,
    /// The language detected from the text, if nothing else declares it.
    pub detected: Option<LanguageTag>,
    /// Whether a browser rendered the page.
    pub rendered: bool,
    /// The bot protection that answered instead of the site.
    pub protection: Option<ProtectionMarker>,
    /// Whether the page is empty without JavaScript.
    pub is_shell: bool,
    /// When the response was received; `None` without a clock.
    pub received_at: Option<Millis>,
    /// Whether it was taken from a cache.
    pub cached: bool,
    /// The action that could not be executed in the page, which is then not delivered.
    pub failed_action: Option<Box<FailedAction>>,
    /// What is kept of the page if it becomes an item, or if an action failed in it.
    pub kept: Option<Box<KeptPage>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseContent {
    Robots(Robots),
    Page(Box<Page>),
    /// A sitemap or a feed, with its kind.
    List(LinkType, Box<SitemapFile>),
    /// Another kind of content, or nothing worth parsing.
    Other(LinkType),
}

impl ResponseContent {
    #[must_use]
    pub fn kind(&self) -> LinkType {
        match self {
            Self::Page(_) => LinkType::Page,
            Self::List(kind, _) | Self::Other(kind) => *kind,
            Self::Robots(_) => LinkType::Other,
        }
    }
}

impl ParsedResponse {
    #[must_use]
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// Number of URLs in it: links of a page, or entries of a list.
    #[must_use]
    pub fn url_count(&self) -> usize {
        match &self.content {
            ResponseContent::Page(page) => page.links.len(),
            ResponseContent::List(_, file) => file.entries.len() + file.children.len(),
            ResponseContent::Robots(_) | ResponseContent::Other(_) => 0,
        }
    }

    /// Whether bot protection answered instead of the page.
    #[must_use]
    pub fn is_challenge(&self) -> bool {
        self.protection.is_some_and(|marker| marker.kind.is_protection())
    }
}
