//! A cache of word hashes. A hash takes one dependent step per letter, and most words of a text
//! occurred before.

use super::super::word_hash::WordHash;
use super::is_stop_word;

/// Maximum length of a cached word: as many letters as fit a `u64`.
const LETTERS: usize = 8;

/// Number of cached words.
const CACHE_SIZE: usize = 1024;

/// The properties of a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CachedWord {
    pub hash: u32,
    /// 1 for a stop word, 0 for others.
    pub is_stop_word: u32,
}

/// Direct-mapped cache: the letters of each word in lower case, the first one lowest, and its
/// properties.
#[derive(Debug)]
pub(super) struct WordCache([(u64, CachedWord); CACHE_SIZE]);

/// Bit masks of the letters of words of each length.
const MASKS: [u64; LETTERS + 1] = {
    let mut masks = [0; LETTERS + 1];
    let mut length = 1;
    while length <= LETTERS {
        masks[length] = u64::MAX >> (64 - 8 * length);
        length += 1;
    }
    masks
};

impl WordCache {
    pub fn new() -> Self {
        Self([(0, CachedWord::default()); CACHE_SIZE])
    }

    /// The ASCII word between two offsets of a text.
    #[inline(always)]
    pub fn read(&mut self, text: &[u8], from: usize, to: usize) -> CachedWord {
        let length = to - from;
        if length > LETTERS {
            return CachedWord::of_long(&text[from..to]);
        }
        let rest = &text[from..];
        let letters = match rest.first_chunk::<LETTERS>() {
            Some(letters) => u64::from_le_bytes(*letters),
            None => last_letters(rest),
        };
        let letters = to_lowercase(letters & MASKS[length.min(LETTERS)]);
        let slot = letters.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CACHE_SIZE.ilog2());
        let (known_letters, known) = &mut self.0[slot as usize % CACHE_SIZE];
        if *known_letters != letters {
            (*known_letters, *known) = (letters, CachedWord::of_letters(letters));
        }
        *known
    }
}

/// The last letters of a text with fewer than `LETTERS` left.
#[inline(never)]
fn last_letters(rest: &[u8]) -> u64 {
    rest.iter().rev().fold(0, |letters, letter| letters << 8 | u64::from(*letter))
}

impl CachedWord {
    pub fn of(hash: WordHash) -> Self {
        let hash = hash.finish();
        Self { hash, is_stop_word: is_stop_word(hash) }
    }

    /// A word that is too long for the cache.
    #[inline(never)]
    fn of_long(letters: &[u8]) -> Self {
        let mut hash = WordHash::new();
        for letter in letters {
            hash.push(u32::from(letter.to_ascii_lowercase()));
        }
        Self::of(hash)
    }

    #[inline(never)]
    fn of_letters(letters: u64) -> Self {
        let mut hash = WordHash::new();
        for letter in letters.to_le_bytes().into_iter().take_while(|letter| *letter != 0) {
            hash.push(letter.into());
        }
        Self::of(hash)
    }
}

/// Eight ASCII letters in lower case.
#[inline(always)]
fn to_lowercase(letters: u64) -> u64 {
    // The highest bit of a byte is set from `A` on, and from after `Z` on.
    let from_a = letters.wrapping_add(0x3f3f_3f3f_3f3f_3f3f);
    let behind_z = letters.wrapping_add(0x2525_2525_2525_2525);
    letters | (from_a & !behind_z & 0x8080_8080_8080_8080) >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_and_computed_hashes_agree() {
        let text = b"The QUICK_fo of ZzAa@[ tail";
        let mut words = WordCache::new();
        let places = [(0, 3), (4, 12), (13, 15), (16, 20), (23, 27), (0, 1), (26, 27), (4, 9)];
        let expected = ["the", "quick_fo", "of", "zzaa", "tail", "t", "l", "quick"];
        // A cache miss, then a hit.
        for _ in 0..2 {
            let hashes = places.map(|(from, to)| words.read(text, from, to).hash);
            assert_eq!(hashes, expected.map(WordHash::of));
        }
        assert_eq!(
            (words.read(text, 0, 3).is_stop_word, words.read(text, 4, 9).is_stop_word),
            (1, 0)
        );
    }

    #[test]
    fn colliding_words_are_distinguished() {
        let mut words = WordCache::new();
        for number in 0..10 * CACHE_SIZE {
            let word = format!("w{number:x}");
            assert_eq!(words.read(word.as_bytes(), 0, word.len()).hash, WordHash::of(&word));
        }
    }
}
