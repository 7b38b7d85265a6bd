//! The title of a page without the name of its site.
//!
//! A title is split at the separators between page and site name. The parts that also occur in the
//! first heading, headline or social card are the title of the page; parts of the heading are never
//! removed.

use super::MetadataSources;
use html::text::Collapsed;
use page::Page;
use text::vocabulary::TermSet;

/// Maximum bytes of a title.
const MAX_BYTES: usize = 512;

/// Maximum length of a heading that may be a title.
const MAX_HEADING: usize = 160;

/// Separators of a title. Those of `SPACED` also occur within words and count only with spaces
/// around them.
const ALWAYS: &[char] = &['|', '»', '«', '›', '·', '•', '¦', '‹'];
const SPACED: &[&str] = &[" - ", " – ", " — ", " :: ", " ~ ", " / ", " − ", " ― ", " : "];

static GENERIC_TITLES: TermSet = word_set!("generic_titles.txt");

/// A part of a title between two separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TitlePart {
    from: usize,
    to: usize,
    /// The separator before it is unambiguous.
    is_sure: bool,
}

/// The title of a page, at most [`MAX_BYTES`] long.
pub(super) fn of(sources: &MetadataSources<'_, '_>, page: &Page) -> Option<String> {
    let heading = heading(sources, page);
    let card = sources.metas(&["og:title", "twitter:title", "title"]).next();
    let headline = sources.json_ld.headlines().next();
    let document = page.title.as_deref();
    let whole = document.or(card).or(headline).or(heading.as_deref())?;
    let sites: Vec<String> = sources
        .metas(&[
            "og:site_name",
            "application-name",
            "apple-mobile-web-app-title",
            "al:ios:app_name",
        ])
        .chain(sources.json_ld.sites.iter().map(String::as_str))
        .map(normalised)
        .filter(|site| !site.is_empty())
        .collect();
    // Some sites have their name in the first `h1`.
    let heading = heading.as_deref().filter(|heading| !is_generic(heading, &sites));
    let title = TitleParts { whole, parts: parts(whole), heading: heading.map(normalised) };
    let found = title
        .shared_with_heading()
        .or_else(|| heading.filter(|heading| title.overlaps_heading(heading)))
        .or_else(|| headline.and_then(|text| title.shared_with(text)))
        .or_else(|| {
            card.filter(|card| !is_generic(card, &sites)).and_then(|t| title.shared_with(t))
        })
        .unwrap_or_else(|| title.without_site(&sites));
    let found = if is_generic(found, &sites) {
        heading.filter(|heading| !heading.is_empty()).unwrap_or(found)
    } else {
        found
    };
    Some(Collapsed::of(found, MAX_BYTES)).filter(|title| !title.is_empty())
}

/// The heading of the page: the one that overlaps with the title, or the first.
fn heading(sources: &MetadataSources<'_, '_>, page: &Page) -> Option<String> {
    let title = page.title.as_deref().map(normalised).unwrap_or_default();
    let said = sources.h1.iter().find(|heading| {
        let heading = normalised(heading);
        heading.len() > 3 && title.contains(&heading)
    });
    said.or(sources.h1.first()).cloned().or_else(|| page.h1.clone())
}

struct TitleParts<'t> {
    whole: &'t str,
    parts: Vec<TitlePart>,
    /// The normalised heading.
    heading: Option<String>,
}

impl<'t> TitleParts<'t> {
    /// The text of a range of parts with their separators.
    fn run(&self, from: usize, to: usize) -> &'t str {
        let (Some(first), Some(last)) = (self.parts.get(from), self.parts.get(to)) else {
            return self.whole;
        };
        self.whole.get(first.from..last.to).unwrap_or(self.whole).trim()
    }

    /// The range of parts that equals the heading.
    fn shared_with_heading(&self) -> Option<&'t str> {
        let heading = self.heading.as_deref()?;
        self.run_of(heading)
    }

    /// Whether the heading shares enough words with the title to be the title of the page.
    fn overlaps_heading(&self, heading: &str) -> bool {
        let words = |text: &str| {
            let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
            words.filter(|word| word.len() > 2).take(40).collect::<Vec<_>>()
        };
        let (here, there) = (words(self.whole), words(heading));
        let shared = there.iter().filter(|word| here.contains(word)).count();
        there.len() > 1 && heading.len() <= MAX_HEADING && shared * 3 >= there.len()
    }

    /// The range of parts that equals a text.
    fn shared_with(&self, text: &str) -> Option<&'t str> {
        let text = normalised(text);
        // A card that equals the whole title says nothing about its parts.
        (text != normalised(self.whole)).then(|| self.run_of(&text)).flatten()
    }

    fn run_of(&self, text: &str) -> Option<&'t str> {
        if text.is_empty() {
            return None;
        }
        let count = self.parts.len();
        let runs = (0..count).flat_map(|from| (from..count).map(move |to| (from, to)));
        runs.map(|(from, to)| self.run(from, to)).find(|run| normalised(run) == text)
    }

    /// The title without parts at its ends that name the site.
    fn without_site(&self, sites: &[String]) -> &'t str {
        let (mut from, mut to) = (0, self.parts.len().saturating_sub(1));
        while to > from && self.is_site_name(to, sites) {
            to -= 1;
        }
        while to > from && self.is_site_name(from, sites) {
            from += 1;
        }
        // The name of the site is unknown: a short last part is likely to be it.
        if from == 0 && to + 1 == self.parts.len() && to > 0 && self.is_likely_site(to) {
            to -= 1;
        }
        self.run(from, to)
    }

    fn is_site_name(&self, at: usize, sites: &[String]) -> bool {
        let part = normalised(self.run(at, at));
        !self.is_in_heading(&part)
            && sites.iter().any(|site| {
                part == *site
                    || (site.len() > 3 && part.contains(site.as_str()))
                    || (part.len() > 3 && site.contains(&part))
            })
    }

    fn is_likely_site(&self, at: usize) -> bool {
        let text = self.run(at, at);
        let words = text.split(' ').count();
        let before = self.run(0, at - 1).split(' ').count();
        let is_sure = self.parts.get(at).is_some_and(|part| part.is_sure);
        !self.is_in_heading(&normalised(text))
            && words <= if is_sure { 6 } else { 4 }
            && before >= words
    }

    fn is_in_heading(&self, part: &str) -> bool {
        self.heading.as_deref().is_some_and(|heading| heading.contains(part))
    }
}

/// Whether a title is only a site name or a generic word.
fn is_generic(title: &str, sites: &[String]) -> bool {
    let title = normalised(title);
    title.is_empty() || GENERIC_TITLES.contains(title.as_str()) || sites.contains(&title)
}

/// Splits a title into its parts.
fn parts(title: &str) -> Vec<TitlePart> {
    let mut parts = Vec::new();
    let (mut from, mut at, mut is_sure) = (0, 0, false);
    while at < title.len() && parts.len() < 12 {
        let rest = &title[at..];
        let always = rest.chars().next().filter(|c| ALWAYS.contains(c)).map(char::len_utf8);
        let spaced = || SPACED.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len());
        match always.or_else(spaced) {
            Some(length) => {
                if !title[from..at].trim().is_empty() {
                    parts.push(TitlePart { from, to: at, is_sure });
                }
                is_sure = always.is_some() || rest.starts_with(" :: ");
                at += length;
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    if !title[from..].trim().is_empty() {
        parts.push(TitlePart { from, to: title.len(), is_sure });
    }
    parts
}

/// Letters and digits in lower case, for comparison.
fn normalised(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
