//! What every reader of a page needs: the subject of the page, its base URL, and hints for prices.

use urls::CanonicalUrl;

use crate::page_subject::PageSubject;
use crate::price::{PriceHints, PriceText, read_price};

/// The context of a page, known before its sources are read.
#[derive(Debug)]
pub(super) struct PageContext<'p> {
    pub subject: PageSubject,
    /// The base of relative URLs.
    pub base: CanonicalUrl,
    pub hints: PriceHints<'p>,
}

impl PageContext<'_> {
    /// The absolute URL of a link; `None` for fragments and scripts.
    pub fn absolute(&self, address: &str) -> Option<String> {
        let address = address.trim();
        if address.is_empty() || address.starts_with('#') || address.starts_with("javascript:") {
            return None;
        }
        Some(self.base.join(address).ok()?.as_str().to_owned())
    }

    /// The absolute URL of an image; `None` for `data:` URLs.
    pub fn image(&self, address: &str) -> Option<String> {
        let address = address.trim();
        let is_data = address.len() > 4 && address.as_bytes()[..5].eq_ignore_ascii_case(b"data:");
        if is_data { None } else { self.absolute(address) }
    }

    /// The price that a text states. Longer texts are no price texts.
    pub fn price(&self, text: &str) -> Option<PriceText> {
        (text.len() < 400).then(|| read_price(text, &self.hints)).flatten()
    }
}
