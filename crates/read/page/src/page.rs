//! A page as a `links` run needs it: what it says of itself, and where it leads.
//!
//! Every page gives one, however broken; what is missing is empty. All texts
//! have their white space collapsed and are cut at limits.

use urls::CanonicalUrl;
use xxhash_rust::xxh3::xxh3_64;

use crate::PageHead;
use html::tokenizer::TokenSink;
use html::{budget, charset};

mod alternates;
mod link;
mod meta;
mod reader;
mod relation;

pub use link::{Link, LinkKind};
use reader::Reader;

/// How much of a page is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// Distinct links.
    pub links: usize,
    /// Bytes of the title and of the first heading.
    pub title_bytes: usize,
    /// Bytes of the description.
    pub description_bytes: usize,
    /// Bytes of the text of a link.
    pub anchor_bytes: usize,
    /// Whether images and media are wanted: they count among the links.
    pub images: bool,
    /// Bytes of the visible text of which words, characters and hash are told.
    pub text_bytes: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self {
            links: 5_000,
            title_bytes: 1_024,
            description_bytes: 2_048,
            anchor_bytes: 200,
            images: true,
            text_bytes: usize::MAX,
        }
    }
}

/// What was read of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The title of the document.
    pub title: Option<String>,
    /// What it says that it is about.
    pub description: Option<String>,
    /// The first heading of the first rank that has a text.
    pub h1: Option<String>,
    /// The address that it wants to be known by.
    pub canonical: Option<CanonicalUrl>,
    /// Its versions in other languages: a language tag in its one spelling or
    /// `x-default`, and the address. One address may serve several languages.
    pub alternates: Vec<(String, CanonicalUrl)>,
    /// The language of the document, as it is written there.
    pub language: Option<String>,
    /// It asks not to be indexed.
    pub noindex: bool,
    /// It asks that none of its links be followed.
    pub nofollow: bool,
    /// Where it leads, each address once.
    pub links: Vec<Link>,
    /// The texts of the links; see [`Page::anchor`].
    pub anchors: String,
    /// There were more links than are kept.
    pub links_truncated: bool,
    /// Words of the visible text, as far as the limits let it be read.
    pub word_count: u64,
    /// Characters of the same, its white space collapsed. Of a long one, no more than it has.
    pub text_chars: u64,
    /// The same in 16 hexadecimal digits; markup does not count.
    pub content_hash: String,
}

impl Page {
    /// The text of one of its links: the first that is not empty.
    #[must_use]
    pub fn anchor(&self, link: &Link) -> &str {
        link.anchor.of(&self.anchors)
    }

    /// Reads the page that was found at `url`, from its headers and its body.
    #[must_use]
    pub fn read(body: &[u8], head: &PageHead<'_>, url: &CanonicalUrl, limits: &PageLimits) -> Self {
        budget::ensure(body.len(), || {
            let html = charset::decode(body, head.content_type);
            Self::read_text(&html, head, url, limits, &mut ())
        })
    }

    /// Reads a page that has been decoded; whoever else wants its tokens gets them `beside`.
    pub fn read_text<'h>(
        html: &'h str,
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
        beside: &mut impl TokenSink<'h>,
    ) -> Self {
        let mut reader = Reader::new(url, None, limits);
        reader.read(head, html, beside);
        if let Some(base) = reader.late_base() {
            // Links before `<base>` are relative to it as well: once more, knowing it.
            reader = Reader::new(url, Some(base), limits);
            reader.read(head, html, &mut ());
        }
        reader.into_page()
    }
}

/// 16 hexadecimal digits for a text.
fn hash(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

#[cfg(test)]
mod tests;
