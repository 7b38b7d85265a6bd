//! The part of a page that belongs to one name.

use std::ops::Range;

use super::card::{Candidate, Cut};
use super::name::fold;
use super::segment::Kind;
use crate::sheet::Sheet;
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
pub(super) struct Territory {
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

impl Territory {
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
pub(super) fn of(sheet: &Sheet<'_, '_>, cuts: &[Cut], candidates: &[Candidate]) -> Vec<Territory> {
    let mut all: Vec<Territory> =
        (0..candidates.len()).map(|at| element(sheet, cuts, candidates, at)).collect();
    for at in 0..all.len() {
        let next = all.get(at + 1).map(|next| next.from);
        extend(sheet, cuts, &candidates[at], &mut all[at], next);
    }
    all
}

/// The nearest names before and behind that are others.
fn neighbours(candidates: &[Candidate], at: usize) -> (Option<&Candidate>, Option<&Candidate>) {
    let other = |one: &&Candidate| one.key != candidates[at].key;
    let before = candidates[..at].iter().rev().take(20).find(other);
    let behind = candidates[at + 1..].iter().take(20).find(other);
    (before, behind)
}

/// The largest element around a name that is its own.
fn element(sheet: &Sheet<'_, '_>, cuts: &[Cut], candidates: &[Candidate], at: usize) -> Territory {
    let own = &candidates[at];
    let dom = sheet.dom;
    let (before, behind) = neighbours(candidates, at);
    let line = &sheet.lines[own.line];
    let shared = |one: Option<&Candidate>| one.is_some_and(|one| one.line == own.line);
    // Names in one line part it among them.
    if shared(before) || shared(behind) {
        let from = if shared(before) { own.from } else { 0 };
        let to = behind
            .filter(|next| next.line == own.line)
            .map_or(line.text.len() + 1, |next| next.from);
        let block = line.node;
        return Territory {
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
        let last = sheet.lines_in(card).end.max(own.line + 1);
        return Territory {
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
        let lines = sheet.lines_in(node);
        if lines.len() > MAX_LINES || adds_heading(sheet, own, &lines) {
            break;
        }
        card = node;
        if smallest.is_none() && lines.len() > 1 && is_furnished(sheet, cuts, own, node, &lines) {
            smallest = Some(node);
        }
        above = dom.parent(node);
    }
    // Alone on the page, it must not take the page's own mailbox and number.
    if !has_siblings && let Some(node) = smallest {
        card = node;
    }
    let lines = sheet.lines_in(card);
    let has_picture = dom.descendants(card).take(400).any(|node| dom.is(node, Element::Image));
    Territory {
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
fn adds_heading(sheet: &Sheet<'_, '_>, own: &Candidate, lines: &Range<usize>) -> bool {
    let level = sheet.lines[own.line].level.unwrap_or(9);
    lines.clone().filter(|at| *at != own.line).any(|at| {
        let line = &sheet.lines[at];
        match line.level {
            Some(known) if known < 7 => known < level || at > own.line && known <= level,
            _ => false,
        }
    })
}

/// Whether there is more than the name: a title, a mailbox, a number.
fn is_furnished(
    sheet: &Sheet<'_, '_>,
    cuts: &[Cut],
    own: &Candidate,
    node: NodeId,
    lines: &Range<usize>,
) -> bool {
    let end = sheet.dom.end(node);
    let inside = |one: NodeId| node <= one && one < end;
    let titled = lines.clone().any(|line| {
        cuts.get(line).into_iter().flatten().any(|part| {
            matches!(part.kind, Kind::Role(_)) && (line, part.from) != (own.line, own.from)
        })
    });
    titled
        || sheet.mails.iter().any(|mail| inside(mail.node))
        || sheet.phones.iter().any(|phone| inside(phone.node))
}

/// Gives a bare name the siblings that follow it, up to the next name.
fn extend(
    sheet: &Sheet<'_, '_>,
    cuts: &[Cut],
    own: &Candidate,
    territory: &mut Territory,
    next: Option<NodeId>,
) {
    let dom = sheet.dom;
    if territory.within.is_some() {
        return;
    }
    let has_role = territory.lines.clone().any(|line| {
        cuts.get(line).into_iter().flatten().any(|part| matches!(part.kind, Kind::Role(_)))
    });
    let inside = |one: NodeId| territory.contains_node(one);
    let has_reach = sheet.mails.iter().any(|mail| inside(mail.node))
        || sheet.phones.iter().any(|phone| inside(phone.node));
    let blocks = territory.lines.clone().map(|line| sheet.lines[line].node).collect::<Vec<_>>();
    let one_block = blocks.windows(2).all(|pair| pair[0] == pair[1]);
    // An item that says more than the name is whole; one with nothing but the name goes on in
    // the next.
    let is_whole_item =
        dom.is(territory.from, Element::Li) && cuts.get(own.line).is_some_and(|cut| cut.len() > 1);
    if (has_role && has_reach) || !one_block || is_whole_item || dom.is(territory.from, Element::Tr)
    {
        return;
    }
    let parent_end = dom.end(territory.parent);
    let limit =
        next.filter(|next| *next >= territory.to).map_or(parent_end, |next| next.min(parent_end));
    let level = sheet.lines[own.line].level.unwrap_or(9);
    let mut end = territory.to;
    let mut last = territory.lines.end;
    let below = sheet.lines.iter().zip(cuts).enumerate().skip(territory.lines.end).take(RUN_LINES);
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
            && dom.parent(line.node) == dom.parent(sheet.lines[own.line].node)
            && cut.iter().all(|part| !matches!(part.kind, Kind::Role(_) | Kind::Department))
        {
            break;
        }
        let child = child_towards(sheet, territory.parent, node);
        end = dom.end(child).min(limit);
        last = at + 1;
    }
    if last > territory.lines.end {
        territory.to = end.max(territory.to);
        territory.lines.end = last;
        territory.is_run = true;
    } else if !has_role {
        // The title may stand right above the name.
        let above = territory.lines.start.checked_sub(1);
        if let Some(at) = above
            && cuts[at].len() == 1
            && matches!(cuts[at][0].kind, Kind::Role(_))
            && sheet.lines[at].first_node() >= territory.parent
        {
            territory.from = sheet.lines[at].first_node();
            territory.lines.start = at;
            territory.is_run = true;
        }
    }
}

/// The child of `above` that a node stands in.
fn child_towards(sheet: &Sheet<'_, '_>, above: NodeId, node: NodeId) -> NodeId {
    let mut at = node;
    while let Some(parent) = sheet.dom.parent(at) {
        if parent == above || parent == NodeId::ROOT {
            return at;
        }
        at = parent;
    }
    at
}

/// What a column or a class says a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    Title,
    Department,
}

static TITLE_COLUMNS: TermSet = word_set!("people/title_columns.txt");
static DEPARTMENT_COLUMNS: TermSet = word_set!("people/department_columns.txt");

/// What the column that a text stands in says, for sure, or else its classes.
pub(super) fn column_or_class(
    sheet: &Sheet<'_, '_>,
    node: NodeId,
    card: NodeId,
) -> Option<(Hint, bool)> {
    let dom = sheet.dom;
    let mut above = Some(node);
    for _ in 0..5 {
        let at = above?;
        if at <= card && at != node {
            return None;
        }
        if matches!(dom.element(at), Some(Element::Td | Element::Th)) {
            return column(sheet, at).map(|hint| (hint, true));
        }
        let words =
            ["class", "itemprop"].into_iter().filter_map(|name| dom.raw_attribute(at, name));
        for value in words {
            let folded = fold(value);
            let mut parts =
                folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
            if parts.clone().any(|part| matches!(part, "department" | "dept" | "abteilung")) {
                return Some((Hint::Department, false));
            }
            if parts.any(|part| TITLE_COLUMNS.contains(part) && part != "title") {
                return Some((Hint::Title, false));
            }
        }
        above = dom.parent(at);
    }
    None
}

/// What the head of a cell's column says.
fn column(sheet: &Sheet<'_, '_>, cell: NodeId) -> Option<Hint> {
    let dom = sheet.dom;
    let row = dom.parent(cell).filter(|row| dom.is(*row, Element::Tr))?;
    let table = sheet.nearest(row, &[Element::Table])?;
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
        word if TITLE_COLUMNS.contains(word) => Some(Hint::Title),
        word if DEPARTMENT_COLUMNS.contains(word) => Some(Hint::Department),
        _ => None,
    })
}
