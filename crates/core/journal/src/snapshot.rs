//! A snapshot: the state of a run at one commit, in parts that fit into database rows.

use std::io::{self, BufRead, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codec::{self, JournalError};

/// Maximum size of a part.
pub const PART_BYTES: usize = 1 << 20;

const LEVEL: i32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// Parts instead of one buffer, which would be copied while it grows and again when it is cut.
    parts: Vec<Vec<u8>>,
}

impl Snapshot {
    /// Encodes a state.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when it cannot be encoded.
    pub fn of<T: Serialize>(state: &T) -> Result<Self, JournalError> {
        codec::encode_to(Self::default(), state, LEVEL)
    }

    /// The size of all parts, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().map(Vec::as_slice)
    }

    /// Joins the parts of a stored snapshot.
    #[must_use]
    pub fn join(parts: Vec<Vec<u8>>) -> Self {
        Self { parts }
    }

    /// Decodes the state.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged.
    pub fn state<T: DeserializeOwned>(&self) -> Result<T, JournalError> {
        codec::decode_from(PartsReader { parts: self.parts(), part: &[] }, self.size())
    }
}

impl Snapshot {
    /// Lets `patch` replace bytes of the encoded state in place. `None` if it changed nothing.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged.
    pub fn patched(
        &self,
        patch: impl FnOnce(&mut [u8]) -> bool,
    ) -> Result<Option<Self>, JournalError> {
        let mut bytes =
            codec::unpack_from(PartsReader { parts: self.parts(), part: &[] }, self.size())?;
        if !patch(&mut bytes) {
            return Ok(None);
        }
        let mut changed = Self::default();
        changed.write_all(&codec::pack(&bytes, LEVEL)?).map_err(codec::damaged)?;
        Ok(Some(changed))
    }
}

impl Write for Snapshot {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_full = |part: &Vec<u8>| part.len() >= PART_BYTES;
        if self.parts.last().is_none_or(is_full) {
            self.parts.push(Vec::new());
        }
        let Some(part) = self.parts.last_mut() else { return Ok(0) };
        let taken = bytes.len().min(PART_BYTES - part.len());
        part.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the parts as one stream.
struct PartsReader<'a, P> {
    parts: P,
    part: &'a [u8],
}

impl<'a, P: Iterator<Item = &'a [u8]>> BufRead for PartsReader<'a, P> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.part.is_empty()
            && let Some(next) = self.parts.next()
        {
            self.part = next;
        }
        Ok(self.part)
    }

    fn consume(&mut self, amount: usize) {
        self.part = self.part.get(amount..).unwrap_or_default();
    }
}

impl<'a, P: Iterator<Item = &'a [u8]>> Read for PartsReader<'a, P> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut here = self.fill_buf()?;
        let read = here.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_parts_decode_to_the_same_state() {
        // Incompressible, so that it takes several parts.
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
        assert_eq!(Snapshot::join(parts).state::<Vec<u64>>().expect("it decodes"), state);
    }
}
