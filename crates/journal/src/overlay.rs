//! What is known of delivered items only later: merged into them on reading.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::{self, JournalError};
use crate::found::Ways;

const LEVEL: i32 = 3;

/// What is newer than an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    pub depth: Option<u32>,
    pub inlinks: u32,
    pub ways: Ways,
    pub orphan: bool,
    pub in_sitemap: bool,
}

impl Revision {
    /// The members of an item that it knows better, with their values.
    #[must_use]
    pub fn members(&self) -> [(&'static str, Value); 5] {
        let ways = self.ways.discovered_by();
        let ways = ways.into_iter().map(|way| Value::from(way.as_str())).collect::<Vec<_>>();
        [
            ("depth", Value::from(self.depth)),
            ("inlinks", Value::from(self.inlinks)),
            ("discovered_by", Value::from(ways)),
            ("orphan", Value::from(self.orphan)),
            ("in_sitemap", Value::from(self.in_sitemap)),
        ]
    }

    /// Writes it into the item.
    pub fn apply(&self, item: &mut Value) {
        let Some(item) = item.as_object_mut() else { return };
        for (member, value) in self.members() {
            // Only what the item's mode has: an overlay adds no member.
            if let Some(slot) = item.get_mut(member) {
                *slot = value;
            }
        }
    }
}

/// Revisions of consecutive items.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Overlay {
    pub revisions: Vec<Revision>,
}

impl Overlay {
    /// The overlay, ready to be stored.
    ///
    /// # Errors
    /// [`JournalError`] when it cannot be compressed.
    pub fn encode(&self) -> Result<Vec<u8>, JournalError> {
        codec::encode(self, LEVEL)
    }

    /// The overlay that was stored.
    ///
    /// # Errors
    /// [`JournalError`] when the bytes are damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, JournalError> {
        codec::decode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Via;

    #[test]
    fn a_revision_changes_what_is_there_and_adds_nothing() {
        let mut item = serde_json::json!(
            {"url": "u", "depth": 3, "inlinks": 1, "discovered_by": [], "orphan": false, "x": 1}
        );
        let mut ways = Ways::default();
        ways.add(Via::Sitemap);
        let revision = Revision { depth: None, inlinks: 7, ways, orphan: true, in_sitemap: true };
        revision.apply(&mut item);
        assert_eq!(
            item.to_string(),
            r#"{"url":"u","depth":null,"inlinks":7,"discovered_by":["sitemap"],"orphan":true,"x":1}"#
        );
    }
}
