//! The dates of publication and last change.

use text::vocabulary::TermList;

use super::MetadataSources;
use html::dom::{Element, NodeId};
use html::tokenizer::Attribute;
use page::sitemap::date::{rfc822, w3c};

const MAX_CANDIDATES: usize = 32;

/// Distance from the heading within which a date is searched: nodes before and after it, and bytes
/// of text after it.
const NEAR_BEFORE: u32 = 40;
const NEAR_AFTER: u32 = 160;
const NEAR_BYTES: usize = 480;

/// Words near dates that are not the publication date, without their first letters, which may be
/// capitals.
static OTHER_DATE_WORDS: TermList = phrase_list!("other_date_words.txt");

/// Maximum length of a text that may be a date.
const MAX_TEXT: usize = 80;

static MONTHS: TermList = word_list!("months.txt");

/// Names of `<meta>` elements with the dates of publication and last change.
static PUBLISHED: TermList = word_list!("published_meta_names.txt");
static MODIFIED: TermList = word_list!("modified_meta_names.txt");

/// Where a date was found, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DateSource {
    /// `itemprop=datePublished`.
    Published,
    /// `itemprop=dateModified`, or a class that says so.
    Modified,
    /// A `<time>` with a class for publication dates.
    Named,
    /// Another element with a date class.
    Class,
    /// A `<time>` without such a class.
    Time,
}

impl DateSource {
    pub(super) fn of(attribute: &Attribute<'_>, element: Element) -> Option<Self> {
        match attribute.name {
            "itemprop" if attribute.value.contains("datePublished") => Some(Self::Published),
            "itemprop" if attribute.value.contains("dateModified") => Some(Self::Modified),
            "pubdate" if element == Element::Time => Some(Self::Named),
            _ => None,
        }
    }

    pub(super) fn of_class(class: &str, element: Element) -> Option<Self> {
        let named = if element == Element::Time { Self::Named } else { Self::Class };
        let mut found = None;
        for word in class.split_ascii_whitespace().filter(|word| word.len() < 48) {
            let word = word.to_ascii_lowercase();
            let is = |names: &[&str]| names.iter().any(|name| word.contains(name));
            if is(&["updated", "modified", "last-update"]) {
                found = found.or(Some(Self::Modified));
            } else if is(&["publish", "pubdate", "entry-date", "post-date", "posted"]) {
                return Some(named);
            } else if is(&["date", "timestamp"]) && !is(&["update", "candidate", "dated"]) {
                found = found.or(Some(named));
            }
        }
        found
    }
}

/// Adds an element that may contain a date, and every `<time>`.
pub(super) fn keep(sources: &mut MetadataSources<'_, '_>, source: Option<DateSource>, id: NodeId) {
    if sources.dates.len() >= MAX_CANDIDATES {
        return;
    }
    let source = source.unwrap_or(DateSource::Time);
    sources.dates.push((source, id));
}

/// The dates of publication and last change.
pub(super) fn of(sources: &MetadataSources<'_, '_>) -> (Option<String>, Option<String>) {
    let published = sources.json_ld.published().and_then(date);
    let published = published
        .or_else(|| sources.metas(&PUBLISHED).find_map(date))
        .or_else(|| visible_date(sources, DateSource::Published))
        .or_else(|| only_date(sources, DateSource::Named))
        .or_else(|| date_near_heading(sources))
        .or_else(|| only_date(sources, DateSource::Class))
        .or_else(|| only_date(sources, DateSource::Time));
    let modified = sources.json_ld.modified().and_then(date);
    let modified = modified
        .or_else(|| sources.metas(&MODIFIED).find_map(date))
        .or_else(|| visible_date(sources, DateSource::Modified));
    (published, modified)
}

/// The first date from this source.
fn visible_date(sources: &MetadataSources<'_, '_>, source: DateSource) -> Option<String> {
    let mut here = sources.dates.iter().filter(|(known, _)| *known == source);
    here.find_map(|(_, id)| date_of(sources, *id))
}

/// The date of this source if there is exactly one; several are ambiguous.
fn only_date(sources: &MetadataSources<'_, '_>, source: DateSource) -> Option<String> {
    let here = sources.dates.iter().filter(|(known, _)| *known == source).map(|(_, id)| *id);
    let mut dated = here.filter_map(|id| Some((id, date_of(sources, id)?)));
    let (id, first) = dated.next()?;
    let is_alone = dated.all(|(_, other)| other.get(..10) == first.get(..10));
    (is_alone && !is_in_list(sources, id) && !is_other_date(sources, id)).then_some(first)
}

/// Whether the text around a date says that it is not the publication date.
fn is_other_date(sources: &MetadataSources<'_, '_>, id: NodeId) -> bool {
    let around =
        sources.dom.parent(id).into_iter().flat_map(|parent| sources.dom.descendants(parent));
    let mut texts = around.take(12).map(|near| sources.dom.raw_text(near));
    texts.any(mentions_other_date)
}

fn mentions_other_date(text: &str) -> bool {
    OTHER_DATE_WORDS.iter().any(|word| text.contains(word))
}

/// A short text with a date near the heading of the page, outside of the lists after it.
fn date_near_heading(sources: &MetadataSources<'_, '_>) -> Option<String> {
    let heading = sources.heading?.0;
    let last = u32::try_from(sources.dom.node_count()).unwrap_or(u32::MAX);
    let mut bytes = 0;
    let behind = (heading..last.min(heading + NEAR_AFTER)).take_while(|at| {
        bytes += sources.dom.raw_text(NodeId(*at)).trim_ascii().len();
        bytes <= NEAR_BYTES
    });
    let mut near = behind.chain(heading.saturating_sub(NEAR_BEFORE)..heading).map(NodeId);
    near.find_map(|id| {
        let text = sources.dom.raw_text(id).trim_ascii();
        let may_be = (8..=48).contains(&text.len())
            && (text.contains("19") || text.contains("20"))
            && !mentions_other_date(text);
        if may_be && !is_in_list(sources, id) { date(text) } else { None }
    })
}

/// Whether an element is in a list, menu or footer, whose dates belong to something else.
fn is_in_list(sources: &MetadataSources<'_, '_>, id: NodeId) -> bool {
    use Element as E;
    let mut around =
        sources.dom.ancestors(id).take(6).filter_map(|above| sources.dom.element(above));
    around.any(|element| matches!(element, E::Li | E::Nav | E::Aside | E::Footer | E::Dl))
}

fn date_of(sources: &MetadataSources<'_, '_>, id: NodeId) -> Option<String> {
    let stated =
        sources.dom.attribute(id, "datetime").or_else(|| sources.dom.attribute(id, "content"));
    stated.and_then(|stated| date(&stated)).or_else(|| {
        let text = sources.text_of(id);
        date(&text)
    })
}

/// Parses a date in any supported format into a W3C date or datetime.
fn date(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > MAX_TEXT || text.len() < 6 {
        return None;
    }
    let found =
        w3c(text).or_else(|| compact(text)).or_else(|| rfc822(text)).or_else(|| in_words(text))?;
    let year: u32 = found.get(..4)?.parse().ok()?;
    // The Unix epoch means that the date is unknown.
    let is_day = found.len() >= 10 && !found.starts_with("1970-01-01");
    (is_day && (1900..=2100).contains(&year)).then_some(found)
}

/// `20240501`, `2024/05/01`, `2024.05.01`, and a date followed by other text.
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
    // `DD.MM.YYYY` is unambiguous.
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

/// The number of a month by its name or abbreviation.
fn month(word: &str) -> Option<u32> {
    let word = match word.to_ascii_lowercase() {
        sept if sept == "sept" => "sep".to_owned(),
        word => word,
    };
    let is = |name: &str| word.len() >= 3 && name.starts_with(&word);
    let known = (1..).zip(MONTHS.iter()).find(|(_, name)| is(name));
    known.map(|(number, _)| number)
}
