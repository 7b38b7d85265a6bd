//! Reads the attributes of a container.

use html::dom::Dom;
use html::style;

use super::super::attribute_words::AttributeWords;
use super::{HiddenBy, TextContainer};

/// Reads the attributes of an element into its container. Returns whether it has an `href`.
pub(super) fn read<'a>(
    dom: &Dom<'a>,
    container: &mut TextContainer,
    words: &mut AttributeWords<'a>,
) -> bool {
    let mut has_address = false;
    for attribute in dom.attributes(container.node) {
        let value = attribute.value;
        match attribute.name.len() {
            2 if attribute.name.eq_ignore_ascii_case("id") => {
                container.id = words.read(value);
            }
            4 if attribute.name.eq_ignore_ascii_case("href") => has_address = true,
            4 if attribute.name.eq_ignore_ascii_case("role") => {
                container.role = words.read(value);
            }
            5 if attribute.name.eq_ignore_ascii_case("class") => {
                container.class = words.read(value);
            }
            5 if container.hidden == HiddenBy::No
                && attribute.name.eq_ignore_ascii_case("style")
                && style::effect(value).hidden =>
            {
                container.hidden = HiddenBy::Style;
            }
            6 if container.hidden == HiddenBy::No
                && attribute.name.eq_ignore_ascii_case("hidden") =>
            {
                container.hidden = HiddenBy::Attribute;
            }
            11 if container.hidden == HiddenBy::No
                && attribute.name.eq_ignore_ascii_case("aria-hidden")
                && value.eq_ignore_ascii_case("true") =>
            {
                container.hidden = HiddenBy::Aria;
            }
            8 | 10 | 11 | 14 if container.label.is_empty() && is_label(attribute.name) => {
                container.label = words.read(value);
            }
            _ => {}
        }
    }
    has_address
}

/// Whether an attribute names its element.
fn is_label(name: &str) -> bool {
    let names = ["itemprop", "aria-label", "data-testid", "data-component"];
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}
