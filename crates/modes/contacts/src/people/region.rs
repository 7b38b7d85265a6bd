//! The region of a page that belongs to one name.

use std::ops::Range;

use super::candidate::{LineSegments, NameCandidate};
use super::name::fold;
use super::segment::SegmentKind;
use crate::page_view::PageView;
use crate::visible_text::VisibleText;
use html::dom::{Element, NodeId};
use text::vocabulary::TermSet;

/// Maximum lines of a card.
const MAX_LINES: usize = 18;

/// Maximum ancestors of a name that are searched for its card.
const MAX_HEIGHT: usize = 14;

/// Maximum lines below a name on a page without cards.
const RUN_LINES: usize = 9;

/// The region of a page that belongs to one name: a range of nodes and lines.
#[derive(Debug, Clone)]
pub(super) struct PersonRegion {
    pub from: NodeId,
    pub to: NodeId,
    pub parent: NodeId,
    pub lines: Range<usize>,
    /// For several names in one line: the line, and the byte range of this name.
    line_part: Option<(usize, Range<usize>)>,
    /// The region is a run of siblings, not one element.
    pub is_run: bool,
    /// Elements beside it contain names as well.
    pub has_siblings: bool,
    pub has_picture: bool,
}

impl PersonRegion {
    pub fn contains_node(&self, node: NodeId) -> bool {
        self.from <= node && node < self.to
    }

    /// Whether a position belongs to the region.
    pub fn contains(&self, node: NodeId, line: usize, at: usize) -> bool {
        self.contains_node(node)
            && self.line_part.as_ref().is_none_or(|(own, part)| *own != line || part.contains(&at))
    }
}

/// The region of each name.
pub(super) fn of(
    page: &PageView<'_, '_>,
    segments_by_line: &[LineSegments],
    candidates: &[NameCandidate],
) -> Vec<PersonRegion> {
    let mut all: Vec<PersonRegion> =
        (0..candidates.len()).map(|at| element(page, segments_by_line, candidates, at)).collect();
    for at in 0..all.len() {
        let next = all.get(at + 1).map(|next| next.from);
        extend(page, segments_by_line, &candidates[at], &mut all[at], next);
    }
    all
}

/// The nearest different names before and after a candidate.
fn neighbours(
    candidates: &[NameCandidate],
    at: usize,
) -> (Option<&NameCandidate>, Option<&NameCandidate>) {
    let other = |one: &&NameCandidate| one.key != candidates[at].key;
    let before = candidates[..at].iter().rev().take(20).find(other);
    let after = candidates[at + 1..].iter().take(20).find(other);
    (before, after)
}

/// The largest element around a name without another name.
fn element(
    page: &PageView<'_, '_>,
    segments_by_line: &[LineSegments],
    candidates: &[NameCandidate],
    at: usize,
) -> PersonRegion {
    let own = &candidates[at];
    let dom = page.dom;
    let (before, after) = neighbours(candidates, at);
    let line = &page.lines[own.line];
    let shared = |one: Option<&NameCandidate>| one.is_some_and(|one| one.line == own.line);
    // Names in one line share the line.
    if shared(before) || shared(after) {
        let from = if shared(before) { own.from } else { 0 };
        let to = after
            .filter(|next| next.line == own.line)
            .map_or(line.text.len() + 1, |next| next.from);
        let block = line.node;
        return PersonRegion {
            from: block,
            to: dom.end(block),
            parent: block,
            lines: own.line..own.line + 1,
            line_part: Some((own.line, from..to)),
            is_run: true,
            has_siblings: true,
            has_picture: false,
        };
    }
    let exclusive = |node: NodeId| {
        let end = dom.end(node);
        before.is_none_or(|one| one.node < node) && after.is_none_or(|one| one.node >= end)
    };
    let mut card = if dom.element(own.node).is_some() {
        own.node
    } else {
        dom.parent(own.node).unwrap_or(own.node)
    };
    // Several names in one block: each has the lines up to the next name.
    if !exclusive(card) {
        let end = dom.end(card);
        let next = after.filter(|next| next.node < end);
        let last = page.lines_in(card).end.max(own.line + 1);
        return PersonRegion {
            from: own.node,
            to: next.map_or(end, |next| next.node),
            parent: card,
            lines: own.line..next.map_or(last, |next| next.line.max(own.line + 1)),
            line_part: Some((own.line, 0..line.text.len() + 1)),
            is_run: true,
            has_siblings: true,
            has_picture: false,
        };
    }
    let mut smallest: Option<NodeId> = None;
    let mut has_siblings = false;
    for node in dom.self_and_ancestors(card).take(MAX_HEIGHT) {
        if matches!(dom.element(node), None | Some(Element::Body | Element::Html)) {
            break;
        }
        if !exclusive(node) {
            has_siblings = true;
            break;
        }
        let lines = page.lines_in(node);
        if lines.len() > MAX_LINES || adds_heading(page, own, &lines) {
            break;
        }
        card = node;
        if smallest.is_none()
            && lines.len() > 1
            && has_more_than_name(page, segments_by_line, own, node, &lines)
        {
            smallest = Some(node);
        }
    }
    // The only name on a page must not take the mailbox and phone number of the company.
    if !has_siblings && let Some(node) = smallest {
        card = node;
    }
    let lines = page.lines_in(card);
    let has_picture = dom.descendants(card).take(400).any(|node| dom.is(node, Element::Image));
    PersonRegion {
        from: card,
        to: dom.end(card),
        parent: dom.parent(card).unwrap_or(NodeId::ROOT),
        lines: lines.start.min(own.line)..lines.end.max(own.line + 1),
        line_part: None,
        is_run: false,
        has_siblings,
        has_picture,
    }
}

/// Whether the lines contain a heading above or after the name.
fn adds_heading(page: &VisibleText<'_, '_>, own: &NameCandidate, lines: &Range<usize>) -> bool {
    let level = page.lines[own.line].level.unwrap_or(9);
    lines.clone().filter(|at| *at != own.line).any(|at| {
        let line = &page.lines[at];
        match line.level {
            Some(known) if known < 7 => known < level || at > own.line && known <= level,
            _ => false,
        }
    })
}

/// Whether an element contains more than the name: a title, a mailbox, a phone number.
fn has_more_than_name(
    page: &PageView<'_, '_>,
    segments_by_line: &[LineSegments],
    own: &NameCandidate,
    node: NodeId,
    lines: &Range<usize>,
) -> bool {
    let titled = lines.clone().any(|line| {
        segments_by_line.get(line).into_iter().flatten().any(|part| {
            matches!(part.kind, SegmentKind::Title(_)) && (line, part.from) != (own.line, own.from)
        })
    });
    titled || has_channel(page, |one| page.dom.contains(node, one))
}

/// Whether a mailbox or a phone number is at one of these nodes.
fn has_channel(page: &PageView<'_, '_>, is_inside: impl Fn(NodeId) -> bool) -> bool {
    page.mails.iter().any(|mail| is_inside(mail.node))
        || page.phones.iter().any(|phone| is_inside(phone.node))
}

/// Extends the region of a bare name by the siblings up to the next name.
fn extend(
    page: &PageView<'_, '_>,
    segments_by_line: &[LineSegments],
    own: &NameCandidate,
    region: &mut PersonRegion,
    next: Option<NodeId>,
) {
    let dom = page.dom;
    if region.line_part.is_some() {
        return;
    }
    let has_role = region.lines.clone().any(|line| {
        segments_by_line
            .get(line)
            .into_iter()
            .flatten()
            .any(|part| matches!(part.kind, SegmentKind::Title(_)))
    });
    let has_reach = has_channel(page, |one| region.contains_node(one));
    let blocks = region.lines.clone().map(|line| page.lines[line].node).collect::<Vec<_>>();
    let one_block = blocks.windows(2).all(|pair| pair[0] == pair[1]);
    // A list item with more than the name is complete; a bare name continues in the next item.
    let is_whole_item = dom.is(region.from, Element::Li)
        && segments_by_line.get(own.line).is_some_and(|cut| cut.len() > 1);
    if (has_role && has_reach) || !one_block || is_whole_item || dom.is(region.from, Element::Tr) {
        return;
    }
    let parent_end = dom.end(region.parent);
    let limit =
        next.filter(|next| *next >= region.to).map_or(parent_end, |next| next.min(parent_end));
    let level = page.lines[own.line].level.unwrap_or(9);
    let mut end = region.to;
    let mut last = region.lines.end;
    let below =
        page.lines.iter().zip(segments_by_line).enumerate().skip(region.lines.end).take(RUN_LINES);
    for (at, (line, cut)) in below {
        let node = line.first_node();
        if node >= limit || line.text.len() > 240 {
            break;
        }
        if line.level.is_some_and(|known| known < 7 && (known <= level || level >= 7)) {
            break;
        }
        // Another pseudo-heading begins something new.
        if line.level == Some(7)
            && level == 7
            && dom.parent(line.node) == dom.parent(page.lines[own.line].node)
            && cut
                .iter()
                .all(|part| !matches!(part.kind, SegmentKind::Title(_) | SegmentKind::Department))
        {
            break;
        }
        let child = child_towards(page, region.parent, node);
        end = dom.end(child).min(limit);
        last = at + 1;
    }
    if last > region.lines.end {
        region.to = end.max(region.to);
        region.lines.end = last;
        region.is_run = true;
    } else if !has_role {
        // The title may be right above the name.
        let above = region.lines.start.checked_sub(1);
        if let Some(at) = above
            && segments_by_line[at].len() == 1
            && matches!(segments_by_line[at][0].kind, SegmentKind::Title(_))
            && page.lines[at].first_node() >= region.parent
        {
            region.from = page.lines[at].first_node();
            region.lines.start = at;
            region.is_run = true;
        }
    }
}

/// The child of `above` that contains a node.
fn child_towards(page: &VisibleText<'_, '_>, above: NodeId, node: NodeId) -> NodeId {
    let is_child = |id: &NodeId| {
        page.dom.parent(*id).is_none_or(|parent| parent == above || parent == NodeId::ROOT)
    };
    page.dom.self_and_ancestors(node).find(is_child).unwrap_or(node)
}

/// What a column heading or a class says about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnHint {
    Title,
    Department,
}

static TITLE_COLUMNS: TermSet = word_set!("people/title_columns.txt");
static DEPARTMENT_CLASSES: TermSet = word_set!("people/department_classes.txt");
static DEPARTMENT_COLUMNS: TermSet = word_set!("people/department_columns.txt");

/// The hint of the column heading (reliable) or of the classes around a text (less reliable).
pub(super) fn column_or_class(
    page: &VisibleText<'_, '_>,
    node: NodeId,
    card: NodeId,
) -> Option<(ColumnHint, bool)> {
    let dom = page.dom;
    for at in dom.self_and_ancestors(node).take(5) {
        if at <= card && at != node {
            return None;
        }
        if matches!(dom.element(at), Some(Element::Td | Element::Th)) {
            return column(page, at).map(|hint| (hint, true));
        }
        let words =
            ["class", "itemprop"].into_iter().filter_map(|name| dom.raw_attribute(at, name));
        for value in words {
            let folded = fold(value);
            let mut parts =
                folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
            if parts.clone().any(|part| DEPARTMENT_CLASSES.contains(part)) {
                return Some((ColumnHint::Department, false));
            }
            if parts.any(|part| TITLE_COLUMNS.contains(part) && part != "title") {
                return Some((ColumnHint::Title, false));
            }
        }
    }
    None
}

/// The hint of a column heading.
fn column(page: &VisibleText<'_, '_>, cell: NodeId) -> Option<ColumnHint> {
    let dom = page.dom;
    let row = dom.parent(cell).filter(|row| dom.is(*row, Element::Tr))?;
    let table = page.nearest(row, &[Element::Table])?;
    let head = dom.descendants(table).find(|node| dom.is(*node, Element::Tr))?;
    if head == row {
        return None;
    }
    let is_cell = |node: &NodeId| matches!(dom.element(*node), Some(Element::Td | Element::Th));
    let number = dom.children(row).filter(is_cell).position(|one| one == cell)?;
    let named = dom.children(head).filter(is_cell).nth(number)?;
    let text = fold(&dom.inner_text(named));
    let mut words =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(6);
    words.find_map(|word| match word {
        word if TITLE_COLUMNS.contains(word) => Some(ColumnHint::Title),
        word if DEPARTMENT_COLUMNS.contains(word) => Some(ColumnHint::Department),
        _ => None,
    })
}
