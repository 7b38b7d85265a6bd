//! Recognises the courts and offices that keep company registers.

use text::vocabulary::{TermList, TermSet, TermTable};

static OFFICES: TermTable<2> = term_table!("company/register_offices.tsv");

/// The register offices in a line: name, ISO 3166-1 code, byte offset.
pub(super) fn offices(text: &str, lower: &str) -> Vec<(String, &'static str, usize)> {
    let mut found: Vec<(String, &'static str, usize)> = Vec::new();
    for [word, country] in OFFICES.iter() {
        let Some(at) = lower.find(word) else { continue };
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
                // The register is named by its country, as for England.
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

/// Reads "Registergericht: Amtsgericht Köln" or "Registergericht: Köln".
fn labelled_office(text: &str, label: usize) -> Option<String> {
    let rest = text.get(label..)?.trim_start_matches([' ', ':', '.', '-', '–']);
    let name = office_name(rest, "");
    (name.chars().filter(|c| c.is_alphabetic()).count() >= 2).then_some(name)
}

static STOPS: TermSet = word_set!("company/register_office_stops.txt");

/// The word for the office and the place names after it, with their particles.
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
        let is_particle = PARTICLES.contains(bare.to_lowercase().as_str()) && !bare.is_empty();
        if bare.is_empty() {
            end += part.len();
            continue;
        }
        if !(is_name || is_particle) || count >= 6 {
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
    // Particles at the end do not belong to the name.
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

/// The name of a Polish court with its division.
fn polish_court(text: &str) -> String {
    static STOPS: TermList = phrase_list!("company/polish_court_stops.txt");
    let lower = text.to_lowercase();
    let mut end = text.floor_char_boundary(140);
    if lower.len() == text.len() {
        for stop in STOPS.iter() {
            if let Some(at) = lower.find(stop) {
                end = end.min(at);
            }
        }
        if let Some(at) = lower.find("rejestru sądowego") {
            end = end.min(at + "rejestru sądowego".len());
        }
    }
    let name = text.get(..end).unwrap_or_default();
    // The sentence ends here, unless the dot belongs to an abbreviation: "m.st. Warszawy",
    // "Wydz. Gosp."
    let is_end = |at: &usize| {
        let word = name.get(..*at).and_then(|head| head.rsplit(' ').next()).unwrap_or_default();
        word.chars().count() > 4 && !word.contains('.')
    };
    let end = name.match_indices(". ").map(|(at, _)| at).find(is_end).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or_default();
    let name = if name.contains('(') { name } else { name.split(')').next().unwrap_or_default() };
    name.trim().trim_end_matches([',', '.', ' ', '-', '–']).to_owned()
}
