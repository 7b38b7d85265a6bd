//! Merges descriptions, attributes and features.

use contract::{ProductAttribute, ProductSource};

use super::{MergeInput, Provenance};
use crate::field::ProductField;
use crate::letters::letters;
use crate::source_record::SourceRecord;
use crate::visible_dom::is_advertisement;

/// A shorter description, in bytes, gives way to any visible description.
const SHORT_DESCRIPTION: usize = 40;

/// How many letters of two texts are compared.
const COMPARED_LETTERS: usize = 60;

/// The longest description of the sources that agree.
pub(super) fn description(input: &MergeInput, provenance: &mut Provenance) -> Option<String> {
    let stated = input.records.iter();
    let stated: Vec<(&String, ProductSource)> =
        stated.filter_map(|record| Some((record.description.as_ref()?, record.source))).collect();
    let shown = input.visible.record.description.as_ref();
    // Meta tags are for search engines: they count only without another source.
    let data = || stated.iter().filter(|(_, source)| *source != ProductSource::Meta);
    let fullest = data().max_by_key(|(text, _)| text.len()).copied();
    let meta = stated.iter().find(|(_, source)| *source == ProductSource::Meta).copied();
    let chosen = match (shown, fullest) {
        (Some(shown), Some((stated, source))) => {
            let is_teaser = meta.is_some_and(|(meta, _)| begin_alike(meta, stated))
                && 2 * shown.len() > stated.len();
            let name = input.visible.record.name.as_deref().unwrap_or_default();
            let is_same = is_advertisement(stated, name)
                || begin_alike(shown, stated)
                || contains_beginning(shown, stated)
                || is_teaser
                || stated.len() < SHORT_DESCRIPTION;
            if is_same
                && (shown.len() >= stated.len() || is_teaser || is_advertisement(stated, name))
            {
                (shown, ProductSource::Dom)
            } else {
                (stated, source)
            }
        }
        (None, Some(stated)) => stated,
        (Some(shown), None) => (shown, ProductSource::Dom),
        (None, None) => meta?,
    };
    provenance.note(ProductField::Description, chosen.1);
    Some(chosen.0.clone())
}

/// Whether both texts begin with the same letters.
fn begin_alike(one: &str, other: &str) -> bool {
    let pairs = letters(one).take(COMPARED_LETTERS).zip(letters(other).take(COMPARED_LETTERS));
    let (same, all) =
        pairs.fold((0, 0), |(same, all), (one, other)| (same + usize::from(one == other), all + 1));
    all > 0 && same == all
}

/// Whether a text contains the beginning of the other.
fn contains_beginning(text: &str, other: &str) -> bool {
    let begin: String = letters(other).take(COMPARED_LETTERS / 2).collect();
    let all: String = letters(text).take(20_000).collect();
    begin.chars().count() >= 12 && all.contains(&begin)
}

/// The visible attributes, or those of the data if these are more.
pub(super) fn attributes(input: &MergeInput, provenance: &mut Provenance) -> Vec<ProductAttribute> {
    let shown = &input.visible.record.attributes;
    let stated = input.records.iter().filter(|record| !record.attributes.is_empty());
    let stated = stated.max_by_key(|record| record.attributes.len());
    let known = |row: &ProductAttribute, record: &SourceRecord| {
        record.attributes.iter().any(|other| other.name.eq_ignore_ascii_case(&row.name))
    };
    let (rows, source) = match stated {
        Some(record)
            if record.attributes.len() > shown.len()
                && shown.iter().all(|row| known(row, record)) =>
        {
            (&record.attributes, record.source)
        }
        _ if shown.is_empty() => return Vec::new(),
        _ => (shown, ProductSource::Dom),
    };
    provenance.note(ProductField::Attribute, source);
    rows.clone()
}

pub(super) fn features(input: &MergeInput, provenance: &mut Provenance) -> Vec<String> {
    let all = std::iter::once(&input.visible.record).chain(&input.records);
    let Some(record) = all.into_iter().find(|record| !record.features.is_empty()) else {
        return Vec::new();
    };
    provenance.note(ProductField::Feature, record.source);
    record.features.clone()
}
