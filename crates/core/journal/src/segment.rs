//! Items, as they were delivered or left out: lines of JSON, compressed together.

use serde::Serialize;

use crate::codec::{self, JournalError};

/// What a run has just brought: it is packed again, with more, before long.
const FRESH_LEVEL: i32 = 1;

/// What stays, and is read often.
const LEVEL: i32 = 3;

/// Some consecutive items of a run, or of what it left out, encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// How many items it holds.
    pub count: usize,
    /// Their encoded form.
    pub bytes: Vec<u8>,
    /// The length of each as JSON, in bytes.
    pub lengths: Vec<u32>,
}

impl Segment {
    /// Packs the items.
    ///
    /// # Errors
    /// [`JournalError`] when they cannot be encoded.
    pub fn pack<T: Serialize>(items: &[T]) -> Result<Self, JournalError> {
        let mut text = Vec::with_capacity(items.len() * 512);
        let mut lengths = Vec::with_capacity(items.len());
        for item in items {
            let start = text.len();
            sonic_rs::to_writer(&mut text, item).map_err(codec::damaged)?;
            lengths.push(length(text.len() - start));
            text.push(b'\n');
        }
        Ok(Self { count: items.len(), bytes: codec::seal(&text, FRESH_LEVEL)?, lengths })
    }

    /// Packs the lines of other segments, which are JSON already.
    ///
    /// # Errors
    /// [`JournalError`] when they cannot be compressed.
    pub fn pack_lines(lines: &[String]) -> Result<Self, JournalError> {
        let mut text = lines.join("\n");
        if !lines.is_empty() {
            text.push('\n');
        }
        let lengths = lines.iter().map(|line| length(line.len())).collect();
        Ok(Self { count: lines.len(), bytes: codec::seal(text.as_bytes(), LEVEL)?, lengths })
    }

    /// The items of an encoded segment, each as its JSON text.
    ///
    /// # Errors
    /// [`JournalError`] when the bytes are damaged.
    pub fn lines(bytes: &[u8]) -> Result<Vec<String>, JournalError> {
        let text = String::from_utf8(codec::open(bytes)?)
            .map_err(|cause| JournalError::Damaged(cause.to_string()))?;
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
        /// Whatever a page says, an item is one line and comes back as it was.
        #[test]
        fn items_come_back_line_by_line(texts in prop::collection::vec("(?s).*", 0..20)) {
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

        /// The same value is the same text, whichever of the house's writers of JSON wrote it.
        #[test]
        fn lines_are_written_as_everywhere(
            item in (any::<f64>(), any::<f32>(), any::<(i64, u64, Option<bool>)>(), "(?s).*"),
            names in prop::collection::btree_map("(?s).{0,4}", prop::option::of(".*"), 0..4),
        ) {
            let item = (item, names);
            let segment = Segment::pack(std::slice::from_ref(&item)).expect("it packs");
            let lines = Segment::lines(&segment.bytes).expect("it unpacks");
            prop_assert_eq!(lines, [serde_json::to_string(&item).expect("JSON")]);
        }
    }
}
