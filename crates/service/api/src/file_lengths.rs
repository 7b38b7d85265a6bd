//! A cache of file lengths for HEAD requests.
//!
//! The length of a file is known only after it is written. For HEAD, the file of a ticket is
//! written at most once per minute.

use std::collections::HashMap;
use std::time::Duration;

use contract::{ExportId, Millis};
use export::FileKind;
use parking_lot::Mutex;

/// Entries are used for this long: an erasure may shorten the file.
const TTL: Duration = Duration::from_secs(60);

/// Maximum number of entries.
const MAX_ENTRIES: usize = 1_024;

#[derive(Debug, Default)]
pub(crate) struct FileLengths(Mutex<HashMap<ExportId, MeasuredFile>>);

/// The properties of a written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MeasuredFile {
    pub kind: FileKind,
    pub bytes: u64,
    /// Number of results in the file.
    pub results: u64,
    pub at: Millis,
}

impl FileLengths {
    /// The file of this ticket, if it was written with this many results within the last minute.
    pub fn get(&self, id: &ExportId, results: u64, now: Millis) -> Option<MeasuredFile> {
        let found = self.0.lock().get(id).copied();
        found.filter(|found| found.results == results && now.since(found.at) < TTL)
    }

    pub fn keep(&self, id: ExportId, measured: MeasuredFile) {
        let mut lengths = self.0.lock();
        if lengths.len() >= MAX_ENTRIES {
            lengths.retain(|_, kept| measured.at.since(kept.at) < TTL);
        }
        if lengths.len() < MAX_ENTRIES {
            lengths.insert(id, measured);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_length_expires_after_a_minute_or_with_new_results() {
        let (lengths, start) = (FileLengths::default(), Millis(1_000_000));
        let id = |n: u8| ExportId::new(start, [n; 10]);
        let file = MeasuredFile { kind: FileKind::Csv, bytes: 10, results: 3, at: start };
        lengths.keep(id(1), file);
        assert_eq!(lengths.get(&id(1), 3, start), Some(file));
        assert_eq!(lengths.get(&id(1), 4, start), None);
        assert_eq!(lengths.get(&id(2), 3, start), None);
        assert_eq!(lengths.get(&id(1), 3, start.plus(TTL)), None);
    }
}
