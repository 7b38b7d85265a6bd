//! The identity of an item in the log. The item itself is in a segment, which a replay never reads.

use serde::{Deserialize, Serialize};
use urls::LanguageTag;

/// Hashes by which an item is recognised under another URL or in another language.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ItemIdentity {
    /// The hash of the number that its translations share.
    pub number: Option<u64>,
    /// Hashes that identify the item: of number and name, and of URL and name.
    pub same: Vec<u64>,
    pub language: Option<LanguageTag>,
}
