//! The response headers that describe a page.
//!
//! Where both say something, the document takes precedence: headers are often configured for a
//! whole server.

/// The headers that matter to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageHead<'a> {
    /// The value of `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The values of `Link`, one for each header.
    pub links: &'a [String],
    /// The values of `X-Robots-Tag`, one for each header.
    pub robots: &'a [String],
    /// The value of `Content-Language`.
    pub language: Option<&'a str>,
}

impl<'a> PageHead<'a> {
    /// The language of the page if the header names exactly one; several are those of the audience.
    pub fn only_language(&self) -> Option<&'a str> {
        let mut named = self.language?.split(',').filter(|name| !name.trim().is_empty());
        let first = named.next();
        first.filter(|_| named.next().is_none())
    }
}
