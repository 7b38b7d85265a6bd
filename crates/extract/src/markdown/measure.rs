//! What is counted and summed up of a text.

use std::borrow::Cow;

use xxhash_rust::xxh3::Xxh3;

/// So many characters that stand for undecodable bytes make a page one that was not decoded well.
const GARBLED: usize = 8;

/// About how many tokens a language model makes of a text: one of four ASCII characters, of two
/// of other alphabets, of each sign of Chinese, Japanese or Korean, and two of an emoji.
pub(crate) fn tokens(text: &str) -> u64 {
    // A byte that goes on a character counts nothing. Few bytes at a time, whose sum fits a
    // byte: so they are added up side by side.
    let quarters = |byte: u8| {
        u8::from(byte < 0x80)
            + 2 * u8::from(byte >= 0xc0)
            + 2 * u8::from(byte >= 0xe0)
            + 4 * u8::from(byte >= 0xf0)
    };
    let sums = text.as_bytes().chunks(31).map(|bytes| {
        let sum: u8 = bytes.iter().map(|byte| quarters(*byte)).sum();
        u64::from(sum)
    });
    sums.sum::<u64>().div_ceil(4)
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
    // A letter may be longer in small: by a half at most, and few are.
    room.resize(room.len().max(2 * text.len()), 0);
    let places = room.as_mut_slice();
    let (bytes, mut at, mut length) = (text.as_bytes(), 0, 0);
    while let Some(&byte) = bytes.get(at) {
        if let Some(small) = SMALL.get(usize::from(byte)) {
            // Written in any case, and kept if it is something: no branch to foresee.
            places[length] = *small;
            length += usize::from(*small != 0);
            at += 1;
            continue;
        }
        let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
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
    &room[..length]
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
