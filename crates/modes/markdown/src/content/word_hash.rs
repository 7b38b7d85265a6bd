//! Feature hashing of words.
//!
//! A word has one hash in any case; a slot is its index in a table, within a namespace. Training
//! and inference share these functions, and a stored model is valid only together with them.

/// Number of weights of a table.
pub(crate) const SLOTS: usize = 1 << 14;

/// The namespace of a word: the same word has different weights in two namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum FeatureNamespace {
    /// A class or id word of any ancestor.
    Around = 0x1b87_3593,
    /// The name of an ancestor element.
    ElementAround = 0x2545_f491,
    /// A word of the element of the block, of its parent, and of the next ancestor.
    Own = 0x38b3_4ae5,
    Parent = 0x4cf5_ad43,
    Grandparent = 0x52dc_e729,
    /// The names of the last two and the last four elements.
    ShortPath = 0x6c62_272e,
    LongPath = 0x7feb_352d,
    /// A word of a block of up to forty words, of up to ten; a bigram.
    Word = 0x846c_a68b,
    ShortWord = 0x9e37_79b9,
    Pair = 0xa136_aaad,
    /// All words of a block of up to six words.
    Whole = 0xb529_7a4d,
    /// A word at the start and at the end of a long block.
    First = 0xc2b2_ae35,
    Last = 0xd3a2_646c,
    /// The length of a block.
    Length = 0xe654_6b64,
    /// A word of the last heading, all its words, and a word of the last main heading.
    Heading = 0xf1bb_cdcb,
    WholeHeading = 0x0d6e_8feb,
    MainHeading = 0x16a0_9e66,
    /// A word of the title, the URL and the description of the page.
    Title = 0x2b99_2ddf,
    Address = 0x3c6e_f372,
    Description = 0x4a54_ff53,
}

/// The initial value of every hash.
const SEED: u32 = 0x811c_9dc5;

/// Incremental hash of a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordHash(u32);

impl WordHash {
    pub fn new() -> Self {
        Self(SEED)
    }

    /// Adds the next character in lower case.
    #[inline]
    pub fn push(&mut self, character: u32) {
        self.0 = (self.0 ^ character).wrapping_mul(0x0100_0193).rotate_left(3);
    }

    #[inline]
    pub fn finish(self) -> u32 {
        let mixed = (self.0 ^ (self.0 >> 15)).wrapping_mul(0x85eb_ca6b);
        mixed ^ (mixed >> 13)
    }

    /// The hash of a word in lower case.
    pub fn of(word: &str) -> u32 {
        let mut hash = Self::new();
        for character in word.chars() {
            hash.push(character.into());
        }
        hash.finish()
    }
}

/// The slot of a hash within its namespace.
#[inline]
pub(crate) fn slot(part: FeatureNamespace, hash: u32) -> u16 {
    let mixed = (hash ^ part as u32).wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0xc2b2_ae35);
    (mixed >> 18) as u16
}

/// Combines two hashes in their order.
#[inline]
pub(crate) fn join(first: u32, second: u32) -> u32 {
    (first.rotate_left(7) ^ second).wrapping_mul(0x9e37_79b1) ^ (first >> 11)
}

/// A consumer of slots: a weight sum or a dump.
pub(crate) trait SlotSink {
    fn put(&mut self, slot: u16);
}

/// Collects slots for training.
impl SlotSink for Vec<u16> {
    fn put(&mut self, slot: u16) {
        self.push(slot);
    }
}
