//! Reads the pages and vCards of a visit.

use std::any::Any;

use contract::{LinkType, Mode};
use crawl::{AnyContent, ModeContent, PageExtractor, PageRead, PageSource};

use crate::ContactPage;

/// Reads the contact data of pages and vCard files.
#[derive(Debug, Default)]
pub struct ContactExtractor;

impl PageExtractor for ContactExtractor {
    fn read(&self, source: &PageSource<'_>) -> Option<PageRead> {
        let PageSource { kind, body, head, url, limits } = *source;
        let (page, contacts) = match kind {
            LinkType::Page => {
                let (page, contacts) = ContactPage::read(body, head, url, limits);
                (Some(page), contacts)
            }
            _ if is_vcard(head.content_type, body) => {
                (None, ContactPage::read_card(body, head.content_type, url))
            }
            _ => return None,
        };
        Some(PageRead { page, content: Box::new(contacts) })
    }

    fn mode(&self) -> Mode {
        Mode::Contacts
    }

    /// There is nothing to send: every page is read alike.
    fn encode(&self) -> Vec<u8> {
        Vec::new()
    }
}

impl ModeContent for ContactPage {
    fn bytes(&self) -> usize {
        2_000 + 200 * (self.leads.len() + self.people.len())
    }

    fn clone_boxed(&self) -> Box<AnyContent> {
        Box::new(self.clone())
    }
}

/// The contact data of a page, if it was read by [`ContactExtractor`].
pub(crate) fn contacts_of(content: Box<AnyContent>) -> Option<Box<ContactPage>> {
    (content as Box<dyn Any>).downcast().ok()
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
