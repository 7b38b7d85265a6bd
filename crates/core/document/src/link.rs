//! A link of a page.

use urls::{CanonicalUrl, Fingerprint};

/// How a page links to a URL, strongest first: a URL that is linked in several ways has the first
/// of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// An `a` element that a visitor can follow.
    Anchor,
    /// A region of an image map.
    Area,
    /// An `iframe` or `frame`.
    Frame,
    /// `rel=next` or `rel=prev` of a paginated series.
    Pagination,
    /// The target of a `refresh`.
    Refresh,
    /// The declared canonical URL.
    Canonical,
    /// `rel=alternate`: another language or format.
    Alternate,
    /// `rel=alternate` to an RSS or Atom feed.
    Feed,
    /// The action of a GET form.
    Form,
    /// The source of an image.
    Image,
    /// Audio, video or another embedded file.
    Media,
}

/// A distinct URL that a page links to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlink {
    /// The normalised target.
    pub url: CanonicalUrl,
    /// The fingerprint of `url`, computed by the reader, which runs in parallel.
    pub fingerprint: Fingerprint,
    /// Range of the anchor text in [`Page::anchors`](crate::Page::anchors).
    pub anchor: AnchorSpan,
    /// Every link to this URL has `rel=nofollow`.
    pub nofollow: bool,
    /// How the page links to it.
    pub kind: LinkKind,
}

/// A byte range of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnchorSpan {
    from: u32,
    to: u32,
}

impl AnchorSpan {
    /// The bytes from `from` up to `to`, which is not included.
    #[must_use]
    pub fn new(from: u32, to: u32) -> Self {
        Self { from, to }
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.from == self.to
    }

    /// The part of `text` that it covers.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}
