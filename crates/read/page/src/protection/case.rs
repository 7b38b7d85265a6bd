//! One answer under suspicion, with all that the rules may ask about it.

use std::cell::OnceCell;

use memchr::memmem;

use super::needles::{Sign, Signs};
use super::sketch::Sketch;
use super::{HeaderSigns, Seen};

/// An answer that may be a wall.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub status: u16,
    pub headers: HeaderSigns,
    signs: Signs,
    /// As much of the body as is looked at.
    body: &'a [u8],
    /// Characters of visible text, when somebody counted before; very many for a body
    /// that is too long to be looked at.
    counted: Option<u64>,
    sketch: OnceCell<Sketch>,
}

impl<'a> Case<'a> {
    pub(super) fn new(seen: &Seen<'a>, body: &'a [u8], signs: Signs) -> Self {
        let counted = if body.len() < seen.body.len() { Some(u64::MAX) } else { seen.text_chars };
        Self {
            status: seen.status,
            headers: seen.headers,
            signs,
            body,
            counted,
            sketch: OnceCell::new(),
        }
    }

    pub(super) fn status_in(&self, statuses: &[u16]) -> bool {
        statuses.contains(&self.status)
    }

    pub(super) fn has(&self, sign: Sign) -> bool {
        self.signs.has(sign)
    }

    pub(super) fn has_any(&self, signs: &[Sign]) -> bool {
        signs.iter().any(|sign| self.has(*sign))
    }

    /// The page. Only asked for when there is something suspicious: it costs a pass.
    pub(super) fn sketch(&self) -> &Sketch {
        self.sketch.get_or_init(|| Sketch::of(self.body))
    }

    /// Fewer characters of visible text than that.
    pub(super) fn text_below(&self, limit: u64) -> bool {
        self.counted.unwrap_or_else(|| self.sketch().chars) < limit
    }

    /// The body holds these bytes.
    pub(super) fn holds(&self, bytes: &str) -> bool {
        memmem::find(self.body, bytes.as_bytes()).is_some()
    }

    /// The body is a JSON object: it has no text that anybody reads.
    pub(super) fn is_object(&self) -> bool {
        self.body.trim_ascii_start().starts_with(b"{")
    }
}
