//! What an answer holds, read as deeply as its purpose needs. The costly part of a
//! page: a driver does it away from its own thread.

use std::time::Duration;

use contract::{LinkType, Millis};
use extract::{Page, PageHead, PageLimits, SitemapFile, SitemapLimits};
use site::Robots;

use crate::task::Want;
use crate::{Purpose, Task};

/// What came with a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
}

/// An answer that has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub(crate) head: AnswerHead,
    pub(crate) content: Content,
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

    /// Reads an answer to `task`.
    #[must_use]
    pub fn of(task: &Task, head: AnswerHead, body: &[u8]) -> Self {
        let success = (200..300).contains(&head.status);
        let content = match task.purpose {
            Purpose::Robots { .. } if success => {
                Content::Robots(Robots::parse(body, Robots::AGENT))
            }
            Purpose::Robots { .. } => Content::Other(LinkType::Other),
            Purpose::Url { want: Want::Page { images }, .. } => page(task, &head, body, images),
            Purpose::Url { want: Want::Sitemap, .. } if success => {
                list(task, &head, body, LinkType::Sitemap).unwrap_or(Content::Other(LinkType::Page))
            }
            Purpose::Url { .. } => Content::Other(classify(task, &head, body)),
        };
        Self { head, content }
    }
}

fn classify(task: &Task, head: &AnswerHead, body: &[u8]) -> LinkType {
    extract::classify(head.content_type.as_deref(), body, task.url.path())
}

fn page(task: &Task, head: &AnswerHead, body: &[u8], images: bool) -> Content {
    let kind = classify(task, head, body);
    match kind {
        _ if (300..400).contains(&head.status) => Content::Other(kind),
        LinkType::Page => {
            let limits = PageLimits { images, ..PageLimits::default() };
            let head = PageHead {
                content_type: head.content_type.as_deref(),
                links: &head.links,
                robots: &head.robots,
                language: head.language.as_deref(),
            };
            Content::Page(Box::new(Page::read(body, &head, &task.url, &limits)))
        }
        LinkType::Feed | LinkType::Sitemap => {
            list(task, head, body, kind).unwrap_or(Content::Other(kind))
        }
        LinkType::Image | LinkType::File | LinkType::Other => Content::Other(kind),
    }
}

fn list(task: &Task, head: &AnswerHead, body: &[u8], kind: LinkType) -> Option<Content> {
    let content_type = head.content_type.as_deref();
    let file = SitemapFile::read(body, content_type, &task.url, &SitemapLimits::default()).ok()?;
    Some(Content::List(kind, Box::new(file)))
}
