//! Bit masks over blocks of 64 bytes, one bit per byte.
//!
//! Text is processed in blocks: bytes are classified without branches, so that the compiler
//! vectorizes the loop, and runs are found by counting zeros.

/// Number of bytes in a block, one for each bit of a mask.
pub const BLOCK: usize = 64;

/// The mask of the bytes for which `class` returns 1; bit 0 is the first byte. `class` returns 1 or
/// 0 and must not branch.
#[inline(always)]
pub fn mask(block: &[u8; BLOCK], class: impl Fn(u8) -> u8) -> u64 {
    let mut flags = [0_u8; BLOCK];
    for (flag, byte) in flags.iter_mut().zip(block) {
        *flag = class(*byte);
    }
    let (eights, _) = flags.as_chunks::<8>();
    let mut mask = 0;
    for (eight, at) in eights.iter().zip(0..) {
        // The multiplication moves each flag to a different bit of the highest byte without
        // carries.
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * at);
    }
    mask
}

/// The number of bytes for which `class` returns 1.
#[inline(always)]
pub fn count(block: &[u8; BLOCK], class: impl Fn(u8) -> u8) -> u32 {
    // The sum of 64 flags fits a byte.
    block.iter().map(|byte| class(*byte)).sum::<u8>().into()
}

/// 1 for ASCII letters, 0 for other bytes.
#[inline(always)]
pub fn is_letter(byte: u8) -> u8 {
    u8::from((byte | 0x20).wrapping_sub(b'a') < 26)
}

/// 1 for ASCII digits, 0 for other bytes.
#[inline(always)]
pub fn is_digit(byte: u8) -> u8 {
    u8::from(byte.wrapping_sub(b'0') < 10)
}

/// 1 for bytes outside of ASCII, 0 for others.
#[inline(always)]
pub fn is_non_ascii(byte: u8) -> u8 {
    byte >> 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mask_sets_one_bit_per_byte() {
        for at in 0..BLOCK {
            let mut block = [b' '; BLOCK];
            block[at] = b'x';
            assert_eq!(mask(&block, is_letter), 1 << at);
            assert_eq!(mask(&block, |byte| 1 - is_letter(byte)), !(1 << at));
            assert_eq!(count(&block, |byte| 1 - is_letter(byte)), 63);
        }
    }

    #[test]
    fn ascii_classes_match_the_standard_library() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_letter(byte) == 1, byte.is_ascii_alphabetic());
            assert_eq!(is_digit(byte) == 1, byte.is_ascii_digit());
            assert_eq!(is_non_ascii(byte) == 1, !byte.is_ascii());
        }
    }
}
