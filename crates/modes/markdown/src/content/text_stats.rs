//! Statistics of the text of a block: counts of words and punctuation, and word hashes.
//!
//! One pass over the text. A word is a run of letters, digits and underscores; in scripts without
//! spaces every character is a word.

use std::cell::RefCell;
use std::sync::LazyLock;

use pulp::{Arch, Simd, WithSimd};
use text::vocabulary;

use super::word_hash::WordHash;
use html::byte_mask::{BLOCK, count, is_digit, is_letter, is_non_ascii, mask};

mod word_cache;

use word_cache::{CachedWord, WordCache};

thread_local! {
    /// Per thread, because the cache is independent of the text.
    static WORD_CACHE: RefCell<WordCache> = RefCell::new(WordCache::new());
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct TextStats {
    pub words: u32,
    pub link_words: u32,
    /// Characters including punctuation and spaces.
    pub characters: u32,
    /// Full stops, exclamation and question marks.
    pub sentence_ends: u32,
    pub digits: u32,
    pub stop_words: u32,
    /// A currency sign is next to a digit.
    pub has_price: bool,
}

/// A part of a text with the same formatting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextSpan {
    /// Byte offset of its end.
    pub end: usize,
    pub in_link: bool,
}

impl TextStats {
    /// Share of its words that are in links.
    pub fn link_share(&self) -> f32 {
        self.link_words as f32 / self.words.max(1) as f32
    }

    /// Sentence ends per word.
    pub fn sentence_share(&self) -> f32 {
        self.sentence_ends as f32 / self.words.max(1) as f32
    }

    /// Counts in a text with collapsed white space that consists of `spans`. Appends the hashes
    /// of its words to `hashes`.
    pub fn read(text: &str, spans: &[TextSpan], hashes: &mut Vec<u32>) -> Self {
        WORD_CACHE.with_borrow_mut(|word_cache| {
            let stats = Self::default();
            let mut scanner = TextScanner { text, stats, hashes, word_cache, spans };
            let may_be_priced = Arch::new().dispatch(ScanText(&mut scanner));
            let mut stats = scanner.stats;
            stats.has_price = may_be_priced && has_price(text);
            stats
        })
    }
}

/// The scan of a text with the widest vectors of the machine.
struct ScanText<'r, 'a>(&'r mut TextScanner<'a>);

impl WithSimd for ScanText<'_, '_> {
    /// Whether the text may contain a currency sign.
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> bool {
        let spans = self.0.spans;
        let is_mixed = spans.iter().any(|span| span.in_link != spans[0].in_link);
        if is_mixed { self.0.read::<true>() } else { self.0.read::<false>() }
    }
}

struct TextScanner<'a> {
    text: &'a str,
    stats: TextStats,
    hashes: &'a mut Vec<u32>,
    word_cache: &'a mut WordCache,
    spans: &'a [TextSpan],
}

impl TextScanner<'_> {
    /// Finds runs without ASCII punctuation: words, unless they contain non-ASCII. `MIXED` texts
    /// are partly links.
    #[inline(always)]
    fn read<const MIXED: bool>(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let first_hash = self.hashes.len();
        self.hashes.reserve(bytes.len() / 4);
        // Start of the current run, and whether there is one.
        let (mut start, mut was_inside) = (0, 0_u64);
        let (mut was_wide, mut money) = (false, 0);
        let mut characters = bytes.len();
        let mut from = 0;
        while from < bytes.len() {
            let padded;
            let block: &[u8; BLOCK] = match bytes[from..].first_chunk() {
                Some(block) => block,
                None => {
                    padded = end_block(&bytes[from..]);
                    &padded
                }
            };
            let wide = if block.is_ascii() { 0 } else { mask(block, is_non_ascii) };
            let inside =
                wide | mask(block, |it| is_letter(it) | is_digit(it) | u8::from(it == b'_'));
            self.stats.digits += count(block, is_digit);
            self.stats.sentence_ends += count(block, ends_sentence);
            money |= count(block, |byte| u8::from(byte == b'$'));
            if wide != 0 {
                money = 1;
                characters -= count(block, |byte| u8::from(byte & 0xc0 == 0x80)) as usize;
            }
            let before = inside << 1 | was_inside;
            let (mut beginnings, mut ends) = (inside & !before, before & !inside);
            let mut next_start = || {
                let at = from + beginnings.trailing_zeros() as usize;
                beginnings &= beginnings.wrapping_sub(1);
                at
            };
            if was_inside == 0 {
                start = next_start();
            }
            if was_wide || wide != 0 {
                while ends != 0 {
                    let end = from + ends.trailing_zeros() as usize;
                    ends &= ends - 1;
                    self.run::<MIXED>(start, end);
                    start = next_start();
                }
            } else {
                // Maximum number of words in a block.
                let (mut hashes, mut count, mut stop_words) = ([0; BLOCK / 2], 0, 0);
                while ends != 0 {
                    let end = from + ends.trailing_zeros() as usize;
                    ends &= ends - 1;
                    self.begin_word::<MIXED>(start);
                    let cached = self.word_cache.read(bytes, start, end);
                    stop_words += cached.is_stop_word;
                    hashes[count % hashes.len()] = cached.hash;
                    count += 1;
                    start = next_start();
                }
                self.stats.stop_words += stop_words;
                self.hashes.extend_from_slice(hashes.get(..count).unwrap_or_default());
            }
            was_inside = inside >> 63;
            was_wide = wide != 0 || (was_wide && was_inside != 0);
            from += BLOCK;
        }
        if was_inside != 0 {
            self.run::<MIXED>(start, bytes.len());
        }
        self.stats.words = number(self.hashes.len() - first_hash);
        if !MIXED && self.spans.first().is_some_and(|all| all.in_link) {
            self.stats.link_words = self.stats.words;
        }
        self.stats.characters = number(characters);
        money != 0
    }

    /// Processes a run that may contain non-ASCII.
    #[inline(never)]
    fn run<const MIXED: bool>(&mut self, from: usize, to: usize) {
        let bytes = self.text.as_bytes();
        if !bytes[from..to].is_ascii() {
            self.wide_run::<MIXED>(from, to);
            return;
        }
        self.begin_word::<MIXED>(from);
        let cached = self.word_cache.read(bytes, from, to);
        self.end_word(cached);
    }

    /// Processes a run with non-ASCII characters.
    fn wide_run<const MIXED: bool>(&mut self, from: usize, to: usize) {
        let mut word = None;
        for (at, character) in self.text.get(from..to).unwrap_or_default().char_indices() {
            if character.is_ascii() {
                self.letter::<MIXED>(&mut word, character.to_ascii_lowercase(), from + at);
            } else if !character.is_alphanumeric() {
                word.take().into_iter().for_each(|hash| self.end_word(CachedWord::of(hash)));
                let ends = matches!(character, '。' | '！' | '？');
                self.stats.sentence_ends += u32::from(ends);
            } else if is_written_without_spaces(character) {
                word.take().into_iter().for_each(|hash| self.end_word(CachedWord::of(hash)));
                self.letter::<MIXED>(&mut word, character, from + at);
                word.take().into_iter().for_each(|hash| self.end_word(CachedWord::of(hash)));
            } else {
                self.stats.digits += u32::from(character.is_numeric());
                let small = character.to_lowercase().next().unwrap_or(character);
                self.letter::<MIXED>(&mut word, small, from + at);
            }
        }
        word.into_iter().for_each(|hash| self.end_word(CachedWord::of(hash)));
    }

    fn letter<const MIXED: bool>(&mut self, word: &mut Option<WordHash>, small: char, at: usize) {
        if word.is_none() {
            self.begin_word::<MIXED>(at);
        }
        word.get_or_insert(WordHash::new()).push(small.into());
    }

    /// Counts words in links separately, if the text is mixed.
    #[inline(always)]
    fn begin_word<const MIXED: bool>(&mut self, at: usize) {
        if !MIXED {
            return;
        }
        while let Some((first, rest)) = self.spans.split_first() {
            if at < first.end || rest.is_empty() {
                self.stats.link_words += u32::from(first.in_link);
                break;
            }
            self.spans = rest;
        }
    }

    fn end_word(&mut self, cached: CachedWord) {
        self.stats.stop_words += cached.is_stop_word;
        self.hashes.push(cached.hash);
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// 1 for a stop word, 0 for others.
fn is_stop_word(hash: u32) -> u32 {
    (STOP_BITS[(hash >> 22) as usize] >> ((hash >> 16) & 63) & 1) as u32
}

/// The last bytes of a text, padded with bytes that count nothing.
#[inline(always)]
fn end_block(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [b' '; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

#[inline(always)]
fn ends_sentence(byte: u8) -> u8 {
    u8::from(byte == b'.') | u8::from(byte == b'!') | u8::from(byte == b'?')
}

/// Whether its script is written without spaces between words.
fn is_written_without_spaces(character: char) -> bool {
    matches!(u32::from(character),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff
        | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff
        | 0x2_0000..=0x3_ffff)
}

/// Whether a currency sign is next to a digit.
fn has_price(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3_iter(b'$', 0xc2, 0xe2, bytes).any(|at| {
        let length = match (bytes[at], bytes.get(at + 1..at + 3)) {
            (b'$', _) => 1,
            // £ and ¥.
            (0xc2, Some([0xa3 | 0xa5, ..])) => 2,
            // Currency signs from U+20A0 on, including €.
            (0xe2, Some([0x82, 0xa0..=0xbf])) => 3,
            _ => return false,
        };
        let behind = bytes.get(at + length..).unwrap_or_default();
        let behind = behind.strip_prefix(b" ").unwrap_or(behind);
        let before = bytes.get(..at).unwrap_or_default();
        let before = before.strip_suffix(b" ").unwrap_or(before);
        behind.first().is_some_and(u8::is_ascii_digit)
            || before.last().is_some_and(u8::is_ascii_digit)
    })
}

/// Bit table of stop words, indexed by the low bits of the hash.
static STOP_BITS: LazyLock<Box<[u64; 1024]>> = LazyLock::new(|| {
    let mut bits = Box::new([0; 1024]);
    for word in vocabulary::words(term_file!("stop_words.txt")) {
        let hash = WordHash::of(word);
        bits[(hash >> 22) as usize] |= 1 << ((hash >> 16) & 63);
    }
    bits
});

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> TextStats {
        TextStats::read(text, &[], &mut Vec::new())
    }

    #[test]
    fn words_and_punctuation_are_counted() {
        let stats = read("The price, of one TV, is $ 299. Buy!");
        assert_eq!((stats.words, stats.sentence_ends, stats.digits), (8, 2, 3));
        assert!(stats.has_price);
    }

    #[test]
    fn characters_of_scripts_without_spaces_are_words() {
        assert_eq!(read("東京都 Tokyo").words, 4);
        assert_eq!(read("Größe über Ångström").words, 3);
    }

    #[test]
    fn word_hash_ignores_case() {
        let hashes = |text| {
            let mut hashes = Vec::new();
            TextStats::read(text, &[], &mut hashes);
            hashes
        };
        assert_eq!(hashes("ÄPFEL And"), hashes("äpfel and"));
        assert_eq!(hashes("and"), [WordHash::of("and")]);
    }

    /// Reference implementation, word by word and character by character.
    fn reference(text: &str) -> (u32, u32, Vec<u32>) {
        let small = |sign: char| sign.to_lowercase().next().unwrap_or(sign);
        let parts = text.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
        let words = parts.filter(|word| !word.is_empty());
        let hashes: Vec<_> =
            words.map(|word| WordHash::of(&word.chars().map(small).collect::<String>())).collect();
        let digits = text.chars().filter(|sign| sign.is_numeric()).count();
        let ends = text.chars().filter(|sign| matches!(sign, '.' | '!' | '?')).count();
        (digits as u32, ends as u32, hashes)
    }

    #[test]
    fn vector_and_reference_counts_agree_at_every_length() {
        let parts =
            ["The ", "Antidisestablishmentarianism", " of", "_x", "9", ", é", "ß.", "’s ", "!"];
        for length in 0..300 {
            let text: String = (0..length).map(|at| parts[at * at % 37 % parts.len()]).collect();
            let mut hashes = Vec::new();
            let stats = TextStats::read(&text, &[], &mut hashes);
            let expected = reference(&text);
            assert_eq!(stats.words as usize, hashes.len());
            assert_eq!(stats.characters as usize, text.chars().count());
            assert_eq!((stats.digits, stats.sentence_ends, hashes), expected, "{text}");
        }
    }

    #[test]
    fn block_full_of_words_is_counted_completely() {
        for text in ["a ".repeat(150), format!("{}b{}", "x".repeat(63), " a".repeat(150))] {
            let mut hashes = Vec::new();
            let stats = TextStats::read(&text, &[], &mut hashes);
            assert_eq!((stats.digits, stats.sentence_ends, hashes), reference(&text));
            assert_eq!(stats.stop_words, 150);
        }
    }

    #[test]
    fn link_words_are_counted_separately() {
        let spans = [TextSpan { end: 4, in_link: false }, TextSpan { end: 12, in_link: true }];
        let stats = TextStats::read("see the page", &spans, &mut Vec::new());
        assert_eq!((stats.words, stats.link_words), (3, 2));
        for in_link in [true, false] {
            let spans = [TextSpan { end: 4, in_link }, TextSpan { end: 12, in_link }];
            let stats = TextStats::read("see the page", &spans, &mut Vec::new());
            assert_eq!(stats.link_words, if in_link { 3 } else { 0 });
        }
    }
}
