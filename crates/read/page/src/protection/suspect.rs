//! A suspicious response with the queries that rules make.

use std::cell::OnceCell;

use memchr::memmem;

use super::needles::{ProtectionSign, ProtectionSigns};
use super::outline::PageOutline;
use document::HeaderSigns;

use super::ProtectionEvidence;

/// A response that may be a challenge or block page.
#[derive(Debug)]
pub(super) struct SuspectResponse<'a> {
    pub status: u16,
    pub headers: HeaderSigns,
    signs: ProtectionSigns,
    /// The searched part of the body.
    body: &'a [u8],
    /// Known number of characters of visible text; very large for a body that is too long.
    text_chars: Option<u64>,
    outline: OnceCell<PageOutline>,
}

impl<'a> SuspectResponse<'a> {
    pub(super) fn new(
        evidence: &ProtectionEvidence<'a>,
        body: &'a [u8],
        signs: ProtectionSigns,
    ) -> Self {
        let text_chars =
            if body.len() < evidence.body.len() { Some(u64::MAX) } else { evidence.text_chars };
        Self {
            status: evidence.status,
            headers: evidence.headers,
            signs,
            body,
            text_chars,
            outline: OnceCell::new(),
        }
    }

    pub(super) fn status_in(&self, statuses: &[u16]) -> bool {
        statuses.contains(&self.status)
    }

    pub(super) fn has(&self, sign: ProtectionSign) -> bool {
        self.signs.has(sign)
    }

    pub(super) fn has_any(&self, signs: &[ProtectionSign]) -> bool {
        signs.iter().any(|sign| self.has(*sign))
    }

    /// The outline of the page, computed on first use because it takes a pass over the body.
    pub(super) fn outline(&self) -> &PageOutline {
        self.outline.get_or_init(|| PageOutline::of(self.body))
    }

    /// Whether there are fewer characters of visible text than `limit`.
    pub(super) fn text_below(&self, limit: u64) -> bool {
        self.text_chars.unwrap_or_else(|| self.outline().chars) < limit
    }

    /// Whether the body contains these bytes.
    pub(super) fn holds(&self, bytes: &str) -> bool {
        memmem::find(self.body, bytes.as_bytes()).is_some()
    }

    /// Whether the body is a JSON object, which has no visible text.
    pub(super) fn is_object(&self) -> bool {
        self.body.trim_ascii_start().starts_with(b"{")
    }
}
