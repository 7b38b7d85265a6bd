//! What the log keeps of a product, beside its record, which replay never reads.

use serde::{Deserialize, Serialize};
use urls::LanguageTag;

/// What a product is known by, so that the same one is known again under another address or in
/// another language.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProductMark {
    /// Its number within the site, by a hash.
    pub number: Option<u64>,
    /// What no other product shares with it, by hashes: number and name, address and name.
    pub same: Vec<u64>,
    /// The language of its page.
    pub language: Option<LanguageTag>,
}
