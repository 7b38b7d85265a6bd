//! The part of a page that belongs to one name.

use std::ops::Range;

use super::candidate::{LineSegments, NameCandidate};
use super::name::fold;
use super::segment::SegmentKind;
use crate::page_view::PageView;
use crate::visible_text::VisibleText;
use crate::vocabulary::TermSet;
use html::dom::{Element, NodeId};

/// How many lines a card has at most.
const MAX_LINES: usize = 18;

/// How far above a name its card is looked for.
const MAX_HEIGHT: usize = 14;

/// How many lines below a name in a flat page are its own.
const RUN_LINES: usize = 9;

/// The part of a page that belongs to one name.
#[derive(Debug, Clone)]
pub(super) struct PersonRegion {
    pub from: NodeId,
    pub to: NodeId,
    /// What stands above it.
    pub parent: NodeId,
    pub lines: Range<usize>,
    /// Of names in one line: where in it the territory begins and ends.
    within: Option<(usize, Range<usize>)>,
    /// It is a run of siblings, not an element of its own.
    pub is_run: bool,
    /// Elements beside it hold names as well.
    pub has_siblings: bool,
    pub has_picture: bool,
}

impl PersonRegion {
    pub fn contains_node(&self, node: NodeId) -> bool {
        self.from <= node && node < self.to
    }

    /// Whether a place belongs to it.
    pub fn holds(&self, node: NodeId, line: usize, at: usize) -> bool {
        self.contains_node(node)
            && self.within.as_ref().is_none_or(|(own, part)| *own != line || part.contains(&at))
    }
}

/// The territory of each name.
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

/// The nearest names before and behind that are others.
fn neighbours(
    candidates: &[NameCandidate],
    at: usize,
) -> (Option<&NameCandidate>, Option<&NameCandidate>) {
    let other = |one: &&NameCandidate| one.key != candidates[at].key;
    let before = candidates[..at].iter().rev().take(20).find(other);
    let behind = candidates[at + 1..].iter().take(20).find(other);
    (before, behind)
}

/// The largest element around a name that is its own.
fn element(
    page: &PageView<'_, '_>,
    segments_by_line: &[LineSegments],
    candidates: &[NameCandidate],
    at: usize,
) -> PersonRegion {
    let own = &candidates[at];
    let dom = page.dom;
    let (before, behind) = neighbours(candidates, at);
    let line = &page.lines[own.line];
    let shared = |one: Option<&NameCandidate>| one.is_some_and(|one| one.line == own.line);
    // Names in one line part it among them.
    if shared(before) || shared(behind) {
        let from = if shared(before) { own.from } else { 0 };
        let to = behind
            .filter(|next| next.line == own.line)
            .map_or(line.text.len() + 1, |next| next.from);
        let block = line.node;
        return PersonRegion {
            from: block,
            to: dom.end(block),
            parent: block,
            lines: own.line..own.line + 1,
            within: Some((own.line, from..to)),
            is_run: true,
            has_siblings: true,
            has_picture: false,
        };
    }
    let exclusive = |node: NodeId| {
        let end = dom.end(node);
        before.is_none_or(|one| one.node < node) && behind.is_none_or(|one| one.node >= end)
    };
    let mut card = if dom.element(own.node).is_some() {
        own.node
    } else {
        dom.parent(own.node).unwrap_or(own.node)
    };
    // Lines of one block, a name each: every name has the lines up to the next.
    if !exclusive(card) {
        let end = dom.end(card);
        let next = behind.filter(|next| next.node < end);
        let last = page.lines_in(card).end.max(own.line + 1);
        return PersonRegion {
            from: own.node,
            to: next.map_or(end, |next| next.node),
            parent: card,
            lines: own.line..next.map_or(last, |next| next.line.max(own.line + 1)),
            within: Some((own.line, 0..line.text.len() + 1)),
            is_run: true,
            has_siblings: true,
            has_picture: false,
        };
    }
    let mut smallest: Option<NodeId> = None;
    let mut has_siblings = false;
    let mut above = Some(card);
    for _ in 0..MAX_HEIGHT {
        let Some(node) = above else { break };
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
            && is_furnished(page, segments_by_line, own, node, &lines)
        {
            smallest = Some(node);
        }
        above = dom.parent(node);
    }
    // Alone on the page, it must not take the page's own mailbox and number.
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
        within: None,
        is_run: false,
        has_siblings,
        has_picture,
    }
}

/// Whether the lines have a heading besides the name that stands over it.
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

/// Whether there is more than the name: a title, a mailbox, a number.
fn is_furnished(
    page: &PageView<'_, '_>,
    segments_by_line: &[LineSegments],
    own: &NameCandidate,
    node: NodeId,
    lines: &Range<usize>,
) -> bool {
    let end = page.dom.end(node);
    let inside = |one: NodeId| node <= one && one < end;
    let titled = lines.clone().any(|line| {
        segments_by_line.get(line).into_iter().flatten().any(|part| {
            matches!(part.kind, SegmentKind::Title(_)) && (line, part.from) != (own.line, own.from)
        })
    });
    titled
        || page.mails.iter().any(|mail| inside(mail.node))
        || page.phones.iter().any(|phone| inside(phone.node))
}

/// Gives a bare name the siblings that follow it, up to the next name.
fn extend(
    page: &PageView<'_, '_>,
    segments_by_line: &[LineSegments],
    own: &NameCandidate,
    region: &mut PersonRegion,
    next: Option<NodeId>,
) {
    let dom = page.dom;
    if region.within.is_some() {
        return;
    }
    let has_role = region.lines.clone().any(|line| {
        segments_by_line
            .get(line)
            .into_iter()
            .flatten()
            .any(|part| matches!(part.kind, SegmentKind::Title(_)))
    });
    let inside = |one: NodeId| region.contains_node(one);
    let has_reach = page.mails.iter().any(|mail| inside(mail.node))
        || page.phones.iter().any(|phone| inside(phone.node));
    let blocks = region.lines.clone().map(|line| page.lines[line].node).collect::<Vec<_>>();
    let one_block = blocks.windows(2).all(|pair| pair[0] == pair[1]);
    // An item that says more than the name is whole; one with nothing but the name goes on in
    // the next.
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
        // A second pseudo-heading is the next thing.
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
        // The title may stand right above the name.
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

/// The child of `above` that a node stands in.
fn child_towards(page: &VisibleText<'_, '_>, above: NodeId, node: NodeId) -> NodeId {
    let mut at = node;
    while let Some(parent) = page.dom.parent(at) {
        if parent == above || parent == NodeId::ROOT {
            return at;
        }
        at = parent;
    }
    at
}

/// What a column or a class says a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnHint {
    Title,
    Department,
}

static TITLE_COLUMNS: TermSet = word_set!("people/title_columns.txt");
static DEPARTMENT_COLUMNS: TermSet = word_set!("people/department_columns.txt");

/// What the column that a text stands in says, for sure, or else its classes.
pub(super) fn column_or_class(
    page: &VisibleText<'_, '_>,
    node: NodeId,
    card: NodeId,
) -> Option<(ColumnHint, bool)> {
    let dom = page.dom;
    let mut above = Some(node);
    for _ in 0..5 {
        let at = above?;
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
            if parts.clone().any(|part| matches!(part, "department" | "dept" | "abteilung")) {
                return Some((ColumnHint::Department, false));
            }
            if parts.any(|part| TITLE_COLUMNS.contains(part) && part != "title") {
                return Some((ColumnHint::Title, false));
            }
        }
        above = dom.parent(at);
    }
    None
}

/// What the head of a cell's column says.
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
