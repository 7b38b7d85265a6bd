//! The messages of the DevTools protocol, as far as their form goes: JSON with a NUL behind each.

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
    pub(super) error: Option<Complaint>,
}

#[derive(Deserialize)]
pub(super) struct Complaint {
    pub(super) message: String,
}

/// What has come of a message so far.
pub(super) struct Gathered {
    bytes: Vec<u8>,
    longest: usize,
    too_long: bool,
}

impl Gathered {
    pub(super) fn new(longest: usize) -> Self {
        Self { bytes: Vec::new(), longest, too_long: false }
    }

    pub(super) fn push(&mut self, mut chunk: &[u8], mut take: impl FnMut(&[u8])) {
        while let Some(end) = chunk.iter().position(|byte| *byte == 0) {
            self.add(&chunk[..end]);
            if !self.too_long {
                take(&self.bytes);
            }
            // A long message must not leave its buffer to all the short ones.
            self.bytes.clear();
            self.bytes.shrink_to(64 * 1024);
            self.too_long = false;
            chunk = &chunk[end + 1..];
        }
        self.add(chunk);
    }

    fn add(&mut self, part: &[u8]) {
        if self.too_long || self.bytes.len() + part.len() > self.longest {
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
    fn messages_are_gathered_and_those_too_long_are_skipped() {
        let mut seen = Vec::new();
        let mut gathered = Gathered::new(5);
        for chunk in [&b"ab"[..], b"c\0", b"toolong\0de\0\0f", b"ghijklmnop", b"\0end\0"] {
            gathered
                .push(chunk, |message| seen.push(String::from_utf8_lossy(message).into_owned()));
        }
        assert_eq!(seen, ["abc", "de", "", "end"]);
    }
}
