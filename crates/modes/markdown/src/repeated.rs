//! Blocks that repeat on many pages of one site.

/// Blocks that repeat on many pages of one site. An immutable version is passed to every page that
/// is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepeatedBlocks {
    /// Share of the pages with a block, in 255ths, by fingerprint.
    shares: hashbrown::HashMap<u64, u8>,
}

impl RepeatedBlocks {
    /// From fingerprints and the share of the pages with each block, in 255ths.
    #[must_use]
    pub fn new(shares: impl IntoIterator<Item = (u64, u8)>) -> Self {
        Self { shares: shares.into_iter().collect() }
    }

    /// The share of the pages with this block, from 0 to 1.
    #[must_use]
    pub fn share(&self, block: u64) -> f32 {
        self.shares.get(&block).map_or(0.0, |share| f32::from(*share) / 255.0)
    }

    /// The fingerprints and their shares in 255ths.
    pub fn shares(&self) -> impl Iterator<Item = (u64, u8)> + '_ {
        self.shares.iter().map(|(block, share)| (*block, *share))
    }

    /// Whether no repeated block is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }
}
