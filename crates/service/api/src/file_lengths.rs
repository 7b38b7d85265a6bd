//! The lengths of files that HEAD requests asked for.
//!
//! The length of a file is known once it is written. A ticket's file is written once a minute for
//! HEAD at most, however often a client asks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use contract::{ExportId, Millis};
use export::FileKind;

/// How long a length is used: an erasure may shorten the file.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// Lengths that are kept at a time.
const KEPT: usize = 1_024;

#[derive(Debug, Default)]
pub(crate) struct FileLengths(Mutex<HashMap<ExportId, Measured>>);

/// A file as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Measured {
    pub kind: FileKind,
    pub bytes: u64,
    /// How many results it holds.
    pub results: u64,
    pub at: Millis,
}

impl FileLengths {
    /// The file of this ticket, if it was written with this many results within the last minute.
    pub fn get(&self, id: &ExportId, results: u64, now: Millis) -> Option<Measured> {
        let lengths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lengths.get(id).copied();
        found.filter(|found| found.results == results && now.since(found.at) < KEPT_FOR)
    }

    pub fn keep(&self, id: ExportId, measured: Measured) {
        let mut lengths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lengths.len() >= KEPT {
            lengths.retain(|_, kept| measured.at.since(kept.at) < KEPT_FOR);
        }
        if lengths.len() < KEPT {
            lengths.insert(id, measured);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_holds_for_a_minute_and_for_the_same_results() {
        let (lengths, start) = (FileLengths::default(), Millis(1_000_000));
        let id = |n: u8| ExportId::new(start, [n; 10]);
        let file = Measured { kind: FileKind::Csv, bytes: 10, results: 3, at: start };
        lengths.keep(id(1), file);
        assert_eq!(lengths.get(&id(1), 3, start), Some(file));
        assert_eq!(lengths.get(&id(1), 4, start), None);
        assert_eq!(lengths.get(&id(2), 3, start), None);
        assert_eq!(lengths.get(&id(1), 3, start.plus(KEPT_FOR)), None);
    }
}
