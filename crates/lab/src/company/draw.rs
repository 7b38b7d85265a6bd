//! Chance that repeats itself: the same seed draws the same company, on every machine.

/// A sequence of numbers that look unrelated (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Draw(u64);

impl Draw {
    /// A sequence of its own for one purpose, so that another draw elsewhere changes nothing here.
    pub(super) fn apart(seed: u64, purpose: &str) -> Self {
        let mixed = purpose.bytes().fold(seed ^ 0x51_7c_c1_b7, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut draw = Self(mixed);
        draw.next();
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; zero when the bound is.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// One of `choices`, or the type's default when there are none.
    pub(super) fn pick<T: Copy + Default>(&mut self, choices: &[T]) -> T {
        let at = self.below(choices.len());
        choices.get(at).copied().unwrap_or_default()
    }

    /// `count` digits, none of the first two a zero or a one: no plan of numbers begins so.
    pub(super) fn digits(&mut self, count: usize) -> String {
        let digit =
            |(at, n): (usize, usize)| char::from(b'0' + (if at < 2 { n % 8 + 2 } else { n }) as u8);
        (0..count).map(|_| self.below(10)).enumerate().map(digit).collect()
    }
}
