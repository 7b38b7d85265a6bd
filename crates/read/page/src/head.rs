//! What the headers of an answer say of the page in its body.
//!
//! The document goes first wherever both say something: headers are often set
//! for a whole server, by somebody who never saw the page.

pub mod link_header;

/// The headers that matter to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageHead<'a> {
    /// `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The values of `Link`, one for each header.
    pub links: &'a [String],
    /// The values of `X-Robots-Tag`, one for each header.
    pub robots: &'a [String],
    /// `Content-Language`.
    pub language: Option<&'a str>,
}

impl<'a> PageHead<'a> {
    /// The language of the page, when the header names just one: several are those
    /// of its readers.
    pub fn only_language(&self) -> Option<&'a str> {
        let mut named = self.language?.split(',').filter(|name| !name.trim().is_empty());
        let first = named.next();
        first.filter(|_| named.next().is_none())
    }
}
