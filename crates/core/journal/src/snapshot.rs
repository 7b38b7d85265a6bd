//! A snapshot: the state of a run at one commit, in parts that fit into database rows.

use std::io::{self, BufRead, Read, Write};

use serde::Serialize;

use crate::envelope::{self, StoredPayload};
use crate::error::JournalError;
use crate::payload_type::PayloadType;

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
    pub fn of<T: Serialize>(payload: PayloadType, state: &T) -> Result<Self, JournalError> {
        envelope::encode_to(payload, Self::default(), state, LEVEL)
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

    /// Reads the header. The type of the state decodes the body by its version.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the snapshot is of another type or damaged.
    pub fn open(
        &self,
        payload: PayloadType,
    ) -> Result<StoredPayload<impl BufRead + '_>, JournalError> {
        StoredPayload::open(payload, self.reader(), self.size())
    }

    fn reader(&self) -> impl BufRead + '_ {
        PartsReader { parts: self.parts(), part: &[] }
    }

    /// Lets `patch` replace bytes of the encoded state in place. `None` if it changed nothing.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged.
    pub fn patched(
        &self,
        patch: impl FnOnce(&mut [u8]) -> bool,
    ) -> Result<Option<Self>, JournalError> {
        envelope::patch_to(Self::default(), self.reader(), self.size(), LEVEL, patch)
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
        let snapshot = Snapshot::of(PayloadType::SiteSnapshot, &state).expect("it encodes");
        let parts: Vec<Vec<u8>> = snapshot.parts().map(<[u8]>::to_vec).collect();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= PART_BYTES));
        let joined = Snapshot::join(parts);
        let stored = joined.open(PayloadType::SiteSnapshot).expect("a header");
        assert_eq!(stored.decode::<Vec<u64>>().expect("it decodes"), state);
    }
}
