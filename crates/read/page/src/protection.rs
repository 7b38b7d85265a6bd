//! Detection of bot protection that responded instead of the site.
//!
//! The presence of a product proves nothing: half of the web is behind one. A response is protected
//! if a header says so, if its status and body together say so, or if its body says so and has
//! almost no visible text. Cookies are ignored.

use document::{HeaderSigns, ProtectionMarker};
use urls::CanonicalUrl;

mod needle_match;
mod needles;
mod outline;
mod redirect;
mod rules;
mod suspect;

use needles::ProtectionSigns;
use suspect::SuspectResponse;

/// With this many characters of visible text, a rule that knows only the body does not apply.
const LITTLE_TEXT: u64 = 1_500;

/// Longer bodies are checked only if the status refuses. Challenges are one message, a script and a
/// frame: known ones are below 20 KB, while most pages are longer than this.
const CHALLENGE_BYTES: usize = 64 * 1_024;

/// How far a body with a refusing status is searched: such pages may inline a whole logo, but their
/// evidence comes early.
const REFUSAL_BYTES: usize = 128 * 1_024;

/// A response, as far as detection needs it.
#[derive(Debug, Clone, Copy)]
pub struct ProtectionEvidence<'a> {
    /// The status code of the response.
    pub status: u16,
    /// The URL that was requested.
    pub url: &'a CanonicalUrl,
    /// The `Location` header as sent.
    pub location: Option<&'a str>,
    /// The signs found in the headers.
    pub headers: HeaderSigns,
    /// The decompressed body.
    pub body: &'a [u8],
    /// `Page::text_chars` if the page has been read: most pages are then decided without searching
    /// their body.
    pub text_chars: Option<u64>,
}

/// The protection that sent this response; `None` for a response of the site itself.
#[must_use]
pub fn detect_protection(evidence: &ProtectionEvidence<'_>) -> Option<ProtectionMarker> {
    if let Some(marker) = evidence.headers.marker() {
        return Some(marker);
    }
    if (300..400).contains(&evidence.status) {
        return evidence.location.and_then(|location| redirect::marker(evidence.url, location));
    }
    let refuses = matches!(evidence.status, 202 | 401 | 403 | 405 | 428 | 429 | 503);
    let much_text = evidence.text_chars.is_some_and(|chars| chars >= LITTLE_TEXT);
    if !refuses && (much_text || evidence.body.len() > CHALLENGE_BYTES) {
        return None;
    }
    let start = evidence.body.get(..REFUSAL_BYTES).unwrap_or(evidence.body);
    let signs =
        if refuses { ProtectionSigns::of_refusal(start) } else { ProtectionSigns::of_any(start) };
    // A header may be the only sign, but it counts only with a refusing status.
    if signs.is_empty() && (!refuses || evidence.headers.is_empty()) {
        return None;
    }
    rules::apply_rules(&SuspectResponse::new(evidence, start, signs))
}
