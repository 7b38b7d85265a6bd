//! The rating that the visible page shows: `4.2 out of 5 (153 reviews)`.

use contract::Rating;
use text::vocabulary::TermList;

use super::visible_lines::VisibleLine;
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::schema_org::checked_rating;
use html::dom::NodeId;
use html::prose;

/// The maximum distance of the rating from the heading, in nodes.
const MAX_DISTANCE: u32 = 600;

/// What may separate a rating from the best value.
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
    lines.iter().filter(|line| near(line.block)).find_map(|line| read(&line.text))
}

/// Parses value, best value and number of ratings.
fn read(text: &str) -> Option<Rating> {
    let numbers = numbers(text);
    // Japanese names the best value first.
    if let [(best, _), (value, _), ..] = numbers[..]
        && (text.contains("点中") || text.contains("つ星のうち"))
    {
        let count = numbers.get(2).map(|(count, _)| *count)?;
        return checked_rating(value, best, count);
    }
    let at = numbers.iter().position(|(value, _)| *value > 0.0 && *value <= 10.0)?;
    let (value, end) = numbers[at];
    // The best value is required: a single number may be anything.
    let (best, best_end) = *numbers.get(at + 1)?;
    let between = text.get(end..best_end)?.trim();
    let is_best = (best == 5.0 || best == 10.0)
        && SEPARATORS.iter().any(|word| {
            between
                .trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '／')
                .starts_with(word)
        });
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
}
