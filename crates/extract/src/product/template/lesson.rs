//! What one page teaches: which places show what its data names, and which places it has.

use hashbrown::HashMap;

use super::page_text::PageText;
use super::selector::{Key, places};
use super::truth::{Fields, Known, bit, is_list};
use crate::dom::Dom;
use crate::product::field::Field;

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
    /// All places of the page, in order.
    pub(super) places: Vec<Key>,
}

/// What was met under one name.
#[derive(Debug, Default)]
struct Met {
    count: u32,
    /// What the first place of the name shows.
    first: Fields,
    /// By field that is a list, how many places of the name show a value of it.
    shown: [u32; 4],
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
            for key in keys {
                if met.len() >= MAX_KEYS && !met.contains_key(key) {
                    continue;
                }
                let met = met.entry(*key).or_default();
                met.count += 1;
                if met.count == 1 {
                    met.first = fields;
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
        for (key, met) in &met {
            for field in Field::ALL.into_iter().filter(|field| met.is_right(*field, &values)) {
                lesson.right.push((u8::try_from(bit(field)).unwrap_or_default(), *key));
            }
            lesson.places.push(*key);
        }
        lesson.right.sort_unstable();
        lesson.places.sort_unstable();
        lesson
    }

    pub(super) fn knows(&self, field: u8) -> bool {
        self.known & (1 << field) != 0
    }

    pub(super) fn has_place(&self, key: Key) -> bool {
        self.places.binary_search(&key).is_ok()
    }
}

impl Met {
    /// Whether reading the field under this name would have given its value: the first place
    /// shows it, or nearly all places show one value each of a list, and most values are shown.
    fn is_right(&self, field: Field, known: &Known) -> bool {
        if !is_list(field) {
            return self.first.has(field);
        }
        let shown = LISTS.iter().zip(self.shown).find(|(list, _)| **list == field);
        let shown = shown.map_or(0, |(_, shown)| shown);
        let count = u32::try_from(known.counts[bit(field)]).unwrap_or(u32::MAX);
        shown > 0 && shown * 10 >= self.count * 9 && shown * 10 >= count * 7
    }
}
