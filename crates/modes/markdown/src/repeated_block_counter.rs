//! Learns the blocks that repeat on the pages of a site, while the pages are read.
//!
//! Blocks are counted over the last pages and frozen from time to time into a version, which is a
//! fact of the log: pages are read with the current version, before and after a crash. The counts
//! are not durable; a resumed run counts again.

use std::collections::VecDeque;

use hashbrown::HashMap;
use journal::Fact;

/// Number of recent pages that are counted.
const WINDOW: u32 = 100;

/// Maximum number of counted blocks per page.
const BLOCKS_OF_A_PAGE: usize = 1_000;

/// Maximum number of blocks in a version.
const BLOCKS_OF_A_VERSION: usize = 4_000;

/// Pages before the first version. Each further version comes at twice as many pages.
const FIRST_VERSION: u32 = 5;

/// A block is repeated if it is on at least one page in this many.
const ONE_PAGE_IN: usize = 5;

/// Counts blocks over recent pages.
#[derive(Debug, Default)]
pub(crate) struct RepeatedBlockCounter {
    pages: VecDeque<Box<[u64]>>,
    counts: HashMap<u64, u32>,
    /// Pages read so far, including those of earlier versions.
    read: u32,
    /// Pages that had been read when the last version was made.
    frozen_at: u32,
}

impl RepeatedBlockCounter {
    /// Continues after a version that was made of this many pages.
    pub fn after(pages: u32) -> Self {
        Self { read: pages, frozen_at: pages, ..Self::default() }
    }

    /// Counts a page. Returns a new version when one is due.
    pub fn record_page(&mut self, blocks: Vec<u64>) -> Option<Fact> {
        self.read = self.read.saturating_add(1);
        let due = self.frozen_at.saturating_mul(2).max(FIRST_VERSION);
        // An earlier page would have left the window by then.
        if due.saturating_sub(self.read) < WINDOW {
            self.count(blocks);
        }
        (self.read >= due).then(|| self.freeze())
    }

    fn count(&mut self, mut blocks: Vec<u64>) {
        blocks.truncate(BLOCKS_OF_A_PAGE);
        for block in &blocks {
            *self.counts.entry(*block).or_default() += 1;
        }
        self.pages.push_back(blocks.into_boxed_slice());
        if self.pages.len() > WINDOW as usize
            && let Some(oldest) = self.pages.pop_front()
        {
            oldest.iter().for_each(|block| self.forget(*block));
        }
    }

    fn forget(&mut self, block: u64) {
        if let Some(count) = self.counts.get_mut(&block) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&block);
            }
        }
    }

    fn freeze(&mut self) -> Fact {
        self.frozen_at = self.read;
        let pages = self.pages.len();
        let mut repeated: Vec<(u64, u32)> = self
            .counts
            .iter()
            .map(|(block, count)| (*block, *count))
            .filter(|(_, count)| *count >= 2 && *count as usize * ONE_PAGE_IN >= pages)
            .collect();
        // The most frequent blocks, in a deterministic order.
        repeated.sort_unstable_by_key(|(block, count)| (std::cmp::Reverse(*count), *block));
        repeated.truncate(BLOCKS_OF_A_VERSION);
        repeated.sort_unstable();
        let share = |count: u32| u8::try_from(count as usize * 255 / pages.max(1)).unwrap_or(255);
        Fact::RepeatedBlocks {
            pages: self.read,
            blocks: repeated.into_iter().map(|(block, count)| (block, share(count))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page with a header and a footer, a box on every third page, an offer that ends one day,
    /// and a text that no other page has.
    fn page(number: u64) -> Vec<u64> {
        let mut blocks = vec![1, 2, 1_000 + number];
        if number.is_multiple_of(3) {
            blocks.push(3);
        }
        if (100..210).contains(&number) {
            blocks.push(4);
        }
        blocks
    }

    fn versions(
        watch: &mut RepeatedBlockCounter,
        pages: std::ops::Range<u64>,
    ) -> Vec<(u32, Vec<(u64, u8)>)> {
        let facts = pages.filter_map(|number| watch.record_page(page(number)));
        let version = |fact| match fact {
            Fact::RepeatedBlocks { pages, blocks } => (pages, blocks),
            other => panic!("{other:?} is no version"),
        };
        facts.map(version).collect()
    }

    #[test]
    fn versions_are_made_at_five_pages_and_at_each_doubling() {
        let versions = versions(&mut RepeatedBlockCounter::default(), 0..400);
        let at: Vec<_> = versions.iter().map(|(pages, _)| *pages).collect();
        assert_eq!(at, [5, 10, 20, 40, 80, 160, 320]);
        assert_eq!(versions[0].1, [(1, 255), (2, 255), (3, 102)]);
        let of_last_hundred = [(1, 255), (2, 255), (3, 86), (4, 153)];
        assert_eq!(versions[5].1, of_last_hundred, "34 boxes and 60 offers");
        assert_eq!(versions[6].1, [(1, 255), (2, 255), (3, 84)], "33 boxes, the offer is gone");
    }

    #[test]
    fn resumed_run_keeps_the_version_schedule() {
        let versions = versions(&mut RepeatedBlockCounter::after(20), 0..30);
        let at: Vec<_> = versions.iter().map(|(pages, _)| *pages).collect();
        assert_eq!(at, [40], "twenty pages more make the next one");
    }

    #[test]
    fn memory_is_bounded_for_large_pages() {
        let mut watch = RepeatedBlockCounter::default();
        let many: Vec<u64> = (0..1_000_000).collect();
        let last = (0..80).filter_map(|_| watch.record_page(many.clone())).last();
        let Some(Fact::RepeatedBlocks { blocks, .. }) = last else { panic!("a version") };
        assert_eq!(blocks.len(), BLOCKS_OF_A_PAGE.min(BLOCKS_OF_A_VERSION));
        assert!(watch.counts.len() <= WINDOW as usize * BLOCKS_OF_A_PAGE);
    }
}
