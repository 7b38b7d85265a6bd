//! Postal addresses: a street with its number, a town with its code.
//!
//! Neither is told from other words by itself: a line counts as an address when both stand in
//! it, or when other details stand beside it.

use std::ops::Range;

use super::line::Line;

/// Endings of street names that are one word with them.
const ENDINGS: &[&str] = &[
    "straße", "strasse", "str", "weg", "platz", "allee", "gasse", "damm", "ufer", "chaussee",
    "straat", "laan", "plein", "gracht", "kade", "dijk", "singel", "steeg", "gatan", "vägen",
    "gata", "veien", "vegen", "vej", "gade", "allén", "torget", "torg", "plads", "gränd", "katu",
    "tie", "utca",
];
/// Words for a street that stand alone, before the number or behind it.
const STREETS: &[&str] = &[
    "street",
    "st",
    "road",
    "rd",
    "avenue",
    "ave",
    "lane",
    "ln",
    "drive",
    "boulevard",
    "blvd",
    "way",
    "court",
    "terrace",
    "parkway",
    "highway",
    "hwy",
    "close",
    "crescent",
    "row",
    "rue",
    "av",
    "bd",
    "place",
    "chemin",
    "impasse",
    "allée",
    "quai",
    "route",
    "cours",
    "passage",
    "calle",
    "avda",
    "avenida",
    "plaza",
    "paseo",
    "carrer",
    "ctra",
    "carretera",
    "via",
    "viale",
    "piazza",
    "corso",
    "vicolo",
    "rua",
    "travessa",
    "praça",
    "alameda",
    "estrada",
    "rodovia",
    "ul",
    "ulica",
    "aleja",
    "al",
    "pl",
    "os",
    "straße",
    "strasse",
    "str",
    "platz",
    "utca",
    "ulice",
    "náměstí",
    "strada",
    "sokak",
    "caddesi",
    "ул",
    "улица",
    "пр",
    "mill",
];
/// Units: the number measures something.
const UNITS: &[&str] =
    &["mm", "cm", "m", "km", "kg", "g", "ml", "l", "x", "zoll", "inch", "in", "stück", "pcs", "€"];

/// The street and the town in a line.
pub(super) fn place(line: &Line) -> (Option<Range<usize>>, Option<Range<usize>>) {
    let words = parts(line);
    let mark = line.chars.iter().position(|c| *c == '〒');
    if let Some(at) = mark {
        let whole = at..line.chars.len();
        return (Some(whole.clone()), Some(whole));
    }
    let street = (0..words.len()).find_map(|at| street(line, &words, at));
    let town = (0..words.len()).find_map(|at| town(line, &words, at));
    (street, town)
}

/// A word of the line: where it stands and what it says in small letters.
struct Part {
    range: Range<usize>,
    text: String,
    is_capital: bool,
}

fn parts(line: &Line) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < line.small.len() {
        let rest = line.small.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|c| c.is_alphanumeric()).count();
        if length > 0 {
            let range = at..at + length;
            let text = rest.iter().take(length.min(32)).collect();
            let is_capital = line.chars.get(at).is_some_and(|c| c.is_uppercase());
            parts.push(Part { range, text, is_capital });
        }
        at += length.max(1);
    }
    parts
}

impl Part {
    /// A number of a house: few digits, perhaps a letter.
    fn is_house(&self) -> bool {
        let digits = self.text.bytes().take_while(u8::is_ascii_digit).count();
        (1..=4).contains(&digits) && self.text.len() - digits <= 1
    }

    fn is_digits(&self, count: usize) -> bool {
        self.text.len() == count && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

fn street(_line: &Line, parts: &[Part], at: usize) -> Option<Range<usize>> {
    let part = parts.get(at)?;
    let is_measured = |at: usize| parts.get(at).is_some_and(|p| UNITS.contains(&p.text.as_str()));
    let house = |at: usize| parts.get(at).filter(|p| p.is_house()).filter(|_| !is_measured(at + 1));
    let is_glued = part.is_capital
        && ENDINGS.iter().any(|end| part.text.len() > end.len() + 2 && part.text.ends_with(end));
    if is_glued && let Some(number) = house(at + 1) {
        return Some(part.range.start..number.range.end);
    }
    if !STREETS.contains(&part.text.as_str()) {
        return None;
    }
    // Rua do Moinho, 12: the number follows within a few words.
    let behind =
        (at + 2..at + 7).find_map(house).filter(|_| part.is_capital || part.text.len() <= 5);
    let first_named = parts.get(at + 1).is_some_and(|p| p.is_capital || p.text.len() <= 3);
    if let Some(number) = behind.filter(|_| first_named) {
        return Some(part.range.start..number.range.end);
    }
    // 12 Mill Lane, 12 rue du Moulin: it stands before.
    let before = (at.saturating_sub(4)..at)
        .rev()
        .find_map(|at| parts.get(at).filter(|p| p.is_house()).filter(|_| !is_measured(at + 1)));
    let number = before.filter(|_| first_named || part.is_capital)?;
    let end = parts.get(at + 3).or_else(|| parts.last()).map_or(part.range.end, |p| p.range.end);
    Some(number.range.start..if part.is_capital { part.range.end } else { end })
}

fn town(line: &Line, parts: &[Part], at: usize) -> Option<Range<usize>> {
    let part = parts.get(at)?;
    let next = parts.get(at + 1);
    let named = |at: usize| parts.get(at).filter(|p| p.is_capital && p.text.chars().count() >= 3);
    let tied = |mark: char| line.chars.get(part.range.end) == Some(&mark);
    // 10115 Berlin, 3011 Bern.
    if (part.is_digits(5) || part.is_digits(4))
        && let Some(town) = named(at + 1)
        && town.range.start == part.range.end + 1
    {
        return Some(part.range.start..town.range.end);
    }
    // 00-950 Warszawa, 01310-100, 1234 AB Amsterdam, 111 22 Stockholm.
    let pair = next.filter(|next| next.range.start == part.range.end + 1)?;
    let town = named(at + 2);
    let is_pair = (part.is_digits(2) && pair.is_digits(3) && tied('-'))
        || (part.is_digits(3) && pair.is_digits(2))
        || (part.is_digits(4) && pair.text.len() == 2 && pair.is_capital);
    if is_pair && let Some(town) = town {
        return Some(part.range.start..town.range.end);
    }
    if part.is_digits(5) && pair.is_digits(3) && tied('-') {
        return Some(part.range.start..pair.range.end);
    }
    // OR 97204, Bengaluru 560001, LS1 4AP.
    let is_state = part.is_capital && part.text.len() == 2 && pair.is_digits(5);
    let is_indian = part.is_capital && pair.is_digits(6) && part.text.len() >= 4;
    (is_state || is_indian || is_british(&part.text, &pair.text))
        .then_some(part.range.start..pair.range.end)
}

/// `LS1 4AP`, `EC1A 1BB`.
fn is_british(outer: &str, inner: &str) -> bool {
    let kinds = |text: &str| -> String {
        let kind = |c: char| {
            if c.is_ascii_digit() {
                '9'
            } else if c.is_ascii_lowercase() {
                'a'
            } else {
                '?'
            }
        };
        text.chars().map(kind).collect()
    };
    let outers = ["a9", "a99", "aa9", "aa99", "a9a", "aa9a"];
    kinds(inner) == "9aa" && outers.contains(&kinds(outer).as_str())
}
