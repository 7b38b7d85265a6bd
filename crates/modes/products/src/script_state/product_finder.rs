//! Finds the object of a page's state that is the product of the page.

use serde_json::{Map, Value};
use text::vocabulary::{TermList, TermSet};

use super::object_keys::{ObjectKey, key, squeezed};
use super::product;
use crate::page_context::PageContext;
use crate::page_subject::SubjectMatch;
use crate::source_record::SourceRecord;
use html::budget;

/// How many values of one page are visited, and to which depth.
const MAX_VISITED: usize = 60_000;
const MAX_DEPTH: usize = 24;

/// Names of members with the product of the page.
static OWN_MEMBERS: TermSet = word_set!("own_product_members.txt");

/// Parts of names of members with other products.
static OTHER_MEMBERS: TermList = word_list!("other_product_members.txt");

/// Searches JSON values and keeps the best product object.
pub(super) struct ProductFinder<'c, 'p> {
    context: &'c PageContext<'p>,
    best: Option<(i32, SourceRecord)>,
    remaining: usize,
    /// Whether the current value is named as the product.
    pub is_named_product: bool,
}

impl<'c, 'p> ProductFinder<'c, 'p> {
    pub fn new(context: &'c PageContext<'p>) -> Self {
        Self { context, best: None, remaining: MAX_VISITED, is_named_product: false }
    }

    pub fn finish(self) -> Option<SourceRecord> {
        self.best.map(|(_, record)| record)
    }

    pub fn search(&mut self, value: &Value) {
        let mut pending: Vec<(&Value, bool, usize)> = vec![(value, self.is_named_product, 0)];
        while let Some((value, is_own, depth)) = pending.pop() {
            if self.remaining == 0 || !budget::steps(8) {
                return;
            }
            self.remaining -= 1;
            match value {
                Value::Array(values) if depth < MAX_DEPTH => {
                    // An entry of a longer list is one of many products.
                    let own = is_own && values.len() == 1;
                    pending.extend(values.iter().rev().map(|value| (value, own, depth + 1)));
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
                        if !OTHER_MEMBERS.iter().any(|other| name.contains(other)) {
                            pending.push((value, OWN_MEMBERS.contains(name.as_str()), depth + 1));
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
        let has = |key: ObjectKey| keys[key as usize];
        let sells = has(ObjectKey::Price)
            || has(ObjectKey::Variants)
            || has(ObjectKey::Sku)
            || has(ObjectKey::Gtin);
        if !sells || (!has(ObjectKey::Name) && !is_own) {
            return;
        }
        let known = keys.iter().filter(|known| **known).count();
        if known < 3 {
            return;
        }
        let Some(rank) = self.match_rank(object, is_own) else { return };
        let score = rank * 100
            + i32::try_from(known).unwrap_or_default() * 2
            + i32::from(has(ObjectKey::Variants)) * 4
            + i32::from(is_own) * 4;
        let record = product::record(object, self.context);
        match &mut self.best {
            Some((best, known)) if *best >= score => {
                if rank >= 2 && known.agrees_with(&record) {
                    known.fill_from(record);
                }
            }
            Some((best, known)) => {
                let mut record = record;
                if *best >= 200 && known.agrees_with(&record) {
                    let other =
                        std::mem::replace(known, SourceRecord::new(contract::ProductSource::State));
                    record.fill_from(other);
                }
                (*best, *known) = (score, record);
            }
            None => self.best = Some((score, record)),
        }
    }

    /// How well an object matches the subject of the page, from 1 to 3; `None` for another product.
    fn match_rank(&self, object: &Map<String, Value>, is_own: bool) -> Option<i32> {
        let subject = &self.context.subject;
        let (mut name, mut place) = (SubjectMatch::Unknown, SubjectMatch::Unknown);
        for (member, value) in object.iter().take(200) {
            let Some(text) = value.as_str() else { continue };
            match key(member) {
                Some(ObjectKey::Name) => name = name.max(subject.match_name(text)),
                Some(ObjectKey::Url) if text.contains('/') => {
                    place = place.max(subject.match_url(text))
                }
                Some(ObjectKey::Url) if subject.has_slug(text) => place = SubjectMatch::Same,
                _ => {}
            }
        }
        if name == SubjectMatch::Unknown
            && object.values().all(|value| {
                value.as_str().is_none_or(|text| subject.match_name(text) != SubjectMatch::Same)
            })
            && !is_own
        {
            return None;
        }
        match (name, place) {
            (SubjectMatch::Same, _) => Some(3),
            (SubjectMatch::Different, _) => None,
            (_, SubjectMatch::Same) => Some(3),
            (SubjectMatch::Partial, _) if is_own => Some(2),
            (SubjectMatch::Unknown, _) if is_own => Some(1),
            _ => None,
        }
    }
}
