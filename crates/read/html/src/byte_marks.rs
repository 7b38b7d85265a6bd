//! Which of 64 bytes are of a kind, as the bits of a word.
//!
//! Text is looked through 64 bytes at a time: kinds are told without a branch, so that the
//! compiler makes vectors of it, and runs are then found by counting zeros.

/// How many bytes are looked at together.
pub const BLOCK: usize = 64;

/// One bit for each byte of the kind, the first byte's the lowest. `kind` says 1 of a byte
/// that is of it and 0 of another, without a branch.
#[inline(always)]
pub fn marks(block: &[u8; BLOCK], kind: impl Fn(u8) -> u8) -> u64 {
    let mut flags = [0_u8; BLOCK];
    for (flag, byte) in flags.iter_mut().zip(block) {
        *flag = kind(*byte);
    }
    let (eights, _) = flags.as_chunks::<8>();
    let mut marks = 0;
    for (eight, at) in eights.iter().zip(0..) {
        // Every flag is shifted to a bit of its own in the highest byte; no two sums meet.
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        marks |= bits << (8 * at);
    }
    marks
}

/// How many bytes are of the kind.
#[inline(always)]
pub fn count(block: &[u8; BLOCK], kind: impl Fn(u8) -> u8) -> u32 {
    // All of them at once fit a byte.
    block.iter().map(|byte| kind(*byte)).sum::<u8>().into()
}

/// 1 for letters of ASCII.
#[inline(always)]
pub fn is_letter(byte: u8) -> u8 {
    u8::from((byte | 0x20).wrapping_sub(b'a') < 26)
}

/// 1 for digits of ASCII.
#[inline(always)]
pub fn is_digit(byte: u8) -> u8 {
    u8::from(byte.wrapping_sub(b'0') < 10)
}

/// 1 for what is no ASCII.
#[inline(always)]
pub fn is_wide(byte: u8) -> u8 {
    byte >> 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_bit() {
        for at in 0..BLOCK {
            let mut block = [b' '; BLOCK];
            block[at] = b'x';
            assert_eq!(marks(&block, is_letter), 1 << at);
            assert_eq!(marks(&block, |byte| 1 - is_letter(byte)), !(1 << at));
            assert_eq!(count(&block, |byte| 1 - is_letter(byte)), 63);
        }
    }

    #[test]
    fn kinds_are_those_of_the_standard_library() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_letter(byte) == 1, byte.is_ascii_alphabetic());
            assert_eq!(is_digit(byte) == 1, byte.is_ascii_digit());
            assert_eq!(is_wide(byte) == 1, !byte.is_ascii());
        }
    }
}
