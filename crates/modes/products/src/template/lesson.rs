//! What one page teaches: which places show what its data names, and which places it has.

use hashbrown::HashMap;

use super::page_text::{PageText, letters};
use super::selector::{Key, Look, Source, places};
use super::truth::{Fields, Known, bit};
use super::value::value;
use crate::field::Field;
use html::dom::Dom;

/// Places of a page that are told; pages of shops have a tenth of them.
const MAX_KEYS: usize = 60_000;

/// What one page teaches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TemplateLesson {
    pub(super) is_product: bool,
    /// The fields that the data of the page names.
    pub(super) known: u32,
    /// Fields and the places that show them, in order.
    pub(super) right: Vec<(u8, Key)>,
    /// All places of the page with their looks, in order.
    pub(super) places: Vec<Key>,
}

/// What was met under one name.
#[derive(Debug, Default)]
struct Met {
    count: u32,
    /// What the first place of the name shows, and what it looks like.
    first: Fields,
    look: Look,
    /// By field that is a list, how many places of the name show a value of it.
    shown: [u32; LISTS.len()],
}

const LISTS: [Field; 4] = [Field::Breadcrumb, Field::Attribute, Field::Image, Field::Feature];

impl TemplateLesson {
    /// The lesson of a page whose data names these values: a text as it stands, a price as a
    /// number with a point, an image by its address, an attribute as name, tab and value.
    pub(crate) fn of(dom: &Dom<'_>, known: &[(Field, &str)], is_product: bool) -> Self {
        let (text, values) = (PageText::of(dom), Known::of(known));
        let mut met: HashMap<Key, Met> = HashMap::new();
        places(dom, &text, |id, source, keys| {
            let fields = values.at(dom, &text, id, source);
            let look = match source {
                Source::Text | Source::Row | Source::Pair => Look::of(text.of_node(id)),
                Source::Attribute(_, value) => Look::of(value),
                Source::BehindColon => {
                    Look::of(&letters(&value(dom, Field::Sku, id, source).unwrap_or_default()))
                }
            };
            for key in keys {
                if met.len() >= MAX_KEYS && !met.contains_key(key) {
                    continue;
                }
                let met = met.entry(*key).or_default();
                met.count += 1;
                if met.count == 1 {
                    (met.first, met.look) = (fields, look);
                }
                if !fields.is_empty() {
                    let lists = LISTS.iter().zip(&mut met.shown);
                    lists.for_each(|(field, shown)| *shown += u32::from(fields.has(*field)));
                }
            }
        });
        let mut lesson = Self { is_product, ..Self::default() };
        for field in Field::ALL.into_iter().filter(|field| values.counts[bit(*field)] > 0) {
            lesson.known |= 1 << bit(field);
        }
        let mut most = [0; LISTS.len()];
        for met in met.values() {
            for (at, most) in most.iter_mut().enumerate() {
                *most = (*most).max(if met.is_pure(at) { met.shown[at] } else { 0 });
            }
        }
        for (key, met) in &met {
            for field in Field::ALL.into_iter().filter(|field| met.is_right(*field, &most)) {
                lesson.right.push((u8::try_from(bit(field)).unwrap_or_default(), *key));
            }
            lesson.places.push(met.look.mark(*key));
        }
        lesson.right.sort_unstable();
        lesson.places.sort_unstable();
        lesson
    }

    pub(super) fn knows(&self, field: u8) -> bool {
        self.known & (1 << field) != 0
    }

    /// Whether the page has a place of this name that may show the field.
    pub(super) fn has_place(&self, key: Key, field: u8) -> bool {
        let at = self.places.partition_point(|place| *place < key);
        let Some(place) = self.places.get(at).filter(|place| **place & !Look::ALL == key) else {
            return false;
        };
        let field = Field::ALL.get(usize::from(field));
        field.is_some_and(|field| Look::of_marked(*place).suits(*field))
    }
}

impl Met {
    /// Whether reading the field under this name would have given its value: the first place
    /// shows it, or the places show the values of a list, nothing else, and as many of them
    /// as any name of the page.
    fn is_right(&self, field: Field, most: &[u32; LISTS.len()]) -> bool {
        let Some(at) = LISTS.iter().position(|list| *list == field) else {
            return self.first.has(field);
        };
        let (shown, most) = (self.shown[at], most[at]);
        self.is_pure(at) && shown * 100 >= most * 95
    }

    /// Whether nearly all places of the name show a value of this list.
    fn is_pure(&self, list: usize) -> bool {
        let shown = self.shown[list];
        shown > 0 && shown * 10 >= self.count * 9
    }
}
