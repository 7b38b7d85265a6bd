//! What the pages of one site have in common.

/// What the pages of one site have in common: blocks that stand on many of them.
/// A frozen version of it goes along with every page that is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepeatedBlocks {
    /// By fingerprint, on how many of the pages a block stands, in 255ths.
    shares: hashbrown::HashMap<u64, u8>,
}

impl RepeatedBlocks {
    /// Of blocks and the share of the pages on which each stands, in 255ths.
    #[must_use]
    pub fn new(shares: impl IntoIterator<Item = (u64, u8)>) -> Self {
        Self { shares: shares.into_iter().collect() }
    }

    /// The share of the pages that hold this block, from 0 to 1.
    #[must_use]
    pub fn share(&self, block: u64) -> f32 {
        self.shares.get(&block).map_or(0.0, |share| f32::from(*share) / 255.0)
    }

    /// The blocks and their shares, in 255ths.
    pub fn shares(&self) -> impl Iterator<Item = (u64, u8)> + '_ {
        self.shares.iter().map(|(block, share)| (*block, *share))
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }
}
