//! The identity of a product in the log. The product itself is in a segment, which a replay never
//! reads.

use serde::{Deserialize, Serialize};
use urls::LanguageTag;

/// Hashes by which a product is recognised under another URL or in another language.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProductFingerprint {
    /// The hash of its product number.
    pub number: Option<u64>,
    /// Hashes that identify the product: of number and name, and of URL and name.
    pub same: Vec<u64>,
    pub language: Option<LanguageTag>,
}
