//! Lists: nesting, numbering and tasks.

use super::blocks::{BlockKind, ItemMarker, MarkdownContainer};
use super::elements::ElementEnd;
use super::{InlineContext, MarkdownWriter};
use html::dom::{Element, NodeId};

/// Number of nodes of an item that are searched for a checkbox.
const MAX_SEARCHED: usize = 6;

/// Number of nodes of the next item that are searched for text.
const MAX_SEARCHED_NEXT: usize = 16;

/// Maximum number of an item in CommonMark.
const MAX_NUMBER: i64 = 999_999_999;

/// A list that is being written.
#[derive(Debug, Clone, Copy)]
struct OpenList {
    /// Number of the next item and its increment; `None` for bullet lists.
    next: Option<(i64, i64)>,
    tight: bool,
    /// Number and delimiter of the last written item.
    last: Option<(i64, char)>,
    /// Number and delimiter of the current item.
    number: Option<(i64, char)>,
    sign: char,
    first: bool,
    /// An item is open: content between two items belongs to the one before.
    open: bool,
    /// The open item has its own container, within the maximum nesting.
    contained: bool,
}

/// The stack of open lists.
#[derive(Debug, Default)]
pub(super) struct OpenLists {
    open: Vec<OpenList>,
    /// The marker of the last item of the list that ended last.
    ended: Option<char>,
}

impl MarkdownWriter<'_, '_> {
    pub(super) fn begin_list(&mut self, id: NodeId, element: Element) -> ElementEnd {
        self.flush();
        if self.inside != InlineContext::Flow {
            return ElementEnd::Block;
        }
        let numbered = element == Element::Ol;
        let next = numbered.then(|| {
            let reversed = self.dom.raw_attribute(id, "reversed").is_some();
            let start = self.number(id, "start").unwrap_or(if reversed {
                let items = self.dom.children(id).filter(|child| self.dom.is(*child, Element::Li));
                i64::try_from(items.count()).unwrap_or(1)
            } else {
                1
            });
            (start, if reversed { -1 } else { 1 })
        });
        let signs = if numbered { ['.', ')'] } else { ['-', '*'] };
        // After a list of the same kind, another marker separates them.
        let sign = match self.lists.ended.filter(|_| self.blocks.last() == Some(BlockKind::Item)) {
            Some(sign) if sign == signs[0] => signs[1],
            _ => signs[0],
        };
        let tight = !self.is_loose(id);
        self.lists.open.push(OpenList {
            next,
            tight,
            last: None,
            number: None,
            sign,
            first: true,
            open: false,
            contained: false,
        });
        ElementEnd::List
    }

    pub(super) fn end_list(&mut self) {
        self.flush();
        self.close_item();
        if let Some(list) = self.lists.open.pop() {
            self.lists.ended = Some(list.last.map_or(list.sign, |(_, sign)| sign));
        }
    }

    pub(super) fn begin_item(&mut self, id: NodeId) -> ElementEnd {
        self.flush();
        if self.inside != InlineContext::Flow {
            return ElementEnd::Block;
        }
        let is_direct = self.dom.parent(id).is_some_and(|parent| {
            matches!(
                self.dom.element(parent),
                Some(Element::Ul | Element::Ol | Element::Menu | Element::Dir)
            )
        });
        if is_direct {
            self.close_item();
        }
        let is_separator_item = is_direct && self.is_separator_item(id);
        let value = self.number(id, "value");
        let task = self.task(id);
        let Some(list) = self.lists.open.last_mut() else {
            return self.begin_item_without_list(task);
        };
        let marker = match &mut list.next {
            None => ItemMarker::Bullet(list.sign),
            Some((next, step)) => {
                let number = value.unwrap_or(*next);
                *next = number.saturating_add(*step);
                match u32::try_from(number).ok().filter(|_| number <= MAX_NUMBER) {
                    None => ItemMarker::Bullet('-'),
                    Some(written) => {
                        // Renderers number items consecutively: where the page does not, another
                        // delimiter starts a new list.
                        let sign = match list.last {
                            Some((last, '.')) if last + 1 != number => ')',
                            Some((last, _)) if last + 1 != number => '.',
                            Some((_, sign)) => sign,
                            None => list.sign,
                        };
                        list.number = Some((number, sign));
                        ItemMarker::Number(written, sign)
                    }
                }
            }
        };
        let (tight, first) = (list.tight, std::mem::replace(&mut list.first, false));
        let contained = self.open_container(MarkdownContainer::Item { marker, task, tight, first });
        if contained && is_separator_item {
            self.begin_block(BlockKind::Paragraph);
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        match self.lists.open.last_mut() {
            Some(list) if is_direct => {
                (list.open, list.contained) = (true, contained);
                // Content after an item that is no item still belongs to it.
                ElementEnd::Block
            }
            _ if contained => ElementEnd::Container,
            _ => ElementEnd::Block,
        }
    }

    fn close_item(&mut self) {
        let Some(list) = self.lists.open.last_mut().filter(|list| list.open) else { return };
        list.open = false;
        let number = list.number.take();
        let written = std::mem::replace(&mut list.contained, false) && self.close_container();
        if let Some(list) = self.lists.open.last_mut().filter(|_| written) {
            list.last = number.or(list.last);
        }
    }

    /// Whether an item is an empty separator between two others. Items with styling or markup are
    /// not.
    fn is_separator_item(&self, id: NodeId) -> bool {
        let dom = self.dom;
        let is_blank = |id: NodeId| dom.raw_text(id).trim_ascii().is_empty();
        let is_autolink = dom.attributes(id).is_empty()
            && dom.end(id).0 - id.0 <= 2
            && dom.descendants(id).all(|below| dom.element(below).is_none() && is_blank(below));
        if !is_autolink || self.blocks.last() != Some(BlockKind::Item) {
            return false;
        }
        let after = [dom.end(id), NodeId(dom.end(id).0 + 1)];
        let next = after.into_iter().find(|next| {
            next.index() < dom.node_count()
                && dom.parent(*next) == dom.parent(id)
                && dom.is(*next, Element::Li)
        });
        let says = |id: NodeId| self.selection.contains(id) && !is_blank(id);
        next.is_some_and(|next| dom.descendants(next).take(MAX_SEARCHED_NEXT).any(says))
    }

    fn number(&self, id: NodeId, name: &str) -> Option<i64> {
        self.dom.raw_attribute(id, name)?.trim().parse().ok()
    }

    /// Whether items contain paragraphs, so that blank lines separate them.
    fn is_loose(&self, id: NodeId) -> bool {
        let items = self.dom.children(id).filter(|item| self.selection.contains(*item));
        items
            .flat_map(|item| self.dom.children(item))
            .any(|child| self.dom.is(child, Element::P) && self.selection.contains(child))
    }

    /// Whether an item is a task, and whether it is done.
    fn task(&self, id: NodeId) -> Option<bool> {
        for below in self.dom.descendants(id).take(MAX_SEARCHED) {
            match self.dom.element(below) {
                Some(Element::Input) => {
                    let kind = self.dom.raw_attribute(below, "type")?;
                    let is_box = kind.trim().eq_ignore_ascii_case("checkbox");
                    return is_box.then(|| self.dom.raw_attribute(below, "checked").is_some());
                }
                Some(Element::P | Element::Label | Element::Span | Element::Div) => {}
                Some(_) => return None,
                None if self.dom.raw_text(below).trim_ascii().is_empty() => {}
                None => return None,
            }
        }
        None
    }

    /// The definition of a term is written as a list item below it.
    pub(super) fn begin_definition(&mut self) -> ElementEnd {
        self.flush();
        self.begin_item_without_list(None)
    }

    fn begin_item_without_list(&mut self, task: Option<bool>) -> ElementEnd {
        let marker = ItemMarker::Bullet('-');
        let first = self.blocks.last() != Some(BlockKind::Item);
        self.begin_container(MarkdownContainer::Item { marker, task, tight: true, first })
    }
}
