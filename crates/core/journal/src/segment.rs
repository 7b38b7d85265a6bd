//! Segments: delivered items or skipped URLs as lines of JSON, compressed together.

use serde::Serialize;

use crate::envelope::{self, StoredPayload};
use crate::error::{JournalError, damaged};
use crate::payload_type::PayloadType;

/// Compression level of new segments, which are merged later.
const FRESH_LEVEL: i32 = 1;

/// Compression level of merged segments, which are kept and read often.
const LEVEL: i32 = 3;

/// Consecutive items or skipped URLs of a run, encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Number of items in it.
    pub count: usize,
    pub bytes: Vec<u8>,
    /// The length of each item as JSON, in bytes.
    pub lengths: Vec<u32>,
}

impl Segment {
    /// Encodes items.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when they cannot be encoded.
    pub fn pack<T: Serialize>(items: &[T]) -> Result<Self, JournalError> {
        let mut text = Vec::with_capacity(items.len() * 512);
        let mut lengths = Vec::with_capacity(items.len());
        for item in items {
            let start = text.len();
            sonic_rs::to_writer(&mut text, item).map_err(damaged)?;
            lengths.push(length(text.len() - start));
            text.push(b'\n');
        }
        let bytes = envelope::compress(PayloadType::Segment, &text, FRESH_LEVEL)?;
        Ok(Self { count: items.len(), bytes, lengths })
    }

    /// Encodes the lines of other segments, which are JSON already.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when they cannot be compressed.
    pub fn pack_lines(lines: &[String]) -> Result<Self, JournalError> {
        let mut text = lines.join("\n");
        if !lines.is_empty() {
            text.push('\n');
        }
        let lengths = lines.iter().map(|line| length(line.len())).collect();
        let bytes = envelope::compress(PayloadType::Segment, text.as_bytes(), LEVEL)?;
        Ok(Self { count: lines.len(), bytes, lengths })
    }

    /// Decodes a segment into the JSON text of each item.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged or of an unknown version.
    pub fn lines(bytes: &[u8]) -> Result<Vec<String>, JournalError> {
        let stored = StoredPayload::open(PayloadType::Segment, bytes, bytes.len())?;
        let text = match stored.version() {
            1 | 2 => String::from_utf8(stored.decompress()?).map_err(damaged)?,
            _ => return Err(stored.unknown_version()),
        };
        Ok(text.lines().map(str::to_owned).collect())
    }
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every item is one line, whatever its texts contain.
        #[test]
        fn items_survive_packing_line_by_line(texts in prop::collection::vec("(?s).*", 0..20)) {
            let segment = Segment::pack(&texts).expect("it packs");
            prop_assert_eq!(segment.count, texts.len());
            let lines = Segment::lines(&segment.bytes).expect("it unpacks");
            let back: Vec<String> =
                lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            prop_assert_eq!(back, texts);
            let lengths: Vec<_> = lines.iter().map(|line| line.len() as u32).collect();
            prop_assert_eq!(segment.lengths, lengths);
            let again = Segment::pack_lines(&lines).expect("it packs");
            prop_assert_eq!(Segment::lines(&again.bytes).expect("it unpacks"), lines);
        }

        /// `sonic_rs` and `serde_json` write the same text.
        #[test]
        fn lines_equal_serde_json_output(
            item in (any::<f64>(), any::<f32>(), any::<(i64, u64, Option<bool>)>(), "(?s).*"),
            names in prop::collection::btree_map("(?s).{0,4}", prop::option::of(".*"), 0..4),
        ) {
            let item = (item, names);
            let segment = Segment::pack(std::slice::from_ref(&item)).expect("it packs");
            let lines = Segment::lines(&segment.bytes).expect("it unpacks");
            prop_assert_eq!(lines, [serde_json::to_string(&item).expect("JSON")]);
        }
    }

    /// The checksum of the frame. Bits that do not matter for the content may change.
    #[test]
    fn altered_segment_is_an_error_or_has_the_same_lines() {
        let lines: Vec<String> = (0..50)
            .map(|n| format!(r#"{{"url":"https://a.test/{n}","title":"Page {n}"}}"#))
            .collect();
        let whole = Segment::pack_lines(&lines).expect("it packs").bytes;
        let mut errors = 0;
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut altered = whole.clone();
                altered[at] ^= 1 << bit;
                match Segment::lines(&altered) {
                    Ok(read) => assert_eq!(read, lines, "byte {at}, bit {bit}"),
                    Err(_) => errors += 1,
                }
            }
        }
        assert!(errors > whole.len() * 7, "{errors} of {} bits", whole.len() * 8);
    }
}
