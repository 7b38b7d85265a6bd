//! The whole state of a run at one moment, cut into parts that a row can hold.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codec::{self, JournalError};

/// No part is larger than this.
pub const PART_BYTES: usize = 1 << 20;

const LEVEL: i32 = 1;

/// An encoded state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    bytes: Vec<u8>,
}

impl Snapshot {
    /// Encodes a state.
    ///
    /// # Errors
    /// [`JournalError`] when it cannot be encoded.
    pub fn of<T: Serialize>(state: &T) -> Result<Self, JournalError> {
        Ok(Self { bytes: codec::encode(state, LEVEL)? })
    }

    /// Its size.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Its parts, in order.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks(PART_BYTES)
    }

    /// The snapshot that was cut into these parts.
    #[must_use]
    pub fn join(parts: &[Vec<u8>]) -> Self {
        Self { bytes: parts.concat() }
    }

    /// The state.
    ///
    /// # Errors
    /// [`JournalError`] when the bytes are damaged.
    pub fn state<T: DeserializeOwned>(&self) -> Result<T, JournalError> {
        codec::decode(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_join_to_the_same_state() {
        // Incompressible, so that it really takes several parts.
        let mut seed = 1_u64;
        let state: Vec<u64> = (0..400_000)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                seed
            })
            .collect();
        let snapshot = Snapshot::of(&state).expect("it encodes");
        let parts: Vec<Vec<u8>> = snapshot.parts().map(<[u8]>::to_vec).collect();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= PART_BYTES));
        assert_eq!(Snapshot::join(&parts).state::<Vec<u64>>().expect("it decodes"), state);
    }
}
