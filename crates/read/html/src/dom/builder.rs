//! Tree construction: builds a [`Dom`] from tokens.

use super::streaming::{StreamedSegments, offset};
use super::{Dom, DomNode, Element, MAX_DEPTH, MAX_NODES, NodeKind};
use crate::tokenizer::{HtmlToken, TokenSink, Tokenizer};

/// An entry of the stack of open elements.
#[derive(Debug, Clone, Copy)]
struct OpenElement<'a> {
    node: u32,
    element: Element,
    /// The tag name as written, which distinguishes unknown elements.
    name: &'a str,
    /// Its end tag was read while a block inside was open: it ends with that block.
    ends_with_content: bool,
}

/// A token sink that builds the [`Dom`] of a page.
#[derive(Debug)]
pub struct Builder<'a> {
    dom: Dom<'a>,
    open: Vec<OpenElement<'a>>,
    /// Number of open elements of some kinds, which avoids most searches of the stack.
    paragraphs: usize,
    tables: usize,
    foreign: usize,
    in_head: bool,
    has_body: bool,
    streamed: StreamedSegments<'a>,
}

impl<'a> TokenSink<'a> for Builder<'a> {
    fn token(&mut self, token: HtmlToken<'a>, tokenizer: &Tokenizer<'a>) {
        if self.streamed.is_in_fallback() {
            let slice = match token {
                HtmlToken::Text(text) | HtmlToken::Raw(_, text) => text,
                HtmlToken::Start(_) | HtmlToken::End(_) => tokenizer.name(),
            };
            self.streamed.close_fallbacks(offset(self.dom.html, slice), self.next_node());
        }
        match token {
            HtmlToken::Text(text) => self.text(text, NodeKind::Text),
            HtmlToken::Start(element) => self.start(element, tokenizer),
            HtmlToken::End(element) => self.end(element, tokenizer.name()),
            HtmlToken::Raw(Element::Title | Element::Textarea, text) => {
                self.raw(text, NodeKind::Text)
            }
            HtmlToken::Raw(_, text) => self.raw(text, NodeKind::Raw),
        }
    }
}

impl<'a> Builder<'a> {
    pub fn new(html: &'a str) -> Self {
        let document = DomNode { kind: NodeKind::Document, parent: 0, end: 1, from: 0, to: 0 };
        let mut nodes = Vec::with_capacity((html.len() / 24).clamp(64, 1 << 16));
        nodes.push(document);
        let attributes = Vec::with_capacity((html.len() / 48).clamp(64, 1 << 15));
        Self {
            dom: Dom { html, nodes, attributes, truncated: false, too_deep: false },
            open: Vec::with_capacity(64),
            paragraphs: 0,
            tables: 0,
            foreign: 0,
            in_head: false,
            has_body: false,
            streamed: StreamedSegments::default(),
        }
    }

    /// Closes all open elements and returns the tree.
    pub fn finish(mut self) -> Dom<'a> {
        while !self.open.is_empty() {
            self.pop();
        }
        let end = self.next_node();
        self.dom.nodes[0].end = end;
        if let Some(reordered) = self.streamed.reorder(&self.dom.nodes) {
            self.dom.nodes = reordered.nodes;
            self.dom.too_deep |= reordered.too_deep;
        }
        self.dom
    }

    #[expect(clippy::cast_possible_truncation, reason = "there are at most MAX_NODES of them")]
    fn next_node(&self) -> u32 {
        self.dom.nodes.len() as u32
    }

    fn insert(&mut self, kind: NodeKind, from: usize, to: usize) -> Option<u32> {
        if self.dom.nodes.len() >= MAX_NODES {
            self.dom.truncated = true;
            return None;
        }
        let node = self.next_node();
        let parent = self.open.last().map_or(0, |open| open.node);
        let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to)) else {
            self.dom.truncated = true;
            return None;
        };
        self.dom.nodes.push(DomNode { kind, parent, end: node + 1, from, to });
        Some(node)
    }

    fn text(&mut self, text: &'a str, kind: NodeKind) {
        if self.in_head {
            if text.trim_ascii().is_empty() {
                return;
            }
            self.end_head();
        }
        self.raw(text, kind);
    }

    fn raw(&mut self, text: &'a str, kind: NodeKind) {
        if text.is_empty() {
            return;
        }
        // A token is a slice of the page.
        let from = offset(self.dom.html, text);
        self.insert(kind, from, from + text.len());
    }

    fn start(&mut self, element: Element, tokenizer: &Tokenizer<'a>) {
        if self.foreign > 0 && element.closes_foreign() {
            self.leave_foreign();
        }
        if self.foreign == 0 && !self.close_implied(element) {
            return;
        }
        let from = self.dom.attributes.len();
        self.dom.attributes.extend_from_slice(tokenizer.attributes());
        let Some(node) = self.insert(NodeKind::Element(element), from, self.dom.attributes.len())
        else {
            self.dom.attributes.truncate(from);
            return;
        };
        self.streamed.record(element, tokenizer, self.dom.html, node);
        let is_void = element.is_void() && self.foreign == 0;
        if is_void || tokenizer.is_closed() {
            return;
        }
        if self.open.len() >= MAX_DEPTH {
            self.dom.too_deep = true;
            return;
        }
        self.count(element, true);
        self.in_head |= element == Element::Head;
        let name = tokenizer.name();
        self.open.push(OpenElement { node, element, name, ends_with_content: false });
    }

    /// Closes the elements that the start tag of `element` implies the end of. Returns whether a
    /// node is to be inserted.
    fn close_implied(&mut self, element: Element) -> bool {
        use Element as E;
        if self.in_head && !element.is_head_content() {
            self.end_head();
        }
        match element {
            // The standard merges the attributes of a second `html` or `body`; they are dropped
            // here.
            E::Html => return self.dom.nodes.len() == 1 || self.open.is_empty(),
            E::Head => return !self.has_body && !self.in_head,
            E::Body => {
                let first = !self.has_body;
                self.has_body = true;
                return first;
            }
            E::Li => self.end_sibling(&[E::Li], &[E::Ul, E::Ol, E::Menu, E::Dir]),
            E::Dd | E::Dt => self.end_sibling(&[E::Dd, E::Dt], &[E::Dl]),
            E::Option => self.end_if_last(&[E::Option]),
            E::Optgroup => self.end_if_last(&[E::Option, E::Optgroup]),
            E::Rb | E::Rt | E::Rtc | E::Rp => self.end_if_last(&[E::Rb, E::Rt, E::Rtc, E::Rp]),
            E::A | E::Nobr => self.end_formatting(element),
            E::Button => self.end_in_scope(E::Button, ""),
            E::Form if self.is_open(E::Form) => return false,
            _ if self.tables > 0 => self.close_implied_in_table(element),
            _ => {}
        }
        if self.paragraphs > 0 && element.ends_paragraph() {
            self.end_paragraph();
        }
        if element.heading_level().is_some()
            && self.open.last().is_some_and(|open| open.element.heading_level().is_some())
        {
            self.pop();
        }
        true
    }

    fn close_implied_in_table(&mut self, element: Element) {
        use Element as E;
        let until: fn(Element) -> bool = match element {
            E::Td | E::Th => |open| open == E::Tr || open.is_row_group(),
            E::Tr => Element::is_row_group,
            E::Tbody | E::Thead | E::Tfoot | E::Caption | E::Colgroup => |_| false,
            _ => return,
        };
        // Elements outside of the nearest table stay open.
        let Some(table) = self.open.iter().rposition(|open| open.element == E::Table) else {
            return;
        };
        let from = self.open.iter().rposition(|open| until(open.element)).filter(|at| *at > table);
        // Closes an inner part without its row or group as well: `<tr>` without `<tbody>`.
        let keep = match (element, from) {
            (E::Td | E::Th, None) => table,
            (_, Some(at)) => at,
            (_, None) => table,
        };
        while self.open.len() > keep + 1 {
            self.pop();
        }
    }

    fn end(&mut self, element: Element, name: &'a str) {
        use Element as E;
        match element {
            // Content after these end tags still belongs to the page.
            E::Html | E::Body => {}
            E::Head => self.end_head(),
            E::P => self.end_paragraph(),
            E::Br => {
                self.insert(NodeKind::Element(E::Br), 0, 0);
            }
            _ if element.is_void() => {}
            E::H1 | E::H2 | E::H3 | E::H4 | E::H5 | E::H6 => self.end_heading(),
            _ if element.is_formatting() => self.end_formatting(element),
            _ if element.is_special() => self.end_in_scope(element, name),
            _ => self.end_other(element, name),
        }
    }

    fn end_head(&mut self) {
        if self.in_head {
            self.end_through(|open| open.element == Element::Head);
            self.in_head = false;
        }
    }

    fn leave_foreign(&mut self) {
        self.end_through(|open| matches!(open.element, Element::Svg | Element::Math));
        while self.foreign > 0 {
            self.end_through(|open| matches!(open.element, Element::Svg | Element::Math));
        }
    }

    fn end_paragraph(&mut self) {
        if self.paragraphs == 0 {
            return;
        }
        let found = self.rposition_until(
            |open| open.element == Element::P,
            |element| element.bounds_scope() || element == Element::Button,
        );
        if let Some(at) = found {
            self.close_from(at);
        }
    }

    fn end_heading(&mut self) {
        let found = self
            .rposition_until(|open| open.element.heading_level().is_some(), Element::bounds_scope);
        if let Some(at) = found {
            self.close_from(at);
        }
    }

    /// Closes an open element of `names`, unless one of `lists` is open inside of it.
    fn end_sibling(&mut self, names: &[Element], lists: &[Element]) {
        let stops = |element: Element| {
            lists.contains(&element)
                || (element.is_special()
                    && !matches!(element, Element::Address | Element::Div | Element::P))
        };
        let found = self.rposition_until(|open| names.contains(&open.element), stops);
        if let Some(at) = found {
            self.close_from(at);
        }
    }

    fn end_if_last(&mut self, names: &[Element]) {
        while self.open.last().is_some_and(|open| names.contains(&open.element)) {
            self.pop();
        }
    }

    fn end_in_scope(&mut self, element: Element, name: &str) {
        let same = |open: &OpenElement<'_>| {
            open.element == element
                && (element.name() != "" || name.is_empty() || open.name.eq_ignore_ascii_case(name))
        };
        let stops: fn(Element) -> bool = if element.is_part_of_table() || element == Element::Table
        {
            // The end of a cell closes everything inside of it, but not beyond the table.
            |open| {
                matches!(open, Element::Table | Element::Template | Element::Body | Element::Html)
            }
        } else {
            Element::bounds_scope
        };
        if let Some(at) = self.rposition_until(same, stops) {
            self.close_from(at);
        }
    }

    /// Closes a formatting element. While blocks inside of it are open, it ends with them.
    fn end_formatting(&mut self, element: Element) {
        let found = self.rposition_until(|open| open.element == element, Element::bounds_scope);
        let Some(at) = found else { return };
        if self.open[at + 1..].iter().any(|open| open.element.is_special()) {
            self.open[at].ends_with_content = true;
            return;
        }
        self.close_from(at);
    }

    fn end_other(&mut self, element: Element, name: &str) {
        let same = |open: &OpenElement<'_>| {
            open.element == element
                && (element.name() != "" || open.name.eq_ignore_ascii_case(name))
        };
        if let Some(at) = self.rposition_until(same, Element::is_special) {
            self.close_from(at);
        }
    }

    /// The innermost open element that `matches`, unless one that `stops` is inside of it.
    fn rposition_until(
        &self,
        matches: impl Fn(&OpenElement<'a>) -> bool,
        stops: impl Fn(Element) -> bool,
    ) -> Option<usize> {
        for (at, open) in self.open.iter().enumerate().rev() {
            if matches(open) {
                return Some(at);
            }
            if stops(open.element) {
                return None;
            }
        }
        None
    }

    fn is_open(&self, element: Element) -> bool {
        self.open.iter().any(|open| open.element == element)
    }

    fn end_through(&mut self, matches: impl Fn(&OpenElement<'a>) -> bool) {
        match self.open.iter().rposition(matches) {
            Some(at) => self.close_from(at),
            None => self.foreign = 0,
        }
    }

    fn close_from(&mut self, at: usize) {
        while self.open.len() > at {
            self.pop();
        }
        while self.open.last().is_some_and(|open| open.ends_with_content) {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.count(open.element, false);
        let end = self.next_node();
        self.dom.nodes[open.node as usize].end = end;
    }

    fn count(&mut self, element: Element, begins: bool) {
        let count = match element {
            Element::P => &mut self.paragraphs,
            Element::Table => &mut self.tables,
            Element::Svg | Element::Math => &mut self.foreign,
            _ => return,
        };
        *count = if begins { *count + 1 } else { count.saturating_sub(1) };
    }
}
