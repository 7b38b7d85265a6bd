//! The rating that the page shows: `4.2 out of 5 (153 reviews)`, as text or as the label of stars.

use contract::Rating;
use text::vocabulary::TermList;

use super::visible_lines::VisibleLine;
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::schema_org::checked_rating;
use html::dom::{Dom, NodeId, NodeKind};
use html::prose;
use html::text::Collapsed;

/// The maximum distance of the rating from the heading, in nodes.
const MAX_DISTANCE: u32 = 600;

/// The same for labels above the heading, which may belong to the site.
const MAX_DISTANCE_ABOVE: u32 = 100;

/// The maximum number of labels that are read, and the length of one.
const MAX_LABELS: usize = 50;
const MAX_LABEL_BYTES: usize = 120;

/// The maximum nodes of the element with the stars and the number of ratings.
const MAX_CONTAINER: u32 = 60;

/// What may separate a rating from the best value.
static BEST_FIRST: TermList = phrase_list!("rating_best_first.txt");
static SEPARATORS: TermList = phrase_list!("rating_separators.txt");

pub(super) fn rating(index: &DomIndex<'_, '_>, lines: &[VisibleLine]) -> Option<Rating> {
    let heading = index.heading?;
    let near = |id: NodeId| id.0.abs_diff(heading.0) < MAX_DISTANCE;
    let hinted = index.hinted_as(ElementHints::RATING | ElementHints::REVIEW).filter(|id| {
        near(*id)
            && index.size(*id) < 60
            && !index.all(*id).intersects(ElementHints::SITE_FRAME | ElementHints::TEASER)
            && !index.is_teaser(*id)
    });
    for id in hinted {
        let text = prose::line(index.dom, id, 160);
        if let Some(rating) = read(&text) {
            return Some(rating);
        }
    }
    let in_line = lines.iter().filter(|line| near(line.block)).find_map(|line| read(&line.text));
    in_line.or_else(|| in_label(index, heading))
}

/// The rating in a label for screen readers, nearest to the heading: stars are images or icons.
fn in_label(index: &DomIndex<'_, '_>, heading: NodeId) -> Option<Rating> {
    let dom = index.dom;
    let last = heading.0.saturating_add(MAX_DISTANCE).min(dom.node_count() as u32);
    let below = (heading.0..last).map(NodeId);
    let above = (heading.0.saturating_sub(MAX_DISTANCE_ABOVE)..heading.0).rev().map(NodeId);
    let labels = below.chain(above).filter_map(|id| Some((id, label(dom, id)?)));
    // Labels about reviews count as reviews themselves, so that those are not excluded.
    let others = ElementHints::SITE_FRAME | ElementHints::TEASER | ElementHints::HIDDEN;
    let is_own = |id: NodeId| !index.all(id).intersects(others) && !index.is_teaser(id);
    labels.filter(|(id, _)| is_own(*id)).take(MAX_LABELS).find_map(|(id, label)| {
        read(&label).or_else(|| {
            let (value, best) = value_of_best(&label)?;
            checked_rating(value, best, count_after(index, id)?)
        })
    })
}

/// The label of an element for screen readers, if it contains a number.
fn label(dom: &Dom<'_>, id: NodeId) -> Option<String> {
    dom.element(id)?;
    let label = dom.raw_attribute(id, "aria-label")?;
    let fits = label.len() <= MAX_LABEL_BYTES && label.bytes().any(|byte| byte.is_ascii_digit());
    fits.then(|| dom.attribute(id, "aria-label").unwrap_or_default().into_owned())
}

/// The value and the best value of a label that states nothing else: `Rated 4.5 out of 5 stars`.
fn value_of_best(label: &str) -> Option<(f64, f64)> {
    let [(value, end), (best, best_end)] = numbers(label)[..] else { return None };
    let is_best = (best == 5.0 || best == 10.0) && is_separated(label.get(end..best_end)?);
    is_best.then_some((value, best))
}

/// The number of ratings in the text after the stars: `(120)`, `120 reviews`. Other texts may be
/// the date or the place of a single review.
fn count_after(index: &DomIndex<'_, '_>, stars: NodeId) -> Option<f64> {
    let dom = index.dom;
    let mut around = dom.ancestors(stars).take(3);
    around.find_map(|container| {
        let end = dom.end(container);
        let from = dom.end(stars);
        if index.size(container) >= MAX_CONTAINER || end.0 <= from.0 {
            return None;
        }
        let texts = (from.0..end.0).map(NodeId).filter(|id| dom.kind(*id) == NodeKind::Text);
        let mut texts =
            texts.map(|id| Collapsed::of(&dom.text(id), 60)).filter(|text| !text.is_empty());
        let mut text = texts.next()?;
        while text.len() < 20 {
            let Some(more) = texts.next() else { break };
            text.push(' ');
            text.push_str(&more);
        }
        count(&text)
    })
}

/// The number of a text that is a number of ratings.
fn count(text: &str) -> Option<f64> {
    let [(count, end)] = numbers(text)[..] else { return None };
    let (before, after) = (text.get(..end)?, text.get(end..)?);
    let before = before.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    let in_brackets = before.trim() == "(" && after.contains(')');
    let is_alone = before.is_empty() && after.split_whitespace().count() == 1;
    (count.fract() == 0.0 && (in_brackets || is_alone)).then_some(count)
}

/// Whether a text between two numbers says that the second is the best value.
fn is_separated(between: &str) -> bool {
    let between =
        between.trim().trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '／');
    SEPARATORS.iter().any(|word| between.starts_with(word))
}

/// Parses value, best value and number of ratings.
fn read(text: &str) -> Option<Rating> {
    let numbers = numbers(text);
    // Japanese names the best value first.
    if let [(best, _), (value, _), ..] = numbers[..]
        && BEST_FIRST.iter().any(|words| text.contains(words))
    {
        let count = numbers.get(2).map(|(count, _)| *count)?;
        return checked_rating(value, best, count);
    }
    let at = numbers.iter().position(|(value, _)| *value > 0.0 && *value <= 10.0)?;
    let (value, end) = numbers[at];
    // The best value is required: a single number may be anything.
    let (best, best_end) = *numbers.get(at + 1)?;
    let is_best = (best == 5.0 || best == 10.0) && is_separated(text.get(end..best_end)?);
    let count = numbers.get(at + 2).map(|(count, _)| *count);
    match is_best {
        true => checked_rating(value, best, count?),
        // Stars and count: `4.5 (120)`.
        false
            if text.get(end..)?.trim_start().starts_with('(')
                && value <= 5.0
                && text.get(..end)?.contains(['.', ',']) =>
        {
            checked_rating(value, 5.0, best)
        }
        false => None,
    }
}

/// The numbers of a text and where each ends.
fn numbers(text: &str) -> Vec<(f64, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < 8 {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len()
            && (bytes[at].is_ascii_digit()
                || (matches!(bytes[at], b'.' | b',')
                    && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)))
        {
            at += 1;
        }
        let digits = &text[start..at];
        let grouped =
            digits.len() > 4 && digits.split(['.', ',']).skip(1).all(|part| part.len() == 3);
        let plain = if grouped { digits.replace(['.', ','], "") } else { digits.replace(',', ".") };
        found.extend(plain.parse().ok().map(|number| (number, at)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_parsed() {
        for (text, rating) in [
            ("4.2 out of 5 (153 reviews)", Some((4.2, 5.0, 153))),
            ("4,7 von 5 Sternen 1.204 Bewertungen", Some((4.7, 5.0, 1_204))),
            ("3.9/5 79 opinii", Some((3.9, 5.0, 79))),
            ("4.5 (120)", Some((4.5, 5.0, 120))),
            ("5点中4.9点 (レビュー74件)", Some((4.9, 5.0, 74))),
            ("2 x 5 kg", None),
            ("5 reviews", None),
        ] {
            let read = read(text).map(|rating| (rating.value, rating.best, rating.count));
            assert_eq!(read, rating, "{text}");
        }
    }

    #[test]
    fn number_of_ratings_is_recognised_and_dates_are_not() {
        for (text, expected) in [
            ("(120)", Some(120.0)),
            ("( 1,204 customer reviews )", Some(1_204.0)),
            ("79 opinii", Some(79.0)),
            ("12 March 2024", None),
            ("3 days ago", None),
            ("5", None),
            ("Anna, (4)", None),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
    }
}
