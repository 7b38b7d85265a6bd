//! What is counted and summed up of a text.

use std::borrow::Cow;

use xxhash_rust::xxh3::Xxh3;

use crate::byte_marks::{BLOCK, is_digit, is_letter, marks};

/// So many characters that stand for undecodable bytes make a page one that was not decoded well.
const GARBLED: usize = 8;

/// About how many tokens a language model makes of a text: one of four ASCII characters, of two
/// of other alphabets, of each sign of Chinese, Japanese or Korean, and two of an emoji.
pub(crate) fn tokens(text: &str) -> u64 {
    // A byte that goes on a character counts nothing, none more than eight. Rows of bytes are
    // added up side by side, as many of them as a byte has room for the sum of.
    let quarters = |byte: u8| {
        u8::from(byte < 0x80)
            + 2 * u8::from(byte >= 0xc0)
            + 2 * u8::from(byte >= 0xe0)
            + 4 * u8::from(byte >= 0xf0)
    };
    let mut total = 0_u64;
    for rows in text.as_bytes().chunks(31 * 32) {
        let mut sums = [0_u8; 32];
        let (whole, rest) = rows.as_chunks::<32>();
        for row in whole {
            for (sum, byte) in sums.iter_mut().zip(row) {
                *sum += quarters(*byte);
            }
        }
        let rest = rest.iter().map(|byte| u64::from(quarters(*byte)));
        total += sums.iter().map(|sum| u64::from(*sum)).chain(rest).sum::<u64>();
    }
    total.div_ceil(4)
}

/// A share, from 0 to 1, in hundredths.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of words of one page")]
    let share = part.min(whole) as f64 / whole as f64;
    (share * 100.0).round() / 100.0
}

/// 16 hexadecimal digits for the letters and digits of texts: neither spaces nor signs nor
/// case count, so that one text in two layouts is one.
pub(crate) fn hash_of_letters<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> String {
    let mut hash = Xxh3::new();
    let mut room = Vec::new();
    for text in texts {
        hash.update(small_letters(&text, &mut room));
    }
    format!("{:016x}", hash.digest())
}

/// What each byte of ASCII is in small letters; nothing for what is neither letter nor digit.
const SMALL: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        let character = byte as u8;
        if character.is_ascii_alphanumeric() {
            table[byte] = character.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

/// The letters and digits of a text in small letters, written into `room`.
fn small_letters<'a>(text: &str, room: &'a mut Vec<u8>) -> &'a [u8] {
    // A letter may be longer in small: by a half at most, and few are. Runs are written a
    // little past their end.
    room.resize(room.len().max(2 * text.len() + PIECE), 0);
    let places = room.as_mut_slice();
    let (bytes, mut at, mut length) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        let block = bytes[at..].first_chunk::<BLOCK>();
        if let Some(block) = block.filter(|block| block.is_ascii()) {
            length += small_runs(block, &mut places[length..]);
            at += BLOCK;
        } else {
            let end = bytes.len().min(at + BLOCK);
            (at, length) = small_characters(text, at, end, places, length);
        }
    }
    &room[..length]
}

/// How many bytes of a run are written at once.
const PIECE: usize = 16;

/// Writes the letters and digits of a block of ASCII; tells how many they are.
fn small_runs(block: &[u8; BLOCK], places: &mut [u8]) -> usize {
    let mut small = [0_u8; BLOCK + PIECE];
    for (small, byte) in small.iter_mut().zip(block) {
        *small = byte | (u8::from(byte.wrapping_sub(b'A') < 26) << 5);
    }
    let inside = marks(block, |byte| is_letter(byte) | is_digit(byte));
    // Where runs begin and end, by turns.
    let mut edges = inside ^ (inside << 1);
    let mut length = 0;
    while edges != 0 {
        let from = edges.trailing_zeros() as usize;
        edges &= edges - 1;
        let run = edges.trailing_zeros() as usize - from;
        edges &= edges.wrapping_sub(1);
        // Mostly one piece; what is written past the run is overwritten by the next.
        let mut written = 0;
        while written < run {
            let piece = small[from + written..].first_chunk::<PIECE>();
            let place = places[length + written..].first_chunk_mut::<PIECE>();
            if let (Some(place), Some(piece)) = (place, piece) {
                *place = *piece;
            }
            written += PIECE;
        }
        length += run;
    }
    length
}

/// The same character by character, from a place on up to another or just behind it. Tells
/// where both have come to.
fn small_characters(
    text: &str,
    mut at: usize,
    end: usize,
    places: &mut [u8],
    mut length: usize,
) -> (usize, usize) {
    while at < end {
        if let Some(small) = SMALL.get(usize::from(text.as_bytes()[at])) {
            // Written in any case, and kept if it is something: no branch to foresee.
            places[length] = *small;
            length += usize::from(*small != 0);
            at += 1;
            continue;
        }
        let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            return (text.len(), length);
        };
        at += character.len_utf8();
        if character.is_alphanumeric() {
            for small in character.to_lowercase() {
                if let Some(place) = places.get_mut(length..length + small.len_utf8()) {
                    small.encode_utf8(place);
                    length += small.len_utf8();
                }
            }
        }
    }
    (at, length)
}

/// Whether a text shows that it was not written in the encoding it was read in.
pub(crate) fn is_garbled(html: &str) -> bool {
    memchr::memmem::find_iter(html.as_bytes(), "\u{fffd}").take(GARBLED).count() == GARBLED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_does_not_count() {
        let hash =
            |texts: &[&'static str]| hash_of_letters(texts.iter().map(|text| Cow::Borrowed(*text)));
        assert_eq!(
            hash(&["One text,", "two LINES \u{c4}"]),
            hash(&["one", " text two lines \u{e4}."])
        );
        assert_ne!(hash(&["One text"]), hash(&["One test"]));
    }

    #[test]
    fn every_letter_fits_in_small() {
        let mut room = Vec::new();
        for character in ('\0'..=char::MAX).filter(|character| character.is_alphanumeric()) {
            let small: String = character.to_lowercase().collect();
            let text = String::from(character).repeat(3);
            assert_eq!(small_letters(&text, &mut room), small.repeat(3).as_bytes(), "{text}");
            room.clear();
        }
    }

    #[test]
    fn long_texts_are_written_as_short_ones() {
        let mut room = Vec::new();
        let signs =
            ["A word, ", "\u{c4}", "averyveryverylongword1234567890", "_ - ", "x", "\u{130}9"];
        for length in 0..400 {
            let text: String = (0..length).map(|at| signs[at * at % 31 % signs.len()]).collect();
            let letters = text.chars().filter(|character| character.is_alphanumeric());
            let small: String = letters.flat_map(char::to_lowercase).collect();
            assert_eq!(small_letters(&text, &mut room), small.as_bytes(), "{text}");
        }
    }

    #[test]
    fn tokens_are_about_right() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("four words of English"), 6);
        assert_eq!(tokens("\u{65e5}\u{672c}"), 2);
    }

    #[test]
    fn shares_are_shares() {
        assert_eq!((share(0, 0), share(1, 3), share(5, 4)), (0.0, 0.33, 1.0));
    }
}
