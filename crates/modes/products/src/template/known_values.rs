//! Compares the values of a page's structured data with what an element shows.

use hashbrown::HashMap;

use super::page_text::{PageText, letters, line_without_struck};
use super::selector::ValueSource;
use super::value::value;
use crate::field::ProductField;
use crate::price::{Decimal, PriceHints, read_price};
use html::dom::{Dom, NodeId};

/// The maximum number of letters of a text that may be a price.
const MAX_PRICE: usize = 40;
/// The maximum number of letters of a value, except for descriptions.
const MAX_TEXT: usize = 2_000;
/// The maximum size of an element that shows a short value, in nodes. Without a bound, nested
/// elements would be read once per level.
const MAX_NODES: u32 = 300;
/// The maximum number of values that are compared.
const MAX_KNOWN: usize = 400;

/// A set of fields, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FieldSet(pub u32);

impl FieldSet {
    pub fn add(&mut self, field: ProductField) {
        self.0 |= 1 << bit(field);
    }

    pub fn has(self, field: ProductField) -> bool {
        self.0 & (1 << bit(field)) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The index of a field in `ProductField::ALL`.
pub(super) fn bit(field: ProductField) -> usize {
    field as usize
}

/// Whether a page can have several values of the field.
pub(super) fn is_list(field: ProductField) -> bool {
    matches!(
        field,
        ProductField::Breadcrumb
            | ProductField::Attribute
            | ProductField::Image
            | ProductField::Feature
    )
}

/// The values of a page's structured data, prepared for comparison.
#[derive(Debug, Default)]
pub(super) struct KnownValues {
    /// By their letters; for an attribute those of name and value together.
    texts: HashMap<String, FieldSet>,
    /// By URL without scheme and host.
    images: HashMap<String, FieldSet>,
    amounts: Vec<(ProductField, Decimal)>,
    description: Option<String>,
    /// The number of values by field.
    pub counts: [usize; ProductField::ALL.len()],
}

impl KnownValues {
    pub fn of(known: &[(ProductField, &str)]) -> Self {
        let mut all = Self::default();
        for (field, text) in known.iter().take(MAX_KNOWN) {
            all.add(*field, text);
        }
        all
    }

    fn add(&mut self, field: ProductField, text: &str) {
        let text = text.trim();
        let folded = letters(text);
        let is_new = match field {
            ProductField::Price | ProductField::RegularPrice | ProductField::Rating => {
                let amount = Decimal::from_machine(text);
                self.amounts.extend(amount.map(|amount| (field, amount)));
                amount.is_some()
            }
            ProductField::Image => add_to(&mut self.images, path_of(text), field),
            ProductField::Description => {
                let is_long = folded.len() >= 20;
                if is_long {
                    self.description = Some(folded);
                }
                is_long
            }
            // Templates do not read these fields.
            ProductField::Currency | ProductField::Variant => false,
            ProductField::Name
            | ProductField::Brand
            | ProductField::Category
            | ProductField::Breadcrumb
            | ProductField::Feature
            | ProductField::Attribute
            | ProductField::Sku
            | ProductField::Mpn
            | ProductField::Gtin
            | ProductField::Availability
            | ProductField::Condition
            | ProductField::Seller => add_to(&mut self.texts, folded, field),
        };
        if is_new && let Some(count) = self.counts.get_mut(bit(field)) {
            *count += 1;
        }
    }

    /// The fields whose values an element shows.
    pub fn shown_at(
        &self,
        dom: &Dom<'_>,
        text: &PageText,
        id: NodeId,
        source: ValueSource<'_>,
    ) -> FieldSet {
        let is_small = dom.end(id).0 - id.0 <= MAX_NODES;
        if !is_small && !matches!(source, ValueSource::Text | ValueSource::Attribute(..)) {
            return FieldSet::default();
        }
        match source {
            ValueSource::Text => self.shown_as_text(dom, text, id),
            ValueSource::AfterColon => {
                let value = value(dom, ProductField::Sku, id, source).unwrap_or_default();
                let mut fields = self.with_text(&letters(&value));
                self.add_amounts(&mut fields, &value);
                fields
            }
            ValueSource::Attribute(name, _) => {
                let Some(value) = value(dom, ProductField::Image, id, source) else {
                    return FieldSet::default();
                };
                if matches!(name, "alt" | "title") {
                    return self.with_text(&letters(&value));
                }
                let mut fields = self.images.get(&path_of(&value)).copied().unwrap_or_default();
                fields.0 |= self.with_text(&letters(&value)).0;
                if let Some(amount) = Decimal::from_machine(&value) {
                    let same = self.amounts.iter().filter(|(_, known)| *known == amount);
                    same.for_each(|(field, _)| fields.add(*field));
                }
                fields
            }
            ValueSource::Row | ValueSource::Pair => {
                let value = value(dom, ProductField::Attribute, id, source).unwrap_or_default();
                let found = self.texts.get(&letters(&value)).copied().unwrap_or_default();
                let mut fields = FieldSet::default();
                if found.has(ProductField::Attribute) {
                    fields.add(ProductField::Attribute);
                }
                fields
            }
        }
    }

    fn shown_as_text(&self, dom: &Dom<'_>, text: &PageText, id: NodeId) -> FieldSet {
        let folded = text.of_node(id);
        let mut fields = self.with_text(folded);
        if dom.end(id).0 - id.0 <= MAX_NODES
            && folded.len() <= MAX_PRICE
            && folded.bytes().any(|byte| byte.is_ascii_digit())
        {
            self.add_amounts(&mut fields, &line_without_struck(dom, id));
        }
        let is_description = self.description.as_ref().is_some_and(|known| {
            (folded.len() * 5 >= known.len() * 4 && known.contains(folded))
                || (folded.len() <= known.len() + known.len() / 5 + 40
                    && folded.contains(known.as_str()))
        });
        if is_description {
            fields.add(ProductField::Description);
        }
        fields
    }

    /// The text fields with this value, without attributes, which need name and value.
    fn with_text(&self, folded: &str) -> FieldSet {
        if folded.len() > MAX_TEXT {
            return FieldSet::default();
        }
        let mut fields = self.texts.get(folded).copied().unwrap_or_default();
        fields.0 &= !(1 << bit(ProductField::Attribute));
        fields
    }

    fn add_amounts(&self, fields: &mut FieldSet, text: &str) {
        if self.amounts.is_empty() || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return;
        }
        let price = read_price(text, &PriceHints::default());
        let price = price.filter(|price| !price.is_unit_price && !price.is_instalment);
        for (field, amount) in &self.amounts {
            let is_shown = match field {
                ProductField::Rating => numbers(text).any(|number| number == *amount),
                _ => price.is_some_and(|price| price.low == *amount),
            };
            if is_shown {
                fields.add(*field);
            }
        }
    }
}

/// The numbers of a text, with a decimal point or comma as in ratings.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = Decimal> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    parts.filter_map(|part| Decimal::from_machine(&part.replace(',', ".")))
}

fn add_to(map: &mut HashMap<String, FieldSet>, folded: String, field: ProductField) -> bool {
    if folded.is_empty() || folded.len() > MAX_TEXT {
        return false;
    }
    let fields = map.entry(folded).or_default();
    let is_new = !fields.has(field);
    fields.add(field);
    is_new
}

/// A URL without scheme, host and fragment.
fn path_of(url: &str) -> String {
    let bare = url.split('#').next().unwrap_or_default();
    let bare = bare
        .split_once("//")
        .map_or(bare, |(_, rest)| rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default());
    bare.trim_start_matches("./").trim_start_matches('/').to_owned()
}
