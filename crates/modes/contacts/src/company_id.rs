//! Ids that companies must publish: VAT id and register entry, each with its line.
//!
//! A VAT id is accepted only with valid check digits. Ids are compact: without spaces, dots and
//! dashes, and with a country prefix only if the page shows it.

mod register;
mod vat;

pub(crate) use register::{RegisterEntry, find_entries};
pub(crate) use vat::{find_vat_ids, validate_vat_id};

/// Keeps ASCII letters and digits.
pub(crate) fn compact(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}
