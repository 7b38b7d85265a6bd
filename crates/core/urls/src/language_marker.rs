//! The language that an address itself names: `/de/…`, `/us/en/…`, `fr-ca.example.com`,
//! `index.de.html`, `?lang=de`.
//!
//! An address that is taken for another language is never fetched, and a page is
//! lost without a trace; one whose marker goes unseen is fetched, and then its
//! document tells. So only what hardly means anything else counts: two letters
//! alone are more often a department, a country or a US state than most of the
//! languages that they could stand for.

use crate::scope::FILE_ENDINGS;
use crate::{CanonicalUrl, LanguageTag};

mod codes;

use codes::{is_at_home, is_country, is_language, is_sure};

/// Query members that say in what language a page is to be shown.
const MEMBERS: &[&str] = &["hl", "lang", "language", "locale"];

/// The scripts that addresses tell apart.
const SCRIPTS: &[&str] = &["arab", "cyrl", "hans", "hant", "latn"];

/// The longest marker: `zh-hant-tw`.
const MAX_BYTES: usize = 10;

/// The language that an address names, when it can hardly mean anything else.
#[must_use]
pub fn marked_language(url: &CanonicalUrl) -> Option<LanguageTag> {
    find(url, &is_sure)
}

/// The same for somebody who wants `wanted`: a code of many meanings counts as that
/// language. Who asks for Italian sees `/it/` as Italy rather than as computers.
#[must_use]
pub fn marked_language_for(url: &CanonicalUrl, wanted: &LanguageTag) -> Option<LanguageTag> {
    find(url, &|code| is_sure(code) || code.eq_ignore_ascii_case(wanted.language()))
}

/// Path and query behind a first folder that names a language, which is how most sites mark
/// their translations; the whole of them without one.
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

/// The addresses that the page would have below the folder of another language, as sites spell
/// such folders.
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

/// Looks where a marker may stand, the one that is nearest to the page first. `sure`
/// tells whether a code counts where it stands alone.
fn find(url: &CanonicalUrl, sure: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    of_file(url.path(), sure)
        .or_else(|| of_folders(url.path(), sure))
        .or_else(|| of_host(url.bare_host(), sure))
        .or_else(|| url.query().and_then(of_query))
}

/// `index.de.html`, and `index.html.de` as servers that negotiate name it.
fn of_file(path: &str, sure: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    let name = path.rsplit('/').next()?;
    let (rest, last) = name.rsplit_once('.')?;
    let (stem, middle) = rest.rsplit_once('.')?;
    if stem.is_empty() {
        None
    } else if is_file_ending(last) {
        marker(middle, sure)
    } else if is_file_ending(middle) {
        marker(last, sure)
    } else {
        None
    }
}

/// `/de/…`, `/de-at/…`, `/us/en/…`, and `/de.html`, which is the door to `/de/…`.
fn of_folders(path: &str, sure: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    let mut segments = path.split('/').skip(1).map(without_file_ending);
    let first = segments.next()?;
    if first.len() != 2 {
        return marker(first, sure);
    }
    // Shops with one folder for each country have the languages below.
    match segments.next().filter(|second| is_at_home(second, first)) {
        Some(second) if sure(second) || !sure(first) => tag(second, Some(first)),
        // Spanish pages on California, or Spain's in Catalan?
        Some(_) => None,
        None => marker(first, sure),
    }
}

/// `de.example.com`. With a short name and a short ending, `de.co.uk` may be a
/// domain of its own.
fn of_host(host: &str, sure: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    let (label, rest) = host.split_once('.')?;
    let (name, ending) = rest.split_once('.')?;
    let may_be_domain = !ending.contains('.') && ending.len() == 2 && name.len() <= 3;
    marker(label, sure).filter(|_| !may_be_domain)
}

/// `?lang=de`. The name tells what the value is, so that every language counts, for
/// any country.
fn of_query(query: &str) -> Option<LanguageTag> {
    // Manuals for programmers mean TypeScript.
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

/// The language of a text that is nothing but a marker.
fn marker(text: &str, sure: &dyn Fn(&str) -> bool) -> Option<LanguageTag> {
    if text.len() == 2 {
        return if is_language(text) && sure(text) { tag(text, None) } else { None };
    }
    if text.len() > MAX_BYTES || !matches!(text.as_bytes().get(2), Some(b'-' | b'_')) {
        return None;
    }
    let mut parts = text.split(['-', '_']);
    match (parts.next()?, parts.next()?, parts.next(), parts.next()) {
        (language, script, region, None) if is_script(script) => {
            let fits = region.is_none_or(|region| is_at_home(language, region));
            // The tag reads scripts in any case.
            (is_language(language) && fits).then(|| LanguageTag::parse(text).ok())?
        }
        (first, second, None, None) => pair(first, second),
        _ => None,
    }
}

/// Language and region, in either order.
fn pair(first: &str, second: &str) -> Option<LanguageTag> {
    let english = first.eq_ignore_ascii_case("en");
    if is_at_home(first, second) {
        tag(first, Some(second))
    } else if is_at_home(second, first) {
        tag(second, Some(first))
    } else if first.eq_ignore_ascii_case("es") && second == "419" {
        tag(first, Some(second))
    } else if english && second.len() == 2 && second.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        // `en-eu` and `en-ww` are for readers of no country in particular.
        tag(first, Some(second).filter(|region| is_country(region)))
    } else {
        None
    }
}

fn tag(language: &str, region: Option<&str>) -> Option<LanguageTag> {
    match region {
        // Everyone's name for it, if not the standard's.
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

fn is_file_ending(text: &str) -> bool {
    FILE_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(text))
}

fn without_file_ending(segment: &str) -> &str {
    match segment.split_once('.') {
        Some((stem, ending)) if is_file_ending(ending) => stem,
        _ => segment,
    }
}

#[cfg(test)]
mod tests;
