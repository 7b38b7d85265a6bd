//! Words as numbers: the hashes that the learnt tables are read with.
//!
//! A word has one hash, whatever its case; a slot is the place of a word, seen in one
//! part, in a table. Training and reading share these functions, and a stored model is
//! only valid together with them.

/// How many weights a table has.
pub(crate) const SLOTS: usize = 1 << 14;

/// The part in which a word is seen; the same word means different things in two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Part {
    /// A word of the class or id of any container.
    Around = 0x1b87_3593,
    /// The name of an element above.
    ElementAround = 0x2545_f491,
    /// A word of the block's own element, the one above it, and the next.
    Own = 0x38b3_4ae5,
    Parent = 0x4cf5_ad43,
    Grandparent = 0x52dc_e729,
    /// The names of the last two and the last four elements.
    ShortPath = 0x6c62_272e,
    LongPath = 0x7feb_352d,
    /// A word of a block of up to forty words, of up to ten; two of them in a row.
    Word = 0x846c_a68b,
    ShortWord = 0x9e37_79b9,
    Pair = 0xa136_aaad,
    /// All words of a block of up to six.
    Whole = 0xb529_7a4d,
    /// A word at the beginning and at the end of a long block.
    First = 0xc2b2_ae35,
    Last = 0xd3a2_646c,
    /// The length of a block.
    Length = 0xe654_6b64,
    /// A word of the last heading, all words of it, and a word of the last main heading.
    Heading = 0xf1bb_cdcb,
    WholeHeading = 0x0d6e_8feb,
    MainHeading = 0x16a0_9e66,
    /// A word of the title, the address and the description of the page.
    Title = 0x2b99_2ddf,
    Address = 0x3c6e_f372,
    Description = 0x4a54_ff53,
}

/// The beginning of every hash.
const SEED: u32 = 0x811c_9dc5;

/// The hash of a word that is being read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordHash(u32);

impl WordHash {
    pub fn new() -> Self {
        Self(SEED)
    }

    /// Takes in the next character, already in small letters.
    #[inline]
    pub fn push(&mut self, character: u32) {
        self.0 = (self.0 ^ character).wrapping_mul(0x0100_0193).rotate_left(3);
    }

    #[inline]
    pub fn finish(self) -> u32 {
        let mixed = (self.0 ^ (self.0 >> 15)).wrapping_mul(0x85eb_ca6b);
        mixed ^ (mixed >> 13)
    }

    /// The hash of a word in small letters.
    pub fn of(word: &str) -> u32 {
        let mut hash = Self::new();
        for character in word.chars() {
            hash.push(character.into());
        }
        hash.finish()
    }
}

/// The place of a hash in the table.
#[inline]
pub(crate) fn slot(part: Part, hash: u32) -> u16 {
    let mixed = (hash ^ part as u32).wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0xc2b2_ae35);
    (mixed >> 18) as u16
}

/// One hash of two, in their order.
#[inline]
pub(crate) fn join(first: u32, second: u32) -> u32 {
    (first.rotate_left(7) ^ second).wrapping_mul(0x9e37_79b1) ^ (first >> 11)
}

/// Where words go on their way into a table.
pub(crate) trait Slots {
    fn put(&mut self, slot: u16);
}

/// Slots one by one, as training reads them.
impl Slots for Vec<u16> {
    fn put(&mut self, slot: u16) {
        self.push(slot);
    }
}
