//! Chance that repeats itself: the same seed draws the same shop or company, on every
//! machine.

/// A sequence of numbers that look unrelated (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        let mut draw = Self(seed);
        draw.next();
        draw
    }

    /// A sequence of its own for one purpose, so that another draw elsewhere changes nothing here.
    pub(crate) fn apart(seed: u64, purpose: u64) -> Self {
        let mut first = Self::new(seed ^ purpose.wrapping_mul(0xd134_2543_de82_ef95));
        Self::new(first.next())
    }

    /// The same for a purpose that has a name.
    pub(crate) fn named(seed: u64, purpose: &str) -> Self {
        Self::new(purpose.bytes().fold(seed ^ 0x51_7c_c1_b7, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; zero when the bound is.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: u8) -> bool {
        self.below(100) < usize::from(percent)
    }

    /// One of `choices`, or the type's default when there are none.
    pub(crate) fn pick<T: Copy + Default>(&mut self, choices: &[T]) -> T {
        let at = self.below(choices.len());
        choices.get(at).copied().unwrap_or_default()
    }

    /// `count` different ones of `choices`, in their order.
    pub(crate) fn some<T: Copy>(&mut self, choices: &[T], count: usize) -> Vec<T> {
        let mut left = count.min(choices.len());
        let mut kept = Vec::with_capacity(left);
        for (at, choice) in choices.iter().enumerate() {
            if self.below(choices.len() - at) < left {
                kept.push(*choice);
                left -= 1;
            }
        }
        kept
    }

    /// `count` digits, the first of them not zero.
    pub(crate) fn digits(&mut self, count: usize) -> String {
        let digit = |(at, n): (usize, usize)| {
            char::from(b'0' + (if at == 0 { n % 9 + 1 } else { n }) as u8)
        };
        (0..count).map(|_| self.below(10)).enumerate().map(digit).collect()
    }

    /// `count` digits, none of the first two a zero or a one: no plan of numbers begins so.
    pub(crate) fn line_digits(&mut self, count: usize) -> String {
        let digit =
            |(at, n): (usize, usize)| char::from(b'0' + (if at < 2 { n % 8 + 2 } else { n }) as u8);
        (0..count).map(|_| self.below(10)).enumerate().map(digit).collect()
    }

    /// `count` capital letters that are not taken for digits.
    pub(crate) fn letters(&mut self, count: usize) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHKLMNPRSTUVWXZ";
        (0..count).map(|_| char::from(LETTERS[self.below(LETTERS.len())])).collect()
    }
}
