//! Recognises the names of towns and what follows them.

use crate::country;
use text::vocabulary::TermSet;

static PARTICLES: TermSet = word_set!("address/town_particles.txt");
static STOPS: TermSet = word_set!("address/town_stops.txt");

/// The town at the beginning of a text, with its region and country if they follow.
pub(super) fn city(text: &str) -> Option<(String, Option<String>, Option<&'static str>)> {
    let (text, named) = match country::ending(text) {
        // "Ciudad de México" is a town, not a country.
        Some((rest, code))
            if !rest.is_empty()
                && !rest.rsplit(' ').next().is_some_and(|last| PARTICLES.contains(last)) =>
        {
            (rest.trim_end_matches([',', '(', ' ', '-', '–']), Some(code))
        }
        _ => (text, None),
    };
    let mut region = None;
    let mut names: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(inside) = word.strip_prefix('(') {
            let inside = inside.trim_end_matches([')', '.', ',']);
            if (2..=3).contains(&inside.len())
                && inside.bytes().all(|byte| byte.is_ascii_uppercase())
            {
                region = Some(inside.to_owned());
            }
            break;
        }
        let bare = word.trim_end_matches([',', '.', ';', ')', ':']);
        let lower = bare.to_lowercase();
        let is_stop =
            STOPS.contains(lower.as_str()) || lower.contains('@') || lower.starts_with("www.");
        if is_stop && !names.is_empty()
            || word.bytes().any(|byte| byte.is_ascii_digit()) && !names.is_empty()
        {
            break;
        }
        if is_stop {
            return None;
        }
        if lower == "cedex" {
            break;
        }
        let first = bare.chars().next()?;
        let is_name = first.is_uppercase() || matches!(first, '\'' | '’');
        let is_particle = PARTICLES.contains(lower.as_str())
            || lower.starts_with("d'")
            || lower.starts_with("l'")
            || lower.starts_with("s/")
            || lower.starts_with("d’")
            || lower.starts_with("l’")
            || lower.starts_with("'s-")
            || lower.starts_with("’s-");
        if !(is_name
            || (is_particle && !names.is_empty())
            || lower.starts_with("'s")
            || lower.starts_with("’s"))
        {
            break;
        }
        if names.len() >= 6 {
            return None;
        }
        names.push(word);
        let is_short_end = word.ends_with('.') && bare.chars().count() <= 3;
        if word.ends_with([',', ';', ')', ':']) || (word.ends_with('.') && !is_short_end) {
            break;
        }
    }
    while names.last().is_some_and(|last| PARTICLES.contains(last.to_lowercase().as_str())) {
        names.pop();
    }
    // "24122 Bergamo BG"
    if region.is_none()
        && names.len() > 1
        && let Some(last) = names
            .last()
            .filter(|last| last.len() == 2 && last.bytes().all(|byte| byte.is_ascii_uppercase()))
    {
        region = Some((*last).to_owned());
        names.pop();
    }
    let city = names.join(" ").trim_end_matches([',', ';', ':', ')']).to_owned();
    let city = if city.ends_with('.')
        && city.rsplit(' ').next().is_none_or(|last| last.chars().count() > 3)
    {
        city.trim_end_matches('.').to_owned()
    } else {
        city
    };
    let letters = city.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= 2 && city.len() <= 60).then_some((city, region, named))
}

/// Whether a whole text can be the name of a town.
pub(super) fn is_town(text: &str) -> bool {
    let bare = text.trim();
    let digits = bare.bytes().filter(u8::is_ascii_digit).count();
    let is_dublin = bare.strip_prefix("Dublin ").is_some_and(|rest| rest.len() <= 3);
    is_dublin
        || digits == 0
            && bare.chars().count() >= 2
            && bare.split_whitespace().count() <= 4
            && !bare.contains([':', '@', '(', ')', '"', '?', '!'])
            && city(bare).is_some_and(|(city, _, _)| {
                city.len() >= bare.trim_end_matches(['.', ',']).len().min(city.len() + 3)
            })
}
