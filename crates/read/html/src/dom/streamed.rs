//! What a page sends later than its place, put where it belongs.
//!
//! React streams a page before all of it is known: `<!--$?--><template id="B:0"></template>` keeps
//! a place, a filler that it is being loaded follows up to `<!--/$-->`, and what belongs there comes
//! behind the footer in `<div hidden id="S:0">`, for a script to move. Pieces have places for other
//! pieces, `B:` with a filler and `P:` without. For whoever runs no scripts, the text of such a page
//! would be hidden and out of order.

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use memchr::memmem;

use super::{MAX_DEPTH, Node};
use crate::scanner::{Attribute, Element, Scanner};

/// The places and the pieces of a page, by what they are called.
#[derive(Debug, Default)]
pub(super) struct Streamed<'a> {
    places: HashMap<&'a str, Place>,
    pieces: Vec<(&'a str, u32)>,
    /// Where the fillers of places end that have begun, the innermost last.
    fillers: Vec<(usize, &'a str)>,
    /// Where each filler of the page begins and ends, once there is a place.
    bounds: Option<HashMap<usize, usize>>,
}

/// A place that is kept for a piece.
#[derive(Debug, Clone, Copy)]
struct Place {
    node: u32,
    /// Just behind its filler.
    end: u32,
}

impl<'a> Streamed<'a> {
    /// Takes note of an element that keeps a place or is a piece. Asked of every element.
    #[inline]
    pub fn note(&mut self, element: Element, tag: &Scanner<'a>, html: &'a str, node: u32) {
        let attributes = tag.attributes();
        let Some(first) = attributes.first() else { return };
        if element == Element::Template {
            let name = called(attributes, "B:").or_else(|| called(attributes, "P:"));
            if let Some(name) = name {
                self.place(name, offset(html, tag.name()).saturating_sub(1), html, node);
            }
        } else if first.name == "hidden" {
            self.pieces.extend(called(attributes, "S:").map(|name| (name, node)));
        }
    }

    fn place(&mut self, name: &'a str, at: usize, html: &str, node: u32) {
        let Entry::Vacant(entry) = self.places.entry(name) else { return };
        entry.insert(Place { node, end: node + 1 });
        let bounds = self.bounds.get_or_insert_with(|| bounds(html));
        self.fillers.extend(bounds.get(&at).map(|end| (*end, name)));
    }

    /// Whether a filler has begun and not ended.
    #[inline]
    pub fn is_filling(&self) -> bool {
        !self.fillers.is_empty()
    }

    /// Takes note of how far the page was gone through, and of the node that comes next.
    pub fn pass(&mut self, at: usize, next: u32) {
        while let Some((_, name)) = self.fillers.pop_if(|(end, _)| *end <= at) {
            if let Some(place) = self.places.get_mut(name) {
                place.end = next;
            }
        }
    }

    /// The nodes in the order that they have once all has come. None when they have it already;
    /// a piece without a place stays what it is.
    pub fn settle(mut self, nodes: &[Node]) -> Option<Settled> {
        let places = &mut self.places;
        let moves = self.pieces.iter().filter_map(|(name, piece)| {
            let place = places.remove(name)?;
            Some(Move { place, piece: *piece, to_piece: None })
        });
        let moves = settled(moves.collect(), nodes);
        (!moves.is_empty()).then(|| Settling::new(nodes, &moves).run())
    }
}

/// A piece and its place.
#[derive(Debug, Clone, Copy)]
struct Move {
    place: Place,
    piece: u32,
    /// The move whose piece the place is in.
    to_piece: Option<usize>,
}

/// The moves that lead into the page, not in circles.
fn settled(mut moves: Vec<Move>, nodes: &[Node]) -> Vec<Move> {
    let mut by_place: Vec<usize> = (0..moves.len()).collect();
    by_place.sort_unstable_by_key(|at| moves[*at].place.node);
    let mut by_piece: Vec<usize> = (0..moves.len()).collect();
    by_piece.sort_unstable_by_key(|at| moves[*at].piece);
    let end = |moves: &[Move], at: usize| nodes[moves[at].piece as usize].end;
    let mut pieces = by_piece.into_iter().peekable();
    let mut open: Vec<usize> = Vec::new();
    for at in by_place {
        let place = moves[at].place.node;
        while let Some(next) = pieces.next_if(|next| moves[*next].piece <= place) {
            while open.pop_if(|last| end(&moves, *last) <= moves[next].piece).is_some() {}
            open.push(next);
        }
        while open.pop_if(|last| end(&moves, *last) <= place).is_some() {}
        moves[at].to_piece = open.last().copied();
    }
    let mut leads_in: Vec<Option<bool>> = vec![None; moves.len()];
    for first in 0..moves.len() {
        // What is being followed counts as a circle until it is known better.
        let (mut path, mut next) = (Vec::new(), Some(first));
        while let Some(at) = next.filter(|at| leads_in[*at].is_none()) {
            leads_in[at] = Some(false);
            path.push(at);
            next = moves[at].to_piece;
        }
        let known = next.is_none_or(|at| leads_in[at] == Some(true));
        for at in path {
            leads_in[at] = Some(known);
        }
    }
    let mut known = leads_in.into_iter();
    moves.retain(|_| known.next().flatten() == Some(true));
    moves
}

/// What an element is called, behind the letter that says what it is.
fn called<'a>(attributes: &[Attribute<'a>], kind: &str) -> Option<&'a str> {
    let id = attributes.iter().find(|attribute| attribute.name == "id")?;
    id.value.strip_prefix(kind).filter(|name| !name.is_empty())
}

/// Where fillers begin and end: between the comments around them, which nest.
fn bounds(html: &str) -> HashMap<usize, usize> {
    let (mut bounds, mut open) = (HashMap::new(), Vec::new());
    for at in memmem::find_iter(html.as_bytes(), "<!--") {
        let comment = html.get(at + 4..).unwrap_or_default();
        if comment.starts_with("/$-->") {
            bounds.extend(open.pop().map(|begin| (begin, at)));
        } else if let Some(length) = ["$-->", "$?-->", "$!-->", "$~-->"]
            .iter()
            .find_map(|kind| comment.starts_with(kind).then_some(kind.len()))
        {
            open.push(at + 4 + length);
        }
    }
    bounds
}

/// Where a slice of the page begins in it.
pub(super) fn offset(html: &str, slice: &str) -> usize {
    slice.as_ptr() as usize - html.as_ptr() as usize
}

/// Nodes in their new order.
#[derive(Debug)]
pub(super) struct Settled {
    pub nodes: Vec<Node>,
    /// A piece nests deeper at its place than is kept.
    pub too_deep: bool,
}

/// Nodes that are still to be taken over: siblings, and all below them.
#[derive(Debug)]
struct Siblings {
    next: u32,
    end: u32,
    /// The node above them, in the new order.
    parent: u32,
    /// Whether the node above them ends with them.
    are_all: bool,
}

#[derive(Debug)]
struct Settling<'n> {
    nodes: &'n [Node],
    /// The piece that belongs at a place, and where its filler ends.
    at_place: HashMap<u32, (u32, u32)>,
    pieces: HashSet<u32>,
    settled: Settled,
}

impl<'n> Settling<'n> {
    fn new(nodes: &'n [Node], moves: &[Move]) -> Self {
        let at_place = moves.iter().map(|one| (one.place.node, (one.piece, one.place.end)));
        Self {
            nodes,
            at_place: at_place.collect(),
            pieces: moves.iter().map(|one| one.piece).collect(),
            settled: Settled { nodes: Vec::with_capacity(nodes.len()), too_deep: false },
        }
    }

    fn run(mut self) -> Settled {
        let end = self.nodes[0].end;
        let mut open = vec![Siblings { next: 0, end, parent: 0, are_all: false }];
        loop {
            let depth = open.len();
            let Some(siblings) = open.last_mut() else { break };
            let (at, parent) = (siblings.next, siblings.parent);
            if at >= siblings.end {
                if siblings.are_all {
                    self.settled.nodes[parent as usize].end = self.settled.len();
                }
                open.pop();
                continue;
            }
            let node = self.nodes[at as usize];
            siblings.next = node.end;
            if let Some((piece, after)) = self.at_place.get(&at).copied() {
                siblings.next = siblings.end.min(after.max(node.end));
                let end = self.nodes[piece as usize].end;
                open.push(Siblings { next: piece + 1, end, parent, are_all: false });
                continue;
            }
            if self.pieces.contains(&at) {
                continue;
            }
            let new = self.settled.len();
            self.settled.nodes.push(Node { parent, end: new + 1, ..node });
            if node.end == at + 1 {
                continue;
            }
            if depth > MAX_DEPTH {
                // What is deeper becomes a sibling.
                self.settled.too_deep = true;
                siblings.next = at + 1;
            } else {
                open.push(Siblings { next: at + 1, end: node.end, parent: new, are_all: true });
            }
        }
        self.settled
    }
}

impl Settled {
    #[expect(clippy::cast_possible_truncation, reason = "no node is added to those there were")]
    fn len(&self) -> u32 {
        self.nodes.len() as u32
    }
}
