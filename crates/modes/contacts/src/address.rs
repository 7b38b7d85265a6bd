//! Postal addresses: finds them in the lines of a page and splits them into their parts.
//!
//! Lines are split at the separators that addresses on one line use. A postal code with a town
//! is the anchor; the parts before it that look like a street are the street. An address needs
//! a street or a post office box.

use super::country;
use super::visible_text::VisibleText;

mod building;
mod postal_code;
mod region;
mod street;
mod town;

use postal_code::PostalTown;

/// Maximum addresses per page.
pub(crate) const MAX_ADDRESSES: usize = 100;

/// Maximum parts before a town that may belong to its street: "Av. Paulista, 1578 - 12º andar,
/// conj. 124 - Bela Vista, São Paulo".
const MAX_PARTS_BEFORE_TOWN: usize = 6;
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
            postal_code: Some(town.postal.clone()),
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
}

pub(crate) fn read(page: &VisibleText<'_, '_>) -> Vec<AddressOccurrence> {
    let mut parts = Vec::new();
    for (number, line) in page.lines.iter().enumerate() {
        if line.text.len() < 400 {
            split_line(&line.text, number, &mut parts);
        } else {
            // A long line is prose: each sentence is split on its own.
            for sentence in line.text.split(". ") {
                split_line(sentence, number, &mut parts);
            }
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
    from_parts(&parts, |_, _| true).into_iter().map(|seen| seen.address).collect()
}

/// Reads a postal code with its town, without a street.
pub(crate) fn from_town(text: &str) -> Option<PostalAddress> {
    let (town, _) =
        postal_code::town(text).filter(|(town, head)| head.is_empty() && !town.city.is_empty())?;
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

/// Splits a line at the separators between the parts of an address.
fn split_line<'t>(text: &'t str, line: usize, parts: &mut Vec<AddressPart<'t>>) {
    let mut from = 0;
    let mut begins_line = true;
    let mut push = |from: usize, to: usize, begins_line: bool| {
        let text = text.get(from..to).unwrap_or_default().trim();
        if !text.is_empty() {
            parts.push(AddressPart { line, text, begins_line });
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
        let Some(place) = town_at(parts, at, used) else { continue };
        if let Some(seen) = address_around(parts, &place, used, &are_adjacent) {
            used = place.last + 1;
            found.push(seen);
        }
    }
    found
}

/// A town with the parts of the line that it covers.
struct TownMatch {
    town: PostalTown,
    first: usize,
    last: usize,
    /// Text before the town in the same part.
    head: String,
}

/// The town whose postal code is in the part `at`.
fn town_at(parts: &[AddressPart<'_>], at: usize, used: usize) -> Option<TownMatch> {
    let part = parts.get(at)?;
    let (town, head) = postal_code::town(part.text)?;
    let mut place = TownMatch { town, first: at, last: at, head };
    let before =
        |back: usize| at.checked_sub(back).filter(|at| *at >= used).and_then(|at| parts.get(at));
    if place.town.city.is_empty() {
        // The town precedes its code, with an optional region between them.
        if let Some((head, town)) = street::split_town(&place.head) {
            (place.head, place.town.city) = (head, town);
        } else if let Some(county) = region::county(&place.head)
            && let Some(town) = before(1).filter(|part| {
                town::is_town(part.text)
                    && !street::is_street(part.text)
                    && !building::is_building_name(part.text)
            })
        {
            // "Frome, Somerset BA11 1AA"
            place.town.region = Some(county);
            town.text.clone_into(&mut place.town.city);
            place.head.clear();
            place.first = at - 1;
        } else if !place.head.is_empty()
            && town::is_town(&place.head)
            && !street::is_street(&place.head)
        {
            place.town.city = std::mem::take(&mut place.head);
        } else if place.head.is_empty() {
            let mut back = 1;
            if place.town.region.is_none()
                && let Some(region) = before(1).and_then(|part| region::region(part.text))
            {
                place.town.region = Some(region);
                back = 2;
            }
            let city = before(back)?;
            let split = street::split_town(city.text);
            match split {
                Some((head, town)) => {
                    place.head = head;
                    place.town.city = town;
                }
                None if town::is_town(city.text)
                    && (!street::is_street(city.text) || city.text.starts_with("Dublin ")) =>
                {
                    city.text.clone_into(&mut place.town.city);
                }
                None => return None,
            }
            place.first = at - back;
        } else {
            return None;
        }
    }
    // "Curitiba – PR", "Guadalajara, Jalisco", "Bergamo, BG"; then the country.
    let mut next = at + 1;
    if place.town.region.is_none()
        && place.town.takes_region
        && let Some(region) = parts
            .get(next)
            .filter(|part| !part.begins_line)
            .and_then(|part| region::region_after(part.text))
    {
        place.town.region = Some(region);
        place.last = next;
        next += 1;
    }
    if place.town.country.is_none()
        && let Some(part) = parts.get(next)
        && part.line <= parts[at].line + 1
        && let Some(code) = country::named(part.text.trim_end_matches('.'))
    {
        place.town.country = Some(code);
        place.last = next;
    }
    Some(place)
}

/// Assembles the address around a town.
fn address_around(
    parts: &[AddressPart<'_>],
    place: &TownMatch,
    used: usize,
    are_adjacent: &impl Fn(usize, usize) -> bool,
) -> Option<AddressOccurrence> {
    let mut streets: Vec<&str> = Vec::new();
    let mut first = place.first;
    let head = street::without_label(&place.head);
    let head =
        if street::is_street(head) { head } else { street::trailing_street(head).unwrap_or(head) };
    let mut has_street = false;
    if !head.is_empty() {
        if !street::is_street(head) && !street::is_box(head) {
            return None;
        }
        streets.push(head);
        has_street = true;
    }
    let mut districts = 0;
    let is_british = place.town.shape.iter().any(|country| matches!(*country, "GB" | "IE"));
    for back in 1..=MAX_PARTS_BEFORE_TOWN {
        let Some(at) = place.first.checked_sub(back).filter(|at| *at >= used) else { break };
        let part = &parts[at];
        if !are_adjacent(part.line, parts[place.first].line) {
            break;
        }
        let text = street::without_label(part.text);
        let text = if has_street || street::is_street(text) {
            text
        } else {
            street::trailing_street(text).unwrap_or(text)
        };
        if street::is_street(text) || street::is_box(text) {
            if has_street && !street::may_precede(text, streets.last().copied().unwrap_or_default())
            {
                break;
            }
            has_street = true;
        } else if street::is_detail(text) {
            // A floor or a number alone belongs to the street before or after it.
        } else if has_street && !part.begins_line && is_british && building::is_building_name(text)
        {
            // At the beginning of a line the building name may be the name of the company
            // instead.
        } else if !has_street && districts == 0 && street::is_district(text, part.begins_line) {
            districts += 1;
            first = at;
            continue;
        } else {
            break;
        }
        streets.push(text);
        first = at;
        // Text before a label does not belong to the address.
        if text.len() < part.text.len() {
            break;
        }
    }
    if !has_street {
        return None;
    }
    streets.reverse();
    let street = streets.join(", ");
    let last = parts.get(place.last)?.line;
    let first_line = parts.get(first)?.line;
    let mut raw = street.clone();
    for part in parts.get(first..=place.last).unwrap_or_default() {
        let text = street::without_label(part.text);
        // Words before a street in prose do not belong to the street.
        if streets.iter().any(|street| text.ends_with(street)) {
            continue;
        }
        if !streets.iter().any(|street| text.starts_with(street)) {
            raw.push_str(", ");
            raw.push_str(text);
        } else if let Some(rest) = streets
            .last()
            .and_then(|street| text.strip_prefix(street))
            .filter(|rest| !rest.trim().is_empty())
        {
            raw.push(' ');
            raw.push_str(rest.trim());
        }
    }
    let address = PostalAddress::of(&place.town, raw, Some(street));
    Some(AddressOccurrence { address, first: first_line, last })
}

#[cfg(test)]
mod tests;
