//! How a mode reads pages. The extractor is part of a request, and what it extracted is part of the
//! response; only the mode knows their types.

use std::any::Any;
use std::fmt;

use contract::{LinkType, Mode};
use document::{Page, PageHead, PageLimits};
use urls::CanonicalUrl;

/// Reads the pages of one mode, with what the mode had learned when the page was requested.
pub trait PageExtractor: Any + fmt::Debug + Send + Sync {
    /// Reads a successful response. `None` if the mode reads nothing from this kind of content; only
    /// links and head of the response are then read.
    fn read(&self, source: &PageSource<'_>) -> Option<PageRead>;

    /// The mode that decodes it in another process.
    fn mode(&self) -> Mode;

    /// The form in which it is sent to another process.
    fn encode(&self) -> Vec<u8>;
}

/// A response that a mode may read.
#[derive(Debug, Clone, Copy)]
pub struct PageSource<'a> {
    /// The kind of its content, by header, body and path.
    pub kind: LinkType,
    pub body: &'a [u8],
    pub head: &'a PageHead<'a>,
    pub url: &'a CanonicalUrl,
    pub limits: &'a PageLimits,
}

/// A response that a mode has read.
#[derive(Debug)]
pub struct PageRead {
    /// The page; `None` for a file that is not a page.
    pub page: Option<Page>,
    pub content: Box<AnyContent>,
}

/// What a mode extracted from a page. The mode casts it to [`Any`] and to its own type.
pub type AnyContent = dyn ModeContent;

/// What the engine needs to know of it.
pub trait ModeContent: Any + fmt::Debug + Send + Sync {
    /// Whether the page may be delivered. Otherwise it does not wait for its canonical page.
    fn is_deliverable(&self) -> bool {
        true
    }

    /// Whether the page has its content without JavaScript, whatever it shows.
    fn is_complete(&self) -> bool {
        false
    }

    /// The text that the language is detected from; `None` for the whole text of the page.
    fn text(&self) -> Option<&str> {
        None
    }

    /// Approximate memory, in bytes.
    fn bytes(&self) -> usize;

    /// A copy behind the same trait.
    fn clone_boxed(&self) -> Box<AnyContent>;
}

impl Clone for Box<AnyContent> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}
