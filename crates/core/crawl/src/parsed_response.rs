//! Parses a response as far as its purpose needs. This is the expensive part of a fetch; a driver
//! runs it off its own thread.

use std::time::Duration;

use contract::{LinkType, Millis};
use page::{
    HeaderSigns, Page, PageHead, PageLimits, ProtectionEvidence, ProtectionMarker, Shell,
    SitemapFile, SitemapLimits,
};
use serde::{Deserialize, Serialize};
use urls::{LanguageTag, Robots};

use crate::languages::needs_text;
use crate::page_extractor::{AnyContent, PageRead, PageSource};
use crate::{BodyNeed, FetchTask, FetchVia, Purpose};

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
    pub(crate) head: ResponseHead,
    pub(crate) content: ResponseContent,
    /// What the mode extracted from a page.
    pub(crate) extracted: Option<Box<AnyContent>>,
    /// The language detected from the text, if nothing else declares it.
    pub(crate) detected: Option<LanguageTag>,
    /// Whether a browser rendered the page.
    pub(crate) rendered: bool,
    /// The bot protection that answered instead of the site.
    pub(crate) protection: Option<ProtectionMarker>,
    /// Whether the page is empty without JavaScript.
    pub(crate) is_shell: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResponseContent {
    Robots(Robots),
    Page(Box<Page>),
    /// A sitemap or a feed, with its kind.
    List(LinkType, Box<SitemapFile>),
    /// Another kind of content, or nothing worth parsing.
    Other(LinkType),
}

impl ResponseContent {
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

    /// Parses a response to `task`.
    #[must_use]
    pub fn of(task: &FetchTask, head: ResponseHead, body: &[u8]) -> Self {
        let success = (200..300).contains(&head.status);
        let mut extracted = None;
        let content = match task.purpose {
            Purpose::Robots { .. } if success => {
                ResponseContent::Robots(Robots::parse(body, Robots::AGENT))
            }
            Purpose::Robots { .. } => ResponseContent::Other(LinkType::Other),
            Purpose::Url { need: BodyNeed::Page { images }, .. } => {
                let content;
                (content, extracted) = page(task, &head, body, images);
                content
            }
            Purpose::Url { need: BodyNeed::Sitemap, .. } if success => {
                list(task, &head, body, LinkType::Sitemap)
                    .unwrap_or(ResponseContent::Other(LinkType::Page))
            }
            Purpose::Url { .. } => ResponseContent::Other(classify(task, &head, body)),
        };
        let protection = protection(task, &head, body, &content);
        // A challenge is a shell as well, but is handled as a challenge.
        let is_shell = match &content {
            ResponseContent::Page(page)
                if success
                    && protection.is_none()
                    && !extracted.as_ref().is_some_and(|content| content.is_complete()) =>
            {
                Shell::of(page, body).is_some()
            }
            _ => false,
        };
        let detected = match &content {
            ResponseContent::Page(page) if success && task.extract.language => {
                detected(task, &head, body, page, extracted.as_deref())
            }
            _ => None,
        };
        let rendered = task.fetch_via == FetchVia::Browser;
        Self { head, content, extracted, detected, rendered, protection, is_shell }
    }
}

/// Detects the language of the text, if nothing better declares it. The main content is preferred
/// to the whole page.
fn detected(
    task: &FetchTask,
    head: &ResponseHead,
    body: &[u8],
    page: &Page,
    extracted: Option<&AnyContent>,
) -> Option<LanguageTag> {
    if !needs_text(page, &task.url) {
        return None;
    }
    match extracted.and_then(|content| content.text()) {
        Some(text) => page::detect_language(text),
        None => page::detect_page_language(body, head.content_type.as_deref()),
    }
}

fn protection(
    task: &FetchTask,
    head: &ResponseHead,
    body: &[u8],
    content: &ResponseContent,
) -> Option<ProtectionMarker> {
    let Purpose::Url { need: BodyNeed::Page { .. }, .. } = task.purpose else { return None };
    let text_chars = match content {
        ResponseContent::Page(page) => Some(page.text_chars),
        _ => None,
    };
    ProtectionMarker::of(&ProtectionEvidence {
        status: head.status,
        url: &task.url,
        location: head.location.as_deref(),
        headers: head.signs,
        body,
        text_chars,
    })
}

fn classify(task: &FetchTask, head: &ResponseHead, body: &[u8]) -> LinkType {
    page::classify(head.content_type.as_deref(), body, task.url.path())
}

fn page(
    task: &FetchTask,
    head: &ResponseHead,
    body: &[u8],
    images: bool,
) -> (ResponseContent, Option<Box<AnyContent>>) {
    let kind = classify(task, head, body);
    if (300..400).contains(&head.status) {
        return (ResponseContent::Other(kind), None);
    }
    let limits = PageLimits { images, ..PageLimits::default() };
    let said = PageHead {
        content_type: head.content_type.as_deref(),
        links: &head.links,
        robots: &head.robots,
        language: head.language.as_deref(),
    };
    let extractor = task.extract.extractor.as_ref().filter(|_| (200..300).contains(&head.status));
    let source = PageSource { kind, body, head: &said, url: &task.url, limits: &limits };
    if let Some(PageRead { page, content }) =
        extractor.and_then(|extractor| extractor.read(&source))
    {
        let page = page.map(|page| ResponseContent::Page(Box::new(page)));
        return (page.unwrap_or(ResponseContent::Other(LinkType::File)), Some(content));
    }
    let content = match kind {
        LinkType::Page => {
            ResponseContent::Page(Box::new(Page::read(body, &said, &task.url, &limits)))
        }
        LinkType::Feed | LinkType::Sitemap => {
            list(task, head, body, kind).unwrap_or(ResponseContent::Other(kind))
        }
        LinkType::Image | LinkType::File | LinkType::Other => ResponseContent::Other(kind),
    };
    (content, None)
}

fn list(
    task: &FetchTask,
    head: &ResponseHead,
    body: &[u8],
    kind: LinkType,
) -> Option<ResponseContent> {
    let content_type = head.content_type.as_deref();
    let file = SitemapFile::read(body, content_type, &task.url, &SitemapLimits::default()).ok()?;
    Some(ResponseContent::List(kind, Box::new(file)))
}
