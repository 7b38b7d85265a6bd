//! When a page was published, and when it was changed.

use super::Claims;
use crate::dom::{Element, NodeId};
use crate::sitemap::date::{mail, w3c};

const MAX_PLACES: usize = 32;

/// The longest text that may be a date.
const MAX_TEXT: usize = 80;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const PUBLISHED: &[&str] = &[
    "article:published_time",
    "og:article:published_time",
    "article:published",
    "og:published_time",
    "datepublished",
    "date_published",
    "publishdate",
    "publish_date",
    "publish-date",
    "published_at",
    "published-date",
    "pubdate",
    "publication_date",
    "parsely-pub-date",
    "sailthru.date",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date.created",
    "dcterms.date",
    "dc.date",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "date",
    "datecreated",
    "article.published",
    "ptime",
];

const MODIFIED: &[&str] = &[
    "article:modified_time",
    "og:updated_time",
    "article:modified",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "lastmod",
    "modified_at",
    "revised",
    "article.updated",
    "updated_at",
];

/// Where a date may stand, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// `itemprop=datePublished`.
    Published,
    /// `itemprop=dateModified`, or a class that says so.
    Modified,
    /// `<time>` that is named as the date of the text.
    Named,
    /// `<time>` in the head of an article.
    Headed,
    /// Something else that is called a date.
    Class,
    /// Any other `<time>`.
    Time,
}

impl Place {
    /// Keeps an element that may hold a date.
    pub(super) fn find(claims: &mut Claims<'_, '_>, id: NodeId, element: Element) {
        if claims.dates.len() >= MAX_PLACES {
            return;
        }
        let is_time = element == Element::Time;
        let mut place = None;
        for attribute in claims.dom.attributes(id) {
            let found = match attribute.name {
                "itemprop" if attribute.value.contains("datePublished") => Some(Self::Published),
                "itemprop" if attribute.value.contains("dateModified") => Some(Self::Modified),
                "pubdate" if is_time => Some(Self::Named),
                "class" => class_place(attribute.value, is_time),
                _ => None,
            };
            place = match (place, found) {
                (Some(known), Some(found)) => Some(std::cmp::min::<Self>(known, found)),
                (known, found) => known.or(found),
            };
        }
        if place.is_none() && is_time {
            let headed = claims
                .dom
                .ancestors(id)
                .take(6)
                .any(|above| matches!(claims.dom.element(above), Some(Element::Header)));
            place = Some(if headed { Self::Headed } else { Self::Time });
        }
        if let Some(place) = place {
            claims.dates.push((place, id));
        }
    }
}

fn class_place(class: &str, is_time: bool) -> Option<Place> {
    // Most classes speak of no time, and there are many.
    let parts = ["ate", "ublish", "osted", "imestamp", "odified"];
    if !parts.iter().any(|part| class.contains(part)) {
        return None;
    }
    let mut found = None;
    for word in class.split_ascii_whitespace().filter(|word| word.len() < 48) {
        let word = word.to_ascii_lowercase();
        let is = |names: &[&str]| names.iter().any(|name| word.contains(name));
        if is(&["updated", "modified", "last-update"]) {
            found = found.or(Some(Place::Modified));
        } else if is(&["publish", "pubdate", "entry-date", "post-date", "posted"]) {
            return Some(if is_time { Place::Named } else { Place::Class });
        } else if is(&["date", "timestamp"]) && !is(&["update", "candidate", "dated"]) {
            found = found.or(Some(if is_time { Place::Named } else { Place::Class }));
        }
    }
    found
}

/// The dates of publication and of the last change.
pub(super) fn of(claims: &Claims<'_, '_>) -> (Option<String>, Option<String>) {
    let published = claims.json_ld.published().and_then(date);
    let published = published
        .or_else(|| claims.metas(PUBLISHED).find_map(date))
        .or_else(|| visible(claims, &[Place::Published, Place::Named, Place::Headed]))
        .or_else(|| visible(claims, &[Place::Class]))
        .or_else(|| only_time(claims))
        .or_else(|| beside_heading(claims));
    let modified = claims.json_ld.modified().and_then(date);
    let modified = modified
        .or_else(|| claims.metas(MODIFIED).find_map(date))
        .or_else(|| visible(claims, &[Place::Modified]));
    (published, modified)
}

fn visible(claims: &Claims<'_, '_>, places: &[Place]) -> Option<String> {
    places.iter().find_map(|place| {
        let here = claims.dates.iter().filter(|(known, _)| known == place);
        here.map(|(_, id)| *id).find_map(|id| date_of(claims, id))
    })
}

/// A date that stands alone on a page is that of the page; of several, nobody knows.
fn only_time(claims: &Claims<'_, '_>) -> Option<String> {
    let mut times = claims.dates.iter().filter(|(place, _)| *place == Place::Time);
    let first = date_of(claims, times.next()?.1)?;
    let same =
        |id: NodeId| date_of(claims, id).is_none_or(|other| other.get(..10) == first.get(..10));
    times.all(|(_, id)| same(*id)).then_some(first)
}

/// A short text with a date in it, right before or behind the heading of the page.
fn beside_heading(claims: &Claims<'_, '_>) -> Option<String> {
    let heading = claims.heading?.0;
    let last = u32::try_from(claims.dom.len()).unwrap_or(u32::MAX);
    let near = (heading..last.min(heading + 120)).chain(heading.saturating_sub(40)..heading);
    let texts = near.map(|at| claims.dom.raw_text(NodeId(at)).trim());
    texts.filter(|text| (8..=48).contains(&text.len())).find_map(|text| {
        let has_year = text.contains("19") || text.contains("20");
        if has_year { date(text) } else { None }
    })
}

fn date_of(claims: &Claims<'_, '_>, id: NodeId) -> Option<String> {
    let stated =
        claims.dom.attribute(id, "datetime").or_else(|| claims.dom.attribute(id, "content"));
    stated.and_then(|stated| date(&stated)).or_else(|| {
        let text = claims.text_of(id);
        date(&text)
    })
}

/// A date as it may be written, as a W3C date or date and time.
fn date(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > MAX_TEXT || text.len() < 6 {
        return None;
    }
    let found =
        w3c(text).or_else(|| compact(text)).or_else(|| mail(text)).or_else(|| in_words(text))?;
    let year: u32 = found.get(..4)?.parse().ok()?;
    // The first day of all clocks stands for none.
    let is_day = found.len() >= 10 && !found.starts_with("1970-01-01");
    (is_day && (1900..=2100).contains(&year)).then_some(found)
}

/// `20240501`, `2024/05/01`, `2024.05.01`, and a day followed by something else.
fn compact(text: &str) -> Option<String> {
    let digits = text.get(..8).filter(|start| start.bytes().all(|b| b.is_ascii_digit()));
    if let Some(digits) = digits.filter(|_| text.len() == 8) {
        return w3c(&format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]));
    }
    let day = text.get(..10)?;
    let bytes = day.as_bytes();
    let parted = |at: usize| matches!(bytes.get(at), Some(b'-' | b'/' | b'.'));
    if parted(4) && parted(7) {
        let ends = text.as_bytes().get(10).is_none_or(|byte| !byte.is_ascii_digit());
        return ends.then(|| w3c(&day.replace(['/', '.'], "-"))).flatten();
    }
    // Days before months: with points that is certain.
    let german = bytes.get(2) == Some(&b'.') && bytes.get(5) == Some(&b'.');
    german.then(|| w3c(&format!("{}-{}-{}", &day[6..], &day[3..5], &day[..2]))).flatten()
}

/// `March 3, 2021`, `3 March 2021`, `Mar 3rd 2021`, with words around them.
fn in_words(text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '(' | ')' | '|' | '/' | '-'))
        .filter(|word| !word.is_empty())
        .take(16)
        .collect();
    let at = words.iter().position(|word| month(word).is_some())?;
    let month = month(words[at])?;
    let day = |word: Option<&&str>| {
        let word = word?.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        word.parse::<u32>().ok().filter(|day| (1..=31).contains(day) && word.len() <= 2)
    };
    let year = |word: Option<&&str>| {
        word.and_then(|word| word.parse::<u32>().ok()).filter(|year| (1900..=2100).contains(year))
    };
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let (day, year) = match day(words.get(at + 1)) {
        Some(day) if year(words.get(at + 2)).is_some() => (day, year(words.get(at + 2))?),
        _ => (day(before)?, year(words.get(at + 1))?),
    };
    w3c(&format!("{year:04}-{month:02}-{day:02}"))
}

/// The number of a month, by its name or the beginning of it.
fn month(word: &str) -> Option<u32> {
    let word = match word.to_ascii_lowercase() {
        sept if sept == "sept" => "sep".to_owned(),
        word => word,
    };
    let is = |name: &str| word.len() >= 3 && name.starts_with(&word);
    let known = (1..).zip(MONTHS).find(|(_, name)| is(name));
    known.map(|(number, _)| number)
}
