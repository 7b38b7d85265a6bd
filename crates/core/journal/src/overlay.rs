//! The overlay: values of delivered items that are known only later. It is merged into the items
//! when they are read.

use std::collections::BTreeMap;

use contract::Alternate;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::discovered_url::ViaSet;
use crate::envelope::{self, StoredPayload};
use crate::error::{JournalError, damaged};
use crate::payload_type::PayloadType;

const LEVEL: i32 = 3;

/// The latest values of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    pub depth: Option<u32>,
    pub inlinks: u32,
    pub ways: ViaSet,
    pub orphan: bool,
    pub in_sitemap: bool,
}

impl Revision {
    /// The JSON fields of the item with their latest values.
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

    /// Writes the values into the item.
    pub fn apply(&self, item: &mut Value) {
        let Some(item) = item.as_object_mut() else { return };
        for (member, value) in self.members() {
            // Only fields that the item's mode has: an overlay adds no field.
            if let Some(slot) = item.get_mut(member) {
                *slot = value;
            }
        }
    }
}

/// The latest values of consecutive items.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Overlay {
    pub revisions: Vec<Revision>,
    /// Translations that were merged into an item after its delivery, by the item's index.
    pub translations: BTreeMap<u64, Vec<Alternate>>,
    /// The run read no sitemap, so that `in_sitemap` is unknown.
    pub sitemap_unread: bool,
}

impl Overlay {
    /// Writes the latest values into the item at this index.
    pub fn apply(&self, index: u64, item: &mut Value) {
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some(revision) = self.revisions.get(at) {
            revision.apply(item);
        }
        if self.sitemap_unread
            && let Some(listed) = item.get_mut("in_sitemap")
        {
            *listed = Value::Null;
        }
        if let Some(translations) = self.translations.get(&index) {
            add_alternates(item, translations);
        }
    }

    /// The overlay in parts of `size` items.
    pub fn parts(&self, size: usize) -> impl Iterator<Item = Self> {
        let mut first = 0_u64;
        self.revisions.chunks(size.max(1)).map(move |revisions| {
            let end = first + revisions.len() as u64;
            let translations = self.translations.range(first..end);
            let translations =
                translations.map(|(index, with)| (index - first, with.clone())).collect();
            first = end;
            Self {
                revisions: revisions.to_vec(),
                translations,
                sitemap_unread: self.sitemap_unread,
            }
        })
    }

    /// Encodes the overlay for storage.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when it cannot be compressed.
    pub fn encode(&self) -> Result<Vec<u8>, JournalError> {
        envelope::encode(PayloadType::Overlay, self, LEVEL)
    }

    /// Decodes a stored overlay.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged or of an unknown version.
    pub fn decode(bytes: &[u8]) -> Result<Self, JournalError> {
        let stored = StoredPayload::open(PayloadType::Overlay, bytes, bytes.len())?;
        match stored.version() {
            1 => Self::from_version_1(&stored.decompress()?),
            2 => stored.decode(),
            _ => Err(stored.unknown_version()),
        }
    }

    /// Version 1 got two fields without a new version, each at its end: first the translations,
    /// then a byte 1 and `sitemap_unread`. Where the input ends says which of them it has.
    fn from_version_1(bytes: &[u8]) -> Result<Self, JournalError> {
        let (revisions, rest) = postcard::take_from_bytes(bytes).map_err(damaged)?;
        let (translations, rest) = match rest {
            [] => (BTreeMap::new(), rest),
            _ => postcard::take_from_bytes(rest).map_err(damaged)?,
        };
        let sitemap_unread = match rest {
            [] | [1, 0] => false,
            [1, 1] => true,
            _ => return Err(damaged("the end of an overlay of version 1")),
        };
        Ok(Self { revisions, translations, sitemap_unread })
    }
}

/// Adds translations to an item that has `alternates`, each once.
fn add_alternates(item: &mut Value, more: &[Alternate]) {
    let Some(Value::Array(known)) = item.get_mut("alternates") else { return };
    for alternate in more {
        let is_same = |known: &Value| {
            let url = known.get("url").and_then(Value::as_str);
            url.is_some_and(|url| urls::same_page(url, &alternate.url))
        };
        if !known.iter().any(is_same) {
            known.push(serde_json::json!({"lang": alternate.lang, "url": alternate.url}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Via;

    #[test]
    fn revision_changes_existing_fields_only() {
        let mut item = serde_json::json!(
            {"url": "u", "depth": 3, "inlinks": 1, "discovered_by": [], "orphan": false, "x": 1}
        );
        let mut ways = ViaSet::default();
        ways.add(Via::Sitemap);
        let revision = Revision { depth: None, inlinks: 7, ways, orphan: true, in_sitemap: true };
        revision.apply(&mut item);
        assert_eq!(
            item.to_string(),
            r#"{"url":"u","depth":null,"inlinks":7,"discovered_by":["sitemap"],"orphan":true,"x":1}"#
        );
    }

    fn translation(lang: &str, url: &str) -> Alternate {
        Alternate { lang: lang.to_owned(), url: url.to_owned() }
    }

    #[test]
    fn merged_translations_are_added_once() {
        let known = serde_json::json!({"lang": "fr", "url": "https://a.test/fr"});
        let mut item = serde_json::json!({"url": "u", "alternates": [known]});
        let translations =
            vec![translation("fr", "http://www.a.test/fr"), translation("en", "https://a.test/en")];
        let overlay = Overlay { translations: [(3, translations)].into(), ..Overlay::default() };
        overlay.apply(3, &mut item);
        overlay.apply(3, &mut item);
        let urls: Vec<_> = item["alternates"].as_array().expect("a list").iter().collect();
        assert_eq!(urls.len(), 2, "{item}");
        assert_eq!(urls[1]["lang"], "en");
        let mut link = serde_json::json!({"url": "u"});
        overlay.apply(3, &mut link);
        assert_eq!(link, serde_json::json!({"url": "u"}));
    }

    #[test]
    fn parts_keep_their_translations() {
        let ways = ViaSet::default();
        let revision =
            |inlinks| Revision { depth: None, inlinks, ways, orphan: false, in_sitemap: false };
        let translations = |n: u64| (n, vec![translation("en", &format!("https://a.test/{n}"))]);
        let overlay = Overlay {
            revisions: (0..10).map(revision).collect(),
            translations: [translations(1), translations(4), translations(9)].into(),
            sitemap_unread: true,
        };
        let parts: Vec<_> = overlay.parts(4).collect();
        let places: Vec<Vec<u64>> =
            parts.iter().map(|part| part.translations.keys().copied().collect()).collect();
        assert_eq!(places, [vec![1], vec![0], vec![1]]);
        assert_eq!(parts[2].translations[&1][0].url, "https://a.test/9");
        let mut item = serde_json::json!({"url": "u", "in_sitemap": false});
        parts[2].apply(0, &mut item);
        assert_eq!(item["in_sitemap"], Value::Null);
        for part in parts {
            assert_eq!(Overlay::decode(&part.encode().expect("bytes")).expect("whole"), part);
        }
    }
    #[test]
    fn end_of_an_overlay_of_version_1_says_which_fields_it_has() {
        let unread = Overlay { sitemap_unread: true, ..Overlay::default() };
        for (bytes, overlay) in [
            (&[0][..], Overlay::default()),
            (&[0, 0], Overlay::default()),
            (&[0, 0, 1, 0], Overlay::default()),
            (&[0, 0, 1, 1], unread),
        ] {
            assert_eq!(Overlay::from_version_1(bytes).expect("whole"), overlay, "{bytes:?}");
        }
        for damaged in [&[][..], &[9], &[0, 9], &[0, 0, 1], &[0, 0, 1, 2], &[0, 0, 1, 0, 0]] {
            assert!(Overlay::from_version_1(damaged).is_err(), "{damaged:?}");
        }
    }
}
