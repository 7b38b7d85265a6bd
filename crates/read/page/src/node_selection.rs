//! The nodes of a page that CSS selectors choose.
//!
//! The tree is traversed once: an element needs the steps that its parent and its ancestors match,
//! so that no selector is tried again from an ancestor. The work is one test per element and step, and
//! spends from the budget of the page.

use contract::{CssSelectors, SelectorStep, StepPlace};
use html::budget;
use html::dom::{Dom, NodeId};

const WORDS: usize = CssSelectors::MAX_STEPS / u64::BITS as usize;

/// A set of steps by their index.
#[derive(Debug, Clone, Copy, Default)]
struct StepSet([u64; WORDS]);

impl StepSet {
    fn insert(&mut self, step: usize) {
        self.0[step / 64] |= 1 << (step % 64);
    }

    fn contains(&self, step: usize) -> bool {
        self.0[step / 64] & (1 << (step % 64)) != 0
    }

    fn union(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

/// An element that contains the current one.
#[derive(Debug, Clone, Copy)]
struct EnclosingElement {
    end: NodeId,
    /// The steps that it matches, with those before them.
    own: StepSet,
    /// The steps that it or an ancestor matches.
    all: StepSet,
}

/// Calls `found` with each element that a selector matches, in document order.
fn matching(dom: &Dom<'_>, selectors: &CssSelectors, mut found: impl FnMut(NodeId)) {
    let steps = selectors.steps();
    if steps.is_empty() {
        return;
    }
    let (own, all) = (StepSet::default(), StepSet::default());
    let mut open = vec![EnclosingElement { end: dom.end(NodeId::ROOT), own, all }];
    for id in dom.descendants(NodeId::ROOT) {
        if dom.element(id).is_none() {
            continue;
        }
        if !budget::steps(1 + steps.len()) {
            return;
        }
        // The document is never removed: it contains every node.
        while open.len() > 1 && open.last().is_some_and(|element| element.end <= id) {
            open.pop();
        }
        let Some(around) = open.last().copied() else { return };
        let mut own = StepSet::default();
        let mut is_found = false;
        for (index, step) in steps.iter().enumerate() {
            let is_placed = match step.place {
                StepPlace::Anywhere => true,
                StepPlace::Descendant => around.all.contains(index - 1),
                StepPlace::Child => around.own.contains(index - 1),
            };
            if is_placed && is_match(dom, id, step) {
                own.insert(index);
                is_found |= step.is_last;
            }
        }
        if is_found {
            found(id);
        }
        open.push(EnclosingElement { end: dom.end(id), own, all: around.all.union(&own) });
    }
}

/// Whether the element itself fits.
fn is_match(dom: &Dom<'_>, id: NodeId, step: &SelectorStep) -> bool {
    let named = dom.element(id).map_or("", |element| element.name());
    step.element.as_deref().is_none_or(|name| name == named)
        && step.tests.iter().all(|test| {
            let value = dom.attribute(id, &test.name);
            value.is_some_and(|value| budget::steps(1 + value.len()) && test.passes(&value))
        })
}

/// The part of a page in the elements that `include` matches, or in all elements if it is empty,
/// without those that `exclude` matches. The ancestors of these elements are kept without their other
/// text. `None` if both are empty.
#[must_use]
pub fn selected_nodes<'a>(
    dom: &Dom<'a>,
    include: &CssSelectors,
    exclude: &CssSelectors,
) -> Option<Dom<'a>> {
    if include.is_empty() && exclude.is_empty() {
        return None;
    }
    let mut kept = vec![include.is_empty(); dom.node_count()];
    let set = |kept: &mut [bool], top: NodeId, value: bool| {
        kept[top.index()..dom.end(top).index()].fill(value);
    };
    // Elements within the last one need no look: they are in document order.
    let mut last = NodeId::ROOT;
    matching(dom, include, |id| {
        if id >= last {
            last = dom.end(id);
            set(&mut kept, id, true);
            // The ancestors of a kept one are kept.
            for above in dom.ancestors(id) {
                if std::mem::replace(&mut kept[above.index()], true) {
                    break;
                }
            }
        }
    });
    last = NodeId::ROOT;
    matching(dom, exclude, |id| {
        if id >= last {
            last = dom.end(id);
            set(&mut kept, id, false);
        }
    });
    Some(dom.retain(&kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(html: &str, include: &[&str], exclude: &[&str]) -> String {
        let list = |texts: &[&str]| {
            let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
            CssSelectors::new(&texts)
        };
        let dom = Dom::parse(html);
        let part = selected_nodes(&dom, &list(include), &list(exclude));
        let part = part.as_ref().unwrap_or(&dom);
        let texts = part.descendants(NodeId::ROOT).map(|id| part.text(id).trim().to_owned());
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }

    const PAGE: &str = "<title>T</title><body><nav class=top>N</nav><main id=m><h1>H</h1>\
        <p class='a b'>P<em>E</em></p><ul data-x='1'><li>L1<li class=b>L2</ul></main>\
        <div><p>Q</p></div>";

    #[test]
    fn included_elements_are_kept_without_excluded_ones() {
        for (include, exclude, expected) in [
            (&[] as &[&str], &[] as &[&str], "T N H P E L1 L2 Q"),
            (&["main"], &[], "H P E L1 L2"),
            (&["#m p", "li.b"], &[], "P E L2"),
            (&["div > p, nav"], &[], "N Q"),
            (&["body > p"], &[], ""),
            (&["p.a.b em"], &[], "E"),
            (&["[data-x=\"1\"]"], &["li.b"], "L1"),
            (&[], &["nav", "main"], "T Q"),
            (&["main"], &["main"], ""),
            (&["P", "p em", "main"], &["EM"], "H P L1 L2 Q"),
        ] {
            assert_eq!(selected(PAGE, include, exclude), expected, "{include:?} {exclude:?}");
        }
    }

    #[test]
    fn character_references_in_attributes_are_resolved() {
        assert_eq!(selected("<p class='a&amp;b'>X</p><p>Y</p>", &["[class='a&b']"], &[]), "X");
    }

    #[test]
    fn kept_part_is_a_complete_tree() {
        let dom = Dom::parse(PAGE);
        let part =
            selected_nodes(&dom, &CssSelectors::new(&["li".to_owned()]), &CssSelectors::default())
                .expect("a part");
        for id in part.descendants(NodeId::ROOT) {
            let parent = part.parent(id).expect("a parent");
            assert!(part.contains(parent, id) && part.end(id) <= part.end(parent));
        }
        let names: Vec<_> = part
            .descendants(NodeId::ROOT)
            .filter_map(|id| part.element(id))
            .map(|element| element.name())
            .collect();
        assert!(names.ends_with(&["body", "main", "ul", "li", "li"]), "{names:?}");
    }
}
