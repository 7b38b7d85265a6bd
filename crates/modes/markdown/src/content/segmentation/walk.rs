//! The DOM walk that collects text nodes into blocks.

use html::dom::{Dom, Element, NodeId, NodeKind};
use html::text::Collapsed;

use super::super::attribute_words::{AttributeFamily, AttributeValue};
use super::super::text_stats::{TextSpan, TextStats};
use super::shortcode::is_shortcode;
use super::{
    HiddenBy, MAX_BLOCKS, Segmentation, TextBlock, TextContainer, TextFlow, attributes, is_one_text,
};

/// Maximum depth of splitting a block into its child elements.
const MAX_SPLITS: usize = 4;

/// A text node with its container.
#[derive(Debug, Clone, Copy)]
struct TextPiece {
    node: u32,
    container: u32,
    in_link: bool,
    is_blank: bool,
}

/// An open element of the walk.
#[derive(Debug, Clone, Copy)]
struct WalkFrame {
    container: u32,
    end: u32,
    in_link: bool,
    is_block: bool,
    in_pre: bool,
    /// It is within a paragraph, heading or code, where custom elements are part of the text.
    in_text: bool,
}

pub(super) struct SegmentationWalk<'d, 'a> {
    dom: &'d Dom<'a>,
    segmentation: Segmentation<'a>,
    stack: Vec<WalkFrame>,
    run: Vec<TextPiece>,
    /// The lowest depth since the last heading.
    heading_level: u16,
    /// Buffer that is reused for every block.
    text: Collapsed,
    spans: Vec<TextSpan>,
}

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl<'d, 'a> SegmentationWalk<'d, 'a> {
    pub fn new(dom: &'d Dom<'a>) -> Self {
        let segmentation = Segmentation {
            containers: Vec::with_capacity((dom.node_count() / 3).min(1 << 14)),
            texts: Vec::with_capacity((dom.node_count() / 2).min(1 << 14)),
            hashes: Vec::with_capacity((dom.source().len() / 6).min(1 << 14)),
            element_counts: vec![0; 256],
            ..Segmentation::default()
        };
        Self {
            dom,
            segmentation,
            stack: Vec::with_capacity(64),
            run: Vec::new(),
            heading_level: 0,
            text: Collapsed::new(usize::MAX),
            spans: Vec::new(),
        }
    }

    pub fn run(mut self) -> Segmentation<'a> {
        let body = self.root();
        let (mut at, end) = (body, self.dom.end(body));
        self.enter(body, self.dom.element(body).unwrap_or(Element::Body));
        at.0 += 1;
        while at < end {
            if self.segmentation.blocks.len() >= MAX_BLOCKS {
                self.segmentation.truncated = true;
                break;
            }
            while self.stack.len() > 1 && self.stack.last().is_some_and(|top| top.end <= at.0) {
                self.leave();
            }
            at = match self.dom.kind(at) {
                NodeKind::Element(element) => self.element(at, element),
                NodeKind::Text => {
                    self.text(at);
                    NodeId(at.0 + 1)
                }
                NodeKind::Document | NodeKind::Raw => NodeId(at.0 + 1),
            };
        }
        self.flush();
        self.segmentation
    }

    /// The body; or the document if the body ends early, as it does when its content closes
    /// elements around it.
    fn root(&self) -> NodeId {
        let body = self.dom.body();
        if self.dom.end(body) == self.dom.end(NodeId::ROOT) { body } else { NodeId::ROOT }
    }

    /// Enters an element and returns the node to continue with.
    fn element(&mut self, at: NodeId, element: Element) -> NodeId {
        self.segmentation.element_counts[element as usize] += 1;
        match TextFlow::of(element) {
            TextFlow::Silent => return self.dom.end(at),
            TextFlow::Image => {}
            TextFlow::Break => {
                if !self.stack.last().is_some_and(|frame| frame.in_pre) {
                    self.flush();
                }
            }
            TextFlow::Block if !self.is_inline_custom(element) => {
                if self.is_pop_up(at) {
                    return self.dom.end(at);
                }
                self.flush();
                self.enter(at, element);
            }
            TextFlow::Block | TextFlow::Inline => {
                self.enter(at, element);
                if self.is_noise() || self.is_pop_up(at) {
                    self.stack.pop();
                    self.segmentation.containers.pop();
                    return self.dom.end(at);
                }
            }
        }
        NodeId(at.0 + 1)
    }

    fn is_inline_custom(&self, element: Element) -> bool {
        element == Element::Custom && self.stack.last().is_some_and(|frame| frame.in_text)
    }

    /// Whether the element that was entered last is an inline addition to the text: an icon, a
    /// tooltip, text for screen readers, an edit link.
    fn is_noise(&self) -> bool {
        let Some(container) = self.segmentation.containers.last() else { return false };
        let words = &self.segmentation.attributes;
        let families = words.families(container.class) | words.families(container.role);
        families & 1 << AttributeFamily::Noise as u32 != 0
    }

    /// Whether an element describes another one and is shown beside it on demand.
    fn is_pop_up(&self, id: NodeId) -> bool {
        self.dom.raw_attribute(id, "role").is_some_and(|role| role.trim() == "tooltip")
    }

    fn enter(&mut self, node: NodeId, element: Element) {
        let above = self.stack.last().copied();
        let parent = above.map_or(0, |frame| frame.container);
        let (depth, hidden) = above.map_or((0, HiddenBy::No), |_| {
            let above = self.segmentation.container(parent);
            (above.depth + 1, above.hidden)
        });
        let mut container = TextContainer {
            node,
            parent,
            element,
            depth,
            hidden,
            class: AttributeValue::default(),
            id: AttributeValue::default(),
            role: AttributeValue::default(),
            label: AttributeValue::default(),
        };
        let has_address =
            attributes::read(self.dom, &mut container, &mut self.segmentation.attributes);
        if container.hidden == HiddenBy::No && element == Element::Noscript {
            container.hidden = HiddenBy::Noscript;
        }
        let in_link =
            (element == Element::A && has_address) || above.is_some_and(|frame| frame.in_link);
        let is_block = TextFlow::of(element) == TextFlow::Block && !self.is_inline_custom(element);
        self.stack.push(WalkFrame {
            container: index(self.segmentation.containers.len()),
            end: self.dom.end(node).0,
            in_link,
            is_block,
            in_text: element.is_text_line() || above.is_some_and(|frame| frame.in_text),
            in_pre: element == Element::Pre || above.is_some_and(|frame| frame.in_pre),
        });
        self.segmentation.containers.push(container);
    }

    fn leave(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        if frame.is_block {
            self.flush();
        }
        let depth = self.segmentation.container(frame.container).depth;
        self.heading_level = self.heading_level.min(depth.saturating_sub(1));
    }

    fn text(&mut self, at: NodeId) {
        let Some(frame) = self.stack.last() else { return };
        let raw = self.dom.raw_text(at).trim_ascii();
        if raw.starts_with('[') && is_shortcode(raw) {
            return;
        }
        let is_blank = self.is_blank(at, raw);
        if is_blank && self.run.is_empty() {
            // A blank text at the start of a block separates nothing; the writer still sees it
            // between two blocks.
            self.segmentation.texts.push(at);
            return;
        }
        self.run.push(TextPiece {
            node: at.0,
            container: frame.container,
            in_link: frame.in_link,
            is_blank,
        });
    }

    /// Whether a text, given without white space around it, is blank after resolving its references.
    fn is_blank(&self, at: NodeId, raw: &str) -> bool {
        match raw.as_bytes().first() {
            None => true,
            Some(b'&' | 0x80..) => self.dom.text(at).trim().is_empty(),
            Some(_) => false,
        }
    }

    /// Ends the current block.
    fn flush(&mut self) {
        if self.run.is_empty() {
            return;
        }
        let run = std::mem::take(&mut self.run);
        self.emit(&run, 0);
        self.run = run;
        self.run.clear();
    }

    /// The lowest common container of consecutive text nodes.
    fn lowest_common(&self, run: &[TextPiece]) -> Option<u32> {
        let mut pieces = run.iter().filter(|piece| !piece.is_blank).map(|piece| piece.container);
        let mut common = pieces.next()?;
        for container in pieces {
            // Amortized linear: `common` never moves down.
            while !self.holds(common, container) {
                common = self.segmentation.container(common).parent;
            }
        }
        Some(common)
    }

    fn holds(&self, outer: u32, inner: u32) -> bool {
        let node = |container: u32| self.segmentation.container(container).node;
        self.dom.contains(node(outer), node(inner))
    }

    fn emit(&mut self, run: &[TextPiece], splits: usize) {
        let Some(common) = self.lowest_common(run) else {
            self.segmentation.texts.extend(run.iter().map(|piece| NodeId(piece.node)));
            return;
        };
        if splits < MAX_SPLITS && self.may_split(run, common) {
            let mut from = 0;
            while from < run.len() {
                let to = self.end_of_group(run, from, common);
                self.emit(&run[from..to], splits + 1);
                from = to;
            }
            return;
        }
        self.emit_block(run, common);
    }

    /// Whether all its text is in sibling inline elements, outside of elements that are one text.
    fn may_split(&self, run: &[TextPiece], common: u32) -> bool {
        let mut texts = run.iter().filter(|piece| !piece.is_blank);
        texts.clone().nth(1).is_some()
            && texts.all(|piece| piece.container != common)
            && !self
                .segmentation
                .upwards(common)
                .take(4)
                .any(|above| is_one_text(self.segmentation.container(above).element))
    }

    /// End of the run of pieces in the same child of `common` as the one at `from`.
    fn end_of_group(&self, run: &[TextPiece], from: usize, common: u32) -> usize {
        let Some(first) = run[from..].iter().position(|piece| !piece.is_blank) else {
            return run.len();
        };
        let first = from + first;
        let child = self
            .segmentation
            .upwards(run[first].container)
            .take_while(|above| *above != common)
            .last()
            .unwrap_or(common);
        let end = self.dom.end(self.segmentation.container(child).node).0;
        let inside = |piece: &TextPiece| piece.node < end;
        first + run[first..].iter().position(|piece| !inside(piece)).unwrap_or(run.len() - first)
    }

    fn emit_block(&mut self, run: &[TextPiece], common: u32) {
        let first_text = index(self.segmentation.texts.len());
        self.text.clear();
        self.spans.clear();
        let mut pieces = 0;
        for piece in run {
            let node = NodeId(piece.node);
            self.segmentation.texts.push(node);
            self.text.push(&self.dom.text(node));
            self.spans.push(TextSpan { end: self.text.as_str().len(), in_link: piece.in_link });
            pieces += u32::from(!piece.is_blank);
        }
        let text = self.text.as_str();
        let first_hash = index(self.segmentation.hashes.len());
        let stats = TextStats::read(text, &self.spans, &mut self.segmentation.hashes);
        if stats.words == 0 {
            return;
        }
        let fingerprint = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        let depth = self.segmentation.container(common).depth;
        self.segmentation.blocks.push(TextBlock {
            container: common,
            stats,
            texts: (first_text, index(self.segmentation.texts.len())),
            hashes: (first_hash, index(self.segmentation.hashes.len())),
            pieces,
            fingerprint,
            with_heading: self.heading_level.min(depth),
        });
        let is_heading = |at| self.segmentation.container(at).element.heading_level().is_some();
        if self.segmentation.upwards(common).take(3).any(is_heading) {
            self.heading_level = depth;
        }
    }
}
