//! What is counted and summed up of a text.

use pulp::{Arch, Simd, WithSimd};

/// So many characters that stand for undecodable bytes make a page one that was not decoded well.
const GARBLED: usize = 8;

/// About how many tokens a language model makes of a text: one of four ASCII characters, of two
/// of other alphabets, of each sign of Chinese, Japanese or Korean, and two of an emoji.
pub(crate) fn tokens(text: &str) -> u64 {
    Arch::new().dispatch(Quarters(text.as_bytes())).div_ceil(4)
}

/// The question how many quarters of a token a text has, in the widest vectors that the
/// machine has.
struct Quarters<'a>(&'a [u8]);

impl WithSimd for Quarters<'_> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> u64 {
        // A byte that goes on a character counts nothing, none more than eight. Rows of bytes
        // are added up side by side, as many of them as a byte has room for the sum of.
        let quarters = |byte: u8| {
            u8::from(byte < 0x80)
                + 2 * u8::from(byte >= 0xc0)
                + 2 * u8::from(byte >= 0xe0)
                + 4 * u8::from(byte >= 0xf0)
        };
        let mut total = 0;
        for rows in self.0.chunks(31 * 32) {
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
        total
    }
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

/// Whether a text shows that it was not written in the encoding it was read in.
pub(crate) fn is_garbled(html: &str) -> bool {
    // Its first byte begins little else.
    let bytes = html.as_bytes();
    let begun =
        memchr::memchr_iter(0xef, bytes).filter(|at| bytes[*at..].starts_with(b"\xef\xbf\xbd"));
    begun.take(GARBLED).count() == GARBLED
}

#[cfg(test)]
mod tests {
    use super::*;

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
