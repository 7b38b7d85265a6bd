//! What every mode reads from a page: title, description, canonical, robots directives, links.
//!
//! Every input gives a page, however malformed; missing values are empty. White space in texts is
//! collapsed, and texts are truncated at limits.

use urls::CanonicalUrl;
use xxhash_rust::xxh3::xxh3_64;

use document::{Page, PageHead, PageLimits};
use html::tokenizer::TokenSink;
use html::{budget, charset};

mod alternates;
mod link;
mod meta;
mod reader;
mod relation;

use reader::PageTokenReader;

/// Reads the page at `url` from its headers and its body.
#[must_use]
pub fn read_page(
    body: &[u8],
    head: &PageHead<'_>,
    url: &CanonicalUrl,
    limits: &PageLimits,
) -> Page {
    budget::ensure(body.len(), || {
        let html = charset::decode(body, head.content_type);
        read_page_text(&html, head, url, limits, &mut ())
    })
}

/// Reads a decoded page; `beside` receives the tokens in the same pass.
pub fn read_page_text<'h>(
    html: &'h str,
    head: &PageHead<'_>,
    url: &CanonicalUrl,
    limits: &PageLimits,
    beside: &mut impl TokenSink<'h>,
) -> Page {
    let mut reader = PageTokenReader::new(url, None, limits);
    reader.read(head, html, beside);
    if let Some(base) = reader.late_base() {
        // `<base>` also applies to links before it: read again with the known base.
        reader = PageTokenReader::new(url, Some(base), limits);
        reader.read(head, html, &mut ());
    }
    reader.into_page()
}

/// The hash of a text in 16 hexadecimal digits.
fn hash(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

#[cfg(test)]
mod tests;
