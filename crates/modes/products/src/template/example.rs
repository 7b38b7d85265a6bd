//! The training example of one page: which selectors match the values of its structured data, and
//! which selectors match anything.

use hashbrown::HashMap;

use super::known_values::{FieldSet, KnownValues, bit};
use super::page_text::{PageText, letters};
use super::selector::{SelectorKey, ValueSource, ValueTraits, each_match};
use super::value::value;
use crate::field::ProductField;
use html::dom::Dom;

/// The maximum number of selectors of a page. Shop pages have a tenth of it.
const MAX_KEYS: usize = 60_000;

/// What one product page contributes to the template of its site.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TemplateExample {
    /// The fields that the structured data states, one bit each.
    pub(super) known: u32,
    /// Fields and the selectors that match their values, sorted.
    pub(super) right: Vec<(u8, SelectorKey)>,
    /// All selectors of the page with the traits of their first value, sorted.
    pub(super) selectors: Vec<SelectorKey>,
}

/// The matches of one selector on a page.
#[derive(Debug, Default)]
struct SelectorStats {
    count: u32,
    /// The fields that the first match shows, and the traits of its value.
    first: FieldSet,
    traits: ValueTraits,
    /// By list field, how many matches show one of its values.
    shown: [u32; LISTS.len()],
}

/// The fields with several values per page.
const LISTS: [ProductField; 4] =
    [ProductField::Breadcrumb, ProductField::Attribute, ProductField::Image, ProductField::Feature];

impl TemplateExample {
    /// The example of a page with these values: texts as written, prices as decimal numbers, images
    /// by URL, attributes as name, tab and value.
    pub(crate) fn of(dom: &Dom<'_>, known: &[(ProductField, &str)]) -> Self {
        let (text, values) = (PageText::of(dom), KnownValues::of(known));
        let mut stats: HashMap<SelectorKey, SelectorStats> = HashMap::new();
        each_match(dom, &text, |id, source, keys| {
            let fields = values.shown_at(dom, &text, id, source);
            let traits = match source {
                ValueSource::Text | ValueSource::Row | ValueSource::Pair => {
                    ValueTraits::of(text.of_node(id))
                }
                ValueSource::Attribute(_, value) => ValueTraits::of(value),
                ValueSource::AfterColon => ValueTraits::of(&letters(
                    &value(dom, ProductField::Sku, id, source).unwrap_or_default(),
                )),
            };
            for key in keys {
                if stats.len() >= MAX_KEYS && !stats.contains_key(key) {
                    continue;
                }
                let selector = stats.entry(*key).or_default();
                selector.count += 1;
                if selector.count == 1 {
                    (selector.first, selector.traits) = (fields, traits);
                }
                if !fields.is_empty() {
                    let lists = LISTS.iter().zip(&mut selector.shown);
                    lists.for_each(|(field, shown)| *shown += u32::from(fields.has(*field)));
                }
            }
        });
        let mut example = Self::default();
        for field in ProductField::ALL.into_iter().filter(|field| values.counts[bit(*field)] > 0) {
            example.known |= 1 << bit(field);
        }
        let mut most = [0; LISTS.len()];
        for selector in stats.values() {
            for (at, most) in most.iter_mut().enumerate() {
                *most = (*most).max(if selector.is_pure(at) { selector.shown[at] } else { 0 });
            }
        }
        for (key, selector) in &stats {
            for field in
                ProductField::ALL.into_iter().filter(|field| selector.is_right(*field, &most))
            {
                example.right.push((u8::try_from(bit(field)).unwrap_or_default(), *key));
            }
            example.selectors.push(selector.traits.mark(*key));
        }
        example.right.sort_unstable();
        example.selectors.sort_unstable();
        example
    }

    pub(super) fn knows(&self, field: u8) -> bool {
        self.known & (1 << field) != 0
    }

    /// Whether the selector matches a value on the page that may be one of the field.
    pub(super) fn has_match(&self, key: SelectorKey, field: u8) -> bool {
        let at = self.selectors.partition_point(|marked| *marked < key);
        let Some(marked) =
            self.selectors.get(at).filter(|marked| **marked & !ValueTraits::ALL == key)
        else {
            return false;
        };
        let field = ProductField::ALL.get(usize::from(field));
        field.is_some_and(|field| ValueTraits::of_marked(*marked).suits(*field))
    }
}

impl SelectorStats {
    /// Whether the selector gives the value of the field: its first match shows it, or for a list
    /// field its matches show almost only values of the list, and almost as many as any selector.
    fn is_right(&self, field: ProductField, most: &[u32; LISTS.len()]) -> bool {
        let Some(at) = LISTS.iter().position(|list| *list == field) else {
            return self.first.has(field);
        };
        let (shown, most) = (self.shown[at], most[at]);
        self.is_pure(at) && shown * 100 >= most * 95
    }

    /// Whether at least nine of ten matches show a value of this list field.
    fn is_pure(&self, list: usize) -> bool {
        let shown = self.shown[list];
        shown > 0 && shown * 10 >= self.count * 9
    }
}
