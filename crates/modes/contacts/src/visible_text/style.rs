//! Hidden and reversed text by CSS. Only simple selectors of the page's own style sheets count,
//! outside of media queries.

use std::ops::BitOr;

use hashbrown::{HashMap, HashSet};

use crate::vocabulary::TermSet;
use html::dom::{Dom, Element, NodeId};

/// Maximum size of all style sheets in bytes.
const MAX_STYLE: usize = 512 * 1024;
/// Maximum classes and ids.
const MAX_NAMES: usize = 5_000;

/// The effect of a style on text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StyleEffect {
    pub hides: bool,
    pub reverses: bool,
}

impl BitOr for StyleEffect {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self { hides: self.hides || other.hides, reverses: self.reverses || other.reverses }
    }
}

static HIDING_CLASSES: TermSet = word_set!("visible_text/hiding_classes.txt");

/// The effects of classes and ids.
#[derive(Debug, Default)]
pub(super) struct PageStyles {
    names: HashMap<String, StyleEffect>,
}

impl PageStyles {
    pub fn of(dom: &Dom<'_>) -> Self {
        let mut styles = Self::default();
        let mut shown = HashSet::new();
        let mut left = MAX_STYLE;
        for id in dom.descendants(NodeId::ROOT).filter(|id| dom.is(*id, Element::Style)) {
            let text = dom.inner_text(id);
            if text.len() > left {
                break;
            }
            left -= text.len();
            styles.rules(&text, &mut shown);
        }
        // Text that some window width shows is not hidden.
        for name in shown {
            if let Some(effect) = styles.names.get_mut(&name) {
                effect.hides = false;
            }
        }
        styles
    }

    fn rules(&mut self, text: &str, shown: &mut HashSet<String>) {
        let (mut rest, mut depth) = (text, 0_usize);
        while let Some(open) = rest.find(['{', '}', ';']) {
            let head = rest.get(..open).unwrap_or_default();
            match rest.as_bytes().get(open) {
                Some(b'{') if head.trim_start().starts_with('@') => {
                    depth += 1;
                    rest = &rest[open + 1..];
                }
                Some(b'{') => {
                    let body = &rest[open + 1..];
                    let end = body.find('}').unwrap_or(body.len());
                    self.rule(head, &body[..end], depth > 0, shown);
                    rest = body.get(end + 1..).unwrap_or_default();
                }
                Some(b'}') => {
                    depth = depth.saturating_sub(1);
                    rest = &rest[open + 1..];
                }
                _ => rest = &rest[open + 1..],
            }
        }
    }

    fn rule(&mut self, selectors: &str, body: &str, in_media: bool, shown: &mut HashSet<String>) {
        let effect = effect(body);
        let squeezed = squeezed(body);
        let shows = squeezed.contains("display:") && !squeezed.contains("display:none");
        if effect == StyleEffect::default() && !shows {
            return;
        }
        for selector in selectors.split(',').take(64) {
            let selector = selector.rsplit("*/").next().unwrap_or_default().trim();
            let from = selector.find(['.', '#']);
            let Some(name) = from.and_then(|from| selector.get(from..)) else { continue };
            let simple = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            let tag = selector.get(..from.unwrap_or(0)).unwrap_or_default();
            if !name.get(1..).unwrap_or_default().chars().all(simple) || !tag.chars().all(simple) {
                continue;
            }
            if shows {
                shown.insert(name.to_owned());
            }
            if !in_media && effect != StyleEffect::default() && self.names.len() < MAX_NAMES {
                let known = self.names.entry(name.to_owned()).or_default();
                *known = *known | effect;
            }
        }
    }

    /// The effect of the attributes of an element and of the rules for them.
    pub fn at(&self, dom: &Dom<'_>, id: NodeId) -> StyleEffect {
        let mut all = StyleEffect::default();
        for attribute in dom.attributes(id) {
            match attribute.name {
                "hidden" if !attribute.value.eq_ignore_ascii_case("until-found") => {
                    all.hides = true;
                }
                "aria-hidden" => all.hides |= attribute.value.trim() == "true",
                "dir" => all.reverses |= dom.is(id, Element::Bdo) && attribute.value == "rtl",
                "style" => all = all | effect(attribute.value),
                "class" => all = all | self.classes(attribute.value),
                "id" => {
                    if let Some(known) = self.names.get(&format!("#{}", attribute.value)) {
                        all = all | *known;
                    }
                }
                _ => {}
            }
        }
        all
    }

    fn classes(&self, classes: &str) -> StyleEffect {
        let mut all = StyleEffect::default();
        for class in classes.split_ascii_whitespace().take(40) {
            if HIDING_CLASSES.contains(class) {
                all.hides = true;
            }
            if self.names.is_empty() {
                continue;
            }
            if let Some(known) = self.names.get(&format!(".{class}")) {
                all = all | *known;
            }
        }
        // `d-none d-md-block`, `hidden lg:flex`: visible on large screens.
        let shows = |class: &str| {
            let ends = ["block", "flex", "inline", "grid", "table-cell", "inline-block"];
            let parts = class.rsplit(['-', ':']).next().unwrap_or_default();
            (class.starts_with("d-") || class.contains(':')) && ends.contains(&parts)
        };
        if all.hides && classes.split_ascii_whitespace().any(shows) {
            all.hides = false;
        }
        all
    }
}

fn squeezed(text: &str) -> String {
    let lower = text.chars().filter(|c| !c.is_whitespace()).take(2_000);
    lower.map(|c| c.to_ascii_lowercase()).collect()
}

/// The effect of the declarations of a rule.
fn effect(declarations: &str) -> StyleEffect {
    let text = squeezed(declarations);
    let has = |part: &str| text.contains(part);
    let mut effect = StyleEffect::default();
    for declaration in text.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let value = value.trim_end_matches("!important");
        effect.hides |= match name {
            "display" => value == "none",
            "visibility" => value == "hidden",
            "opacity" => matches!(value, "0" | "0.0" | "0%" | ".0"),
            "font-size" => matches!(value, "0" | "0px" | "0em" | "0pt"),
            "left" | "top" | "right" | "text-indent" | "margin-left" | "margin-top" => {
                value.strip_prefix('-').is_some_and(|far| {
                    let digits = far.bytes().take_while(u8::is_ascii_digit).count();
                    digits >= 4 || (digits == 3 && far.contains("em"))
                })
            }
            _ => false,
        };
    }
    effect.reverses = has("direction:rtl") && has("unicode-bidi:") && has("override");
    effect
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_hide_and_reverse_text() {
        let hidden = ["display:none", "DISPLAY : None !important", "left:-9999px", "opacity:0"];
        for style in hidden {
            assert!(effect(style).hides, "{style}");
        }
        for style in ["display:block", "left:-10px", "opacity:0.9", "margin-left:-15px"] {
            assert!(!effect(style).hides, "{style}");
        }
        assert!(effect("unicode-bidi: bidi-override; direction: rtl").reverses);
        assert!(!effect("direction: rtl").reverses);
    }

    #[test]
    fn media_query_rules_hide_nothing() {
        let html = "<style>.a{display:none} @media(max-width:9px){.b{display:none}} \
                    .c{display:none} @media print{.c{display:block}} p.d,#e{display:none}</style>";
        let dom = Dom::parse(html);
        let styles = PageStyles::of(&dom);
        let hides = |class: &str| styles.classes(class).hides;
        assert!(hides("a") && hides("x d"));
        assert!(!hides("b") && !hides("c") && !hides("d-none d-md-block"));
    }
}
