//! What is counted and summed up of a text.

use std::borrow::Cow;

use xxhash_rust::xxh3::Xxh3;

/// So many characters that stand for undecodable bytes make a page one that was not decoded well.
const GARBLED: usize = 8;

/// About how many tokens a language model makes of a text: one of four ASCII characters, of two
/// of other alphabets, of each sign of Chinese, Japanese or Korean, and two of an emoji.
pub(crate) fn tokens(text: &str) -> u64 {
    let mut quarters = 0_u64;
    for byte in text.bytes() {
        quarters += match byte {
            0..0x80 => 1,
            // What goes on a character.
            0x80..0xc0 => 0,
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 4,
            0xf0.. => 8,
        };
    }
    quarters.div_ceil(4)
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
    let mut letters = Vec::with_capacity(256);
    for text in texts {
        letters.clear();
        for character in text.chars() {
            if character.is_ascii() {
                if character.is_ascii_alphanumeric() {
                    letters.push(character.to_ascii_lowercase() as u8);
                }
            } else if character.is_alphanumeric() {
                for lower in character.to_lowercase() {
                    letters.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
        hash.update(&letters);
    }
    format!("{:016x}", hash.digest())
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
