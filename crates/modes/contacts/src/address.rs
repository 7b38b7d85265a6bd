//! Postal addresses: finds them in the lines of a page and splits them into their parts.
//!
//! Lines are split at the separators that addresses on one line use. A town with its postal
//! code, region or country is the anchor; the parts before it that look like a street, a unit, a
//! building or a locality are the street. An address needs a street or a post office box.

use super::country;
use super::visible_text::VisibleText;
use html::dom::Element;

mod building;
mod place;
mod postal_code;
mod region;
mod street;
mod street_lines;
mod town;

use place::{PostalTown, TownMatch};
use street_lines::StreetLines;

/// Maximum addresses per page.
pub(crate) const MAX_ADDRESSES: usize = 100;

/// Maximum parts before a town that may belong to its street: "Av. Paulista, 1578 - 12º andar,
/// conj. 124 - Bela Vista, São Paulo".
const MAX_PARTS_BEFORE_TOWN: usize = 8;
/// Maximum lines of an address.
const MAX_LINES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PostalAddress {
    pub raw: String,
    pub street: Option<String>,
    pub city: Option<String>,
    pub region: Option<String>,
    pub postal_code: Option<String>,
    /// ISO 3166-1 code, if the address names the country.
    pub country: Option<String>,
    /// ISO 3166-1 codes of the countries whose postal codes have this format.
    pub shape: &'static [&'static str],
}

impl PostalAddress {
    fn of(town: &PostalTown, raw: String, street: Option<String>) -> Self {
        Self {
            raw,
            street,
            city: Some(town.city.clone()),
            region: town.region.clone(),
            postal_code: Some(town.postal.clone()).filter(|code| !code.is_empty()),
            country: town.country.map(str::to_owned),
            shape: town.shape,
        }
    }
}

/// An address with the lines of the page that contain it.
#[derive(Debug, Clone)]
pub(crate) struct AddressOccurrence {
    pub address: PostalAddress,
    /// First and last line, inclusive.
    pub first: usize,
    pub last: usize,
}

/// A part of a line between two separators.
#[derive(Debug, Clone, Copy)]
struct AddressPart<'t> {
    line: usize,
    text: &'t str,
    /// The part is the first of its line.
    begins_line: bool,
    /// Markup calls the part an address.
    is_marked: bool,
}

pub(crate) fn read(page: &VisibleText<'_, '_>) -> Vec<AddressOccurrence> {
    let mut parts = Vec::new();
    for (number, line) in page.lines.iter().enumerate() {
        let begin = parts.len();
        if line.text.len() < 400 {
            // Inline elements separate values as well.
            let mut from = 0;
            let starts = line.runs.iter().skip(1).map(|run| run.from).take(40);
            for to in starts.chain([line.text.len()]) {
                let is_border = to == line.text.len() || begins_value(&line.text, to);
                let text = line.text.get(from..to);
                // "<span>44000</span> Nantes"
                let is_whole = |text: &&str| {
                    to == line.text.len()
                        || text.chars().filter(|c| c.is_alphabetic()).take(3).count() == 3
                };
                if is_border && let Some(text) = text.filter(is_whole) {
                    split_line(text, number, &mut parts);
                    from = to;
                }
            }
        } else {
            // A long line is prose: each sentence is split on its own.
            for sentence in line.text.split(". ") {
                split_line(sentence, number, &mut parts);
            }
        }
        let is_marked = page.nearest(line.node, &[Element::Address]).is_some();
        for (at, part) in parts.iter_mut().skip(begin).enumerate() {
            part.begins_line = at == 0;
            part.is_marked = is_marked;
        }
    }
    from_parts(&parts, |before, after| before == after || are_adjacent(page, before, after))
}

/// Finds the addresses of a text of several lines.
pub(crate) fn find_in_text(text: &str) -> Vec<PostalAddress> {
    let mut parts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        split_line(line, number, &mut parts);
    }
    parts.iter_mut().for_each(|part| part.is_marked = true);
    from_parts(&parts, |_, _| true).into_iter().map(|seen| seen.address).collect()
}

/// Reads a postal code with its town, without a street.
pub(crate) fn from_town(text: &str) -> Option<PostalAddress> {
    let town = place::whole_town(text)?;
    Some(PostalAddress::of(&town, text.to_owned(), None))
}

/// Whether two lines can belong to one address: they are in one block or in neighbouring
/// blocks.
fn are_adjacent(page: &VisibleText<'_, '_>, before: usize, after: usize) -> bool {
    let (Some(one), Some(other)) = (page.lines.get(before), page.lines.get(after)) else {
        return false;
    };
    if one.zone != other.zone || after - before > MAX_LINES {
        return false;
    }
    let dom = page.dom;
    one.node == other.node || {
        let (a, b) = (dom.parent(one.node), dom.parent(other.node));
        let grand = |id: Option<html::dom::NodeId>| id.and_then(|id| dom.parent(id));
        a == b
            || a == Some(other.node)
            || b == Some(one.node)
            || grand(a) == grand(b)
            || grand(a) == b
            || a == grand(b)
    }
}

/// Whether a value begins at this border of inline elements: a capital or a digit after a space.
fn begins_value(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else { return false };
    let is_value = after.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '#');
    is_value && !before.ends_with(|c: char| c.is_uppercase() || c == '-')
}

/// Splits a line at the separators between the parts of an address.
fn split_line<'t>(text: &'t str, line: usize, parts: &mut Vec<AddressPart<'t>>) {
    let mut from = 0;
    let mut begins_line = true;
    let mut push = |from: usize, to: usize, begins_line: bool| {
        let text = text.get(from..to).unwrap_or_default().trim();
        if !text.is_empty() {
            parts.push(AddressPart { line, text, begins_line, is_marked: false });
        }
    };
    for (at, c) in text.char_indices() {
        let spaced = || {
            text.get(..at).is_some_and(|head| head.ends_with([' ', '\u{a0}']))
                && text
                    .get(at + c.len_utf8()..)
                    .is_some_and(|tail| tail.starts_with([' ', '\u{a0}']))
        };
        let parts_here = match c {
            ',' | ';' | '|' | '·' | '•' | '●' | '┃' | '│' | '∙' | '⋅' | '►' | '▪' => {
                true
            }
            '-' | '–' | '—' | '/' | '*' | '+' | '~' => spaced(),
            // A sentence ends here, unless the dot belongs to an abbreviation.
            '.' => {
                let word = text.get(from..at).unwrap_or_default();
                let word = word.rsplit(' ').next().unwrap_or_default();
                let after = text.get(at + 1..).unwrap_or_default();
                let begins = after
                    .strip_prefix(' ')
                    .is_some_and(|rest| rest.starts_with(char::is_uppercase));
                let is_code = word.len() == 3 && word.starts_with(|c: char| c.is_ascii_digit());
                begins
                    && (word.chars().count() > 3 || is_code)
                    && !word.to_lowercase().ends_with("str")
            }
            _ => false,
        };
        if parts_here {
            push(from, at, begins_line);
            from = at + c.len_utf8();
            begins_line = false;
        }
    }
    push(from, text.len(), begins_line);
}

fn from_parts(
    parts: &[AddressPart<'_>],
    are_adjacent: impl Fn(usize, usize) -> bool,
) -> Vec<AddressOccurrence> {
    let mut found: Vec<AddressOccurrence> = Vec::new();
    let mut used = 0;
    for at in 0..parts.len() {
        if found.len() >= MAX_ADDRESSES {
            break;
        }
        if at < used {
            continue;
        }
        let Some(place) = place::town_at(parts, at, used) else { continue };
        if let Some(seen) = address_around(parts, &place, used, &are_adjacent) {
            used = place.last + 1;
            found.push(seen);
        }
    }
    found
}

/// Assembles the address around a town.
fn address_around(
    parts: &[AddressPart<'_>],
    place: &TownMatch,
    used: usize,
    are_adjacent: &impl Fn(usize, usize) -> bool,
) -> Option<AddressOccurrence> {
    let mut lines = StreetLines::new(place);
    let head = street::without_label(&place.head);
    if !head.is_empty() {
        let whole = street::is_street(head) || street::is_detail(head);
        let head = if whole { head } else { street::trailing_street(head).unwrap_or(head) };
        lines.add_head(head)?;
        if head.len() < place.head.trim().len() {
            lines.close();
        }
    }
    for back in 1..=MAX_PARTS_BEFORE_TOWN {
        let Some(at) = place.first.checked_sub(back).filter(|at| *at >= used) else { break };
        let part = &parts[at];
        let is_near = are_adjacent(part.line, parts[place.first].line);
        if !is_near || !lines.add(part, at) {
            break;
        }
    }
    let first = lines.finish()?;
    let street = lines.street();
    let last = parts.get(place.last)?.line;
    let first_line = parts.get(first)?.line;
    let mut raw = street.clone();
    for part in parts.get(first..=place.last).unwrap_or_default() {
        let text = street::without_label(part.text);
        // Words before a street in prose do not belong to the street.
        if lines.texts().any(|street| text.ends_with(street)) {
            continue;
        }
        if !lines.texts().any(|street| text.starts_with(street)) {
            raw.push_str(", ");
            raw.push_str(text);
        } else if let Some(rest) = lines
            .texts()
            .find_map(|street| text.strip_prefix(street))
            .filter(|rest| !rest.trim().is_empty())
        {
            raw.push(' ');
            raw.push_str(rest.trim());
        }
    }
    let mut address = PostalAddress::of(&place.town, raw, Some(street));
    // An office is often headed by its country.
    if address.country.is_none()
        && let Some(above) = first.checked_sub(1).and_then(|at| parts.get(at))
        && above.line + 1 == first_line
        && let Some(country) = country::named(above.text)
        && (place.town.shape.is_empty() || place.town.shape.contains(&country))
    {
        address.country = Some(country.to_owned());
    }
    Some(AddressOccurrence { address, first: first_line, last })
}

#[cfg(test)]
mod tests;
