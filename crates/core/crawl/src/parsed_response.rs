//! Parses a response as far as its purpose needs. This is the expensive part of a fetch; a driver
//! runs it off its own thread.

use std::time::Duration;

use contacts::ContactPage;
use contract::{ExtractionMethod, LinkType, Millis};
use markdown::MarkdownPage;
use page::{
    HeaderSigns, Page, PageHead, PageLimits, ProtectionEvidence, ProtectionMarker, Shell,
    SitemapFile, SitemapLimits,
};
use products::{Product, ProductPage};
use serde::{Deserialize, Serialize};
use urls::{LanguageTag, Robots};

use crate::languages::needs_text;
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

#[derive(Debug, Clone, PartialEq)]
pub struct ParsedResponse {
    pub(crate) head: ResponseHead,
    pub(crate) content: ResponseContent,
    /// The text of a page, if requested.
    pub(crate) text: Option<Box<MarkdownPage>>,
    /// The product of a page, if requested.
    pub(crate) product_page: Option<Box<ProductPage>>,
    /// Contact data, if requested.
    pub(crate) contacts: Option<Box<ContactPage>>,
    /// The template that contributed to the product.
    pub(crate) template_id: Option<String>,
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
        let mut more = PageExtracts::default();
        let content = match task.purpose {
            Purpose::Robots { .. } if success => {
                ResponseContent::Robots(Robots::parse(body, Robots::AGENT))
            }
            Purpose::Robots { .. } => ResponseContent::Other(LinkType::Other),
            Purpose::Url { need: BodyNeed::Page { images }, .. } => {
                let content;
                (content, more) = page(task, &head, body, images);
                content
            }
            Purpose::Url { need: BodyNeed::Sitemap, .. } if success => {
                list(task, &head, body, LinkType::Sitemap)
                    .unwrap_or(ResponseContent::Other(LinkType::Page))
            }
            Purpose::Url { .. } => ResponseContent::Other(classify(task, &head, body)),
        };
        let PageExtracts { text, product_page, contacts } = more;
        let protection = protection(task, &head, body, &content);
        // A challenge is a shell as well, but is handled as a challenge.
        let is_shell = match &content {
            ResponseContent::Page(page)
                if success
                    && protection.is_none()
                    && !is_plain(text.as_deref())
                    && !has_product(product_page.as_deref()) =>
            {
                Shell::of(page, body).is_some()
            }
            _ => false,
        };
        let detected = match &content {
            ResponseContent::Page(page) if success && task.extract.language => {
                detected(task, &head, body, page, text.as_deref())
            }
            _ => None,
        };
        let rendered = task.fetch_via == FetchVia::Browser;
        let template = task.extract.product.as_ref().and_then(|extract| extract.template.as_ref());
        let by_template = product_page
            .as_ref()
            .and_then(|product_page| product_page.product.as_ref())
            .is_some_and(|p| p.by_template);
        let template_id = template.filter(|_| by_template).map(|template| template.id());
        Self {
            head,
            content,
            text,
            product_page,
            contacts,
            template_id,
            detected,
            rendered,
            protection,
            is_shell,
        }
    }

    pub(crate) fn product(&self) -> Option<&Product> {
        self.product_page.as_ref().and_then(|product_page| product_page.product.as_deref())
    }
}

/// Whether structured data has a product: then the page is not empty, whatever it shows.
fn has_product(product_page: Option<&ProductPage>) -> bool {
    product_page.is_some_and(|product_page| product_page.product.is_some())
}

fn is_plain(text: Option<&MarkdownPage>) -> bool {
    text.is_some_and(|text| text.extraction.method == ExtractionMethod::PlainText)
}

/// Detects the language of the text, if nothing better declares it. The main content is preferred
/// to the whole page.
fn detected(
    task: &FetchTask,
    head: &ResponseHead,
    body: &[u8],
    page: &Page,
    text: Option<&MarkdownPage>,
) -> Option<LanguageTag> {
    if !needs_text(page, &task.url) {
        return None;
    }
    match text {
        Some(text) => page::detect_language(&text.markdown),
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

/// What was extracted from a page besides its links.
#[derive(Default)]
struct PageExtracts {
    text: Option<Box<MarkdownPage>>,
    product_page: Option<Box<ProductPage>>,
    contacts: Option<Box<ContactPage>>,
}

fn page(
    task: &FetchTask,
    head: &ResponseHead,
    body: &[u8],
    images: bool,
) -> (ResponseContent, PageExtracts) {
    let kind = classify(task, head, body);
    let limits = PageLimits { images, ..PageLimits::default() };
    let said = PageHead {
        content_type: head.content_type.as_deref(),
        links: &head.links,
        robots: &head.robots,
        language: head.language.as_deref(),
    };
    let success = (200..300).contains(&head.status);
    let path = task.url.path();
    let extract = &task.extract;
    let content = match (kind, &extract.text, &extract.product) {
        _ if (300..400).contains(&head.status) => ResponseContent::Other(kind),
        (LinkType::Page, Some(repeated), _) if success => {
            let (page, text) = MarkdownPage::read(body, &said, &task.url, &limits, repeated);
            let more = PageExtracts { text: Some(Box::new(text)), ..PageExtracts::default() };
            return (ResponseContent::Page(Box::new(page)), more);
        }
        (LinkType::Page, _, Some(extract)) if success => {
            let (options, template) = (extract.options, extract.template.as_deref());
            let (page, product_page) =
                ProductPage::read(body, &said, &task.url, &limits, options, template);
            let more = PageExtracts {
                product_page: Some(Box::new(product_page)),
                ..PageExtracts::default()
            };
            return (ResponseContent::Page(Box::new(page)), more);
        }
        (LinkType::Page, ..) if success && extract.contacts => {
            let (page, contacts) = ContactPage::read(body, &said, &task.url, &limits);
            let more =
                PageExtracts { contacts: Some(Box::new(contacts)), ..PageExtracts::default() };
            return (ResponseContent::Page(Box::new(page)), more);
        }
        _ if success && extract.contacts && is_vcard(said.content_type, body) => {
            let contacts = ContactPage::read_card(body, said.content_type, &task.url);
            let more =
                PageExtracts { contacts: Some(Box::new(contacts)), ..PageExtracts::default() };
            return (ResponseContent::Other(LinkType::File), more);
        }
        (LinkType::Page, ..) => {
            ResponseContent::Page(Box::new(Page::read(body, &said, &task.url, &limits)))
        }
        (LinkType::Feed | LinkType::Sitemap, ..) => {
            list(task, head, body, kind).unwrap_or(ResponseContent::Other(kind))
        }
        (_, Some(_), _) if success && markdown::is_plain_text(said.content_type, body, path) => {
            let (page, text) = markdown::read_plain_text(body, &said, path);
            let more = PageExtracts { text: Some(Box::new(text)), ..PageExtracts::default() };
            return (ResponseContent::Page(Box::new(page)), more);
        }
        (LinkType::Image | LinkType::File | LinkType::Other, ..) => ResponseContent::Other(kind),
    };
    (content, PageExtracts::default())
}

/// Whether a file is a vCard, by its type or its first bytes.
#[must_use]
pub fn is_vcard(content_type: Option<&str>, body: &[u8]) -> bool {
    const OPENING: &[u8] = b"BEGIN:VCARD";
    let said = content_type.unwrap_or_default().to_ascii_lowercase();
    let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    said.starts_with("text/vcard")
        || said.starts_with("text/x-vcard")
        || said.starts_with("text/directory")
        || text.get(..OPENING.len()).is_some_and(|start| start.eq_ignore_ascii_case(OPENING))
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
