//! Countries by name, domain ending, language and postal code prefix.

use std::sync::LazyLock;

use hashbrown::HashMap;
use text::vocabulary::{TermSet, TermTable};

static NAMES: TermTable<2> = term_table!("country/names.tsv");
static LONG_NAMES: TermTable<2> = term_table!("country/long_names.tsv");

static DOMAIN_ENDINGS: TermTable<2> = term_table!("country/domain_endings.tsv");
static LANGUAGES: TermTable<2> = term_table!("country/languages.tsv");
static POSTAL_PREFIXES: TermTable<2> = term_table!("country/postal_prefixes.tsv");
static GENERIC_ENDINGS: TermSet = word_set!("country/generic_domain_endings.txt");

/// The country if the whole text is its name.
pub(crate) fn named(text: &str) -> Option<&'static str> {
    if text.len() > 60 {
        return None;
    }
    let lower = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '.').to_lowercase();
    let lower = lower.trim_end_matches('.');
    if lower.len() < 2 {
        return None;
    }
    BY_NAME.get(lower).copied()
}

/// The country of each name, without a full stop at its end.
static BY_NAME: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let short = NAMES.iter().flat_map(|[code, names]| names.split(' ').map(|name| (name, *code)));
    let long = LONG_NAMES.iter().map(|[code, name]| (name.trim_end_matches('.'), *code));
    short.chain(long).collect()
});

/// The country at the end of a text, and the text before it.
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

/// The country of an ISO code or a name, as structured data gives it.
pub(crate) fn stated(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let code = text.to_ascii_uppercase();
        return Some(if code == "UK" { "GB".to_owned() } else { code });
    }
    named(text).map(str::to_owned)
}

/// The country of a top-level domain.
pub(crate) fn of_domain(host: &str) -> Option<&'static str> {
    let ending = host.rsplit('.').next().unwrap_or_default();
    if let Some([_, code]) = DOMAIN_ENDINGS.iter().find(|[known, _]| *known == ending) {
        return Some(code);
    }
    let known = NAMES.iter().find(|[code, _]| code.eq_ignore_ascii_case(ending));
    known.map(|[code, _]| *code).filter(|_| !GENERIC_ENDINGS.contains(ending))
}

/// The most likely country of a language tag, used if nothing else shows the country.
pub(crate) fn of_language(language: &str) -> Option<&'static str> {
    let (tongue, region) = language.split_once(['-', '_']).unwrap_or((language, ""));
    if region.len() == 2 {
        let code = NAMES.iter().find(|[code, _]| code.eq_ignore_ascii_case(region));
        if let Some([code, _]) = code {
            return Some(code);
        }
    }
    LANGUAGES.iter().find(|[known, _]| *known == tongue).map(|[_, code]| *code)
}

/// The country of a postal code prefix: "D-10115", "CH-8005".
pub(crate) fn of_postal_prefix(prefix: &str) -> Option<&'static str> {
    POSTAL_PREFIXES.iter().find(|[known, _]| *known == prefix).map(|[_, code]| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn country_is_found_by_name_domain_and_language() {
        assert_eq!(named("Deutschland"), Some("DE"));
        assert_eq!(named("(United Kingdom)"), Some("GB"));
        assert_eq!(named("Berlin"), None);
        assert_eq!(ending("London, United Kingdom"), Some(("London,", "GB")));
        assert_eq!(of_domain("firm.co.uk"), Some("GB"));
        assert_eq!(of_domain("firm.test"), None);
        assert_eq!(of_language("pt-BR"), Some("BR"));
    }
}
