//! Collects the parts before a town that belong to the street.

use super::place::TownMatch;
use super::{AddressPart, building, street};
use crate::legal;
use text::vocabulary::TermSet;

/// What a part before a town is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartKind {
    /// A street, or a post office box.
    Street,
    /// A floor, a unit, a number.
    Detail,
    Building,
    /// A district or a landmark.
    Locality,
}

/// The parts of a street, collected from the town backwards.
#[derive(Debug)]
pub(super) struct StreetLines<'t> {
    place: &'t TownMatch,
    /// Kind, text and index of each part; the nearest to the town first.
    parts: Vec<(PartKind, &'t str, usize)>,
    has_street: bool,
    is_marked: bool,
    /// Line of the part that was added last.
    line: Option<usize>,
    is_closed: bool,
}

impl<'t> StreetLines<'t> {
    pub fn new(place: &'t TownMatch) -> Self {
        Self {
            place,
            parts: Vec::new(),
            has_street: false,
            is_marked: false,
            line: None,
            is_closed: false,
        }
    }

    /// Adds the text before the town in its own part. `None` if it is no street.
    pub fn add_head(&mut self, text: &'t str) -> Option<()> {
        let kind = kind_of(text)?;
        if kind == PartKind::Locality {
            return None;
        }
        self.has_street |= kind == PartKind::Street;
        self.parts.push((kind, text, self.place.first));
        Some(())
    }

    /// Text before a label does not belong to the address: no part is added any more.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Adds the next part. Returns whether further parts may follow.
    pub fn add(&mut self, part: &AddressPart<'t>, at: usize) -> bool {
        if self.is_closed {
            return false;
        }
        self.is_marked |= part.is_marked;
        let text = street::without_label(part.text);
        let text = if self.has_street || kind_of(text).is_some() {
            text
        } else {
            street::trailing_street(text).unwrap_or(text)
        };
        let is_new_line = self.line.is_some_and(|line| line != part.line);
        let after = self.parts.last().map(|(_, text, _)| *text).unwrap_or_default();
        let Some(kind) = kind_of(text) else { return false };
        let fits = match kind {
            PartKind::Street if self.has_street => {
                street::may_precede(text, after) || self.place.has_localities && !is_new_line
            }
            PartKind::Street | PartKind::Detail => true,
            // At the beginning of a line, it may be the name of the company instead.
            PartKind::Building => {
                !self.has_street || part.is_marked || self.place.has_localities && !part.begins_line
            }
            PartKind::Locality => {
                let is_landmark = is_landmark(text);
                if self.place.has_localities {
                    is_landmark
                        || !part.begins_line
                        || !self.has_street && self.line.is_none_or(|line| line == part.line)
                        || !self.has_street && self.parts.len() < 2
                } else {
                    self.parts.is_empty() && street::is_district(text, part.begins_line)
                }
            }
        };
        if !fits {
            return false;
        }
        self.has_street |= kind == PartKind::Street;
        self.parts.push((kind, text, at));
        self.line = Some(part.line);
        self.is_closed = text.len() < part.text.len();
        true
    }

    /// Removes the localities at the beginning. Returns the index of the first part, `None` if
    /// there is no street.
    pub fn finish(&mut self) -> Option<usize> {
        while let Some((PartKind::Locality, text, _)) = self.parts.last() {
            if is_landmark(text) || self.is_marked && !self.has_street {
                break;
            }
            self.parts.pop();
        }
        let first = self.parts.last()?.2;
        if !self.place.has_localities {
            self.parts.retain(|(kind, ..)| *kind != PartKind::Locality);
        }
        let has = |wanted: PartKind| self.parts.iter().any(|(kind, ..)| *kind == wanted);
        let has_number =
            self.parts.iter().any(|(_, text, _)| text.bytes().any(|byte| byte.is_ascii_digit()));
        let is_sure = self.parts.iter().any(|(kind, text, _)| {
            *kind == PartKind::Street && street::is_certain(text)
                || *kind == PartKind::Detail && street::names_unit(text)
        });
        let is_building = has(PartKind::Building) && has_number;
        let is_complete = if self.place.is_sure {
            let has_landmark = self.parts.iter().any(|(_, text, _)| is_landmark(text));
            self.has_street
                || is_building
                || self.place.has_localities && (has(PartKind::Detail) || has_landmark)
        } else {
            is_sure && (self.has_street || is_building || has(PartKind::Locality))
                || is_building && self.place.has_localities
        };
        (is_complete || self.is_marked && self.place.is_sure && has_number).then_some(first)
    }

    /// The parts of the street, in reading order.
    pub fn texts(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.parts.iter().rev().map(|(_, text, _)| *text)
    }

    pub fn street(&self) -> String {
        self.texts().collect::<Vec<_>>().join(", ")
    }
}

/// The kind of a part; `None` for what is no part of an address.
fn kind_of(text: &str) -> Option<PartKind> {
    let text = text.trim();
    let is_other = text.is_empty()
        || text.len() > 80
        || text.contains(['@', '©', '?', '!', '"', '=', '€', '$', '£'])
        || text.contains("://")
        || text.split_whitespace().count() > 10;
    if is_other {
        return None;
    }
    if street::is_box(text) {
        return Some(PartKind::Street);
    }
    if street::is_detail(text) {
        return Some(PartKind::Detail);
    }
    if street::is_street(text) {
        return Some(PartKind::Street);
    }
    if !legal::find_names(text).is_empty() {
        return None;
    }
    let is_building = building::is_building_name(text)
        || building::is_numbered_building(text)
        || street::is_site(text);
    if is_building {
        return Some(PartKind::Building);
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_place = is_landmark(text)
        || digits == 0
            && text.len() < 40
            && !text.contains([':', '(', '|'])
            && text.split_whitespace().count() <= 5
            && text.chars().next().is_some_and(char::is_uppercase);
    is_place.then_some(PartKind::Locality)
}

/// Whether a text names something near: "opp. City Pillar 9", "District Milltown".
fn is_landmark(text: &str) -> bool {
    static LANDMARK_WORDS: TermSet = word_set!("address/landmark_words.txt");
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let words = text.split_whitespace().count();
    (2..=6).contains(&words) && LANDMARK_WORDS.contains(first.as_str())
}
