//! Which object of a page's data is the product of the page.

use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::draft::Draft;
use super::super::subject::Likeness;
use super::keys::{Key, key};
use super::product;
use html::budget;

/// How many values of one page are looked at, and how deep.
const MAX_LOOKED: usize = 60_000;
const MAX_DEPTH: usize = 24;

/// Names of members under which the product of the page stands.
const OWN: &[&str] = &[
    "product",
    "productattributes",
    "currentproduct",
    "productdata",
    "productdetail",
    "productdetails",
    "item",
];

/// Names of members under which others stand.
const OTHERS: &[&str] = &[
    "related",
    "recommend",
    "similar",
    "upsell",
    "crosssell",
    "recent",
    "accessor",
    "bundle",
    "cart",
    "search",
    "navigation",
    "menu",
    "also",
    "suggest",
    "complementary",
    "impressions",
    "wishlist",
];

/// Looks for the product.
pub(super) struct Finder<'c, 'p> {
    context: &'c Context<'p>,
    best: Option<(i32, Draft)>,
    left: usize,
    /// The value at hand is said to be the product.
    pub is_named_product: bool,
}

impl<'c, 'p> Finder<'c, 'p> {
    pub fn new(context: &'c Context<'p>) -> Self {
        Self { context, best: None, left: MAX_LOOKED, is_named_product: false }
    }

    pub fn finish(self) -> Option<Draft> {
        self.best.map(|(_, draft)| draft)
    }

    pub fn search(&mut self, value: &Value) {
        let mut left: Vec<(&Value, bool, usize)> = vec![(value, self.is_named_product, 0)];
        while let Some((value, is_own, depth)) = left.pop() {
            if self.left == 0 || !budget::steps(8) {
                return;
            }
            self.left -= 1;
            match value {
                Value::Array(values) if depth < MAX_DEPTH => {
                    // What stands in a list of many is one of many.
                    let own = is_own && values.len() == 1;
                    left.extend(values.iter().rev().map(|value| (value, own, depth + 1)));
                }
                Value::Object(object) => {
                    self.consider(object, is_own);
                    if depth >= MAX_DEPTH {
                        continue;
                    }
                    for (name, value) in object.iter().rev() {
                        if !value.is_object() && !value.is_array() {
                            continue;
                        }
                        let name = squeezed(name);
                        if !OTHERS.iter().any(|other| name.contains(other)) {
                            left.push((value, OWN.contains(&name.as_str()), depth + 1));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn consider(&mut self, object: &Map<String, Value>, is_own: bool) {
        let mut keys = [false; 32];
        for name in object.keys().take(200) {
            if let Some(key) = key(name) {
                keys[key as usize] = true;
            }
        }
        let has = |key: Key| keys[key as usize];
        let sells = has(Key::Price) || has(Key::Variants) || has(Key::Sku) || has(Key::Gtin);
        if !sells || (!has(Key::Name) && !is_own) {
            return;
        }
        let known = keys.iter().filter(|known| **known).count();
        if known < 3 {
            return;
        }
        let Some(likeness) = self.likeness(object, is_own) else { return };
        let score = likeness * 100
            + i32::try_from(known).unwrap_or_default() * 2
            + i32::from(has(Key::Variants)) * 4
            + i32::from(is_own) * 4;
        let draft = product::draft(object, self.context);
        match &mut self.best {
            Some((best, known)) if *best >= score => {
                if likeness >= 2 && agree(known, &draft) {
                    known.fill_from(draft);
                }
            }
            Some((best, known)) => {
                let mut draft = draft;
                if *best >= 200 && agree(known, &draft) {
                    let other =
                        std::mem::replace(known, Draft::new(contract::ProductSource::State));
                    draft.fill_from(other);
                }
                (*best, *known) = (score, draft);
            }
            None => self.best = Some((score, draft)),
        }
    }

    /// How surely an object is about the page's product; none when it is about another.
    fn likeness(&self, object: &Map<String, Value>, is_own: bool) -> Option<i32> {
        let subject = &self.context.subject;
        let (mut name, mut place) = (Likeness::Open, Likeness::Open);
        for (member, value) in object.iter().take(200) {
            let Some(text) = value.as_str() else { continue };
            match key(member) {
                Some(Key::Name) => name = name.max(subject.names_it(text)),
                Some(Key::Url) if text.contains('/') => place = place.max(subject.is_at(text)),
                Some(Key::Url) if subject.has_slug(text) => place = Likeness::Same,
                _ => {}
            }
        }
        if name == Likeness::Open
            && object.values().all(|value| {
                value.as_str().is_none_or(|text| subject.names_it(text) != Likeness::Same)
            })
            && !is_own
        {
            return None;
        }
        match (name, place) {
            (Likeness::Same, _) => Some(3),
            (Likeness::Other, _) => None,
            (_, Likeness::Same) => Some(3),
            (Likeness::Akin, _) if is_own => Some(2),
            (Likeness::Open, _) if is_own => Some(1),
            _ => None,
        }
    }
}

/// Whether two objects can be of one product.
fn agree(one: &Draft, other: &Draft) -> bool {
    let differ = |one: &Option<String>, other: &Option<String>| {
        one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one != other)
    };
    !differ(&one.sku, &other.sku) && !differ(&one.name, &other.name)
}

pub(super) fn squeezed(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_ascii_alphanumeric());
    letters.map(|letter| letter.to_ascii_lowercase()).take(40).collect()
}
