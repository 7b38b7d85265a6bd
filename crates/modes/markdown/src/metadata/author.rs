//! The author of a page.

use text::vocabulary::{TermList, TermSet};

use super::MetadataSources;
use html::dom::{Element, NodeId};
use html::tokenizer::Attribute;

/// Maximum number of candidates.
const MAX_CANDIDATES: usize = 16;

/// Maximum length of a name, and of a line that contains one.
const MAX_NAME: usize = 120;

/// Names of `<meta>` elements for authors.
static META_NAMES: TermList = word_list!("author_meta_names.txt");

/// Words that precede a name.
static AUTHOR_LABELS: TermSet = phrase_set!("author_labels.txt");
static NAME_PREFIXES: TermList = phrase_list!("author_prefixes.txt");

/// Phrases that are no names.
const NON_NAMES: &[&str] =
    &["view ", "about ", "the author", "more ", "see ", "read ", "all posts", "admin", "follow "];

/// Where a name was found, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AuthorSource {
    /// An element with `itemprop=author`.
    Property,
    /// A link with `rel=author`.
    Relation,
    /// An element with a byline class.
    Byline,
    /// An element with an author class.
    Class,
    /// A link to the author's archive.
    ArchiveLink,
    /// The user who started a thread.
    ThreadStarter,
}

impl AuthorSource {
    pub(super) fn of(attribute: &Attribute<'_>, element: Element) -> Option<Self> {
        let (is_link, value) = (element == Element::A, attribute.value);
        match attribute.name {
            "itemprop" if value == "author" => Some(Self::Property),
            "rel" if is_link && has_word(value, "author") => Some(Self::Relation),
            "href" if is_link && value.contains("/author/") => Some(Self::ArchiveLink),
            _ => None,
        }
    }

    pub(super) fn of_class(class: &str) -> Option<Self> {
        let mut found = None;
        for word in class.split_ascii_whitespace().filter(|word| word.len() < 48) {
            let word = word.to_ascii_lowercase();
            if word.contains("byline") {
                return Some(Self::Byline);
            }
            // Author boxes come after the text, and images have no name.
            let beside =
                ["bio", "avatar", "image", "img", "photo", "box", "list", "social", "desc"];
            if word.contains("author") && !beside.iter().any(|other| word.contains(other)) {
                found = Some(Self::Class);
            } else if word == "username" && found.is_none() {
                found = Some(Self::ThreadStarter);
            }
        }
        found
    }
}

/// Adds an element that may name an author.
pub(super) fn keep(sources: &mut MetadataSources<'_, '_>, source: AuthorSource, id: NodeId) {
    if sources.authors.len() < MAX_CANDIDATES && !is_in_comment(sources, id) {
        sources.authors.push((source, id));
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether an element belongs to a comment.
fn is_in_comment(sources: &MetadataSources<'_, '_>, id: NodeId) -> bool {
    sources.dom.ancestors(id).take(12).any(|above| {
        ["class", "id"].iter().any(|name| {
            let value = sources.dom.raw_attribute(above, name).unwrap_or_default();
            value.contains("comment") || value.contains("related") || value.contains("review")
        })
    })
}

/// The authors of a page by the most reliable source.
pub(super) fn of(sources: &MetadataSources<'_, '_>) -> Option<String> {
    let described: Vec<_> = sources.json_ld.authors();
    let sites: Vec<&str> = site_names(sources);
    joined(described.iter().map(String::as_str), &sites)
        .or_else(|| joined(sources.metas(&META_NAMES).take(8), &sites))
        .or_else(|| cited(sources))
        .or_else(|| labelled(sources).and_then(|name| joined(std::iter::once(name), &sites)))
        .or_else(|| visible_author(sources, &sites))
}

fn site_names<'c>(sources: &'c MetadataSources<'_, '_>) -> Vec<&'c str> {
    let named = sources.metas(&["og:site_name", "application-name"]);
    named.chain(sources.json_ld.sites.iter().map(String::as_str)).collect()
}

/// Authors of citation metadata, which begin with the family name.
fn cited(sources: &MetadataSources<'_, '_>) -> Option<String> {
    let names =
        sources.metas(&["citation_author"]).take(16).map(|name| match name.split_once(',') {
            Some((family, given)) => format!("{} {family}", given.trim()),
            None => name.to_owned(),
        });
    let names: Vec<_> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Joins distinct names by commas.
fn joined<'n>(names: impl Iterator<Item = &'n str>, sites: &[&str]) -> Option<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names.filter_map(name) {
        let is_site = sites.iter().any(|site| site.eq_ignore_ascii_case(&name));
        if !is_site && !kept.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
            kept.push(name);
        }
    }
    (!kept.is_empty()).then(|| kept.join(", "))
}

/// The author of a Twitter card (`twitter:label`, `twitter:data`).
fn labelled<'c>(sources: &'c MetadataSources<'_, '_>) -> Option<&'c str> {
    (1..=2).find_map(|number| {
        let (label, data) = match number {
            1 => ("twitter:label1", "twitter:data1"),
            _ => ("twitter:label2", "twitter:data2"),
        };
        let label = sources.metas(&[label]).next()?.to_ascii_lowercase();
        AUTHOR_LABELS.contains(label.as_str()).then_some(())?;
        let found = sources.metas.iter().find(|(name, _)| name == data)?;
        Some(found.1.as_str())
    })
}

fn visible_author(sources: &MetadataSources<'_, '_>, sites: &[&str]) -> Option<String> {
    let mut record_sources = sources.authors.clone();
    record_sources.sort_by_key(|(source, id)| (*source, *id));
    record_sources.into_iter().find_map(|(_, id)| {
        // In a longer byline the name has its own element.
        let part = sources.dom.descendants(id).take(24).find(|below| {
            let property = sources.dom.raw_attribute(*below, "itemprop");
            let class = sources.dom.raw_attribute(*below, "class").unwrap_or_default();
            property == Some("name") || has_word(class, "fn") || has_word(class, "author-name")
        });
        let link = || {
            sources.dom.descendants(id).take(12).find(|below| {
                let href = sources.dom.raw_attribute(*below, "href").unwrap_or_default();
                sources.dom.is(*below, Element::A) && href.contains("author")
            })
        };
        let text = sources.value_of(part.or_else(link).unwrap_or(id));
        joined(std::iter::once(text.as_str()), sites)
    })
}

/// A name without its surroundings; `None` if it cannot be one.
fn name(text: &str) -> Option<String> {
    let mut text = text.trim();
    let mut cut = true;
    while std::mem::take(&mut cut) {
        for lead in NAME_PREFIXES.iter() {
            let Some(start) = text.get(..lead.len()) else { continue };
            let rest = text.get(lead.len()..).unwrap_or_default();
            let parted = lead.ends_with(':') || rest.starts_with([' ', ':', '\u{a0}']);
            if start.eq_ignore_ascii_case(lead) && parted {
                text = rest.trim_start_matches([' ', ':', '\u{a0}']);
                cut = true;
                break;
            }
        }
    }
    let text = text.split(['|', '•', '·', '\n']).next().unwrap_or_default();
    // `Jane Doe on May 3`, `Jane Doe - May 3`.
    let text = [" on ", " – ", " — ", " - ", ", on ", " Updated", " Published", " Posted"]
        .iter()
        .filter_map(|sign| text.find(sign))
        .min()
        .map_or(text, |at| &text[..at]);
    let text = text.trim().trim_end_matches([',', ';', '-', '–', '—', ':']).trim();
    let text = text.trim_start_matches(['@', '-', '–', '—', ',']).trim();
    let is_address = text.contains("://")
        || text.starts_with("www.")
        || text.starts_with('/')
        || (text.contains('@') && !text.contains(' '));
    let words = text.split(' ').count();
    let is_date = text.bytes().filter(u8::is_ascii_digit).count() >= 4 && words > 1;
    let lower = text.to_lowercase();
    let is_phrase = NON_NAMES.iter().any(|phrase| lower.starts_with(phrase));
    let sound = (2..=MAX_NAME).contains(&text.len())
        && words <= 14
        && text.chars().any(char::is_alphabetic)
        && !is_address
        && !is_date
        && !is_phrase
        && !text.contains(['{', '}', '<', '>']);
    sound.then(|| text.to_owned())
}
