//! What CSS does to text: the declarations of `style` attributes, and simple rules of a page.
//!
//! Readers differ in what they call hidden. [`StyleEffect`] therefore separates elements that are
//! not displayed from text that is displayed and cannot be read.

use std::borrow::Cow;
use std::ops::BitOr;

use hashbrown::{HashMap, HashSet};

use crate::dom::{Dom, Element, NodeId};

/// Maximum size of all style sheets, and of one list of declarations, in bytes.
const MAX_SHEETS: usize = 512 * 1024;
const MAX_DECLARATIONS: usize = 4_096;

/// Maximum number of classes and ids with an effect.
const MAX_NAMES: usize = 5_000;

/// Maximum number of selectors of a rule.
const MAX_SELECTORS: usize = 64;

/// The effect of declarations on the text of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StyleEffect {
    /// By `display: none` or `visibility: hidden`.
    pub hidden: bool,
    /// Transparent, of size zero, or outside of the screen. Pages also do so to text that a script
    /// fades in.
    pub unreadable: bool,
    /// The text runs from right to left, against its letters.
    pub reversed: bool,
}

impl BitOr for StyleEffect {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            hidden: self.hidden || other.hidden,
            unreadable: self.unreadable || other.unreadable,
            reversed: self.reversed || other.reversed,
        }
    }
}

/// The names and values of declarations, without `!important`.
pub fn declarations(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text[..text.floor_char_boundary(MAX_DECLARATIONS)].split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.split_once('!').map_or(value, |(value, _)| value);
        Some((name.trim(), value.trim()))
    })
}

/// A text without its complete comments.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("/*") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        let Some((_, after)) = comment.split_once("*/") else { break };
        plain.push_str(before);
        plain.push(' ');
        rest = after;
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The effect of the declarations of a `style` attribute or of a rule.
pub fn effect(text: &str) -> StyleEffect {
    let mut effect = StyleEffect::default();
    let (mut right_to_left, mut overrides) = (false, false);
    for (name, value) in declarations(&without_comments(text)) {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        let states = |known: &str| value.eq_ignore_ascii_case(known);
        match name.len() {
            7 if is("display") => effect.hidden |= states("none"),
            10 if is("visibility") => effect.hidden |= states("hidden"),
            7 if is("opacity") => {
                effect.unreadable |= matches!(value, "0" | "0.0" | "0%" | ".0");
            }
            9 if is("font-size") => {
                effect.unreadable |= ["0", "0px", "0em", "0pt"].into_iter().any(states);
            }
            9 if is("direction") => right_to_left = states("rtl"),
            12 if is("unicode-bidi") => overrides = value.contains("override"),
            _ if OFFSETS.into_iter().any(is) => effect.unreadable |= is_far_off(value),
            _ => {}
        }
    }
    effect.reversed = right_to_left && overrides;
    effect
}

/// Whether the attributes `hidden` and `style` of an element hide it.
#[must_use]
pub fn hides(hidden: Option<&str>, style: Option<&str>) -> bool {
    hidden.is_some() || style.is_some_and(|style| effect(style).hidden)
}

const OFFSETS: [&str; 6] = ["left", "top", "right", "text-indent", "margin-left", "margin-top"];

/// Whether an offset moves text out of the screen: `-9999px`, `-100em`.
fn is_far_off(offset: &str) -> bool {
    offset.strip_prefix('-').is_some_and(|far| {
        let digits = far.bytes().take_while(u8::is_ascii_digit).count();
        digits >= 4 || (digits == 3 && far.contains("em"))
    })
}

/// The effects of classes and ids by the style sheets in a page. Only simple selectors outside of
/// media queries count.
#[derive(Debug, Default)]
pub struct PageStyles {
    effects: HashMap<String, StyleEffect>,
}

impl PageStyles {
    pub fn of(dom: &Dom<'_>) -> Self {
        let mut styles = Self::default();
        let mut shown = HashSet::new();
        let mut left = MAX_SHEETS;
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
            if let Some(effect) = styles.effects.get_mut(&name) {
                *effect = StyleEffect { reversed: effect.reversed, ..StyleEffect::default() };
            }
        }
        styles
    }

    fn rules(&mut self, text: &str, shown: &mut HashSet<String>) {
        let (mut rest, mut depth) = (text, 0_usize);
        while let Some(open) = rest.find(['{', '}', ';']) {
            let head = rest.get(..open).unwrap_or_default();
            let sign = rest.as_bytes().get(open);
            rest = rest.get(open + 1..).unwrap_or_default();
            match sign {
                Some(b'{') if head.trim_start().starts_with('@') => depth += 1,
                Some(b'{') => {
                    let (body, after) = rest.split_once('}').unwrap_or((rest, ""));
                    self.rule(head, body, depth > 0, shown);
                    rest = after;
                }
                Some(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn rule(&mut self, selectors: &str, body: &str, in_media: bool, shown: &mut HashSet<String>) {
        let body = without_comments(body);
        let effect = effect(&body);
        let shows = !effect.hidden
            && declarations(&body).any(|(name, _)| name.eq_ignore_ascii_case("display"));
        if effect == StyleEffect::default() && !shows {
            return;
        }
        for selector in selectors.split(',').take(MAX_SELECTORS) {
            let selector = selector.rsplit("*/").next().unwrap_or_default().trim();
            let Some(start) = selector.find(['.', '#']) else { continue };
            let (tag, name) = selector.split_at(start);
            let is_simple = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            if !name[1..].chars().all(is_simple) || !tag.chars().all(is_simple) {
                continue;
            }
            if shows {
                shown.insert(name.to_owned());
            }
            if !in_media && effect != StyleEffect::default() && self.effects.len() < MAX_NAMES {
                let known = self.effects.entry(name.to_owned()).or_default();
                *known = *known | effect;
            }
        }
    }

    /// The effect of the rules for a class.
    pub fn of_class(&self, class: &str) -> StyleEffect {
        self.named('.', class)
    }

    /// The effect of the rules for an id.
    pub fn of_id(&self, id: &str) -> StyleEffect {
        self.named('#', id)
    }

    fn named(&self, kind: char, name: &str) -> StyleEffect {
        if self.effects.is_empty() {
            return StyleEffect::default();
        }
        self.effects.get(&format!("{kind}{name}")).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_hide_and_reverse_text() {
        for style in [
            "display:none",
            "DISPLAY : None !important",
            "color:red; visibility: hidden",
            "display:none/*x*/",
            "/* a:b; c */display:/**/none",
        ] {
            assert!(effect(style).hidden, "{style}");
        }
        for style in ["left:-9999px", "text-indent: -100em", "opacity:0", "font-size: 0PX"] {
            let effect = effect(style);
            assert!(effect.unreadable && !effect.hidden, "{style}");
        }
        for style in
            ["display:block", "left:-10px", "opacity:0.9", "--display:none", "/*display:none;*/"]
        {
            assert_eq!(effect(style), StyleEffect::default(), "{style}");
        }
        assert!(effect("unicode-bidi: bidi-override; direction: rtl").reversed);
        assert!(!effect("direction: rtl").reversed);
    }

    #[test]
    fn rules_within_media_queries_hide_nothing() {
        let html = "<style>.a{display:none} @media(max-width:9px){.b{display:none}} \
                    .c{display:none} @media print{.c{display:block}} p.d,#e{display:none} \
                    .f .g{display:none} .h{/*x*/display:none/*y*/}</style>";
        let styles = PageStyles::of(&Dom::parse(html));
        let hidden = |class: &str| styles.of_class(class).hidden;
        assert!(hidden("a") && hidden("d") && hidden("h") && styles.of_id("e").hidden);
        assert!(!hidden("b") && !hidden("c") && !hidden("f") && !hidden("g"));
    }
}
