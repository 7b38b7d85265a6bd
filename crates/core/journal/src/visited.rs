//! A domain that a run over domains is done with.

use serde::{Deserialize, Serialize};

/// A visit is written down whole, with its record, or not at all: after a crash a domain
/// that was being visited is visited again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visited {
    /// The place of the domain in the list of its shard.
    pub place: u32,
    /// Pages of the domain that became known.
    pub pages: u32,
    /// What its record is charged as.
    pub units: u32,
}
