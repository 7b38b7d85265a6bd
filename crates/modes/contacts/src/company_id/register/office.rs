//! Courts and offices that keep registers, as pages name them.

use crate::vocabulary::{TermSet, TermTable};

/// Words that begin the name of a court or an office, and the country.
static OFFICES: TermTable<2> = table!("company/register_offices.tsv");

/// The offices that a line names, each with its country and place.
pub(super) fn offices(text: &str, small: &str) -> Vec<(String, &'static str, usize)> {
    let mut found: Vec<(String, &'static str, usize)> = Vec::new();
    for [word, country] in OFFICES.iter() {
        let Some(at) = small.find(word) else { continue };
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        if before.is_some_and(char::is_alphanumeric)
            || found.iter().any(|(name, _, place)| *place <= at && at < place + name.len())
        {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let name = match *country {
            "GB" | "NL" => rest.get(..word.len()).unwrap_or_default().to_owned(),
            "IE" => {
                let name = rest.get(..word.len()).unwrap_or_default();
                // As England is said to be: the country whose register it is.
                name.rsplit(" in ").next().unwrap_or_default().to_owned()
            }
            "PL" => polish_court(rest),
            _ => office_name(rest, word),
        };
        let is_label = matches!(*word, "registergericht" | "firmenbuchgericht");
        let name = if is_label { labelled_office(rest, word.len()) } else { Some(name) };
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            found.push((name, country, at));
        }
    }
    found
}

/// "Registergericht: Amtsgericht Köln", "Registergericht: Köln".
fn labelled_office(text: &str, label: usize) -> Option<String> {
    let rest = text.get(label..)?.trim_start_matches([' ', ':', '.', '-', '–']);
    let name = office_name(rest, "");
    (name.chars().filter(|c| c.is_alphabetic()).count() >= 2).then_some(name)
}

static STOPS: TermSet = word_set!("company/register_office_stops.txt");

/// The word of the office and the names behind it: places, with their small words.
fn office_name(text: &str, word: &str) -> String {
    let mut end = word.len();
    let rest = text.get(end..).unwrap_or_default();
    static PARTICLES: TermSet = word_set!("company/register_office_particles.txt");
    let mut count = 0;
    for part in rest.split_inclusive(' ') {
        let bare = part.trim_end().trim_end_matches([',', ';', ')', ':', '.']);
        let inner = bare.trim_start_matches('(');
        let is_name = inner.chars().next().is_some_and(char::is_uppercase)
            && !inner.bytes().any(|byte| byte.is_ascii_digit())
            && !STOPS.contains(inner);
        let is_small = PARTICLES.contains(bare.to_lowercase().as_str()) && !bare.is_empty();
        if bare.is_empty() {
            end += part.len();
            continue;
        }
        if !(is_name || is_small) || count >= 6 {
            break;
        }
        end += part.len();
        count += 1;
        if part.trim_end().ends_with([',', ';', ':', '.']) && !part.trim_end().ends_with("St.") {
            break;
        }
    }
    let name = text.get(..end).unwrap_or_default().trim();
    let name = name.trim_end_matches([',', ';', ':', '.', ' ', '-', '–', '(']);
    // Small words at the end lead nowhere.
    let mut name = name;
    while let Some((head, last)) = name.rsplit_once(' ') {
        if PARTICLES.contains(last) {
            name = head;
        } else {
            break;
        }
    }
    name.to_owned()
}

/// A Polish court with its division.
fn polish_court(text: &str) -> String {
    let stops =
        ["krs:", "nr krs", "pod nr", "pod numerem", ", nip", ", regon", "kapitał", ";", "numer"];
    let small = text.to_lowercase();
    let mut end = text.floor_char_boundary(140);
    if small.len() == text.len() {
        for stop in stops {
            if let Some(at) = small.find(stop) {
                end = end.min(at);
            }
        }
        if let Some(at) = small.find("rejestru sądowego") {
            end = end.min(at + "rejestru sądowego".len());
        }
    }
    let name = text.get(..end).unwrap_or_default();
    // The sentence ends, unless the dot shortens a word: "m.st. Warszawy", "Wydz. Gosp."
    let is_end = |at: &usize| {
        let word = name.get(..*at).and_then(|head| head.rsplit(' ').next()).unwrap_or_default();
        word.chars().count() > 4 && !word.contains('.')
    };
    let end = name.match_indices(". ").map(|(at, _)| at).find(is_end).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or_default();
    let name = if name.contains('(') { name } else { name.split(')').next().unwrap_or_default() };
    name.trim().trim_end_matches([',', '.', ' ', '-', '–']).to_owned()
}
