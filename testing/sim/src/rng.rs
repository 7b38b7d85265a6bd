//! Seeded random numbers: the same seed gives the same numbers on every machine.

/// A random number generator (splitmix64).
#[derive(Debug, Clone)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    /// A generator for a seed. `purpose` separates the generators of one run, so that one more draw
    /// in one of them does not shift the others.
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut rng = Self { state: seed ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93) };
        rng.next();
        rng
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// An index into a list of this length.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.next() % length.max(1) as u64).unwrap_or(0)
    }

    /// True with this probability in percent.
    pub fn percent(&mut self, cases: u64) -> bool {
        self.next() % 100 < cases
    }

    /// A random element of a list.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())]
    }
}
