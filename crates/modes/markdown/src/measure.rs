//! Metrics of a text: token estimate, shares, encoding errors.

use pulp::{Arch, Simd, WithSimd};

/// Number of replacement characters from which a page counts as badly decoded.
const MAX_REPLACEMENT_CHARS: usize = 8;

/// Estimated number of language model tokens: one per four ASCII characters, per two characters of
/// other alphabets, per CJK character, and two per emoji.
pub(crate) fn tokens(text: &str) -> u64 {
    Arch::new().dispatch(Quarters(text.as_bytes())).div_ceil(4)
}

/// Counts quarters of tokens with the widest vectors of the machine.
struct Quarters<'a>(&'a [u8]);

impl WithSimd for Quarters<'_> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> u64 {
        // Continuation bytes count 0, no byte more than 8. Rows of bytes are summed side by side,
        // as many as fit a byte.
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

/// A ratio from 0 to 1, rounded to hundredths.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of words of one page")]
    let share = part.min(whole) as f64 / whole as f64;
    (share * 100.0).round() / 100.0
}

/// Whether a text has many replacement characters, so that its encoding was misdetected.
pub(crate) fn is_badly_decoded(html: &str) -> bool {
    // The first byte of U+FFFD begins few other characters.
    let bytes = html.as_bytes();
    let begun =
        memchr::memchr_iter(0xef, bytes).filter(|at| bytes[*at..].starts_with(b"\xef\xbf\xbd"));
    begun.take(MAX_REPLACEMENT_CHARS).count() == MAX_REPLACEMENT_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_estimate_is_plausible() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("four words of English"), 6);
        assert_eq!(tokens("\u{65e5}\u{672c}"), 2);
    }

    #[test]
    fn ratio_is_rounded_and_bounded() {
        assert_eq!((share(0, 0), share(1, 3), share(5, 4)), (0.0, 0.33, 1.0));
    }
}
