//! React streaming: moves streamed segments to their placeholders.
//!
//! React streams a page before all of its content is known. `<!--$?--><template
//! id="B:0"></template>` is a placeholder, its fallback follows up to `<!--/$-->`, and the content
//! comes after the footer in `<div hidden id="S:0">`, for a script to move. Segments contain
//! placeholders of other segments: `B:` with a fallback and `P:` without. Without this step, the
//! text of such a page would be hidden and out of order.

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use memchr::memmem;

use super::{DomNode, MAX_DEPTH};
use crate::tokenizer::{Attribute, Element, Tokenizer};

/// The placeholders and segments of a page by their id.
#[derive(Debug, Default)]
pub(super) struct StreamedSegments<'a> {
    placeholders: HashMap<&'a str, Placeholder>,
    segments: Vec<(&'a str, u32)>,
    /// Where the fallbacks end that are open, the innermost last.
    fallbacks: Vec<(usize, &'a str)>,
    /// Start and end of each fallback, computed for the first placeholder.
    fallback_bounds: Option<HashMap<usize, usize>>,
}

/// A `<template>` that marks where a segment belongs.
#[derive(Debug, Clone, Copy)]
struct Placeholder {
    node: u32,
    /// Node index just after its fallback.
    end: u32,
}

impl<'a> StreamedSegments<'a> {
    /// Records an element that is a placeholder or a segment. Called for every element.
    #[inline]
    pub fn record(&mut self, element: Element, tag: &Tokenizer<'a>, html: &'a str, node: u32) {
        let attributes = tag.attributes();
        let Some(first) = attributes.first() else { return };
        if element == Element::Template {
            let name =
                id_after_prefix(attributes, "B:").or_else(|| id_after_prefix(attributes, "P:"));
            if let Some(name) = name {
                self.add_placeholder(name, offset(html, tag.name()).saturating_sub(1), html, node);
            }
        } else if first.name == "hidden" {
            self.segments.extend(id_after_prefix(attributes, "S:").map(|name| (name, node)));
        }
    }

    fn add_placeholder(&mut self, name: &'a str, at: usize, html: &str, node: u32) {
        let Entry::Vacant(entry) = self.placeholders.entry(name) else { return };
        entry.insert(Placeholder { node, end: node + 1 });
        let fallback_bounds =
            self.fallback_bounds.get_or_insert_with(|| find_fallback_bounds(html));
        self.fallbacks.extend(fallback_bounds.get(&at).map(|end| (*end, name)));
    }

    /// Whether a fallback is open.
    #[inline]
    pub fn is_in_fallback(&self) -> bool {
        !self.fallbacks.is_empty()
    }

    /// Closes the fallbacks that end before byte `at`; `next` is the index of the next node.
    pub fn close_fallbacks(&mut self, at: usize, next: u32) {
        while let Some((_, name)) = self.fallbacks.pop_if(|(end, _)| *end <= at) {
            if let Some(placeholder) = self.placeholders.get_mut(name) {
                placeholder.end = next;
            }
        }
    }

    /// The nodes with all segments at their placeholders. `None` if nothing has to move; a segment
    /// without a placeholder stays where it is.
    pub fn reorder(mut self, nodes: &[DomNode]) -> Option<ReorderedNodes> {
        let placeholders = &mut self.placeholders;
        let moves = self.segments.iter().filter_map(|(name, segment)| {
            let placeholder = placeholders.remove(name)?;
            Some(SegmentMove { placeholder, segment: *segment, into_segment: None })
        });
        let moves = acyclic_moves(moves.collect(), nodes);
        (!moves.is_empty()).then(|| SegmentReorder::new(nodes, &moves).run())
    }
}

/// A segment and its placeholder.
#[derive(Debug, Clone, Copy)]
struct SegmentMove {
    placeholder: Placeholder,
    segment: u32,
    /// The index of the move whose segment contains the placeholder.
    into_segment: Option<usize>,
}

/// The moves whose placeholder is reachable from the page, without cycles.
fn acyclic_moves(mut moves: Vec<SegmentMove>, nodes: &[DomNode]) -> Vec<SegmentMove> {
    let mut by_placeholder: Vec<usize> = (0..moves.len()).collect();
    by_placeholder.sort_unstable_by_key(|at| moves[*at].placeholder.node);
    let mut by_segment: Vec<usize> = (0..moves.len()).collect();
    by_segment.sort_unstable_by_key(|at| moves[*at].segment);
    let end = |moves: &[SegmentMove], at: usize| nodes[moves[at].segment as usize].end;
    let mut segments = by_segment.into_iter().peekable();
    let mut open: Vec<usize> = Vec::new();
    for at in by_placeholder {
        let placeholder = moves[at].placeholder.node;
        while let Some(next) = segments.next_if(|next| moves[*next].segment <= placeholder) {
            while open.pop_if(|last| end(&moves, *last) <= moves[next].segment).is_some() {}
            open.push(next);
        }
        while open.pop_if(|last| end(&moves, *last) <= placeholder).is_some() {}
        moves[at].into_segment = open.last().copied();
    }
    let mut is_reachable: Vec<Option<bool>> = vec![None; moves.len()];
    for first in 0..moves.len() {
        // A move on the current path counts as a cycle until its end is known.
        let (mut path, mut next) = (Vec::new(), Some(first));
        while let Some(at) = next.filter(|at| is_reachable[*at].is_none()) {
            is_reachable[at] = Some(false);
            path.push(at);
            next = moves[at].into_segment;
        }
        let reachable = next.is_none_or(|at| is_reachable[at] == Some(true));
        for at in path {
            is_reachable[at] = Some(reachable);
        }
    }
    let mut reachable = is_reachable.into_iter();
    moves.retain(|_| reachable.next().flatten() == Some(true));
    moves
}

/// The id of an element after its prefix `kind`.
fn id_after_prefix<'a>(attributes: &[Attribute<'a>], kind: &str) -> Option<&'a str> {
    let id = attributes.iter().find(|attribute| attribute.name == "id")?;
    id.value.strip_prefix(kind).filter(|name| !name.is_empty())
}

/// Start and end of each fallback: the comments around it, which nest.
fn find_fallback_bounds(html: &str) -> HashMap<usize, usize> {
    let (mut fallback_bounds, mut open) = (HashMap::new(), Vec::new());
    for at in memmem::find_iter(html.as_bytes(), "<!--") {
        let comment = html.get(at + 4..).unwrap_or_default();
        if comment.starts_with("/$-->") {
            fallback_bounds.extend(open.pop().map(|begin| (begin, at)));
        } else if let Some(length) = ["$-->", "$?-->", "$!-->", "$~-->"]
            .iter()
            .find_map(|kind| comment.starts_with(kind).then_some(kind.len()))
        {
            open.push(at + 4 + length);
        }
    }
    fallback_bounds
}

/// The byte offset of a slice in the page that contains it.
pub(super) fn offset(html: &str, slice: &str) -> usize {
    slice.as_ptr() as usize - html.as_ptr() as usize
}

/// The nodes in their new order.
#[derive(Debug)]
pub(super) struct ReorderedNodes {
    pub nodes: Vec<DomNode>,
    /// A segment nests deeper at its placeholder than [`MAX_DEPTH`].
    pub too_deep: bool,
}

/// A range of siblings that are still to be copied with their subtrees.
#[derive(Debug)]
struct PendingSiblings {
    next: u32,
    end: u32,
    /// Their parent, as an index in the new order.
    parent: u32,
    /// Whether they are the last children of their parent.
    are_last: bool,
}

#[derive(Debug)]
struct SegmentReorder<'n> {
    nodes: &'n [DomNode],
    /// Segment and end of the fallback by placeholder.
    by_placeholder: HashMap<u32, (u32, u32)>,
    segments: HashSet<u32>,
    reordered: ReorderedNodes,
}

impl<'n> SegmentReorder<'n> {
    fn new(nodes: &'n [DomNode], moves: &[SegmentMove]) -> Self {
        let by_placeholder =
            moves.iter().map(|one| (one.placeholder.node, (one.segment, one.placeholder.end)));
        Self {
            nodes,
            by_placeholder: by_placeholder.collect(),
            segments: moves.iter().map(|one| one.segment).collect(),
            reordered: ReorderedNodes { nodes: Vec::with_capacity(nodes.len()), too_deep: false },
        }
    }

    fn run(mut self) -> ReorderedNodes {
        let end = self.nodes[0].end;
        let mut open = vec![PendingSiblings { next: 0, end, parent: 0, are_last: false }];
        loop {
            let depth = open.len();
            let Some(siblings) = open.last_mut() else { break };
            let (at, parent) = (siblings.next, siblings.parent);
            if at >= siblings.end {
                if siblings.are_last {
                    self.reordered.nodes[parent as usize].end = self.reordered.len();
                }
                open.pop();
                continue;
            }
            let node = self.nodes[at as usize];
            siblings.next = node.end;
            if let Some((segment, after)) = self.by_placeholder.get(&at).copied() {
                siblings.next = siblings.end.min(after.max(node.end));
                let end = self.nodes[segment as usize].end;
                open.push(PendingSiblings { next: segment + 1, end, parent, are_last: false });
                continue;
            }
            if self.segments.contains(&at) {
                continue;
            }
            let new = self.reordered.len();
            self.reordered.nodes.push(DomNode { parent, end: new + 1, ..node });
            if node.end == at + 1 {
                continue;
            }
            if depth > MAX_DEPTH {
                // Deeper nodes become siblings.
                self.reordered.too_deep = true;
                siblings.next = at + 1;
            } else {
                open.push(PendingSiblings {
                    next: at + 1,
                    end: node.end,
                    parent: new,
                    are_last: true,
                });
            }
        }
        self.reordered
    }
}

impl ReorderedNodes {
    #[expect(clippy::cast_possible_truncation, reason = "reordering adds no nodes")]
    fn len(&self) -> u32 {
        self.nodes.len() as u32
    }
}
