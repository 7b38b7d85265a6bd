//! The phone numbers of a page, with their positions, as the page writes them.
//!
//! A number needs a link, a label, the international format or, later, the numbering plan of
//! the home country, which is known only after all pages are read. A number with a label for
//! something else is rejected.

use contract::{ContactMethod, PhoneType};

use text::vocabulary::TermSet;

use super::visible_text::{Icon, VisibleText};
use html::dom::NodeId;

mod label;
pub(super) mod number;

pub(crate) use label::PhoneLabel;
pub(crate) use number::{DialableNumber, country_of, resolve_number};

static CONJUNCTIONS: TermSet = word_set!("phone/conjunctions.txt");

/// Maximum phone numbers per page, not counting links.
const MAX_PHONES: usize = 400;

/// Minimum digits of a number as it is written. Shorter ones are extensions, ports and amounts.
const MIN_DIGITS: usize = 7;

/// Why a run of digits is taken for a phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PhoneEvidence {
    /// Only its format: it must be valid in the home country.
    Shape,
    /// A word or an icon before it.
    Label,
    /// The international format.
    International,
    /// A `tel:` link to the number.
    Link,
}

/// A phone number with its position on the page.
#[derive(Debug, Clone)]
pub(crate) struct PhoneOccurrence {
    /// As the page writes it.
    pub raw: String,
    /// The number that a link dials.
    pub dialled: Option<String>,
    /// Type by label; unknown without one.
    pub kind: PhoneType,
    pub method: ContactMethod,
    pub evidence: PhoneEvidence,
    pub line: usize,
    pub at: usize,
    pub node: NodeId,
    /// The number is the only content of its line, apart from a label.
    pub alone: bool,
}

/// The phone numbers of a page, in reading order.
pub(crate) fn read(page: &VisibleText<'_, '_>) -> Vec<PhoneOccurrence> {
    let mut phones: Vec<PhoneOccurrence> = Vec::new();
    let links = page.embedded.iter().filter(|value| value.method == ContactMethod::Tel);
    for value in links.take(MAX_PHONES) {
        let href = super::decoded(&value.text);
        let (scheme, digits) = href.split_once(':').unwrap_or(("tel", &href));
        let digits =
            digits.trim_start_matches('/').split([';', '?']).next().unwrap_or_default().trim();
        let count = digits.bytes().filter(u8::is_ascii_digit).count();
        if !(MIN_DIGITS..=17).contains(&count) || number::is_placeholder(digits) {
            continue;
        }
        let shown = page.lines.get(value.line).and_then(|line| {
            let mut inside = line.runs.iter().filter(|run| page.dom.contains(value.node, run.node));
            let (from, to) = (inside.clone().next()?.from, inside.next_back()?.to);
            let text = line.text.get(from..to)?;
            let found = text::phone::candidates(text).into_iter().next()?;
            let is_same = number::is_same_number(&found.raw, digits);
            let is_whole = dialled_count(&found.raw) >= MIN_DIGITS;
            (is_same || is_whole).then(|| (found.raw, from + found.part.start, is_same))
        });
        let (raw, at, is_same) = shown.unwrap_or_else(|| (digits.to_owned(), value.at, true));
        let mut kind = kind_of(page, value.line, at, at + raw.len());
        if scheme.trim().eq_ignore_ascii_case("fax") {
            kind = Some(PhoneLabel::Fax);
        }
        // Attributes of the link may give the type.
        if kind.is_none() {
            let said = ["aria-label", "title", "class"];
            kind = said.iter().find_map(|name| {
                let text = page.dom.attribute(value.node, name)?;
                label::in_text(&text).filter(|label| *label != PhoneLabel::Other)
            });
        }
        phones.push(PhoneOccurrence {
            raw,
            // If a link dials another number than it shows, the shown one counts.
            dialled: is_same.then(|| digits.to_owned()),
            kind: kind.map_or(PhoneType::Unknown, PhoneLabel::kind),
            method: ContactMethod::Tel,
            evidence: PhoneEvidence::Link,
            line: value.line,
            at,
            node: value.node,
            alone: true,
        });
    }
    let linked = phones.len();
    for number in 0..page.lines.len() {
        if phones.len() >= linked + MAX_PHONES {
            break;
        }
        in_line(page, number, linked, &mut phones);
    }
    phones.sort_by_key(|phone| (phone.line, phone.at));
    phones.truncate(2 * MAX_PHONES);
    phones
}

/// Digits of a phone number, and capital letters that replace digits.
fn dialled_count(raw: &str) -> usize {
    raw.bytes().filter(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()).count()
}

fn in_line(
    page: &VisibleText<'_, '_>,
    number: usize,
    linked: usize,
    phones: &mut Vec<PhoneOccurrence>,
) {
    let Some(line) = page.lines.get(number) else { return };
    let mut last: Option<(usize, PhoneLabel)> = None;
    let found = text::phone::candidates(&line.text);
    let digits_in_line = line.text.bytes().filter(u8::is_ascii_digit).count();
    for found in found {
        let node = line.node_at(found.part.start);
        let is_linked = |phone: &PhoneOccurrence| page.dom.contains(phone.node, node);
        if phones.iter().take(linked).any(is_linked) {
            last = Some((found.part.end, PhoneLabel::Voice));
            continue;
        }
        let mut known = kind_of(page, number, found.part.start, found.part.end);
        // "Tel. 123 45 67, 123 45 68": one label for both numbers.
        if known.is_none()
            && let Some((end, label)) = last
        {
            let between = line.text.get(end..found.part.start).unwrap_or_default();
            let joins = between.chars().count() <= 7
                && between
                    .split(|c: char| !c.is_alphabetic())
                    .all(|word| word.is_empty() || CONJUNCTIONS.contains(word));
            known = joins.then_some(label);
        }
        if known == Some(PhoneLabel::Other) {
            last = Some((found.part.end, PhoneLabel::Other));
            continue;
        }
        let count = dialled_count(&found.raw);
        let evidence = match known {
            _ if found.is_international => PhoneEvidence::International,
            Some(_) => PhoneEvidence::Label,
            None => PhoneEvidence::Shape,
        };
        let is_plausible = match evidence {
            PhoneEvidence::Link | PhoneEvidence::Label => count >= MIN_DIGITS,
            PhoneEvidence::International => count > MIN_DIGITS,
            PhoneEvidence::Shape => count >= MIN_DIGITS && found.is_grouped,
        };
        if !is_plausible || number::is_placeholder(&found.raw) {
            continue;
        }
        last = known.map(|label| (found.part.end, label));
        phones.push(PhoneOccurrence {
            raw: found.raw,
            dialled: None,
            kind: known.map_or(PhoneType::Unknown, PhoneLabel::kind),
            method: ContactMethod::Text,
            evidence,
            line: number,
            at: found.part.start,
            node,
            // "Sales: 123 45 67": any label with a colon counts.
            alone: (digits_in_line == count && line.text.len() < 60)
                || is_set_apart(&line.text, found.part.start, found.part.end)
                || (line.text.len() < 120
                    && line
                        .text
                        .get(..found.part.start)
                        .is_some_and(|head| head.trim_end().ends_with(':'))),
        });
    }
}

/// Whether a number is alone between two separators of a line.
fn is_set_apart(line: &str, from: usize, to: usize) -> bool {
    const SIGNS: [char; 9] = ['·', '|', '•', '●', '∙', '⋅', '│', '–', '—'];
    let before = line.get(..from).unwrap_or_default().trim_end();
    let after = line.get(to..).unwrap_or_default().trim_start();
    let begins = before.is_empty() || before.ends_with(SIGNS);
    let ends = after.is_empty() || after.starts_with(SIGNS);
    begins && ends && !(before.is_empty() && after.is_empty())
}

/// The type that the words and icons around a number give.
fn kind_of(
    page: &VisibleText<'_, '_>,
    number: usize,
    from: usize,
    to: usize,
) -> Option<PhoneLabel> {
    let line = page.lines.get(number)?;
    let before = line.text.get(..from).unwrap_or_default();
    let after = line.text.get(to..).unwrap_or_default();
    if let Some(label) = label::after(after).or_else(|| label::before(before)) {
        return Some(label);
    }
    let icon = line.icons.iter().rev().find(|(at, _)| {
        let between = line.text.get(*at..from).unwrap_or("0");
        *at <= from && !between.bytes().any(|byte| byte.is_ascii_digit())
    });
    match icon {
        Some((_, Icon::Fax)) => return Some(PhoneLabel::Fax),
        Some((_, Icon::Mobile)) => return Some(PhoneLabel::Mobile),
        Some((_, Icon::Phone)) => return Some(PhoneLabel::Voice),
        Some((_, Icon::Mail | Icon::Place)) | None => {}
    }
    if before.chars().any(char::is_alphanumeric) {
        return None;
    }
    let last = number.checked_sub(1).and_then(|last| page.lines.get(last))?;
    let is_label = page.are_beside(last, line)
        || last.text.trim_end().ends_with(':')
        || (last.text.len() < 30 && !last.text.bytes().any(|byte| byte.is_ascii_digit()));
    is_label.then(|| label::before(&last.text)).flatten()
}
