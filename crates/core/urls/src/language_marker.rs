//! Language markers in URLs: `/de/…`, `/us/en/…`, `fr-ca.example.com`, `index.de.html`, `?lang=de`.
//!
//! A false marker loses a page, because URLs in other languages are not fetched; a missed marker costs
//! only a fetch, after which the document declares its language. So only unambiguous markers count: two
//! letters alone are more often a department, a country or a US state than most languages.

use crate::scope::FILE_EXTENSIONS;
use crate::{CanonicalUrl, LanguageTag};

mod codes;

use codes::{is_country, is_language, is_spoken_in, is_unambiguous};

/// Query parameters that select the language.
const MEMBERS: &[&str] = &["hl", "lang", "language", "locale"];

const SCRIPTS: &[&str] = &["arab", "cyrl", "hans", "hant", "latn"];

/// Length of the longest marker: `zh-hant-tw`.
const MAX_BYTES: usize = 10;

/// The language of an unambiguous marker in a URL.
#[must_use]
pub fn marked_language(url: &CanonicalUrl) -> Option<LanguageTag> {
    find(url, &is_unambiguous)
}

/// Like [`marked_language`], but an ambiguous code of the language `wanted` counts as well: for a run in
/// Italian, `/it/` is Italian rather than information technology.
#[must_use]
pub fn marked_language_for(url: &CanonicalUrl, wanted: &LanguageTag) -> Option<LanguageTag> {
    find(url, &|code| is_unambiguous(code) || code.eq_ignore_ascii_case(wanted.language()))
}

/// Path and query after a first folder with a language, as most sites mark their translations; all of it
/// without such a folder.
#[must_use]
pub fn without_marked_folder(url: &CanonicalUrl) -> &str {
    let whole = url.path_and_query();
    let Some((first, _)) = whole.get(1..).and_then(|rest| rest.split_once('/')) else {
        return whole;
    };
    let every = |code: &str| is_language(code);
    match marker(first, &every) {
        Some(_) => whole.get(first.len() + 1..).unwrap_or(whole),
        None => whole,
    }
}

/// The URLs of the page in the folder of another language, in the usual spellings of such folders.
#[must_use]
pub fn in_folder_of(url: &CanonicalUrl, tag: &LanguageTag) -> Vec<CanonicalUrl> {
    let rest = without_marked_folder(url);
    let mut folders = vec![tag.as_str().to_ascii_lowercase()];
    if tag.as_str() != folders[0] {
        folders.push(tag.to_string());
    }
    let spelled = folders.iter().map(|folder| format!("{}/{folder}{rest}", url.origin()));
    spelled.filter_map(|text| CanonicalUrl::kept(&text)).collect()
}

/// Searches all positions of a marker, the most specific first. `is_unambiguous_code` decides whether a
/// single code counts.
fn find(url: &CanonicalUrl, is_unambiguous_code: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    of_file(url.path(), is_unambiguous_code)
        .or_else(|| of_folders(url.path(), is_unambiguous_code))
        .or_else(|| of_host(url.bare_host(), is_unambiguous_code))
        .or_else(|| url.query().and_then(of_query))
}

/// `index.de.html`, and `index.html.de` of servers with content negotiation.
fn of_file(path: &str, is_unambiguous_code: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    let name = path.rsplit('/').next()?;
    let (rest, last) = name.rsplit_once('.')?;
    let (stem, middle) = rest.rsplit_once('.')?;
    if stem.is_empty() {
        None
    } else if is_file_extension(last) {
        marker(middle, is_unambiguous_code)
    } else if is_file_extension(middle) {
        marker(last, is_unambiguous_code)
    } else {
        None
    }
}

/// `/de/…`, `/de-at/…`, `/us/en/…`, and `/de.html`, the home page of `/de/…`.
fn of_folders(path: &str, is_unambiguous_code: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    let mut segments = path.split('/').skip(1).map(without_file_extension);
    let first = segments.next()?;
    if first.len() != 2 {
        return marker(first, is_unambiguous_code);
    }
    // Sites with one folder per country have the languages below it.
    match segments.next().filter(|second| is_spoken_in(second, first)) {
        Some(second) if is_unambiguous_code(second) || !is_unambiguous_code(first) => {
            tag(second, Some(first))
        }
        // Ambiguous: `/es/ca/` is Spanish for California, or Catalan for Spain.
        Some(_) => None,
        None => marker(first, is_unambiguous_code),
    }
}

/// `de.example.com`. A host such as `de.co.uk` may be a registered domain.
fn of_host(host: &str, is_unambiguous_code: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    let (label, rest) = host.split_once('.')?;
    let (name, ending) = rest.split_once('.')?;
    let may_be_domain = !ending.contains('.') && ending.len() == 2 && name.len() <= 3;
    marker(label, is_unambiguous_code).filter(|_| !may_be_domain)
}

/// `?lang=de`. The name of the parameter is unambiguous, so that every language code counts.
fn of_query(query: &str) -> Option<LanguageTag> {
    // In documentation, `ts` is TypeScript.
    let every = |code: &str| is_language(code) && !code.eq_ignore_ascii_case("ts");
    query.split('&').find_map(|member| {
        let (name, value) = member.split_once('=')?;
        if !MEMBERS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return None;
        }
        marker(value, &every)
            .or_else(|| LanguageTag::parse(value).ok().filter(|tag| every(tag.language())))
    })
}

/// The language of a text that is only a marker.
fn marker(text: &str, is_unambiguous_code: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    if text.len() == 2 {
        return if is_language(text) && is_unambiguous_code(text) { tag(text, None) } else { None };
    }
    if text.len() > MAX_BYTES || !matches!(text.as_bytes().get(2), Some(b'-' | b'_')) {
        return None;
    }
    let mut parts = text.split(['-', '_']);
    match (parts.next()?, parts.next()?, parts.next(), parts.next()) {
        (language, script, region, None) if is_script(script) => {
            let fits = region.is_none_or(|region| is_spoken_in(language, region));
            // `LanguageTag` accepts scripts in any case.
            (is_language(language) && fits).then(|| LanguageTag::parse(text).ok())?
        }
        (first, second, None, None) => pair(first, second),
        _ => None,
    }
}

/// Language and region, in either order.
fn pair(first: &str, second: &str) -> Option<LanguageTag> {
    let english = first.eq_ignore_ascii_case("en");
    if is_spoken_in(first, second) {
        tag(first, Some(second))
    } else if is_spoken_in(second, first) {
        tag(second, Some(first))
    } else if first.eq_ignore_ascii_case("es") && second == "419" {
        tag(first, Some(second))
    } else if english && second.len() == 2 && second.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        // `en-eu` and `en-ww` have no country.
        tag(first, Some(second).filter(|region| is_country(region)))
    } else {
        None
    }
}

fn tag(language: &str, region: Option<&str>) -> Option<LanguageTag> {
    match region {
        // `uk` is common, but the standard has `GB`.
        Some(region) if region.eq_ignore_ascii_case("uk") => {
            LanguageTag::parse(&format!("{language}-GB")).ok()
        }
        Some(region) => LanguageTag::parse(&format!("{language}-{region}")).ok(),
        None => LanguageTag::parse(language).ok(),
    }
}

fn is_script(text: &str) -> bool {
    SCRIPTS.iter().any(|known| known.eq_ignore_ascii_case(text))
}

fn is_file_extension(text: &str) -> bool {
    FILE_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(text))
}

fn without_file_extension(segment: &str) -> &str {
    match segment.split_once('.') {
        Some((stem, ending)) if is_file_extension(ending) => stem,
        _ => segment,
    }
}

#[cfg(test)]
mod tests;
