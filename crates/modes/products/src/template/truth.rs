//! Whether a place of a page shows what the data of the page names.

use hashbrown::HashMap;

use super::page_text::{PageText, letters, line_without_struck};
use super::selector::Source;
use super::value::value;
use crate::field::Field;
use crate::price::{Decimal, PriceHints, read_price};
use html::dom::{Dom, NodeId};

/// Texts with more letters are not looked at for a price.
const MAX_PRICE: usize = 40;
/// Letters of a value that is no description.
const MAX_TEXT: usize = 2_000;
/// What shows a short value has few nodes. Without a bound, elements that nest would be read
/// once for each of them.
const MAX_NODES: u32 = 300;
/// Values that are looked for.
const MAX_KNOWN: usize = 400;

/// Fields, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fields(pub u32);

impl Fields {
    pub fn add(&mut self, field: Field) {
        self.0 |= 1 << bit(field);
    }

    pub fn has(self, field: Field) -> bool {
        self.0 & (1 << bit(field)) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Its place in the order of the record.
pub(super) fn bit(field: Field) -> usize {
    Field::ALL.iter().position(|known| *known == field).unwrap_or_default()
}

/// Whether a page has several values of it.
pub(super) fn is_list(field: Field) -> bool {
    matches!(field, Field::Breadcrumb | Field::Attribute | Field::Image | Field::Feature)
}

/// What the data of a page names, in the form in which it is looked for.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// By letters; the name and the value of an attribute together.
    texts: HashMap<String, Fields>,
    /// By the end of its address.
    images: HashMap<String, Fields>,
    amounts: Vec<(Field, Decimal)>,
    description: Option<String>,
    /// By field, how many values there are.
    pub counts: [usize; Field::ALL.len()],
}

impl Known {
    pub fn of(known: &[(Field, &str)]) -> Self {
        let mut all = Self::default();
        for (field, text) in known.iter().take(MAX_KNOWN) {
            all.add(*field, text);
        }
        all
    }

    fn add(&mut self, field: Field, text: &str) {
        let text = text.trim();
        let form = letters(text);
        let is_new = match field {
            Field::Price | Field::RegularPrice | Field::Rating => {
                let amount = Decimal::from_machine(text);
                self.amounts.extend(amount.map(|amount| (field, amount)));
                amount.is_some()
            }
            Field::Image => add_to(&mut self.images, file(text), field),
            Field::Description => {
                let is_long = form.len() >= 20;
                if is_long {
                    self.description = Some(form);
                }
                is_long
            }
            // It is read along with the price, and forms are not read by place.
            Field::Currency | Field::Variant => false,
            Field::Name
            | Field::Brand
            | Field::Category
            | Field::Breadcrumb
            | Field::Feature
            | Field::Attribute
            | Field::Sku
            | Field::Mpn
            | Field::Gtin
            | Field::Availability
            | Field::Condition
            | Field::Seller => add_to(&mut self.texts, form, field),
        };
        if is_new && let Some(count) = self.counts.get_mut(bit(field)) {
            *count += 1;
        }
    }

    /// The fields that a place shows.
    pub fn at(&self, dom: &Dom<'_>, text: &PageText, id: NodeId, source: Source<'_>) -> Fields {
        let is_small = dom.end(id).0 - id.0 <= MAX_NODES;
        if !is_small && !matches!(source, Source::Text | Source::Attribute(..)) {
            return Fields::default();
        }
        match source {
            Source::Text => self.as_text(dom, text, id),
            Source::BehindColon => {
                let value = value(dom, Field::Sku, id, source).unwrap_or_default();
                let mut fields = self.named(&letters(&value));
                self.add_amounts(&mut fields, &value);
                fields
            }
            Source::Attribute(name, _) => {
                let Some(value) = value(dom, Field::Image, id, source) else {
                    return Fields::default();
                };
                if matches!(name, "alt" | "title") {
                    return self.named(&letters(&value));
                }
                let mut fields = self.images.get(&file(&value)).copied().unwrap_or_default();
                fields.0 |= self.named(&letters(&value)).0;
                if let Some(amount) = Decimal::from_machine(&value) {
                    let same = self.amounts.iter().filter(|(_, known)| *known == amount);
                    same.for_each(|(field, _)| fields.add(*field));
                }
                fields
            }
            Source::Row | Source::Pair => {
                let value = value(dom, Field::Attribute, id, source).unwrap_or_default();
                let found = self.texts.get(&letters(&value)).copied().unwrap_or_default();
                let mut fields = Fields::default();
                if found.has(Field::Attribute) {
                    fields.add(Field::Attribute);
                }
                fields
            }
        }
    }

    fn as_text(&self, dom: &Dom<'_>, text: &PageText, id: NodeId) -> Fields {
        let form = text.of_node(id);
        let mut fields = self.named(form);
        if dom.end(id).0 - id.0 <= MAX_NODES
            && form.len() <= MAX_PRICE
            && form.bytes().any(|byte| byte.is_ascii_digit())
        {
            self.add_amounts(&mut fields, &line_without_struck(dom, id));
        }
        let is_description = self.description.as_ref().is_some_and(|known| {
            (form.len() * 5 >= known.len() * 4 && known.contains(form))
                || (form.len() <= known.len() + known.len() / 5 + 40
                    && form.contains(known.as_str()))
        });
        if is_description {
            fields.add(Field::Description);
        }
        fields
    }

    /// Fields whose value is a text. Attributes are told by name and value together.
    fn named(&self, form: &str) -> Fields {
        if form.len() > MAX_TEXT {
            return Fields::default();
        }
        let mut fields = self.texts.get(form).copied().unwrap_or_default();
        fields.0 &= !(1 << bit(Field::Attribute));
        fields
    }

    fn add_amounts(&self, fields: &mut Fields, text: &str) {
        if self.amounts.is_empty() || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return;
        }
        let price = read_price(text, &PriceHints::default());
        let price = price.filter(|price| !price.is_unit_price && !price.is_instalment);
        for (field, amount) in &self.amounts {
            let is_shown = match field {
                Field::Rating => numbers(text).any(|number| number == *amount),
                _ => price.is_some_and(|price| price.low == *amount),
            };
            if is_shown {
                fields.add(*field);
            }
        }
    }
}

/// The numbers of a text, as a rating is written: with a point or a comma.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = Decimal> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    parts.filter_map(|part| Decimal::from_machine(&part.replace(',', ".")))
}

fn add_to(map: &mut HashMap<String, Fields>, form: String, field: Field) -> bool {
    if form.is_empty() || form.len() > MAX_TEXT {
        return false;
    }
    let fields = map.entry(form).or_default();
    let is_new = !fields.has(field);
    fields.add(field);
    is_new
}

/// An address without its scheme, its host and its fragment.
fn file(address: &str) -> String {
    let bare = address.split('#').next().unwrap_or_default();
    let bare = bare
        .split_once("//")
        .map_or(bare, |(_, rest)| rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default());
    bare.trim_start_matches("./").trim_start_matches('/').to_owned()
}
