//! The labels of choices: of form fields, and of lists that a text announces.

use text::vocabulary::{TermList, TermSet};

use crate::dom_index::DomIndex;
use crate::phrase_matcher::normalized;
use html::dom::{Element, NodeId, NodeKind};
use html::prose;
use html::text::Collapsed;

/// Beginnings of labels of fields that choose no variant: quantity, country, language.
static OTHER_CHOICES: TermList = term_group!("choice_words.tsv", "other");
/// Names of options: colour, size.
static NAMES: TermSet = term_group!("choice_words.tsv", "name");
/// What follows the name in a text that asks to choose.
static PROMPT_ENDINGS: TermList = term_group!("choice_words.tsv", "prompt_ending");

/// How many nodes before a list may contain its label, and how many texts are considered.
const MAX_DISTANCE: u32 = 40;
const MAX_TEXTS: usize = 5;

/// The maximum length of a label, in bytes.
const MAX_LABEL: usize = 60;

/// Whether a label belongs to a choice of quantity, country or language.
pub(super) fn is_other_choice(label: &str) -> bool {
    let label = label.to_lowercase();
    OTHER_CHOICES.iter().any(|word| label.starts_with(word))
}

/// Whether a value is a way of delivery: such a list chooses no variant.
pub(super) fn is_delivery(value: &str) -> bool {
    static WORDS: TermList = term_group!("choice_words.tsv", "delivery");
    let value = value.to_lowercase();
    WORDS.iter().any(|word| value.starts_with(word))
}

/// Whether the name or id of a field contains the word for another choice, such as `shCountry`.
pub(super) fn names_other_choice(name: &str) -> bool {
    static WORDS: TermList = term_group!("choice_words.tsv", "other_name");
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// Whether a label names an option, such as "Colour" or "Select a size".
pub(super) fn is_option_name(label: &str) -> bool {
    let label = normalized(label);
    NAMES.contains(label.as_str()) || named_word(&label).is_some()
}

/// The words of a text that name an option.
fn named_word(text: &str) -> Option<&str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
    words
        .filter(|_| text.len() <= MAX_LABEL)
        .find(|word| NAMES.contains(word.to_lowercase().as_str()))
}

/// The name of the option in a label: "Colour" of "Select Colour:".
pub(super) fn option_name(label: &str) -> String {
    let bare = label.trim_end_matches([':', '：', '*', '.', ' ']);
    // The chosen value may follow: `Colour: blue`.
    let name = bare.split_once([':', '：']).map(|(name, _)| name.trim());
    let bare = name.filter(|name| is_option_name(name)).unwrap_or(bare);
    let ending = PROMPT_ENDINGS.iter().find_map(|ending| bare.strip_suffix(ending));
    if let Some(name) = ending.map(str::trim).filter(|name| !name.is_empty()) {
        return name.to_owned();
    }
    let asks = super::PROMPTS.iter().any(|word| bare.to_lowercase().starts_with(word));
    match (asks, named_word(bare), bare.split_once(' ')) {
        (true, Some(name), _) => name.to_owned(),
        (true, None, Some((_, rest))) => rest.trim().to_owned(),
        _ => bare.to_owned(),
    }
}

/// The text before a list that names its option. `values` are the values of the list: the chosen
/// one is often between.
pub(super) fn label_before(
    index: &DomIndex<'_, '_>,
    list: NodeId,
    values: &[&str],
) -> Option<String> {
    let dom = index.dom;
    if let Some(label) = dom.attribute(list, "aria-label").filter(|label| is_option_name(label)) {
        return Some(label.trim().to_owned());
    }
    // The label is within the same part of the page, and after the heading.
    let parts = dom.ancestors(list).take(4).take_while(|above| !index.has_heading(*above));
    let after = index.heading.map(|heading| dom.end(heading)).filter(|end| *end <= list);
    let top = parts.last().or(after)?;
    let from = top.0.max(list.0.saturating_sub(MAX_DISTANCE));
    let mut fallback = None;
    let mut texts = 0;
    for id in (from..list.0).rev().map(NodeId) {
        if dom.kind(id) != NodeKind::Text || texts >= MAX_TEXTS {
            continue;
        }
        let text = Collapsed::of(&dom.text(id), MAX_LABEL + 1);
        let bare = text.trim_end_matches([':', '：', '*', ' ']);
        if !bare.chars().any(char::is_alphabetic) || text.len() > MAX_LABEL {
            continue;
        }
        texts += 1;
        if values.iter().any(|value| value.eq_ignore_ascii_case(bare)) {
            continue;
        }
        let is_label = dom.ancestors(id).take(2).any(|above| {
            dom.element(above).is_some_and(|element| {
                matches!(element, Element::Label | Element::Legend | Element::Dt | Element::Th)
                    || element.heading_level().is_some()
            })
        });
        if is_option_name(bare) || text.ends_with([':', '：']) || is_label {
            return Some(bare.to_owned());
        }
        fallback = fallback.or_else(|| Some(bare.to_owned()));
    }
    fallback
}

/// The label of a form field: a label element, a legend, the cell before it, or `aria-label`.
pub(crate) fn label_of(index: &DomIndex<'_, '_>, field: NodeId) -> Option<String> {
    let dom = index.dom;
    let text = |id: NodeId| {
        let text = prose::line(dom, id, MAX_LABEL);
        let text = text.trim_end_matches([':', '：', '*', ' ']).to_owned();
        Some(text).filter(|text| !text.is_empty())
    };
    let id = dom.raw_attribute(field, "id").filter(|id| !id.is_empty());
    let is_radio = dom.is(field, Element::Input);
    // A label is close to its field.
    let from = NodeId(field.0.saturating_sub(24));
    let before = (from.0..field.0).rev().map(NodeId);
    for near in before {
        match dom.element(near) {
            Some(Element::Label) if !is_radio => {
                let names = dom.raw_attribute(near, "for");
                if names.is_none() || names == id {
                    return text(near);
                }
            }
            Some(Element::Legend) => return text(near),
            _ => {}
        }
    }
    let group = dom.ancestors(field).take(4).find(|id| dom.is(*id, Element::Fieldset));
    let legend = group.and_then(|group| dom.find(group, Element::Legend)).and_then(text);
    let aria = || dom.attribute(field, "aria-label").map(|label| label.trim().to_owned());
    // The cell or term before the field.
    let cell = || {
        let cell = dom
            .ancestors(field)
            .take(3)
            .find(|id| matches!(dom.element(*id), Some(Element::Td | Element::Dd)))?;
        let before = (cell.0.saturating_sub(10)..cell.0).rev().map(NodeId);
        before
            .into_iter()
            .find(|id| matches!(dom.element(*id), Some(Element::Th | Element::Td | Element::Dt)))
            .and_then(text)
    };
    legend.or_else(cell).or_else(|| aria().filter(|label| !label.is_empty()))
}

/// The label element of a radio button: around it, or after it with its id.
pub(super) fn label_of_radio(index: &DomIndex<'_, '_>, input: NodeId) -> Option<NodeId> {
    let dom = index.dom;
    let around = dom.ancestors(input).take(2).find(|id| dom.is(*id, Element::Label));
    around.or_else(|| {
        let id = dom.raw_attribute(input, "id").filter(|id| !id.is_empty())?;
        let last = NodeId(input.0.saturating_add(8).min(dom.end(dom.body()).0));
        (input.0 + 1..last.0).map(NodeId).find(|near| {
            dom.is(*near, Element::Label) && dom.raw_attribute(*near, "for") == Some(id)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_is_named_without_the_words_that_ask_to_choose() {
        for (label, name) in [
            ("Colour:", "Colour"),
            ("Select Colour", "Colour"),
            ("Choisir une taille", "taille"),
            ("Wybierz rozmiar", "rozmiar"),
            ("색상을 선택하세요.", "색상"),
            ("Choose your engraving", "your engraving"),
            ("Color: white", "Color"),
        ] {
            assert_eq!(option_name(label), name, "{label}");
        }
        assert!(is_option_name("Size:") && is_option_name("Wähle deine Größe"));
        assert!(!is_option_name("Product details"));
        assert!(is_other_choice("Quantity") && !is_other_choice("Style"));
    }
}
