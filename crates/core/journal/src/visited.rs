//! A finished domain of a domain crawl.

use serde::{Deserialize, Serialize};

/// A visit is committed as a whole with its record: a domain whose visit was interrupted is visited
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visited {
    /// The index of the domain in the list of its shard.
    pub domain_index: u32,
    /// Number of known pages of the domain.
    pub pages: u32,
    /// The units that its record is charged as.
    pub units: u32,
}
