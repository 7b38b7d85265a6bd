//! What an answer holds, read as deeply as its purpose needs. The costly part of a
//! page: a driver does it away from its own thread.

use std::time::Duration;

use contract::LinkType;
use extract::{Page, PageHead, PageLimits};
use site::Robots;

use crate::{Purpose, Task};

/// What came with a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerHead {
    pub status: u16,
    pub content_type: Option<String>,
    pub location: Option<String>,
    pub retry_after: Option<Duration>,
    pub size_bytes: u64,
    pub elapsed: Duration,
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
    /// Something else, of this kind; or nothing worth reading.
    Other(LinkType),
}

impl Reading {
    /// Reads an answer to `task`.
    #[must_use]
    pub fn of(task: &Task, head: AnswerHead, body: &[u8]) -> Self {
        let content_type = head.content_type.as_deref();
        let success = (200..300).contains(&head.status);
        let content = match task.purpose {
            Purpose::Robots { .. } if success => {
                Content::Robots(Robots::parse(body, Robots::AGENT))
            }
            Purpose::Robots { .. } => Content::Other(LinkType::Other),
            Purpose::Page { .. } => match extract::classify(content_type, body, task.url.path()) {
                LinkType::Page if !(300..400).contains(&head.status) => {
                    let limits = PageLimits { images: false, ..PageLimits::default() };
                    let head = PageHead { content_type, ..PageHead::default() };
                    Content::Page(Box::new(Page::read(body, &head, &task.url, &limits)))
                }
                kind => Content::Other(kind),
            },
        };
        Self { head, content }
    }
}
