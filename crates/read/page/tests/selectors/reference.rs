//! A reference for selectors of elements, and pages and selectors that are made of bytes. It decides by
//! recursion from the selected element to its ancestors, as the definition says.

use html::dom::{Dom, NodeId};

const ELEMENTS: [&str; 3] = ["div", "section", "span"];
const NAMES: [&str; 3] = ["a", "b", "ab"];

/// One element of a selector.
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// Whether the element is directly within that of the step before.
    pub is_child: bool,
    pub element: Option<&'static str>,
    pub class: Option<&'static str>,
    pub id: Option<&'static str>,
    /// A prefix of the attribute `data-x`.
    pub prefix: Option<&'static str>,
}

fn pick<const N: usize>(byte: u8, texts: [&'static str; N]) -> Option<&'static str> {
    texts.get(usize::from(byte % 4)).copied()
}

/// A selector for two bytes per step, and its text.
pub fn selector(bytes: &[u8]) -> (String, Vec<Step>) {
    let mut text = String::new();
    let mut steps = Vec::new();
    for pair in bytes.chunks(2).take(4) {
        let (first, second) = (pair[0], pair.get(1).copied().unwrap_or(3));
        let step = Step {
            is_child: !steps.is_empty() && first & 64 != 0,
            element: pick(first, ELEMENTS),
            class: pick(first >> 2, NAMES),
            id: pick(second, NAMES),
            prefix: pick(second >> 2, NAMES),
        };
        if !steps.is_empty() {
            text.push_str(if step.is_child { " > " } else { " " });
        }
        text.push_str(step.element.unwrap_or("*"));
        for (before, name, after) in
            [(".", step.class, ""), ("#", step.id, ""), ("[data-x^='", step.prefix, "']")]
        {
            if let Some(name) = name {
                text.extend([before, name, after]);
            }
        }
        steps.push(step);
    }
    (text, steps)
}

/// A page with an element or an end tag for each byte.
pub fn page(bytes: &[u8]) -> String {
    let mut html = String::new();
    for (at, byte) in bytes.iter().take(400).enumerate() {
        let Some(element) = pick(*byte, ELEMENTS) else {
            html.push_str("</div>");
            continue;
        };
        let class = pick(byte >> 2, ["a", "b a", " ab"]);
        let id = pick(byte >> 4, NAMES);
        let value = pick(byte >> 6, ["a", "ab", "b"]);
        html.push('<');
        html.push_str(element);
        for (name, value) in [("class", class), ("id", id), ("data-x", value)] {
            if let Some(value) = value {
                html.push_str(&format!(" {name}='{value}'"));
            }
        }
        html.push_str(&format!(">{at} "));
        if byte & 8 != 0 {
            html.push_str(&format!("</{element}>"));
        }
    }
    html
}

/// Whether a selector matches an element.
pub fn matches(dom: &Dom<'_>, id: NodeId, steps: &[Step]) -> bool {
    let Some((step, before)) = steps.split_last() else { return true };
    let has = |name: &str| dom.attribute(id, name).map(String::from);
    let fits = dom.element(id).is_some()
        && step.element.is_none_or(|name| dom.element(id).is_some_and(|it| it.name() == name))
        && step.class.is_none_or(|class| {
            has("class").is_some_and(|value| value.split(' ').any(|word| word == class))
        })
        && step.id.is_none_or(|wanted| has("id").is_some_and(|value| value == wanted))
        && step.prefix.is_none_or(|start| has("data-x").is_some_and(|it| it.starts_with(start)));
    fits && match (before.is_empty(), step.is_child) {
        (true, _) => true,
        (false, true) => dom.parent(id).is_some_and(|parent| matches(dom, parent, before)),
        (false, false) => dom.ancestors(id).any(|above| matches(dom, above, before)),
    }
}

/// The texts of a page that are within an included element, and in no excluded one.
pub fn selected(dom: &Dom<'_>, include: &[Vec<Step>], exclude: &[Vec<Step>]) -> Vec<String> {
    let is_within = |id: NodeId, selectors: &[Vec<Step>]| {
        dom.ancestors(id).any(|above| selectors.iter().any(|steps| matches(dom, above, steps)))
    };
    let kept = dom.descendants(NodeId::ROOT).filter(|id| {
        !dom.raw_text(*id).is_empty()
            && (include.is_empty() || is_within(*id, include))
            && !is_within(*id, exclude)
    });
    kept.map(|id| dom.text(id).into_owned()).collect()
}
