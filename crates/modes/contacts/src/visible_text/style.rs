//! Text that a visitor does not see, by attributes, classes and the style sheets of the page.

use html::dom::{Dom, Element, NodeId};
use html::style::{self, PageStyles, StyleEffect};
use text::vocabulary::TermSet;

static HIDING_CLASSES: TermSet = word_set!("visible_text/hiding_classes.txt");

/// The effect of the attributes of an element and of the rules for them.
pub(super) fn effect_of(styles: &PageStyles, dom: &Dom<'_>, id: NodeId) -> StyleEffect {
    let mut all = StyleEffect::default();
    for attribute in dom.attributes(id) {
        let value = attribute.value;
        match attribute.name {
            "hidden" => all.hidden |= !value.eq_ignore_ascii_case("until-found"),
            "aria-hidden" => all.hidden |= value.trim() == "true",
            "dir" => all.reversed |= dom.is(id, Element::Bdo) && value == "rtl",
            "style" => all = all | style::effect(value),
            "class" => all = all | effect_of_classes(styles, value),
            "id" => all = all | styles.of_id(value),
            _ => {}
        }
    }
    all
}

fn effect_of_classes(styles: &PageStyles, classes: &str) -> StyleEffect {
    let mut all = StyleEffect::default();
    for class in classes.split_ascii_whitespace().take(40) {
        all.hidden |= HIDING_CLASSES.contains(class);
        all = all | styles.of_class(class);
    }
    // `d-none d-md-block`, `hidden lg:flex`: visible on large screens.
    let shows = |class: &str| {
        let ends = ["block", "flex", "inline", "grid", "table-cell", "inline-block"];
        let last = class.rsplit(['-', ':']).next().unwrap_or_default();
        (class.starts_with("d-") || class.contains(':')) && ends.contains(&last)
    };
    if (all.hidden || all.unreadable) && classes.split_ascii_whitespace().any(shows) {
        return StyleEffect { reversed: all.reversed, ..StyleEffect::default() };
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_show_text_on_large_screens_hide_nothing() {
        let styles = PageStyles::default();
        let hides = |classes: &str| effect_of_classes(&styles, classes).hidden;
        assert!(hides("d-none") && hides("x hidden"));
        assert!(!hides("d-none d-md-block") && !hides("hidden lg:flex"));
    }
}
