//! Parses a response as far as its purpose needs: what the engine decides by, and what the
//! extractor of the mode reads. This is the expensive part of a fetch; a driver runs it off its own
//! thread.

use contract::LinkType;
use crawl::{
    AnyContent, BodyNeed, FetchTask, FetchVia, PageRead, PageSource, ParsedResponse, Purpose,
    ResponseContent, ResponseHead, needs_language_detection,
};
use document::{Page, PageHead, PageLimits, ProtectionMarker, SitemapLimits};
use urls::{LanguageTag, Robots};

use crate::kind;
use crate::language_detection::{detect_language, detect_page_language};
use crate::protection::{ProtectionEvidence, detect_protection};
use crate::read_page;
use crate::shell::Shell;
use crate::sitemap::read_sitemap;

/// Parses a response to `task`.
#[must_use]
pub fn parse_response(task: &FetchTask, head: ResponseHead, body: &[u8]) -> ParsedResponse {
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
        ResponseContent::Page(page) if success && protection.is_none() => {
            let is_sufficient = match &task.extract.extractor {
                Some(_) => extracted.as_ref().is_some_and(|content| content.is_complete()),
                None => Shell::shows_links(page, &task.url),
            };
            !is_sufficient && Shell::of(page, body).is_some()
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
    ParsedResponse {
        head,
        content,
        extracted,
        detected,
        rendered,
        protection,
        is_shell,
        received_at: None,
        cached: false,
        failed_action: None,
        kept: None,
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
    if !needs_language_detection(page, &task.url) {
        return None;
    }
    match extracted.and_then(|content| content.text()) {
        Some(text) => detect_language(text),
        None => detect_page_language(body, head.content_type.as_deref()),
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
    detect_protection(&ProtectionEvidence {
        status: head.status,
        url: &task.url,
        location: head.location.as_deref(),
        headers: head.signs,
        body,
        text_chars,
    })
}

fn classify(task: &FetchTask, head: &ResponseHead, body: &[u8]) -> LinkType {
    kind::classify(head.content_type.as_deref(), body, task.url.path())
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
            ResponseContent::Page(Box::new(read_page(body, &said, &task.url, &limits)))
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
    let file = read_sitemap(body, content_type, &task.url, &SitemapLimits::default()).ok()?;
    Some(ResponseContent::List(kind, Box::new(file)))
}
