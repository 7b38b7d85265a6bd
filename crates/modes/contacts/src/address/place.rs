//! The town of an address: around a postal code, or before a region or country without one.

use super::AddressPart;
use super::postal_code::{self, FoundCode};
use super::{building, region, street, town};
use crate::country;
use text::vocabulary::{TermSet, TermTable};

/// A town with its postal code.
#[derive(Debug, Clone, Default)]
pub(super) struct PostalTown {
    /// Empty in countries without postal codes.
    pub postal: String,
    pub city: String,
    pub region: Option<String>,
    pub country: Option<&'static str>,
    /// Countries whose postal codes or regions have this form.
    pub shape: &'static [&'static str],
    /// A region may follow the town.
    takes_region: bool,
}

/// A town with the parts of the text that it covers.
#[derive(Debug, Clone)]
pub(super) struct TownMatch {
    pub town: PostalTown,
    pub first: usize,
    pub last: usize,
    /// Text before the town in the same part.
    pub head: String,
    /// Code, region or country leave no doubt; else the street must be certain.
    pub is_sure: bool,
    /// Localities before the town belong to the street.
    pub has_localities: bool,
}

const EDGES: [char; 8] = [',', '-', '–', '.', '(', ')', ' ', '\u{a0}'];

/// The town whose postal code is in the part `at`, or that has none and ends there.
pub(super) fn town_at(parts: &[AddressPart<'_>], at: usize, used: usize) -> Option<TownMatch> {
    let codes = postal_code::codes(parts.get(at)?.text);
    let reader = PlaceReader { parts, at, used };
    let found = codes.iter().find_map(|code| reader.with_code(code));
    let mut place = found.or_else(|| reader.without_code())?;
    let was_stated = place.town.country.is_some();
    reader.add_region_and_country(&mut place);
    let stated = place.town.country.filter(|_| !was_stated && !place.town.postal.is_empty());
    place.is_sure |= stated.is_some_and(|country| place.town.shape.contains(&country));
    Some(place)
}

/// Reads a postal code with its town, without a street.
pub(super) fn whole_town(text: &str) -> Option<PostalTown> {
    let part = AddressPart { line: 0, text, begins_line: true, is_marked: false };
    let place = town_at(std::slice::from_ref(&part), 0, 0)?;
    place.head.is_empty().then_some(place.town)
}

struct PlaceReader<'p, 't> {
    parts: &'p [AddressPart<'t>],
    at: usize,
    used: usize,
}

impl<'t> PlaceReader<'_, 't> {
    /// The part before `first`, if it may belong to the address.
    fn before(&self, first: usize) -> Option<&AddressPart<'t>> {
        let at = first.checked_sub(1).filter(|at| *at >= self.used)?;
        let part = self.parts.get(at)?;
        (self.parts.get(first)?.line <= part.line + 1).then_some(part)
    }

    /// Whether the part before the one before `first` is a street with a number: then the town may
    /// be named like a street, as "Milltown Park" is.
    fn follows_street(&self, first: usize) -> bool {
        let before = first.checked_sub(1).and_then(|town| self.before(town));
        before.is_some_and(|part| has_digit(part.text) && street::is_street(part.text))
    }

    fn with_code(&self, code: &FoundCode<'_>) -> Option<TownMatch> {
        let fits = |country: &str| code.countries.contains(&country) || country == "US";
        let is_region_before = region::ending(code.head, fits)
            .is_some_and(|(_, region)| has_format_of(region.country[0], &code.postal));
        let is_country = !code.tail.is_empty() && named(code.tail).is_some();
        if code.may_precede
            && !is_region_before
            && !is_country
            && let Some(place) = self.town_after(code)
        {
            return Some(place);
        }
        if code.may_follow { self.town_before(code) } else { None }
    }

    /// "10115 Berlin", "1099, Nicosia, Cyprus".
    fn town_after(&self, code: &FoundCode<'_>) -> Option<TownMatch> {
        if postal_code::is_other_number(code.head) {
            return None;
        }
        let mut last = self.at;
        let (city, region, stated) = if code.tail.is_empty() {
            let next = self.parts.get(self.at + 1)?;
            let stated = named(self.parts.get(self.at + 2)?.text)?;
            let is_town = code.head.is_empty() && town::is_town(next.text);
            if !is_town || !code.countries.contains(&stated) {
                return None;
            }
            last = self.at + 2;
            (next.text.to_owned(), None, Some(stated))
        } else {
            town::city(code.tail)?
        };
        // A country in the next part confirms a short code: "101 Reykjavík, Iceland".
        let next = self.parts.get(last + 1).filter(|part| !part.begins_line);
        let confirmed = stated.or_else(|| next.and_then(|part| named(part.text)));
        let confirmed = confirmed.filter(|country| code.countries.contains(country));
        if code.postal.len() < 4 && confirmed.is_none() {
            return None;
        }
        let town = PostalTown {
            postal: code.postal.clone(),
            city,
            region,
            country: code.prefix.or(stated),
            shape: code.countries,
            takes_region: true,
        };
        let is_sure = !code.is_year() || confirmed.is_some();
        let head = code.head.to_owned();
        let at = self.at;
        Some(TownMatch { town, first: at, last, head, is_sure, has_localities: false })
    }

    /// "Frome, Somerset BA11 1AA", "Riverton TX, 77904", "Milltown - 201999".
    fn town_before(&self, code: &FoundCode<'_>) -> Option<TownMatch> {
        let mut country = code.prefix;
        if !code.tail.is_empty() {
            country = Some(named(code.tail)?);
        }
        let (mut head, mut first) = (code.head.trim_end_matches(EDGES), self.at);
        let mut found: Option<region::Region<'_>> = None;
        let fits = |country: &str| {
            (code.countries.contains(&country) || country == "US")
                && has_format_of(country, &code.postal)
        };
        if let Some((rest, region)) = region::ending(head, fits) {
            (head, found) = (rest, Some(region));
        } else if head.is_empty()
            && let Some(part) = self.before(first)
            && let Some((rest, region)) = region::ending(part.text, fits)
        {
            (head, found, first) = (rest, Some(region), first - 1);
        }
        let mut region = found.map(|region| region.text.to_owned());
        // A county, an area or the country between town and region.
        for _ in 0..2 {
            let text = if head.is_empty() {
                let Some(part) = self.before(first) else { break };
                part.text.trim_matches(EDGES)
            } else {
                head
            };
            let stated = named(text);
            let has_more = !head.is_empty() || self.before(first.saturating_sub(1)).is_some();
            if !has_more || (stated.is_none() && !region::is_area(text)) {
                break;
            }
            country = country.or(stated);
            if stated.is_none() {
                region = region.or_else(|| Some(text.to_owned()));
            }
            if head.is_empty() {
                first -= 1;
            } else {
                head = "";
            }
        }
        // "Ontario, Canada L3X 5T2"
        if region.is_none()
            && head.is_empty()
            && let Some(part) = self.before(first)
            && let Some(("", stated)) = region::ending(part.text, fits)
            && self.before(first - 1).is_some()
        {
            region = Some(stated.text.to_owned());
            found = Some(stated);
            first -= 1;
        }
        let mut last = self.at;
        let mut street_head = String::new();
        let mut city = String::new();
        if head.is_empty() {
            let part = self.before(first)?;
            let text = part.text.trim_matches(EDGES);
            if let Some((street, town)) = street::split_town(text) {
                (street_head, city) = (street, town);
                first -= 1;
            } else if town::is_town(text)
                && (!street::is_street(text)
                    || text.starts_with("Dublin ")
                    || !has_digit(text) && self.follows_street(first))
                && !(building::is_building_name(text) && country.is_none() && region.is_none())
            {
                city = text.to_owned();
                first -= 1;
            } else {
                // "New York 12901": the town has the name of its state.
                city = region.take()?;
            }
        } else if let Some((street, town)) = street::split_town(head) {
            (street_head, city) = (street, town);
        } else if town::is_town(head) && !street::is_street(head) {
            head.clone_into(&mut city);
        } else if !code.is_weak && street::is_street(street::without_label(head)) {
            // "Mill Street EC9A 9ZZ, London"
            let next = self.parts.get(self.at + 1).filter(|part| town::is_town(part.text))?;
            head.clone_into(&mut street_head);
            next.text.trim_matches(EDGES).clone_into(&mut city);
            last = self.at + 1;
        } else {
            return None;
        }
        let is_stated = found.is_some() || country.is_some();
        if code.is_weak && !is_stated && (code.postal.len() < 4 || code.is_year()) {
            return None;
        }
        let town = PostalTown {
            postal: code.postal.clone(),
            city,
            region,
            country,
            shape: found.map_or(code.countries, |region| region.country),
            takes_region: code.countries == ["BR"],
        };
        let is_sure = !code.is_weak || is_stated;
        let has_localities = !matches!(code.countries, ["BR" | "PT" | "PL" | "NL"]);
        Some(TownMatch { town, first, last, head: street_head, is_sure, has_localities })
    }

    /// A town before a region or country, or one of a country without postal codes. The street
    /// must be certain.
    fn without_code(&self) -> Option<TownMatch> {
        static CITIES: TermTable<3> = term_table!("address/cities_without_codes.tsv");
        let part = self.parts.get(self.at)?;
        let text = part.text.trim_matches(EDGES);
        if text.len() > 60 || !text.starts_with(char::is_uppercase) {
            return None;
        }
        let lower = text.to_lowercase();
        let listed = CITIES.iter().find(|[city, ..]| {
            lower.strip_prefix(city).is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix(' ').is_some_and(|rest| rest.len() <= 2)
            })
        });
        let mut first = self.at;
        let mut head = String::new();
        let town = if let Some([_, code, _]) = listed {
            let city = text.to_owned();
            PostalTown { city, shape: std::slice::from_ref(code), ..PostalTown::default() }
        } else if let Some((rest, region)) = region::ending(text, |country| country != "BR") {
            let city = if rest.is_empty() {
                first = first.checked_sub(1)?;
                let before = self.before(self.at)?.text.trim_matches(EDGES);
                match street::split_town(before) {
                    Some((street, town)) => {
                        head = street;
                        town
                    }
                    None => before.to_owned(),
                }
            } else if let Some((street, town)) = street::split_town(rest) {
                head = street;
                town
            } else {
                rest.to_owned()
            };
            let region_text = Some(region.text.to_owned());
            let shape = region.country;
            PostalTown { city, region: region_text, shape, ..PostalTown::default() }
        } else if let Some(country) = country::named(text) {
            let before = self.before(self.at)?.text.trim_matches(EDGES);
            first = first.checked_sub(1)?;
            let city = before.to_owned();
            PostalTown { city, country: Some(country), ..PostalTown::default() }
        } else {
            return None;
        };
        let is_town = listed.is_some()
            || town::is_town(&town.city)
                && !street::is_street(&town.city)
                && !building::is_building_name(&town.city)
                && country::named(&town.city).is_none();
        // A code may follow in the next parts.
        let has_code = |part: &AddressPart<'_>| {
            part.line <= self.parts[self.at].line + 1
                && postal_code::codes(part.text)
                    .iter()
                    .any(|code| !code.is_weak || code.head.is_empty() && code.tail.is_empty())
        };
        let is_town = is_town && !self.parts.iter().skip(self.at + 1).take(2).any(has_code);
        let (last, is_sure, has_localities) = (self.at, false, true);
        is_town.then_some(TownMatch { town, first, last, head, is_sure, has_localities })
    }

    /// "Curitiba – PR", "Guadalajara, Jalisco", "Milltown TW99 9ZZ, Greater London"; then the
    /// country, at most one part later.
    fn add_region_and_country(&self, place: &mut TownMatch) {
        let mut next = place.last + 1;
        let is_british = matches!(place.town.shape, ["GB" | "IE"]);
        if place.town.region.is_none() && (place.town.takes_region || is_british) {
            let part = self.parts.get(next).filter(|part| !part.begins_line);
            let region = part.and_then(|part| {
                let text = part.text.trim_matches(EDGES);
                if is_british { region::county(text) } else { region::region_after(text) }
            });
            if region.is_some() {
                place.town.region = region;
                place.last = next;
                next += 1;
            }
        }
        if place.town.country.is_some() {
            return;
        }
        let line = self.parts.get(place.last).map_or(0, |part| part.line);
        for at in next..next + 2 {
            let Some(part) = self.parts.get(at).filter(|part| part.line <= line + 1) else {
                return;
            };
            if let Some(code) = named(part.text.trim_matches(EDGES)) {
                place.town.country = Some(code);
                place.last = at;
                return;
            }
            if part.begins_line || !town::is_town(part.text) || part.text.len() > 20 {
                return;
            }
        }
    }
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether postal codes of a country have as many digits as this one.
fn has_format_of(country: &str, postal: &str) -> bool {
    let digits = postal.bytes().filter(u8::is_ascii_digit).count();
    match country {
        "US" => digits == 5 || digits == 9,
        "AU" => digits == 4,
        "IN" => digits == 6,
        "CA" => digits == 3,
        "BR" => digits == 8,
        _ => true,
    }
}

/// The country that a whole text names, in words or as a code in capitals.
fn named(text: &str) -> Option<&'static str> {
    static COUNTRY_CODES: TermSet = word_set!("address/country_codes.txt");
    let text = text.trim().trim_end_matches(['.', ',', ')']);
    country::named(text).or_else(|| {
        let code = COUNTRY_CODES.get(text)?;
        Some(if *code == "UK" { "GB" } else { code })
    })
}
