//! Extraction templates: where the pages of a site show each field, learned from pages with
//! structured data and applied to pages without it.
//!
//! A page gives a [`TemplateExample`], a [`TemplateLearner`] makes an [`ExtractionTemplate`] of the
//! examples by votes, and the template reads pages. Its values are raw texts of the page.

mod example;
mod known_values;
mod learner;
mod page_text;
mod selector;
mod value;

pub use example::TemplateExample;
pub use learner::TemplateLearner;

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::field::ProductField;
use html::dom::{Dom, NodeId};
use page_text::PageText;
use selector::{SelectorKey, ValueSource, ValueTraits};

/// The first bytes of an encoded template; they change with the format.
const MAGIC: &[u8; 4] = b"TPL2";
/// The maximum number of selectors in a template.
const MAX_ENTRIES: usize = 400;
/// The maximum number of values of a list field on one page.
const MAX_VALUES: usize = 300;

/// One version of the extraction template of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractionTemplate {
    /// How many pages it was learned from.
    pages: u32,
    /// Sorted by field, the best selector of a field first.
    entries: Vec<TemplateEntry>,
}

/// One selector of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TemplateEntry {
    /// The index in `ProductField::ALL`.
    field: u8,
    /// The quality of the selector, from 0 to 255.
    score: u8,
    key: SelectorKey,
}

/// A value that a template read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TemplateValue {
    pub field: ProductField,
    /// The text of the page; for an attribute its name, a tab and its value.
    pub value: String,
    /// The quality of the selector, from 0 to 1.
    pub score: f32,
}

impl ExtractionTemplate {
    /// The id of the template in records: a hash of its content.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{:016x}", xxh3_64(&self.encode()))
    }

    /// The stored format: magic bytes, page count, and ten bytes per entry.
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

    /// Decodes a stored template; `None` for an unknown format or invalid bytes.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (pages, entries) = bytes.strip_prefix(MAGIC)?.split_first_chunk()?;
        let (entries, rest) = entries.as_chunks::<10>();
        if !rest.is_empty() || entries.len() > MAX_ENTRIES {
            return None;
        }
        let entry = |[field, score, key @ ..]: &[u8; 10]| {
            let is_field = usize::from(*field) < ProductField::ALL.len();
            is_field.then_some(TemplateEntry {
                field: *field,
                score: *score,
                key: u64::from_le_bytes(*key),
            })
        };
        let entries = entries.iter().map(entry).collect::<Option<Vec<_>>>()?;
        let is_ordered = entries.is_sorted_by_key(|entry| entry.field);
        is_ordered.then_some(Self { pages: u32::from_le_bytes(*pages), entries })
    }

    /// Reads the fields of a page: for each field the value of the best selector that matches, for
    /// a list field all values.
    pub(crate) fn read(&self, dom: &Dom<'_>) -> Vec<TemplateValue> {
        let mut wanted: HashMap<SelectorKey, Vec<usize>> = HashMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            wanted.entry(entry.key).or_default().push(at);
        }
        let mut found: Vec<Vec<(NodeId, ValueSource<'_>)>> = vec![Vec::new(); self.entries.len()];
        selector::each_match(dom, &PageText::of(dom), |id, source, keys| {
            for at in keys.iter().filter_map(|key| wanted.get(key)).flatten() {
                if let Some(matches) = found.get_mut(*at).filter(|m| m.len() < MAX_VALUES) {
                    matches.push((id, source));
                }
            }
        });
        let mut values = Vec::new();
        let mut entries = self.entries.iter().zip(&found).peekable();
        while let Some((entry, matches)) = entries.next() {
            let Some(field) = ProductField::ALL.get(usize::from(entry.field)).copied() else {
                continue;
            };
            let read = read_matches(dom, field, matches, f32::from(entry.score) / 255.0);
            if read.is_empty() {
                continue;
            }
            values.extend(read);
            // The other selectors of the field are fallbacks.
            while entries.next_if(|(next, _)| next.field == entry.field).is_some() {}
        }
        values
    }
}

/// The values of a field at the matches of one selector.
fn read_matches(
    dom: &Dom<'_>,
    field: ProductField,
    matches: &[(NodeId, ValueSource<'_>)],
    score: f32,
) -> Vec<TemplateValue> {
    let most = if known_values::is_list(field) { MAX_VALUES } else { 1 };
    let mut values: Vec<TemplateValue> = Vec::new();
    for (id, source) in matches.iter().take(most) {
        if let Some(value) = value::value(dom, field, *id, *source)
            && ValueTraits::of(&page_text::letters(&value)).suits(field)
            && !values.iter().any(|known| known.value == value)
        {
            values.push(TemplateValue { field, value, score });
        }
    }
    values
}

#[cfg(test)]
mod tests;
