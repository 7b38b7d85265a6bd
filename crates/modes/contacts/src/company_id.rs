//! What the law makes a company show: its VAT id and its entry in a register, each with the
//! line it stands in.
//!
//! A VAT id counts only with a right check digit. Ids are compact: without spaces, dots and
//! dashes, with the letters of a country only where the page has them.

mod register;
mod vat;

pub(crate) use register::{RegisterEntry, entries};
pub(crate) use vat::{checked, vat_ids};

/// Letters and digits alone.
pub(crate) fn compact(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}
