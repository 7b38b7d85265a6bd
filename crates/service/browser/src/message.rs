//! Framing of DevTools messages: JSON, each followed by a NUL byte.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Message {
    pub(super) id: Option<u64>,
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) session_id: String,
    pub(super) params: Option<Box<RawValue>>,
    pub(super) result: Option<Box<RawValue>>,
    pub(super) error: Option<ProtocolError>,
}

#[derive(Deserialize)]
pub(super) struct ProtocolError {
    pub(super) message: String,
}

/// Splits a byte stream into messages; drops messages beyond `max_bytes`.
pub(super) struct MessageBuffer {
    bytes: Vec<u8>,
    max_bytes: usize,
    too_long: bool,
}

impl MessageBuffer {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { bytes: Vec::new(), max_bytes, too_long: false }
    }

    pub(super) fn push(&mut self, mut chunk: &[u8], mut take: impl FnMut(&[u8])) {
        while let Some(end) = chunk.iter().position(|byte| *byte == 0) {
            self.add(&chunk[..end]);
            if !self.too_long {
                take(&self.bytes);
            }
            // A large message must not keep its memory for the small ones.
            self.bytes.clear();
            self.bytes.shrink_to(64 * 1024);
            self.too_long = false;
            chunk = &chunk[end + 1..];
        }
        self.add(chunk);
    }

    fn add(&mut self, part: &[u8]) {
        if self.too_long || self.bytes.len() + part.len() > self.max_bytes {
            self.too_long = true;
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_split_and_too_long_ones_dropped() {
        let mut seen = Vec::new();
        let mut buffer = MessageBuffer::new(5);
        for chunk in [&b"ab"[..], b"c\0", b"toolong\0de\0\0f", b"ghijklmnop", b"\0end\0"] {
            buffer.push(chunk, |message| seen.push(String::from_utf8_lossy(message).into_owned()));
        }
        assert_eq!(seen, ["abc", "de", "", "end"]);
    }
}
