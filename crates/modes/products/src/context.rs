//! What every source of a page needs to know of it: what it is about, where its addresses
//! lead from, and what its prices are likely to be in.

use urls::CanonicalUrl;

use super::price::{PriceHints, PriceText, read_price};
use super::subject::Subject;

/// What is known of a page before its sources are read.
#[derive(Debug)]
pub(super) struct Context<'p> {
    pub subject: Subject,
    /// What its addresses are relative to.
    pub base: CanonicalUrl,
    pub hints: PriceHints<'p>,
}

impl Context<'_> {
    /// An address as an absolute one; none when it leads nowhere.
    pub fn absolute(&self, address: &str) -> Option<String> {
        let address = address.trim();
        if address.is_empty() || address.starts_with('#') || address.starts_with("javascript:") {
            return None;
        }
        Some(self.base.join(address).ok()?.as_str().to_owned())
    }

    /// The address of an image. Drawings that stand in the address itself are none.
    pub fn image(&self, address: &str) -> Option<String> {
        let address = address.trim();
        let is_data = address.len() > 4 && address.as_bytes()[..5].eq_ignore_ascii_case(b"data:");
        if is_data { None } else { self.absolute(address) }
    }

    /// The price that a text states.
    pub fn price(&self, text: &str) -> Option<PriceText> {
        (text.len() < 400).then(|| read_price(text, &self.hints)).flatten()
    }
}
