//! Which bot protection answered in place of the page.
//!
//! A product that is present is not a challenge: half the web stands behind one. An
//! answer is called protected by a header that says so, by its status together with its
//! body, or by a body that has next to no visible text. Cookies prove nothing and are
//! not looked at.

use urls::CanonicalUrl;

mod case;
mod header_signs;
mod marker;
mod needles;
mod place;
mod redirect;
mod rules;
mod sketch;

use case::Case;
pub use header_signs::HeaderSigns;
pub use marker::{ProtectionKind, ProtectionMarker, UnknownMarker, Vendor};
use needles::Signs;

/// A page with so many characters of visible text is a wall by no rule that knows only
/// its body.
const LITTLE_TEXT: u64 = 1_500;

/// A longer body is no wall unless its status refuses. Walls are one message, a script
/// and a frame: what we know of stays under 20 KB, while most pages are longer than this.
const WALL_BYTES: usize = 64 * 1_024;

/// How far into a body that refuses we look: such pages may hold a whole logo in their
/// markup, but their evidence comes early.
const REFUSAL_BYTES: usize = 128 * 1_024;

/// An answer, as far as protections show in it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Its status.
    pub status: u16,
    /// The address that was asked for.
    pub url: &'a CanonicalUrl,
    /// Where a redirect leads, as the header has it.
    pub location: Option<&'a str>,
    /// What its headers said.
    pub headers: HeaderSigns,
    /// Its body, decompressed.
    pub body: &'a [u8],
    /// `Page::text_chars`, when the page has been read: most pages are then settled
    /// without a look at their body.
    pub text_chars: Option<u64>,
}

impl ProtectionMarker {
    /// The protection that gave this answer; none for an answer of the site itself.
    #[must_use]
    pub fn of(seen: &Seen<'_>) -> Option<Self> {
        if let Some(marker) = seen.headers.marker() {
            return Some(marker);
        }
        if (300..400).contains(&seen.status) {
            return seen.location.and_then(|location| redirect::marker(seen.url, location));
        }
        let refuses = matches!(seen.status, 202 | 401 | 403 | 405 | 428 | 429 | 503);
        let much_text = seen.text_chars.is_some_and(|chars| chars >= LITTLE_TEXT);
        if !refuses && (much_text || seen.body.len() > WALL_BYTES) {
            return None;
        }
        let start = seen.body.get(..REFUSAL_BYTES).unwrap_or(seen.body);
        let signs = if refuses { Signs::of_refusal(start) } else { Signs::of_any(start) };
        // A header may be all that there is, but only a refusal makes it count.
        if signs.is_empty() && (!refuses || seen.headers.is_empty()) {
            return None;
        }
        rules::judge(&Case::new(seen, start, signs))
    }
}
