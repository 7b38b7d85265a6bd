//! Texts: the description, the rows of the specification, the points of praise.

use contract::{ProductAttribute, ProductSource};

use super::super::draft::Draft;
use super::super::field::Field;
use super::Said;

/// A description of fewer letters than these is a remark.
const REMARK: usize = 40;

/// How many letters two texts are compared by.
const LETTERS: usize = 60;

/// The fuller of the sources that agree.
pub(super) fn description(
    said: &Said,
    note: &mut impl FnMut(Field, ProductSource),
) -> Option<String> {
    let told: Vec<(&String, ProductSource)> = said
        .drafts
        .iter()
        .filter_map(|draft| Some((draft.description.as_ref()?, draft.source)))
        .collect();
    let shown = said.sight.draft.description.as_ref();
    // Meta elements are for search engines: they count only where nothing else does.
    let data = || told.iter().filter(|(_, source)| *source != ProductSource::Meta);
    let fullest = data().max_by_key(|(text, _)| text.len()).copied();
    let meta = told.iter().find(|(_, source)| *source == ProductSource::Meta).copied();
    let chosen = match (shown, fullest) {
        (Some(shown), Some((told, source))) => {
            let is_teaser = meta.is_some_and(|(meta, _)| begin_alike(meta, told))
                && shown.len() > 2 * told.len();
            if begin_alike(shown, told) || holds(shown, told) || is_teaser || told.len() < REMARK {
                if shown.len() >= told.len() { (shown, ProductSource::Dom) } else { (told, source) }
            } else {
                (told, source)
            }
        }
        (None, Some(told)) => told,
        (Some(shown), None) => (shown, ProductSource::Dom),
        (None, None) => meta?,
    };
    note(Field::Description, chosen.1);
    Some(chosen.0.clone())
}

fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Whether one text begins as the other does.
fn begin_alike(one: &str, other: &str) -> bool {
    let pairs = letters(one).take(LETTERS).zip(letters(other).take(LETTERS));
    let (same, all) =
        pairs.fold((0, 0), |(same, all), (one, other)| (same + usize::from(one == other), all + 1));
    all > 0 && same == all
}

/// Whether a text begins somewhere in the other.
fn holds(text: &str, other: &str) -> bool {
    let begin: String = letters(other).take(LETTERS / 2).collect();
    let all: String = letters(text).take(20_000).collect();
    begin.chars().count() >= 12 && all.contains(&begin)
}

/// The rows that the page shows; those of its data where they are more.
pub(super) fn attributes(
    said: &Said,
    note: &mut impl FnMut(Field, ProductSource),
) -> Vec<ProductAttribute> {
    let shown = &said.sight.draft.attributes;
    let told = said.drafts.iter().filter(|draft| !draft.attributes.is_empty());
    let told = told.max_by_key(|draft| draft.attributes.len());
    let known = |row: &ProductAttribute, draft: &Draft| {
        draft.attributes.iter().any(|other| other.name.eq_ignore_ascii_case(&row.name))
    };
    let (rows, source) = match told {
        Some(draft) if shown.is_empty() => (&draft.attributes, draft.source),
        Some(draft)
            if draft.attributes.len() > shown.len()
                && shown.iter().all(|row| known(row, draft)) =>
        {
            (&draft.attributes, draft.source)
        }
        _ if shown.is_empty() => return Vec::new(),
        _ => (shown, ProductSource::Dom),
    };
    note(Field::Attribute, source);
    rows.clone()
}

pub(super) fn features(said: &Said, note: &mut impl FnMut(Field, ProductSource)) -> Vec<String> {
    let all = std::iter::once(&said.sight.draft).chain(&said.drafts);
    let Some(draft) = all.into_iter().find(|draft| !draft.features.is_empty()) else {
        return Vec::new();
    };
    note(Field::Feature, draft.source);
    draft.features.clone()
}
