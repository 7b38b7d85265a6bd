//! Search for single bytes in blocks of 16 and 64 bytes.
//!
//! Tags and the texts between them are short: a call of a search function takes as long as the
//! search itself. Blocks are compared inline, with the vector instructions that every machine of
//! the target has; other targets use code that the compiler vectorizes.

use memchr::memchr;

/// A block of 64 bytes of a page, in four vectors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteBlock([Vector; 4]);

impl ByteBlock {
    /// Number of bytes of a block.
    pub(crate) const SIZE: usize = 64;

    /// The bytes of `bytes` from `at`; `None` if there are fewer than a block.
    #[inline(always)]
    pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let block: &[u8; Self::SIZE] = bytes.get(at..)?.first_chunk()?;
        let (parts, _) = block.as_chunks::<16>();
        Some(Self([
            Vector::load(&parts[0]),
            Vector::load(&parts[1]),
            Vector::load(&parts[2]),
            Vector::load(&parts[3]),
        ]))
    }

    /// The mask of the bytes that equal `byte`; bit 0 is the first byte.
    #[inline(always)]
    pub(crate) fn equal(&self, byte: u8) -> u64 {
        let [a, b, c, d] = self.0.map(|part| u64::from(part.equal(byte)));
        a | b << 16 | c << 32 | d << 48
    }

    /// The mask of the bytes that equal one of two.
    #[inline(always)]
    pub(crate) fn equal_either(&self, one: u8, other: u8) -> u64 {
        let [a, b, c, d] = self.0.map(|part| u64::from(part.equal_either(one, other)));
        a | b << 16 | c << 32 | d << 48
    }
}

/// A vector of 16 bytes of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vector(imp::Bytes);

impl Vector {
    #[inline(always)]
    pub(crate) fn load(bytes: &[u8; 16]) -> Self {
        Self(imp::load(bytes))
    }

    /// The first 16 bytes of `bytes` and their number; fewer are followed by zeros.
    #[inline(always)]
    pub(crate) fn prefix(bytes: &[u8]) -> (Self, usize) {
        match bytes.first_chunk() {
            Some(first) => (Self::load(first), 16),
            None => (Self::load(&padded(bytes).to_le_bytes()), bytes.len()),
        }
    }

    /// The mask of the bytes that equal `byte`; bit 0 is the first byte.
    #[inline(always)]
    pub(crate) fn equal(self, byte: u8) -> u16 {
        imp::mask(imp::equal(self.0, byte))
    }

    /// The mask of the bytes that equal one of two.
    #[inline(always)]
    pub(crate) fn equal_either(self, one: u8, other: u8) -> u16 {
        imp::mask(imp::or(imp::equal(self.0, one), imp::equal(self.0, other)))
    }

    /// The mask of the bytes from `first` to `last`.
    #[inline(always)]
    pub(crate) fn between(self, first: u8, last: u8) -> u16 {
        imp::mask(imp::between(self.0, first, last))
    }
}

/// Fewer than 16 bytes as a little-endian number, read by words that overlap: a copy of a variable
/// length is a call.
#[inline(always)]
fn padded(bytes: &[u8]) -> u128 {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|word| u128::from(u64::from_le_bytes(*word)));
        first | last << (8 * (length - 8))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|word| u64::from(u32::from_le_bytes(*word)));
        (first | last << (8 * (length - 4))).into()
    } else {
        bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
    }
}

/// Offset of the first `byte`, for a search that mostly ends within a block.
#[inline(always)]
pub(crate) fn find_near(byte: u8, bytes: &[u8]) -> Option<usize> {
    match ByteBlock::at(bytes, 0).map(|block| block.equal(byte)) {
        Some(0) => Some(ByteBlock::SIZE + memchr(byte, &bytes[ByteBlock::SIZE..])?),
        Some(mask) => Some(mask.trailing_zeros() as usize),
        None => memchr(byte, bytes),
    }
}

/// Whether a text, mostly a short one, contains `byte`, which is not zero.
#[inline]
pub(crate) fn contains(byte: u8, bytes: &[u8]) -> bool {
    match bytes.len() {
        0..16 => Vector::prefix(bytes).0.equal(byte) != 0,
        16..=64 => {
            let (parts, _) = bytes.as_chunks::<16>();
            let last = bytes.last_chunk().map_or(0, |last| Vector::load(last).equal(byte));
            parts.iter().fold(last, |found, part| found | Vector::load(part).equal(byte)) != 0
        }
        _ => memchr(byte, bytes).is_some(),
    }
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use std::arch::x86_64::__m128i;

    use pulp::bytemuck;
    use pulp::core_arch::x86::Sse2;

    pub(super) type Bytes = __m128i;

    /// The instructions; known at compile time, without a check at run time.
    #[inline(always)]
    fn sse2() -> Sse2 {
        Sse2::try_new().expect("every x86-64 machine has SSE2")
    }

    #[inline(always)]
    pub(super) fn load(bytes: &[u8; 16]) -> Bytes {
        bytemuck::cast(*bytes)
    }

    #[inline(always)]
    pub(super) fn equal(bytes: Bytes, byte: u8) -> Bytes {
        sse2()._mm_cmpeq_epi8(bytes, sse2()._mm_set1_epi8(byte.cast_signed()))
    }

    #[inline(always)]
    pub(super) fn between(bytes: Bytes, first: u8, last: u8) -> Bytes {
        let above = sse2()._mm_sub_epi8(bytes, sse2()._mm_set1_epi8(first.cast_signed()));
        let most = sse2()._mm_set1_epi8((last - first).cast_signed());
        sse2()._mm_cmpeq_epi8(sse2()._mm_min_epu8(above, most), above)
    }

    #[inline(always)]
    pub(super) fn or(one: Bytes, other: Bytes) -> Bytes {
        sse2()._mm_or_si128(one, other)
    }

    #[inline(always)]
    pub(super) fn mask(flags: Bytes) -> u16 {
        sse2()._mm_movemask_epi8(flags) as u16
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod imp {
    pub(super) type Bytes = [u8; 16];

    #[inline(always)]
    pub(super) fn load(bytes: &[u8; 16]) -> Bytes {
        *bytes
    }

    #[inline(always)]
    pub(super) fn equal(bytes: Bytes, byte: u8) -> Bytes {
        bytes.map(|known| u8::from(known == byte))
    }

    #[inline(always)]
    pub(super) fn between(bytes: Bytes, first: u8, last: u8) -> Bytes {
        bytes.map(|known| u8::from(known.wrapping_sub(first) <= last - first))
    }

    #[inline(always)]
    pub(super) fn or(one: Bytes, other: Bytes) -> Bytes {
        std::array::from_fn(|at| one[at] | other[at])
    }

    #[inline(always)]
    pub(super) fn mask(flags: Bytes) -> u16 {
        let (eights, _) = flags.as_chunks::<8>();
        // The multiplication moves each flag to a different bit of the highest byte.
        let bits = |eight: [u8; 8]| {
            (u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u16
        };
        bits(eights[0]) | bits(eights[1]) << 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_one_bit_per_byte() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        for from in 0..=bytes.len() - ByteBlock::SIZE {
            let block = ByteBlock::at(&bytes, from).expect("enough bytes");
            let part = Vector::load(bytes[from..].first_chunk().expect("enough bytes"));
            for (byte, at) in bytes[from..from + 64].iter().zip(0..) {
                assert_eq!(block.equal(*byte), 1 << at);
                assert_eq!(block.equal_either(*byte, bytes[from]), 1 << at | 1);
                let expected = (0..16).filter(|at| (b'\t'..=b'\r').contains(&bytes[from + at]));
                let expected = expected.fold(0, |mask, at| mask | 1 << at);
                assert_eq!(part.between(b'\t', b'\r'), expected);
            }
        }
        assert!(ByteBlock::at(&bytes, 193).is_none());
    }

    #[test]
    fn short_search_examines_every_byte() {
        for length in 0..100 {
            let bytes = vec![b'\''; length];
            assert!(!contains(b'&', &bytes));
            for at in 0..length {
                let mut bytes = bytes.clone();
                bytes[at] = b'&';
                assert!(contains(b'&', &bytes), "{at} of {length}");
            }
        }
    }

    #[test]
    fn short_prefixes_are_padded_with_zeros() {
        for length in 0..20 {
            let bytes: Vec<u8> = (1..=length).collect();
            let (part, known) = Vector::prefix(&bytes);
            assert_eq!(known, bytes.len().min(16));
            for (byte, at) in bytes.iter().zip(0..16) {
                assert_eq!(part.equal(*byte), 1 << at);
            }
            assert_eq!(part.equal(0).count_ones() as usize, 16 - known);
        }
    }

    #[test]
    fn near_search_finds_the_first_occurrence() {
        for length in [1, 15, 64, 65, 200] {
            for at in 0..length {
                let mut bytes = vec![b'.'; length];
                bytes[at..].fill(b'<');
                assert_eq!(find_near(b'<', &bytes), Some(at));
                assert_eq!(find_near(b'>', &bytes), None);
            }
        }
    }
}
