//! Text with collapsed white space, as browsers render it.

use pulp::{Arch, Simd, WithSimd};

use crate::byte_block::Vector;
use crate::byte_mask::BLOCK;

/// A string builder that collapses runs of white space to one space, trims both ends and stops at a
/// limit in bytes.
#[derive(Debug)]
pub struct Collapsed {
    text: String,
    limit: usize,
    words: u64,
    /// White space was read after the last word.
    gap: bool,
    full: bool,
}

impl Default for Collapsed {
    /// A builder without a limit.
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl Collapsed {
    pub fn new(limit: usize) -> Self {
        Self { text: String::new(), limit, words: 0, gap: true, full: false }
    }

    /// Collapses one string, up to `limit` bytes.
    pub fn of(text: &str, limit: usize) -> String {
        let mut collapsed = Self::new(limit);
        collapsed.push(text);
        collapsed.take()
    }

    /// Appends text; it continues the last word unless white space or a [gap](Self::gap) precedes
    /// it.
    pub fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() && !self.full {
            // Indentation between tags is a large part of the text of a page.
            let indentation = leading_ascii_space(&bytes[at..]);
            let space = if indentation > 0 { indentation } else { space_at(bytes, at) };
            if space > 0 {
                self.gap = true;
                at += space;
                continue;
            }
            let start = at;
            let more_words;
            (at, more_words) = collapsed_run(bytes, start);
            if self.gap {
                self.gap = false;
                self.words += 1;
                if !self.text.is_empty() {
                    self.append(" ");
                }
            }
            self.words += more_words;
            self.append(text.get(start..at).unwrap_or_default());
        }
    }

    fn append(&mut self, run: &str) {
        let free = self.limit.saturating_sub(self.text.len());
        if run.len() <= free {
            self.text.push_str(run);
            return;
        }
        let end = run.floor_char_boundary(free);
        self.text.push_str(&run[..end]);
        self.full = true;
    }

    /// Ends the current word, as the start or end of a block element does.
    #[inline]
    pub fn gap(&mut self) {
        self.gap = true;
    }

    /// Reserves capacity for `bytes` more bytes.
    pub fn expect(&mut self, bytes: usize) {
        self.text.reserve(bytes.min(self.limit));
    }

    pub fn words(&self) -> u64 {
        self.words
    }

    pub fn as_str(&self) -> &str {
        // The limit may have cut just after a space.
        self.text.trim_end()
    }

    /// Returns the text and resets the builder.
    pub fn take(&mut self) -> String {
        let text = self.as_str().to_owned();
        self.clear();
        text
    }

    /// Resets the builder and keeps its capacity.
    pub fn clear(&mut self) {
        self.text.clear();
        (self.words, self.gap, self.full) = (0, true, false);
    }
}

/// Bytes that are not white space and cannot begin a white space character.
const ORDINARY: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = !matches!(byte as u8, b'\t'..=b'\r' | b' ' | 0xc2 | 0xe1..=0xe3);
        byte += 1;
    }
    table
};

/// End of the run that needs no collapsing, and the number of words after the first one. Most text
/// can be copied in such runs.
fn collapsed_run(bytes: &[u8], from: usize) -> (usize, u64) {
    let (mut at, mut more_words) = (from, 0_u64);
    while at < bytes.len() {
        let (part, length) = Vector::prefix(&bytes[at..]);
        let spaces = part.equal(b' ');
        let odd = part.between(b'\t', b'\r') | part.between(0xe1, 0xe3) | part.equal(0xc2);
        // What follows the last byte is not known here.
        let mut stops = odd | (spaces & ((spaces | odd) >> 1 | 1 << (length - 1)));
        // Most characters that begin like white space are none, as in Chinese and Japanese.
        while stops != 0 && space_at(bytes, at + stops.trailing_zeros() as usize) == 0 {
            stops &= stops - 1;
        }
        let plain = length.min(stops.trailing_zeros() as usize);
        more_words += u64::from((u32::from(spaces) & ((1 << plain) - 1)).count_ones());
        at += plain;
        if stops == 0 {
            continue;
        }
        let next = bytes.get(at + 1);
        if bytes[at] == b' ' && next.is_some_and(|byte| ORDINARY[usize::from(*byte)]) {
            more_words += 1;
            at += 2;
        } else {
            break;
        }
    }
    (at, more_words)
}

/// Number of ASCII white space characters that `bytes` begin with.
#[inline]
fn leading_ascii_space(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        let (part, length) = Vector::prefix(&bytes[at..]);
        let spaces = part.equal(b' ') | part.between(b'\t', b'\r');
        at += spaces.trailing_ones() as usize;
        if length < 16 || spaces != u16::MAX {
            break;
        }
    }
    at
}

/// End of the run that can be copied unchanged, and the number of words after the first one:
/// ordinary bytes, bytes for which `is_plain` returns true, and single spaces followed by an
/// ordinary byte. `odd_byte` returns 1 for bytes that are neither ordinary nor a space.
#[inline(always)]
pub fn plain_run(
    bytes: &[u8],
    from: usize,
    ordinary: &[bool; 256],
    odd_byte: impl Fn(u8) -> u8 + Copy,
    is_plain: impl Fn(usize) -> bool,
) -> (usize, u64) {
    let (mut at, mut more_words) = (from, 0);
    loop {
        let (length, spaces) = plain_blocks(bytes.get(at..).unwrap_or_default(), odd_byte);
        at += length;
        more_words += spaces;
        // The next block contains a byte that is not plain: continue byte by byte.
        let end = bytes.len().min(at + BLOCK);
        while at < end {
            let byte = bytes[at];
            if ordinary[usize::from(byte)] || is_plain(at) {
                at += 1;
            } else if byte == b' '
                && bytes.get(at + 1).is_some_and(|next| ordinary[usize::from(*next)])
            {
                more_words += 1;
                at += 2;
            } else {
                return (at, more_words);
            }
        }
        if at >= bytes.len() {
            return (at, more_words);
        }
    }
}

/// Number of leading bytes in plain blocks, and the number of spaces in them.
#[inline(always)]
fn plain_blocks(bytes: &[u8], odd_byte: impl Fn(u8) -> u8) -> (usize, u64) {
    if bytes.len() <= BLOCK {
        return (0, 0);
    }
    Arch::new().dispatch(PlainBlocks { bytes, odd_byte })
}

/// [`plain_blocks`] with the widest vectors of the machine.
struct PlainBlocks<'a, F> {
    bytes: &'a [u8],
    odd_byte: F,
}

impl<F: Fn(u8) -> u8> WithSimd for PlainBlocks<'_, F> {
    type Output = (usize, u64);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> (usize, u64) {
        let (mut at, mut all_spaces) = (0, 0);
        while let Some(rest) = self.bytes.get(at..)
            && let Some(spaces) = spaces_in_plain_block(rest, &self.odd_byte)
        {
            all_spaces += spaces;
            at += BLOCK;
        }
        (at, all_spaces)
    }
}

/// The number of spaces in the next block, if every byte is a space or not odd and no space is
/// followed by another. Branch-free, so that the compiler vectorizes it.
#[inline(always)]
fn spaces_in_plain_block(bytes: &[u8], odd_byte: impl Fn(u8) -> u8) -> Option<u64> {
    let block: &[u8; BLOCK] = bytes.first_chunk()?;
    let following: &[u8; BLOCK] = bytes.get(1..)?.first_chunk()?;
    let (mut odd, mut spaces) = (0_u8, 0_u8);
    for (&byte, &next) in block.iter().zip(following) {
        let space = u8::from(byte == b' ');
        odd |= odd_byte(byte) | (space & u8::from(next == b' '));
        spaces += space;
    }
    // The byte after the block is not covered by the loop.
    odd |= u8::from(block[BLOCK - 1] == b' ') & odd_byte(following[BLOCK - 1]);
    (odd == 0).then_some(spaces.into())
}

/// Length in bytes of the white space at `at`; 0 if there is none.
#[inline]
fn space_at(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b'\t'..=b'\r' | b' ' => 1,
        // NEL and the no-break space.
        0xc2 => match bytes.get(at + 1) {
            Some(0x85 | 0xa0) => 2,
            _ => 0,
        },
        0xe1..=0xe3 => match bytes.get(at..at + 3) {
            // Spaces of all widths, line separator and paragraph separator.
            Some([0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf] | [0xe2, 0x81, 0x9f]) => 3,
            Some([0xe1, 0x9a, 0x80] | [0xe3, 0x80, 0x80]) => 3,
            _ => 0,
        },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn whitespace_runs_collapse_to_one_space() {
        assert_eq!(Collapsed::of(" \n a\u{a0}\u{3000} b\t", 100), "a b");
        let mut text = Collapsed::new(100);
        text.push("one wo");
        text.push("rd ");
        text.gap();
        text.push("two");
        assert_eq!((text.words(), text.as_str()), (3, "one word two"));
    }

    #[test]
    fn limit_never_splits_a_character() {
        assert_eq!(Collapsed::of("aüü", 4), "aü");
        assert_eq!(Collapsed::of("ab cd", 3), "ab");
    }

    proptest! {
        #[test]
        fn collapsing_equals_joining_split_whitespace(
            text in "(\\PC| |\\s|[a-z]{1,40} |ü|\u{a0}|\u{3000}|あ){0,60}",
            cut in 0..200_usize,
        ) {
            let expected: Vec<_> = text.split_whitespace().collect();
            let mut collapsed = Collapsed::new(usize::MAX);
            let cut = text.floor_char_boundary(cut.min(text.len()));
            collapsed.push(&text[..cut]);
            collapsed.push(&text[cut..]);
            prop_assert_eq!(collapsed.words(), expected.len() as u64);
            prop_assert_eq!(collapsed.take(), expected.join(" "));
        }
    }
}
