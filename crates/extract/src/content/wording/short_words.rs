//! Words of a few letters of ASCII, hashed side by side: each is a chain of steps that wait for
//! one another, so that eight chains at a time take hardly longer than one.

use super::super::tokens::WordHash;

/// How many words are hashed side by side, and how many such groups one after the other: a
/// machine begins with the next before it is done with the last.
const LANES: usize = 8;
const GROUPS: usize = 4;

/// How many words can wait.
pub(super) const ROOM: usize = LANES * GROUPS;

/// The most letters that a short word has.
pub(super) const SHORT: usize = 4 * PIECES;

const PIECES: usize = 3;

/// Words that wait until there are enough of them.
#[derive(Debug, Default)]
pub(super) struct ShortWords {
    groups: [Group; GROUPS],
    count: usize,
}

/// Words that are hashed side by side.
#[derive(Debug, Default, Clone, Copy)]
struct Group {
    /// Four letters each; behind the last letter of a word stands anything.
    pieces: [[u32; LANES]; PIECES],
    lengths: [u32; LANES],
}

impl ShortWords {
    /// Takes in the word of up to `SHORT` letters between two places of a text. Whether there
    /// is no room for more.
    #[inline(always)]
    pub fn put(&mut self, text: &[u8], from: usize, to: usize) -> bool {
        let near_end;
        let letters: &[u8; SHORT] = match text[from..].first_chunk() {
            Some(letters) => letters,
            None => {
                let mut letters = [0; SHORT];
                letters[..to - from].copy_from_slice(&text[from..to]);
                near_end = letters;
                &near_end
            }
        };
        let group = &mut self.groups[self.count / LANES % GROUPS];
        let lane = self.count % LANES;
        let (pieces, _) = letters.as_chunks::<4>();
        for (lanes, piece) in group.pieces.iter_mut().zip(pieces) {
            lanes[lane] = u32::from_le_bytes(*piece);
        }
        group.lengths[lane] = u32::try_from(to - from).unwrap_or(0);
        self.count += 1;
        self.count == ROOM
    }

    /// The hashes of the words that have been waiting, in their order; none waits any more.
    #[inline(always)]
    pub fn settle(&mut self, hashes: &mut [u32; ROOM]) -> usize {
        let count = std::mem::take(&mut self.count);
        let (places, _) = hashes.as_chunks_mut::<LANES>();
        for (group, places) in self.groups.iter().zip(places).take(count.div_ceil(LANES)) {
            *places = group.hashed();
        }
        count
    }
}

impl Group {
    #[inline(always)]
    fn hashed(&self) -> [u32; LANES] {
        let [first, second, third] = &self.pieces;
        let mut hashes = [WordHash::new(); LANES];
        self.take_in(&mut hashes, first, 0);
        self.take_in(&mut hashes, second, 4);
        if self.lengths.iter().any(|length| *length > 8) {
            self.take_in(&mut hashes, third, 8);
        }
        hashes.map(WordHash::finish)
    }

    /// Takes in four letters of each word, as far as it has so many; `before` are behind it.
    #[inline(always)]
    fn take_in(&self, hashes: &mut [WordHash; LANES], letters: &[u32; LANES], before: u32) {
        let small = letters.map(in_small);
        for step in 0..4 {
            for lane in 0..LANES {
                let mut next = hashes[lane];
                next.push(small[lane] >> (8 * step) & 0xff);
                let goes_on = before + step < self.lengths[lane];
                hashes[lane] = if goes_on { next } else { hashes[lane] };
            }
        }
    }
}

/// Four letters in small letters, provided that they are ASCII.
#[inline(always)]
fn in_small(letters: u32) -> u32 {
    // The highest bit of a byte is set from `A` on, and from behind `Z` on.
    let from_a = letters.wrapping_add(0x3f3f_3f3f);
    let behind_z = letters.wrapping_add(0x2525_2525);
    letters | (from_a & !behind_z & 0x8080_8080) >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_hash() {
        let text = b"The QUICK_fox09 of ZzAa@[ tail";
        let mut words = ShortWords::default();
        let places =
            [(0, 3), (4, 15), (16, 18), (19, 23), (26, 30), (0, 1), (29, 30), (4, 9), (10, 15)];
        for (from, to) in places {
            words.put(text, from, to);
        }
        let expected = ["the", "quick_fox09", "of", "zzaa", "tail", "t", "l", "quick", "fox09"];
        let mut hashes = [0; ROOM];
        assert_eq!(words.settle(&mut hashes), expected.len());
        assert_eq!(hashes[..expected.len()], expected.map(WordHash::of));
        assert_eq!(words.settle(&mut hashes), 0);
    }
}
