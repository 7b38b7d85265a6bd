//! The language of a code block, as common highlighters declare it.

use html::dom::{Dom, Element, NodeId};
use text::vocabulary::{TermList, TermSet};

/// Number of ancestors and descendants that are searched.
const LEVELS_ABOVE: usize = 3;
const NODES_BELOW: usize = 4;

/// Number of classes that are searched for the name of a language, and the minimum length of a name
/// that is no coincidence.
const MAX_CLASSES: usize = 16;
const MIN_CLEAR_NAME: usize = 3;

/// Prefixes of language names in classes.
static PREFIXES: TermList = word_list!("code_language_prefixes.txt");

/// Words after such a prefix that are no languages.
static NON_LANGUAGES: TermSet = word_set!("code_non_languages.txt");

/// Language names that occur as a class next to the class of a highlighter.
static KNOWN_LANGUAGES: TermSet = word_set!("code_languages.txt");

pub(super) fn of(dom: &Dom<'_>, id: NodeId) -> Option<String> {
    let below = dom
        .descendants(id)
        .take(NODES_BELOW)
        .filter(|below| dom.is(*below, Element::Code) || dom.is(*below, Element::Samp));
    let mut here = std::iter::once(id).chain(below.collect::<Vec<_>>());
    let found = here
        .clone()
        .find_map(|id| named(dom, id).or_else(|| beside_highlighter(dom, id)))
        .or_else(|| here.find_map(|id| within_class(dom, id)));
    found.or_else(|| dom.ancestors(id).take(LEVELS_ABOVE).find_map(|id| named(dom, id)))
}

/// The language that an attribute or class of an element names.
fn named(dom: &Dom<'_>, id: NodeId) -> Option<String> {
    // On other elements, `lang` is a natural language.
    let attributes: &[&str] = match dom.element(id) {
        Some(Element::Pre | Element::Code) => &["data-lang", "data-language", "lang"],
        _ => &["data-lang", "data-language"],
    };
    let stated =
        attributes.iter().find_map(|name| dom.attribute(id, name)).and_then(|name| language(&name));
    stated.or_else(|| {
        let class = dom.attribute(id, "class")?;
        // In `brush: js` the name is the next word.
        let class = class.replace("brush: ", "brush:");
        PREFIXES.iter().find_map(|prefix| {
            class.split_ascii_whitespace().find_map(|word| {
                let start = word.get(..prefix.len())?;
                let rest = word.get(prefix.len()..)?;
                start.eq_ignore_ascii_case(prefix).then(|| language(rest)).flatten()
            })
        })
    })
}

fn beside_highlighter(dom: &Dom<'_>, id: NodeId) -> Option<String> {
    let class = dom.raw_attribute(id, "class")?;
    let words = || class.split_ascii_whitespace();
    let highlights =
        words().any(|word| matches!(word, "hljs" | "sourceCode" | "prettyprint" | "highlight"));
    let only = words().count() == 1;
    (highlights || only)
        .then(|| words().find(|word| KNOWN_LANGUAGES.contains(word.to_ascii_lowercase().as_str())))
        .flatten()
        .and_then(language)
}

/// A known language that is a class of the code itself, or the end of one.
fn within_class(dom: &Dom<'_>, id: NodeId) -> Option<String> {
    let class = dom.raw_attribute(id, "class")?;
    class.split_ascii_whitespace().take(MAX_CLASSES).find_map(|word| {
        let name = word.rsplit(['-', '_']).next()?.to_ascii_lowercase();
        let is_clear = name.len() >= MIN_CLEAR_NAME && KNOWN_LANGUAGES.contains(name.as_str());
        is_clear.then(|| language(&name)).flatten()
    })
}

/// A name that may be a programming language.
fn language(name: &str) -> Option<String> {
    let name = name.trim().trim_end_matches(';').to_lowercase();
    let sound = (1..=24).contains(&name.len())
        && name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '-' | '.' | '_'));
    (sound && !NON_LANGUAGES.contains(name.as_str())).then_some(name)
}
