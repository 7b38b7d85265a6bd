//! What short texts of a product page mean: stock, buttons, labels of values, headings of
//! sections. The phrases are in `data/`, in the languages of the largest markets.

use std::sync::LazyLock;

use contract::{Availability, Condition};

use text::vocabulary::{TermList, TermSet};

use crate::field::ProductField;
use crate::phrase_matcher::{PhraseMatcher, normalized};

/// The availability that a text states. The groups are ordered: "not available" also contains
/// "available".
pub(crate) fn availability(text: &str) -> Option<Availability> {
    static MATCHER: LazyLock<PhraseMatcher<Availability>> = LazyLock::new(|| {
        PhraseMatcher::of_groups(
            term_file!("availability.tsv"),
            &[
                ("discontinued", Availability::Discontinued),
                ("backorder", Availability::Backorder),
                ("preorder", Availability::Preorder),
                ("out_of_stock", Availability::OutOfStock),
                ("in_stock", Availability::InStock),
            ],
        )
    });
    if text.len() > 200 || text.len() < 3 {
        return None;
    }
    MATCHER.find_in(&normalized(text))
}

const BUTTON_PHRASES: &str = term_file!("button_phrases.tsv");

/// Whether the text of a button adds the product to the cart. Buttons for wish lists and
/// comparisons also name products, so their phrases come first.
pub(crate) fn is_buy_button(text: &str) -> bool {
    static MATCHER: LazyLock<PhraseMatcher<bool>> = LazyLock::new(|| {
        PhraseMatcher::of_groups(BUTTON_PHRASES, &[("other", false), ("buy", true)])
    });
    text.len() < 80 && MATCHER.find_in(&normalized(text)) == Some(true)
}

/// Whether a text has exactly one amount and says that it is a former price. Of two prices in one
/// text only the first is the former one.
pub(crate) fn is_former_price(text: &str) -> bool {
    static MATCHER: LazyLock<PhraseMatcher<()>> =
        LazyLock::new(|| PhraseMatcher::of_words(term_file!("former_price_phrases.txt")));
    let text = normalized(text);
    let amounts = text.split(|letter: char| {
        !letter.is_ascii_digit() && !matches!(letter, '.' | ',' | '\u{a0}' | ' ')
    });
    amounts.filter(|part| part.bytes().any(|byte| byte.is_ascii_digit())).count() == 1
        && MATCHER.find_in(&text).is_some()
}

/// Whether a text is a badge ("new", "sale") or a small link, and not a name.
pub(crate) fn is_badge(text: &str) -> bool {
    static MATCHER: LazyLock<PhraseMatcher<()>> =
        LazyLock::new(|| PhraseMatcher::of_words(term_file!("badges.txt")));
    MATCHER.of_phrase(&normalized(text)).is_some()
}

/// The field whose value a label announces.
pub(crate) fn labelled_field(text: &str) -> Option<ProductField> {
    static MATCHER: LazyLock<PhraseMatcher<ProductField>> = LazyLock::new(|| {
        // Each label has one field: the order of the groups does not matter.
        let fields: Vec<_> = ProductField::ALL.map(|field| (field.as_str(), field)).into();
        PhraseMatcher::of_groups(term_file!("field_labels.tsv"), &fields)
    });
    if text.len() > 60 {
        return None;
    }
    MATCHER.of_phrase(&normalized(text))
}

/// Whether a label also has other meanings, so that a clear label of the same field is preferred.
pub(crate) fn is_ambiguous_label(text: &str) -> bool {
    static LABELS: TermSet = phrase_set!("ambiguous_labels.txt");
    LABELS.contains(normalized(text).as_str())
}

/// Whether a value is a placeholder: "n/a", "unbranded", a variable of a template.
pub(crate) fn is_placeholder(text: &str) -> bool {
    static WORDS: TermSet = phrase_set!("placeholders.txt");
    let text = text.trim();
    text.starts_with('$') && text[1..].starts_with(|first: char| first.is_alphabetic())
        || text.contains("{{")
        || text.contains("${")
        || text.starts_with("<%")
        || !text.chars().any(char::is_alphanumeric)
        || WORDS.contains(normalized(text).as_str())
}

/// The brand in a text that links to its products, such as "Visit the Acme Store".
pub(crate) fn brand_name(text: &str) -> &str {
    static BEFORE: TermList = term_group!("brand_phrases.tsv", "before");
    static AFTER: TermList = term_group!("brand_phrases.tsv", "after");
    let text = text.trim();
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return text;
    }
    let begins = |phrase: &&&str| {
        let rest = lower.strip_prefix(**phrase);
        rest.is_some_and(|rest| rest.starts_with([' ', ':']) && rest.len() > 2)
    };
    let start = BEFORE.iter().find(begins).map_or(0, |phrase| phrase.len());
    let rest = &lower[start..];
    let ends = |phrase: &&&str| {
        let name = rest.strip_suffix(**phrase);
        name.is_some_and(|name| name.ends_with([' ', '-']) && name.trim().len() > 1)
    };
    // A brand may have such a word in its name; beside "visit" it is the shop of the brand.
    let end = AFTER.iter().filter(|_| start > 0).find(ends);
    let end = end.map_or(text.len(), |phrase| text.len() - phrase.len());
    text.get(start..end).unwrap_or(text).trim_matches([' ', ':', '-', '\u{a0}'])
}

/// The condition of the item that a text states. The groups are ordered: "like new" is used.
pub(crate) fn condition(text: &str) -> Option<Condition> {
    static MATCHER: LazyLock<PhraseMatcher<Condition>> = LazyLock::new(|| {
        PhraseMatcher::of_groups(
            term_file!("conditions.tsv"),
            &[
                ("refurbished", Condition::Refurbished),
                ("used", Condition::Used),
                ("new", Condition::New),
            ],
        )
    });
    MATCHER.find_in(&normalized(text))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageSection {
    Description,
    Features,
    Specification,
    /// Other products, reviews, delivery, questions.
    Other,
}

/// The section that a heading announces.
pub(crate) fn section(heading: &str) -> Option<PageSection> {
    static MATCHER: LazyLock<PhraseMatcher<PageSection>> = LazyLock::new(|| {
        PhraseMatcher::of_groups(
            term_file!("section_headings.tsv"),
            &[
                ("other", PageSection::Other),
                ("description", PageSection::Description),
                ("features", PageSection::Features),
                ("specification", PageSection::Specification),
            ],
        )
    });
    if heading.len() > 120 {
        return None;
    }
    let text = normalized(heading);
    let contained = || MATCHER.find_in(&text).filter(|section| *section == PageSection::Other);
    MATCHER.of_phrase(&text).or_else(contained)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn availability_is_recognized_in_several_languages() {
        for (text, availability) in [
            ("In stock", Some(Availability::InStock)),
            ("Not in stock", Some(Availability::OutOfStock)),
            ("Nur noch 3 Stück auf Lager", Some(Availability::InStock)),
            ("Ausverkauft!", Some(Availability::OutOfStock)),
            ("残り3点", Some(Availability::InStock)),
            ("Rupture de stock", Some(Availability::OutOfStock)),
            ("Pre-order: ships in May", Some(Availability::Preorder)),
            ("Available on backorder", Some(Availability::Backorder)),
            ("No longer available", Some(Availability::Discontinued)),
            ("Stockings of wool", None),
            ("Quantity", None),
        ] {
            assert_eq!(super::availability(text), availability, "{text}");
        }
    }

    #[test]
    fn brand_is_read_from_the_text_of_its_link() {
        for (text, brand) in [
            ("Acme", "Acme"),
            ("Visit the Acme Store", "Acme"),
            ("Visiter la boutique Acme", "Acme"),
            ("Besuche den Acme-Store", "Acme"),
            ("Brand: Acme & Co", "Acme & Co"),
            ("The Store", "The Store"),
        ] {
            assert_eq!(brand_name(text), brand, "{text}");
        }
        for text in ["n/a", "Unbranded", "$brand", "{{ brand }}", "-", "Does not apply"] {
            assert!(is_placeholder(text), "{text}");
        }
        assert!(!is_placeholder("Acme") && !is_placeholder("$5 Off Co"));
    }

    #[test]
    fn labels_buttons_and_headings_are_recognized() {
        assert_eq!(labelled_field("SKU:"), Some(ProductField::Sku));
        assert_eq!(labelled_field("Artikel-Nr.:"), Some(ProductField::Sku));
        assert_eq!(labelled_field("JANコード"), Some(ProductField::Gtin));
        assert_eq!(labelled_field("Weight"), None);
        assert!(is_buy_button("Add to Cart") && is_buy_button("カートに入れる"));
        assert!(!is_buy_button("Add to wishlist") && !is_buy_button("Checkout"));
        assert_eq!(section("You may also like"), Some(PageSection::Other));
        assert_eq!(section("Produktbeschreibung"), Some(PageSection::Description));
    }
}
