//! Postal addresses: found in the lines of a page, and split into their parts.
//!
//! The lines are cut at the signs that part an address on one line. A postal code with a town
//! is the anchor; what stands before it and looks like a street is the street. Without a
//! street or a box nothing is an address.

use super::country;
use super::visible_text::VisibleText;

mod building;
mod postal_code;
mod region;
mod street;
mod town;

use postal_code::PostalTown;

/// How many addresses of a page are kept.
pub(crate) const MAX_ADDRESSES: usize = 100;

/// How many parts before a town may belong to its street: "Av. Paulista, 1578 - 12º andar,
/// conj. 124 - Bela Vista, São Paulo".
const REACH: usize = 6;
/// How many lines an address has at most.
const MAX_LINES: usize = 4;

/// An address with its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PostalAddress {
    pub raw: String,
    pub street: Option<String>,
    pub city: Option<String>,
    pub region: Option<String>,
    pub postal_code: Option<String>,
    /// Where it is named.
    pub country: Option<String>,
    /// The countries whose codes have this shape.
    pub shape: &'static [&'static str],
}

/// An address in its place.
#[derive(Debug, Clone)]
pub(crate) struct AddressOccurrence {
    pub address: PostalAddress,
    /// The lines it stands in.
    pub first: usize,
    pub last: usize,
}

/// A part of a line.
#[derive(Debug, Clone, Copy)]
struct AddressPart<'t> {
    line: usize,
    text: &'t str,
    /// The sign before it was a line's end.
    begins_line: bool,
}

/// The addresses of a page.
pub(crate) fn read(page: &VisibleText<'_, '_>) -> Vec<AddressOccurrence> {
    let mut parts = Vec::new();
    for (number, line) in page.lines.iter().enumerate() {
        if line.text.len() < 400 {
            cut(&line.text, number, &mut parts);
        } else {
            // A long line is prose: its address is found as a piece around the code.
            for sentence in line.text.split(". ") {
                cut(sentence, number, &mut parts);
            }
        }
    }
    from_parts(&parts, |before, behind| before == behind || near(page, before, behind))
}

/// The addresses of a text of several lines.
pub(crate) fn of_text(text: &str) -> Vec<PostalAddress> {
    let mut parts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        cut(line, number, &mut parts);
    }
    from_parts(&parts, |_, _| true).into_iter().map(|seen| seen.address).collect()
}

/// What a town beside its code says, without a street.
pub(crate) fn of_town(text: &str) -> Option<PostalAddress> {
    let (town, _) =
        postal_code::town(text).filter(|(town, head)| head.is_empty() && !town.city.is_empty())?;
    Some(PostalAddress {
        raw: text.to_owned(),
        street: None,
        city: Some(town.city),
        region: town.region,
        postal_code: Some(town.postal),
        country: town.country.map(str::to_owned),
        shape: town.shape,
    })
}

/// Whether two lines can be of one address: they follow each other in one block, or in
/// blocks that stand side by side.
fn near(page: &VisibleText<'_, '_>, before: usize, behind: usize) -> bool {
    let (Some(one), Some(other)) = (page.lines.get(before), page.lines.get(behind)) else {
        return false;
    };
    if one.zone != other.zone || behind - before > MAX_LINES {
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

/// Cuts a line at the signs between the parts of an address.
fn cut<'t>(text: &'t str, line: usize, parts: &mut Vec<AddressPart<'t>>) {
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
            // A sentence ends, unless the dot is that of an abbreviation.
            '.' => {
                let word = text.get(from..at).unwrap_or_default();
                let word = word.rsplit(' ').next().unwrap_or_default();
                let behind = text.get(at + 1..).unwrap_or_default();
                let begins = behind
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
    near: impl Fn(usize, usize) -> bool,
) -> Vec<AddressOccurrence> {
    let mut found: Vec<AddressOccurrence> = Vec::new();
    let mut used = 0;
    for at in 0..parts.len() {
        if found.len() >= MAX_ADDRESSES {
            break;
        }
        let Some(place) = town_at(parts, at, used) else { continue };
        if let Some(seen) = around(parts, &place, used, &near) {
            used = place.last + 1;
            found.push(seen);
        }
    }
    found
}

/// A town and the parts that it takes.
struct TownMatch {
    town: PostalTown,
    first: usize,
    last: usize,
    /// What stands before the town in its own part.
    head: String,
}

/// The town whose code stands in a part.
fn town_at(parts: &[AddressPart<'_>], at: usize, used: usize) -> Option<TownMatch> {
    let part = parts.get(at)?;
    let (town, head) = postal_code::town(part.text)?;
    let mut place = TownMatch { town, first: at, last: at, head };
    let before =
        |back: usize| at.checked_sub(back).filter(|at| *at >= used).and_then(|at| parts.get(at));
    if place.town.city.is_empty() {
        // The town stands before its code, perhaps with a region between them.
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
            .and_then(|part| region::region_behind(part.text))
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

/// The address around a town.
fn around(
    parts: &[AddressPart<'_>],
    place: &TownMatch,
    used: usize,
    near: &impl Fn(usize, usize) -> bool,
) -> Option<AddressOccurrence> {
    let mut streets: Vec<&str> = Vec::new();
    let mut first = place.first;
    let head = street::without_label(&place.head);
    let head = if street::is_street(head) { head } else { street::tail(head).unwrap_or(head) };
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
    for back in 1..=REACH {
        let Some(at) = place.first.checked_sub(back).filter(|at| *at >= used) else { break };
        let part = &parts[at];
        if !near(part.line, parts[place.first].line) {
            break;
        }
        let text = street::without_label(part.text);
        let text = if has_street || street::is_street(text) {
            text
        } else {
            street::tail(text).unwrap_or(text)
        };
        if street::is_street(text) || street::is_box(text) {
            if has_street && !street::goes_before(text, streets.last().copied().unwrap_or_default())
            {
                break;
            }
            has_street = true;
        } else if street::is_detail(text) {
            // A floor, a number alone: part of the street when one follows or precedes.
        } else if has_street && !part.begins_line && is_british && building::is_building_name(text)
        {
            // At the beginning of a line it may be whose address it is.
        } else if !has_street && districts == 0 && street::is_district(text, part.begins_line) {
            districts += 1;
            first = at;
            continue;
        } else {
            break;
        }
        streets.push(text);
        first = at;
        // What stood before a label is no part of it.
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
    let town = &place.town;
    let mut raw = street.clone();
    for part in parts.get(first..=place.last).unwrap_or_default() {
        let text = street::without_label(part.text);
        // Words before a street in prose are none of its own.
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
    let address = PostalAddress {
        raw,
        street: Some(street),
        city: Some(town.city.clone()),
        region: town.region.clone(),
        postal_code: Some(town.postal.clone()),
        country: town.country.map(str::to_owned),
        shape: town.shape,
    };
    Some(AddressOccurrence { address, first: first_line, last })
}

#[cfg(test)]
mod tests;
