//! What an answer holds, read as deeply as its purpose needs. The costly part of a
//! page: a driver does it away from its own thread.

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
use crate::{Means, Purpose, Task, Want};

/// What came with a body.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnswerHead {
    pub status: u16,
    pub content_type: Option<String>,
    pub location: Option<String>,
    pub retry_after: Option<Duration>,
    /// The size of the body, or what the answer says that it would be.
    pub size_bytes: u64,
    pub elapsed: Duration,
    /// The values of `Link`.
    pub links: Vec<String>,
    /// The values of `X-Robots-Tag`.
    pub robots: Vec<String>,
    /// `Content-Language`.
    pub language: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<Millis>,
    /// What the headers say of a protection.
    pub signs: HeaderSigns,
}

/// An answer that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub(crate) head: AnswerHead,
    pub(crate) content: Content,
    /// The text of a page, where that is wanted.
    pub(crate) text: Option<Box<MarkdownPage>>,
    /// What the page sells, where that is wanted.
    pub(crate) goods: Option<Box<ProductPage>>,
    /// The company and the people that it tells of, where that is wanted.
    pub(crate) contacts: Option<Box<ContactPage>>,
    /// The template that had a say in that.
    pub(crate) template_id: Option<String>,
    /// The language that the text is written in, where that had to be asked.
    pub(crate) spoken: Option<LanguageTag>,
    /// Whether it was read as a browser shows it.
    pub(crate) rendered: bool,
    /// The protection that answered in place of the site.
    pub(crate) protection: Option<ProtectionMarker>,
    /// Whether it is a page that shows nothing without JavaScript.
    pub(crate) is_shell: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Robots(Robots),
    Page(Box<Page>),
    /// A sitemap or a feed.
    List(LinkType, Box<SitemapFile>),
    /// Something else, of this kind; or nothing worth reading.
    Other(LinkType),
}

impl Content {
    /// What it is.
    pub fn kind(&self) -> LinkType {
        match self {
            Self::Page(_) => LinkType::Page,
            Self::List(kind, _) | Self::Other(kind) => *kind,
            Self::Robots(_) => LinkType::Other,
        }
    }
}

impl Reading {
    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// How many URLs it brings: links of a page, or entries of a list.
    #[must_use]
    pub fn url_count(&self) -> usize {
        match &self.content {
            Content::Page(page) => page.links.len(),
            Content::List(_, file) => file.entries.len() + file.children.len(),
            Content::Robots(_) | Content::Other(_) => 0,
        }
    }

    /// Whether bot protection answered in place of the page.
    #[must_use]
    pub fn is_challenge(&self) -> bool {
        self.protection.is_some_and(|marker| marker.kind.is_protection())
    }

    /// Reads an answer to `task`.
    #[must_use]
    pub fn of(task: &Task, head: AnswerHead, body: &[u8]) -> Self {
        let success = (200..300).contains(&head.status);
        let mut more = More::default();
        let content = match task.purpose {
            Purpose::Robots { .. } if success => {
                Content::Robots(Robots::parse(body, Robots::AGENT))
            }
            Purpose::Robots { .. } => Content::Other(LinkType::Other),
            Purpose::Url { want: Want::Page { images }, .. } => {
                let content;
                (content, more) = page(task, &head, body, images);
                content
            }
            Purpose::Url { want: Want::Sitemap, .. } if success => {
                list(task, &head, body, LinkType::Sitemap).unwrap_or(Content::Other(LinkType::Page))
            }
            Purpose::Url { .. } => Content::Other(classify(task, &head, body)),
        };
        let More { text, goods, contacts } = more;
        let protection = protection(task, &head, body, &content);
        // Walls are shells as well; they have a name of their own.
        let is_shell = match &content {
            Content::Page(page)
                if success
                    && protection.is_none()
                    && !is_plain(text.as_deref())
                    && !has_product(goods.as_deref()) =>
            {
                Shell::of(page, body).is_some()
            }
            _ => false,
        };
        let spoken = match &content {
            Content::Page(page) if success && task.study.language => {
                spoken(task, &head, body, page, text.as_deref())
            }
            _ => None,
        };
        let rendered = task.means == Means::Browser;
        let template = task.study.product.as_ref().and_then(|study| study.template.as_ref());
        let by_template =
            goods.as_ref().and_then(|goods| goods.product.as_ref()).is_some_and(|p| p.by_template);
        let template_id = template.filter(|_| by_template).map(|template| template.id());
        Self {
            head,
            content,
            text,
            goods,
            contacts,
            template_id,
            spoken,
            rendered,
            protection,
            is_shell,
        }
    }

    /// What the page sells.
    pub(crate) fn product(&self) -> Option<&Product> {
        self.goods.as_ref().and_then(|goods| goods.product.as_deref())
    }
}

/// A page whose data tells its product is not empty, whatever it shows.
fn has_product(goods: Option<&ProductPage>) -> bool {
    goods.is_some_and(|goods| goods.product.is_some())
}

fn is_plain(text: Option<&MarkdownPage>) -> bool {
    text.is_some_and(|text| text.extraction.method == ExtractionMethod::PlainText)
}

/// The language of the text, where nothing better tells it. The content speaks before what
/// stands around it.
fn spoken(
    task: &Task,
    head: &AnswerHead,
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
    task: &Task,
    head: &AnswerHead,
    body: &[u8],
    content: &Content,
) -> Option<ProtectionMarker> {
    let Purpose::Url { want: Want::Page { .. }, .. } = task.purpose else { return None };
    let text_chars = match content {
        Content::Page(page) => Some(page.text_chars),
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

fn classify(task: &Task, head: &AnswerHead, body: &[u8]) -> LinkType {
    page::classify(head.content_type.as_deref(), body, task.url.path())
}

/// What was read of a page besides where it leads, as far as it is wanted.
#[derive(Default)]
struct More {
    text: Option<Box<MarkdownPage>>,
    goods: Option<Box<ProductPage>>,
    contacts: Option<Box<ContactPage>>,
}

/// Reads a page.
fn page(task: &Task, head: &AnswerHead, body: &[u8], images: bool) -> (Content, More) {
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
    let study = &task.study;
    let content = match (kind, &study.text, &study.product) {
        _ if (300..400).contains(&head.status) => Content::Other(kind),
        (LinkType::Page, Some(repeated), _) if success => {
            let (page, text) = MarkdownPage::read(body, &said, &task.url, &limits, repeated);
            let more = More { text: Some(Box::new(text)), ..More::default() };
            return (Content::Page(Box::new(page)), more);
        }
        (LinkType::Page, _, Some(study)) if success => {
            let (options, template) = (study.options, study.template.as_deref());
            let (page, goods) =
                ProductPage::read(body, &said, &task.url, &limits, options, template);
            let more = More { goods: Some(Box::new(goods)), ..More::default() };
            return (Content::Page(Box::new(page)), more);
        }
        (LinkType::Page, ..) if success && study.contacts => {
            let (page, contacts) = ContactPage::read(body, &said, &task.url, &limits);
            let more = More { contacts: Some(Box::new(contacts)), ..More::default() };
            return (Content::Page(Box::new(page)), more);
        }
        _ if success && study.contacts && is_card(said.content_type, body) => {
            let contacts = ContactPage::read_card(body, said.content_type, &task.url);
            let more = More { contacts: Some(Box::new(contacts)), ..More::default() };
            return (Content::Other(LinkType::File), more);
        }
        (LinkType::Page, ..) => {
            Content::Page(Box::new(Page::read(body, &said, &task.url, &limits)))
        }
        (LinkType::Feed | LinkType::Sitemap, ..) => {
            list(task, head, body, kind).unwrap_or(Content::Other(kind))
        }
        (_, Some(_), _) if success && markdown::is_plain_text(said.content_type, body, path) => {
            let (page, text) = markdown::read_plain_text(body, &said, path);
            let more = More { text: Some(Box::new(text)), ..More::default() };
            return (Content::Page(Box::new(page)), more);
        }
        (LinkType::Image | LinkType::File | LinkType::Other, ..) => Content::Other(kind),
    };
    (content, More::default())
}

/// Whether it is a vCard file: it says so, or begins as one.
#[must_use]
pub fn is_card(content_type: Option<&str>, body: &[u8]) -> bool {
    const OPENING: &[u8] = b"BEGIN:VCARD";
    let said = content_type.unwrap_or_default().to_ascii_lowercase();
    let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    said.starts_with("text/vcard")
        || said.starts_with("text/x-vcard")
        || said.starts_with("text/directory")
        || text.get(..OPENING.len()).is_some_and(|start| start.eq_ignore_ascii_case(OPENING))
}

fn list(task: &Task, head: &AnswerHead, body: &[u8], kind: LinkType) -> Option<Content> {
    let content_type = head.content_type.as_deref();
    let file = SitemapFile::read(body, content_type, &task.url, &SitemapLimits::default()).ok()?;
    Some(Content::List(kind, Box::new(file)))
}
