//! Labelled values in lines of text: `Label: value` in paragraphs and between line breaks, and
//! labels whose value is the next element.

use hashbrown::HashMap;

use super::{LabelledRows, MAX_GROUPS, MAX_LABEL, MAX_ROW_NODES, MAX_ROWS, MAX_VALUE, RowGroup};
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::phrases;
use crate::visible_dom::visible_lines::block_of;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::prose;
use html::text::Collapsed;

/// The minimum number of rows of a group of lines.
const MIN_LINES: usize = 2;

/// How many labels are considered for a value in the next element.
const MAX_LABELS: usize = 1_000;

/// The minimum number of headings that are labels, and the maximum length of a value after one.
const MIN_HEADINGS: usize = 3;
const MAX_SHORT_VALUE: usize = 80;

/// How many line breaks and blank texts may stand between a label and its value.
const MAX_GAPS: usize = 8;

/// Longer lines are prose, in bytes.
const MAX_LINE: usize = 300;

/// The lines of the current block.
struct BlockLines {
    block: NodeId,
    text: Collapsed,
    rows: LabelledRows,
    /// How many lines have no label.
    others: usize,
}

/// The lines of blocks with one line each that have the same parent, element and class.
#[derive(Default)]
struct SiblingLines {
    rows: LabelledRows,
    others: usize,
}

/// Adds groups of lines with labels.
pub(super) fn add_lines(index: &DomIndex<'_, '_>, groups: &mut Vec<RowGroup>) {
    let dom = index.dom;
    let mut siblings: HashMap<(NodeId, Element, &str), SiblingLines> = HashMap::new();
    let mut order = Vec::new();
    let mut current: Option<BlockLines> = None;
    let mut finish = |lines: Option<BlockLines>, groups: &mut Vec<RowGroup>| {
        let Some(mut lines) = lines else { return };
        lines.end_line();
        let BlockLines { block, rows, others, .. } = lines;
        if rows.len() + others == 1 {
            // A block with one line: its siblings may be rows as well.
            let (Some(parent), Some(element)) = (dom.parent(block), dom.element(block)) else {
                return;
            };
            let class = dom.raw_attribute(block, "class").unwrap_or_default();
            let class = class.split_ascii_whitespace().next().unwrap_or_default();
            let known = siblings.entry((parent, element, class)).or_insert_with(|| {
                order.push((parent, element, class));
                SiblingLines::default()
            });
            if known.rows.len() < MAX_ROWS {
                known.rows.extend(rows);
            }
            known.others += others;
        } else if rows.len() >= MIN_LINES && rows.len() >= others && groups.len() < 2 * MAX_GROUPS {
            groups.push(RowGroup::new(block, rows, false));
        }
    };
    for id in dom.descendants(dom.body()) {
        match dom.kind(id) {
            NodeKind::Text => {
                if dom.raw_text(id).trim().is_empty()
                    || index.all(id).intersects(ElementHints::OTHER_CONTENT)
                {
                    continue;
                }
                let Some(block) = block_of(dom, id) else { continue };
                if current.as_ref().is_none_or(|lines| lines.block != block) {
                    let lines = BlockLines {
                        block,
                        text: Collapsed::new(MAX_LINE + 1),
                        rows: Vec::new(),
                        others: 0,
                    };
                    finish(current.replace(lines), groups);
                }
                if let Some(lines) = &mut current {
                    lines.text.push(&dom.text(id));
                }
            }
            NodeKind::Element(Element::Br) => {
                if let Some(lines) = &mut current {
                    lines.end_line();
                }
            }
            NodeKind::Element(element) if !element.is_inline() => finish(current.take(), groups),
            NodeKind::Element(_) | NodeKind::Raw | NodeKind::Document => {}
        }
    }
    finish(current, groups);
    for key in order.into_iter().take(20 * MAX_GROUPS) {
        let Some(SiblingLines { rows, others }) = siblings.remove(&key) else { continue };
        let is_group = rows.len() >= MIN_LINES && rows.len() >= others;
        if is_group && groups.len() < 2 * MAX_GROUPS && !index.is_teaser(key.0) {
            groups.push(RowGroup::new(key.0, rows, false));
        }
    }
}

impl BlockLines {
    fn end_line(&mut self) {
        let line = self.text.take();
        if line.is_empty() {
            return;
        }
        match labelled(&line) {
            Some(row) if self.rows.len() < MAX_ROWS => self.rows.push(row),
            _ => self.others += 1,
        }
    }
}

/// The label and the value of a line such as `Weight: 2 kg`.
fn labelled(line: &str) -> Option<(String, String)> {
    if line.len() > MAX_LINE {
        return None;
    }
    let (label, value) = line.split_once([':', '：'])?;
    let (label, value) =
        (label.trim().trim_start_matches(['-', '•', '–', '*', '·', ' ']), value.trim());
    let is_time = label.ends_with(|last: char| last.is_ascii_digit())
        && value.starts_with(|first: char| first.is_ascii_digit());
    let fits = (2..=MAX_LABEL / 2).contains(&label.len())
        && label.split_whitespace().count() <= 5
        && label.chars().any(char::is_alphabetic)
        && !label.ends_with(['.', '!', '?'])
        && !value.is_empty()
        && !value.starts_with("//")
        && !is_time;
    fits.then(|| (label.to_owned(), value.to_owned()))
}

/// Adds labels whose value is the next element: texts with a colon at their end, and the labels of
/// known fields.
pub(super) fn add_neighbours(index: &DomIndex<'_, '_>, groups: &mut Vec<RowGroup>) {
    let dom = index.dom;
    let mut rows: HashMap<NodeId, (LabelledRows, usize)> = HashMap::new();
    let mut order = Vec::new();
    let mut labels = 0;
    for id in dom.descendants(dom.body()) {
        if labels >= MAX_LABELS {
            break;
        }
        if dom.kind(id) != NodeKind::Text
            || dom.raw_text(id).len() > 2 * MAX_LABEL
            || index.all(id).intersects(ElementHints::OTHER_CONTENT)
        {
            continue;
        }
        let text = Collapsed::of(&dom.text(id), MAX_LABEL + 1);
        let bare = text.trim_end_matches([':', '：', ' ']);
        let has_colon = bare.len() < text.len();
        let is_sure = has_colon || phrases::labelled_field(bare).is_some();
        let is_label = (2..=MAX_LABEL / 2).contains(&bare.len())
            && bare.chars().any(char::is_alphabetic)
            && (is_sure || is_small_heading(dom, id));
        if !is_label {
            continue;
        }
        labels += 1;
        let Some((parent, value)) = value_after(index, id) else { continue };
        let (known, sure) = rows.entry(parent).or_insert_with(|| {
            order.push(parent);
            (Vec::new(), 0)
        });
        // A sentence after a heading is no value.
        let is_short = value.len() <= MAX_SHORT_VALUE && !value.ends_with(['.', '!', '?', '…']);
        if known.len() < MAX_ROWS && (is_sure || is_short) {
            known.push((bare.to_owned(), value));
            *sure += usize::from(is_sure);
        }
    }
    for node in order.into_iter().take(MAX_GROUPS) {
        let Some((rows, sure)) = rows.remove(&node) else { continue };
        // Headings are labels only if several have a short text after them.
        let is_group = sure == rows.len() || rows.len() >= MIN_HEADINGS;
        if is_group && !rows.is_empty() && !index.is_teaser(node) {
            groups.push(RowGroup::new(node, rows, false));
        }
    }
}

/// Whether a text is a heading of the lowest levels with few words.
fn is_small_heading(dom: &Dom<'_>, text: NodeId) -> bool {
    let parent = dom.parent(text).and_then(|parent| dom.element(parent));
    parent.and_then(Element::heading_level).is_some_and(|level| level >= 4)
        && dom.raw_text(text).split_whitespace().count() <= 2
        && !dom.raw_text(text).contains(['?', '!'])
}

/// The text of the element after a label, and the parent of both.
fn value_after(index: &DomIndex<'_, '_>, label: NodeId) -> Option<(NodeId, String)> {
    let dom = index.dom;
    let mut label = label;
    for _ in 0..4 {
        let parent = dom.parent(label)?;
        let limit = dom.end(parent);
        let mut next = dom.end(label);
        let mut gaps = 0;
        while next < limit && gaps < MAX_GAPS {
            gaps += 1;
            let is_gap = match dom.kind(next) {
                NodeKind::Text => dom.raw_text(next).trim().is_empty(),
                NodeKind::Element(element) => {
                    matches!(
                        element,
                        Element::Br | Element::Script | Element::Style | Element::Input
                    )
                }
                NodeKind::Raw | NodeKind::Document => true,
            };
            if !is_gap {
                return (index.size(next) <= MAX_ROW_NODES)
                    .then(|| value_of_node(dom, next))
                    .flatten()
                    .map(|value| (parent, value));
            }
            next = dom.end(next);
        }
        // The label is the last part of its element; a larger element has other parts before it.
        if index.size(parent) > 6 {
            return None;
        }
        label = parent;
    }
    None
}

fn value_of_node(dom: &Dom<'_>, node: NodeId) -> Option<String> {
    let text = match dom.kind(node) {
        NodeKind::Text => Collapsed::of(&dom.text(node), MAX_VALUE),
        _ => prose::line(dom, node, MAX_VALUE),
    };
    let is_value = !text.is_empty()
        && !text.ends_with([':', '：'])
        && text.len() <= MAX_LINE
        && phrases::labelled_field(&text).is_none();
    is_value.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::labelled;

    #[test]
    fn line_with_a_short_label_is_a_row() {
        let row = |label: &str, value: &str| Some((label.to_owned(), value.to_owned()));
        assert_eq!(labelled("Weight: 2 kg"), row("Weight", "2 kg"));
        assert_eq!(labelled("- Material: steel"), row("Material", "steel"));
        assert_eq!(labelled("Opens at 12:30"), None);
        assert_eq!(labelled("See https://kettle.test"), None);
        assert_eq!(labelled("This is a sentence with many words: it is prose"), None);
        assert_eq!(labelled("Weight:"), None);
    }
}
