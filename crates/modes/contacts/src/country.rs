//! Countries by the names that addresses give them, by endings of domains, by the letters
//! before postal codes and ids.

/// Names in small letters, in English, in the country's own languages and in the eight.
const NAMES: &[(&str, &str)] = &[
    ("AT", "österreich austria autriche oostenrijk áustria oesterreich"),
    ("AR", "argentina argentine argentinien argentinië"),
    ("AU", "australia"),
    ("BE", "belgien belgium belgique belgië belgio bélgica belgia"),
    ("BR", "brasil brazil brasilien brésil brazilië brasile"),
    ("CA", "canada kanada"),
    ("CH", "schweiz switzerland suisse svizzera suiza zwitserland suíça szwajcaria"),
    ("CL", "chile"),
    ("CO", "colombia"),
    ("CZ", "czechia tschechien"),
    ("DE", "deutschland germany allemagne alemania germania duitsland alemanha niemcy"),
    ("DK", "denmark dänemark danmark"),
    ("ES", "españa spain spanien espagne spagna spanje espanha hiszpania"),
    ("FI", "finland finnland suomi"),
    ("FR", "frankreich france francia frankrijk frança francja"),
    ("GB", "uk england scotland wales grossbritannien großbritannien"),
    ("IE", "ireland irland irlande irlanda ierland éire irlandia"),
    ("IT", "italien italy italie italia italië itália włochy"),
    ("LI", "liechtenstein"),
    ("LU", "luxemburg luxembourg lussemburgo luksemburg lëtzebuerg"),
    ("MX", "mexiko mexico méxico messico mexique"),
    ("NL", "niederlande netherlands nederland holland paesi-bassi holandia"),
    ("NO", "norway norwegen norge"),
    ("PL", "polen poland pologne polonia polska polónia"),
    ("PT", "portugal portogallo portugalia"),
    ("SE", "sweden schweden sverige"),
    ("US", "usa"),
];
const LONG_NAMES: &[(&str, &str)] = &[
    ("GB", "united kingdom"),
    ("GB", "great britain"),
    ("GB", "northern ireland"),
    ("GB", "royaume-uni"),
    ("GB", "reino unido"),
    ("US", "united states"),
    ("US", "united states of america"),
    ("US", "vereinigte staaten"),
    ("US", "u.s.a."),
    ("NL", "the netherlands"),
    ("NL", "pays-bas"),
    ("NL", "países bajos"),
    ("NL", "paesi bassi"),
    ("NL", "países baixos"),
    ("IE", "republic of ireland"),
    ("LI", "fürstentum liechtenstein"),
    ("GB", "wielka brytania"),
    ("CZ", "czech republic"),
];

/// The country that a text names, and nothing else.
pub(crate) fn named(text: &str) -> Option<&'static str> {
    let small = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '.').to_lowercase();
    let small = small.trim_end_matches('.');
    if small.len() < 2 {
        return None;
    }
    let long = LONG_NAMES.iter().find(|(_, name)| name.trim_end_matches('.') == small);
    let short = || NAMES.iter().find(|(_, names)| names.split(' ').any(|name| name == small));
    long.or_else(short).map(|(code, _)| *code)
}

/// The country that ends a text: what is left, and which.
pub(crate) fn ending(text: &str) -> Option<(&str, &'static str)> {
    let trimmed = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '.');
    let words: Vec<(usize, &str)> = trimmed
        .split(' ')
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .collect();
    for count in (1..=4).rev() {
        let Some(from) = words.len().checked_sub(count).and_then(|at| words.get(at)) else {
            continue;
        };
        if let Some(code) = trimmed.get(from.0..).and_then(named) {
            return Some((text.get(..from.0)?.trim_end(), code));
        }
    }
    None
}

/// The country of an ISO code or a name, as descriptions give it.
pub(crate) fn stated(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let code = text.to_ascii_uppercase();
        return Some(if code == "UK" { "GB".to_owned() } else { code });
    }
    named(text).map(str::to_owned)
}

/// The country that the ending of a domain belongs to.
pub(crate) fn of_domain(host: &str) -> Option<&'static str> {
    let ending = host.rsplit('.').next().unwrap_or_default();
    let code = match ending {
        "uk" | "scot" | "wales" | "london" => "GB",
        "de" | "bayern" | "berlin" | "hamburg" | "koeln" | "cologne" | "nrw" | "ruhr"
        | "saarland" => "DE",
        "at" | "wien" | "tirol" => "AT",
        "ch" | "swiss" | "zuerich" => "CH",
        "fr" | "paris" | "bzh" | "corsica" => "FR",
        "es" | "cat" | "madrid" | "barcelona" | "eus" | "gal" => "ES",
        "nl" | "frl" => "NL",
        "be" | "brussels" | "vlaanderen" => "BE",
        "quebec" => "CA",
        "us" | "gov" | "mil" | "edu" => "US",
        _ => {
            let known = NAMES.iter().find(|(code, _)| code.eq_ignore_ascii_case(ending));
            return known.map(|(code, _)| *code).filter(|code| *code != "CO" && *code != "AI");
        }
    };
    Some(code)
}

/// The country that the language of a site points to, where nothing else does.
pub(crate) fn of_language(language: &str) -> Option<&'static str> {
    let (tongue, region) = language.split_once(['-', '_']).unwrap_or((language, ""));
    if region.len() == 2 {
        let code = NAMES.iter().find(|(code, _)| code.eq_ignore_ascii_case(region));
        if let Some((code, _)) = code {
            return Some(code);
        }
    }
    match tongue {
        "de" => Some("DE"),
        "fr" => Some("FR"),
        "es" => Some("ES"),
        "it" => Some("IT"),
        "nl" => Some("NL"),
        "pt" => Some("PT"),
        "pl" => Some("PL"),
        _ => None,
    }
}

/// The country of the letters before a postal code: "D-10115", "CH-8005".
pub(crate) fn of_postal_prefix(prefix: &str) -> Option<&'static str> {
    Some(match prefix {
        "D" | "DE" => "DE",
        "A" | "AT" => "AT",
        "CH" => "CH",
        "FL" | "LI" => "LI",
        "F" | "FR" => "FR",
        "B" | "BE" => "BE",
        "L" | "LU" => "LU",
        "NL" => "NL",
        "I" | "IT" => "IT",
        "E" | "ES" => "ES",
        "P" | "PT" => "PT",
        "PL" => "PL",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_are_known_by_their_names() {
        assert_eq!(named("Deutschland"), Some("DE"));
        assert_eq!(named("(United Kingdom)"), Some("GB"));
        assert_eq!(named("Berlin"), None);
        assert_eq!(ending("London, United Kingdom"), Some(("London,", "GB")));
        assert_eq!(of_domain("firm.co.uk"), Some("GB"));
        assert_eq!(of_domain("firm.test"), None);
        assert_eq!(of_language("pt-BR"), Some("BR"));
    }
}
