//! The name of a node, and the lease of one of its workers on a shard.

use std::fmt;

use contract::{JobId, Mode, ShardId};

/// The unique name of a node, the owner of its leases.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeName(String);

impl NodeName {
    /// A random name of 16 hexadecimal digits.
    #[must_use]
    pub fn random() -> Self {
        let bytes: [u8; 8] = rand::random();
        Self(data_encoding::HEXLOWER.encode(&bytes))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A shard that a worker has leased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub shard: ShardId,
    pub job: JobId,
    pub mode: Mode,
    /// Position among the shards of the job, from 0.
    pub number: u32,
    pub host: String,
    /// Increases with every claim: writes of an older epoch are rejected.
    pub epoch: i64,
    /// Number of commits in the log.
    pub head: i64,
    /// Nodes that died while they held the shard, since [`Store::reset_crashes`](crate::Store::reset_crashes).
    pub crashes: u32,
    /// Memory of the run at its last commit.
    pub memory_bytes: usize,
    /// URLs being fetched, stored with the next commit for live streams.
    pub fetching: Vec<String>,
}
