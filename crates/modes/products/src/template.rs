//! Where the pages of a site show what their data names, learned from the pages that have
//! both, for those that have not.
//!
//! A page gives a [`TemplateLesson`], lessons make a [`Template`] by votes, and the template
//! reads pages. Values are raw: the reader of the page judges them as it judges its own.

mod learner;
mod lesson;
mod page_text;
mod selector;
mod truth;
mod value;

pub use learner::TemplateLearner;
pub use lesson::TemplateLesson;

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::field::Field;
use html::dom::{Dom, NodeId};
use page_text::PageText;
use selector::{Key, Look, Source};

/// How an encoded template begins; another form of it begins otherwise.
const MAGIC: &[u8; 4] = b"TPL2";
/// Names in a template.
const MAX_ENTRIES: usize = 400;
/// Values of one list on a page.
const MAX_VALUES: usize = 300;

/// A template of a site, in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// How many pages it was made of.
    pages: u32,
    /// By field, the best name of its place first.
    entries: Vec<Entry>,
}

/// One name of the place of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    field: u8,
    /// How good it has been, of 255.
    score: u8,
    key: Key,
}

/// A value that a template found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TemplateValue {
    pub field: Field,
    /// As the page shows it; of an attribute its name, a tab and its value.
    pub value: String,
    /// How good the name of its place has been, from 0 to 1.
    pub score: f32,
}

impl Template {
    /// Names it in records: the same for the same content.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{:016x}", xxh3_64(&self.encode()))
    }

    /// As it is kept.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.pages.to_le_bytes());
        for entry in &self.entries {
            bytes.extend([entry.field, entry.score]);
            bytes.extend(entry.key.to_le_bytes());
        }
        bytes
    }

    /// A template that was kept; none when it was kept by another version of the service
    /// that wrote it differently, or is broken.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (pages, entries) = bytes.strip_prefix(MAGIC)?.split_first_chunk()?;
        let (entries, rest) = entries.as_chunks::<10>();
        if !rest.is_empty() || entries.len() > MAX_ENTRIES {
            return None;
        }
        let entry = |[field, score, key @ ..]: &[u8; 10]| {
            let is_field = usize::from(*field) < Field::ALL.len();
            is_field.then_some(Entry {
                field: *field,
                score: *score,
                key: u64::from_le_bytes(*key),
            })
        };
        let entries = entries.iter().map(entry).collect::<Option<Vec<_>>>()?;
        let is_ordered = entries.is_sorted_by_key(|entry| entry.field);
        is_ordered.then_some(Self { pages: u32::from_le_bytes(*pages), entries })
    }

    /// What the page shows at the places of the template: of each field the value at the best
    /// place that there is, of a list all its values.
    pub(crate) fn read(&self, dom: &Dom<'_>) -> Vec<TemplateValue> {
        let mut wanted: HashMap<Key, Vec<usize>> = HashMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            wanted.entry(entry.key).or_default().push(at);
        }
        let mut found: Vec<Vec<(NodeId, Source<'_>)>> = vec![Vec::new(); self.entries.len()];
        selector::places(dom, &PageText::of(dom), |id, source, keys| {
            for at in keys.iter().filter_map(|key| wanted.get(key)).flatten() {
                if let Some(places) = found.get_mut(*at).filter(|p| p.len() < MAX_VALUES) {
                    places.push((id, source));
                }
            }
        });
        let mut values = Vec::new();
        let mut entries = self.entries.iter().zip(&found).peekable();
        while let Some((entry, places)) = entries.next() {
            let Some(field) = Field::ALL.get(usize::from(entry.field)).copied() else { continue };
            let read = read(dom, field, places, f32::from(entry.score) / 255.0);
            if read.is_empty() {
                continue;
            }
            values.extend(read);
            // The rest of the field's names are there to fall back on.
            while entries.next_if(|(next, _)| next.field == entry.field).is_some() {}
        }
        values
    }
}

/// The values of a field at places of one name.
fn read(
    dom: &Dom<'_>,
    field: Field,
    places: &[(NodeId, Source<'_>)],
    score: f32,
) -> Vec<TemplateValue> {
    let most = if truth::is_list(field) { MAX_VALUES } else { 1 };
    let mut values: Vec<TemplateValue> = Vec::new();
    for (id, source) in places.iter().take(most) {
        if let Some(value) = value::value(dom, field, *id, *source)
            && Look::of(&page_text::letters(&value)).suits(field)
            && !values.iter().any(|known| known.value == value)
        {
            values.push(TemplateValue { field, value, score });
        }
    }
    values
}

#[cfg(test)]
mod tests;
