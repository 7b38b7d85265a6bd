//! Walks the DOM once and collects lines, links and embedded values.

use contract::ContactMethod;

use super::element_hints::{icon_of, zone_of};
use super::style::effect_of;
use super::{
    EmbeddedValue, Icon, LinkOccurrence, MAX_LINE, MAX_LINES, PSEUDO_HEADING, TextLine, TextRun,
    Zone,
};
use crate::email::obfuscation;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::element_set;
use html::style::{self, PageStyles};
use text::vocabulary::TermSet;

/// Maximum links per page.
const MAX_LINKS: usize = 5_000;
/// Maximum values in attributes and scripts.
const MAX_EMBEDDED: usize = 2_000;
/// Maximum length of a bold line that acts as a heading, in bytes.
const MAX_PSEUDO: usize = 90;

/// Everything that the walk collects.
pub(super) struct WalkResult {
    pub lines: Vec<TextLine>,
    pub links: Vec<LinkOccurrence>,
    pub embedded: Vec<EmbeddedValue>,
}

/// An element whose end is not reached.
struct WalkedElement {
    end: NodeId,
    element: Element,
    node: NodeId,
    zone: Zone,
    is_block: bool,
    /// Text in the element is bold or a heading.
    is_bold: bool,
    is_reversed: bool,
}

/// A heading that may apply to the following lines.
struct OpenHeading {
    line: usize,
    level: u8,
    node: NodeId,
    zone: Zone,
    /// End of its scope; unknown until a line follows.
    end: Option<NodeId>,
}

struct TextWalker<'d, 'a> {
    dom: &'d Dom<'a>,
    host: &'d str,
    styles: PageStyles,
    open: Vec<WalkedElement>,
    open_headings: Vec<OpenHeading>,
    found: WalkResult,
    text: String,
    runs: Vec<TextRun>,
    icons: Vec<(usize, Icon)>,
    gap: bool,
    /// A link, a label or an icon begins or ends here: words on both sides are separate.
    at_border: bool,
    /// Part of the text of the line is not bold.
    has_plain: bool,
    block: NodeId,
    /// A blank line or a rule precedes the next line.
    follows_gap: bool,
}

/// `host` is that of the site, without `www.`.
pub(super) fn walk(dom: &Dom<'_>, host: &str) -> WalkResult {
    let body = dom.body();
    let mut walker = TextWalker {
        dom,
        host,
        styles: PageStyles::of(dom),
        open: Vec::new(),
        open_headings: Vec::new(),
        found: WalkResult { lines: Vec::new(), links: Vec::new(), embedded: Vec::new() },
        text: String::new(),
        runs: Vec::new(),
        icons: Vec::new(),
        gap: true,
        at_border: false,
        has_plain: false,
        block: body,
        follows_gap: false,
    };
    walker.run(body);
    walker.found
}

impl<'a> TextWalker<'_, 'a> {
    fn run(&mut self, body: NodeId) {
        let end = self.dom.end(body);
        let mut at = NodeId(body.0 + 1);
        while at < end && self.found.lines.len() < MAX_LINES {
            while let Some(closed) = self.open.last().filter(|open| open.end <= at) {
                let is_block = closed.is_block;
                self.at_border |= is_separate(closed.element);
                if is_block {
                    // The line belongs to the block that ends here.
                    self.flush(false);
                }
                self.open.pop();
                if is_block {
                    self.block = self.current_block(body);
                }
            }
            at = match self.dom.kind(at) {
                NodeKind::Element(element) => self.element(at, element),
                NodeKind::Text => {
                    self.text_node(at);
                    NodeId(at.0 + 1)
                }
                NodeKind::Raw | NodeKind::Document => NodeId(at.0 + 1),
            };
        }
        self.flush(false);
    }

    fn current_block(&self, body: NodeId) -> NodeId {
        self.open.iter().rev().find(|open| open.is_block).map_or(body, |open| open.node)
    }

    fn zone(&self) -> Zone {
        self.open.last().map_or(Zone::Main, |open| open.zone)
    }

    /// Opens an element. Returns the node at which the walk continues.
    fn element(&mut self, at: NodeId, element: Element) -> NodeId {
        use Element as E;
        let (next, end) = (NodeId(at.0 + 1), self.dom.end(at));
        let silent = element_set!(
            Style Template Textarea Select Datalist Iframe Object Canvas Math Title
        );
        match element {
            E::Script => {
                self.script(at);
                return end;
            }
            _ if silent.contains(element) => return end,
            E::Br => {
                self.flush(true);
                return next;
            }
            E::Hr => {
                self.flush(false);
                self.follows_gap = true;
                return next;
            }
            E::Image | E::Svg => {
                self.at_border = true;
                self.icon(at, element);
                return end;
            }
            E::Input => return next,
            _ => {}
        }
        let effect = effect_of(&self.styles, self.dom, at);
        let is_folded = effect.hidden && !effect.unreadable && has_folded_content(self.dom, at);
        if (effect.hidden && !is_folded) || effect.unreadable {
            self.icon(at, element);
            return end;
        }
        let is_block = is_line_of_address(self.dom, at, element)
            || !element.is_inline()
                && !matches!(element, E::Noscript | E::Custom | E::Picture | E::Output);
        if is_block {
            self.flush(false);
            self.block = at;
        } else if matches!(element, E::Custom | E::Noscript) {
            self.gap = true;
        }
        if matches!(element, E::I | E::Span | E::Em | E::B | E::Other) {
            self.icon(at, element);
        }
        self.at_border |= is_separate(element);
        if element == E::A {
            self.link(at);
        }
        if let Some(shown) = obfuscation::decode_element(self.dom, at, self.host) {
            // The decoded address replaces the content of the element.
            if shown.replaces {
                self.push(at, &shown.text, true);
                return end;
            }
            self.embed(at, shown.text, ContactMethod::Deobfuscated);
        }
        let above = self.open.last();
        let bold = element_set!(B Strong Dt Th Summary Legend Caption).contains(element)
            || element.heading_level().is_some()
            || is_bold_by_style(self.dom, at);
        let open = WalkedElement {
            end,
            element,
            node: at,
            zone: zone_of(self.dom, at, element).unwrap_or(self.zone()),
            is_block,
            is_bold: bold || above.is_some_and(|open| open.is_bold && !is_cell(element)),
            is_reversed: effect.reversed || above.is_some_and(|open| open.is_reversed),
        };
        self.open.push(open);
        next
    }

    fn text_node(&mut self, at: NodeId) {
        let raw = self.dom.raw_text(at);
        let text = self.dom.text(at);
        let is_reversed = self.open.last().is_some_and(|open| open.is_reversed);
        if is_reversed {
            let turned: String = text.chars().rev().collect();
            self.push(at, &turned, true);
        } else {
            self.push(at, &text, obfuscation::has_coded_letters(raw));
        }
    }

    /// Appends text to the line, with white space collapsed.
    fn push(&mut self, node: NodeId, text: &str, obfuscated: bool) {
        let from = self.text.len();
        let mut start = None;
        for word in text.split_inclusive(char::is_whitespace) {
            let bare = word.trim_end();
            if !bare.is_empty() && self.text.len() + bare.len() < MAX_LINE {
                let is_glued = || {
                    let ends = self.text.ends_with(|c: char| c.is_alphanumeric() || c == ')');
                    ends && bare.starts_with(|c: char| c.is_alphanumeric() || "+(".contains(c))
                };
                if !self.text.is_empty() && (self.gap || self.at_border && is_glued()) {
                    self.text.push(' ');
                }
                self.gap = false;
                self.at_border = false;
                start.get_or_insert(self.text.len());
                // Soft hyphens and joiners are invisible.
                self.text.extend(bare.chars().filter(|c| !is_unseen(*c)));
            }
            if bare.len() < word.len() {
                self.gap = true;
            }
        }
        if let Some(start) = start {
            let (from, to) = (start.max(from), self.text.len());
            if from < to {
                self.runs.push(TextRun { from, to, node, obfuscated });
            }
            self.has_plain |= !self.open.last().is_some_and(|open| open.is_bold);
        }
    }

    /// Records a value at the current position.
    fn embed(&mut self, node: NodeId, text: String, method: ContactMethod) {
        if self.found.embedded.len() < MAX_EMBEDDED {
            let (line, at) = (self.found.lines.len(), self.text.len());
            self.found.embedded.push(EmbeddedValue { node, line, at, text, method });
        }
    }

    fn script(&mut self, at: NodeId) {
        let kind = self.dom.attribute(at, "type").unwrap_or_default();
        if !kind.is_empty() && !kind.to_ascii_lowercase().contains("javascript") && kind != "module"
        {
            return;
        }
        let source = self.dom.inner_text(at);
        for written in obfuscation::decode_script(&source) {
            self.gap = true;
            self.push(at, &written, true);
            self.gap = true;
        }
    }

    fn link(&mut self, at: NodeId) {
        let Some(href) = self.dom.attribute(at, "href") else { return };
        let href = href.trim();
        if href.is_empty() || self.found.links.len() >= MAX_LINKS {
            return;
        }
        let raw = self.dom.raw_attribute(at, "href").unwrap_or_default();
        let start = href.chars().take(40).filter(|c| !c.is_whitespace());
        let lower: String = start.map(|c| c.to_ascii_lowercase()).collect();
        if lower.starts_with("mailto:") {
            let method = if obfuscation::has_coded_letters(raw) {
                ContactMethod::Deobfuscated
            } else {
                ContactMethod::Mailto
            };
            self.embed(at, href.to_owned(), method);
        } else if ["tel:", "callto:", "sms:", "fax:"].iter().any(|scheme| lower.starts_with(scheme))
        {
            self.embed(at, href.to_owned(), ContactMethod::Tel);
        }
        let text = link_text(self.dom, at);
        let has_text =
            self.dom.descendants(at).take(60).any(|id| !self.dom.raw_text(id).trim().is_empty());
        let is_behind = !has_text && self.text.is_empty();
        let line = self.found.lines.len() - usize::from(is_behind && !self.found.lines.is_empty());
        let (zone, href) = (self.zone(), href.to_owned());
        let link = LinkOccurrence { node: at, line, href, text, zone, at: self.text.len() };
        self.found.links.push(link);
    }

    fn icon(&mut self, at: NodeId, element: Element) {
        let known = icon_of(self.dom, at, element);
        if let Some(icon) = known.filter(|_| self.icons.len() < 16) {
            self.icons.push((self.text.len(), icon));
        }
    }

    /// Ends the current line.
    fn flush(&mut self, ends_with_break: bool) {
        self.gap = true;
        let text = std::mem::take(&mut self.text);
        let runs = std::mem::take(&mut self.runs);
        let has_plain = std::mem::take(&mut self.has_plain);
        if text.is_empty() {
            self.follows_gap |= ends_with_break;
            // An icon in a separate block describes the next line.
            return;
        }
        let icons = std::mem::take(&mut self.icons);
        let real = self.open.iter().rev().find_map(|open| open.element.heading_level());
        let is_pseudo = !has_plain && text.len() < MAX_PSEUDO;
        let level = real.or(is_pseudo.then_some(PSEUDO_HEADING));
        let number = self.found.lines.len();
        let node = self.block;
        let place = runs.first().map_or(node, |run| run.node);
        let zone = self.zone();
        // A heading of the content does not apply to the footer.
        self.open_headings.retain(|heading| {
            heading.end.is_none_or(|end| place < end)
                && (zone != Zone::Footer || heading.zone == zone)
        });
        if let Some(level) = level {
            self.open_headings.retain(|heading| heading.level < level);
        } else {
            for heading in self.open_headings.iter_mut().filter(|heading| heading.end.is_none()) {
                let scope = shared(self.dom, heading.node, place);
                let scope = gallery(self.dom, heading.node, scope).unwrap_or(scope);
                heading.end = Some(self.dom.end(scope));
            }
            self.open_headings.retain(|heading| heading.end.is_none_or(|end| place < end));
        }
        let heading = self.open_headings.last().map(|heading| heading.line);
        self.found.lines.push(TextLine {
            text,
            node,
            runs,
            icons,
            ends_with_break,
            follows_gap: std::mem::take(&mut self.follows_gap),
            zone,
            level,
            heading,
        });
        if let Some(level) = level {
            let heading = OpenHeading { line: number, level, node: place, zone, end: None };
            self.open_headings.push(heading);
        }
    }
}

/// Whether text in an inline element is separate from the text around it.
fn is_separate(element: Element) -> bool {
    matches!(element, Element::A | Element::Label | Element::Button)
}

/// Nodes of a hidden element that are searched for content.
const MAX_FOLDED: usize = 150;

/// Whether a hidden element has content that a visitor can unfold: several texts in blocks of
/// their own, as tabs, accordions and menus have. A trap for address collectors has one text.
fn has_folded_content(dom: &Dom<'_>, at: NodeId) -> bool {
    let (mut texts, mut blocks, mut bytes) = (0, 0, 0);
    for id in dom.descendants(at).take(MAX_FOLDED) {
        match dom.kind(id) {
            NodeKind::Text => {
                let length = dom.raw_text(id).trim().len();
                texts += usize::from(length > 2);
                bytes += length;
            }
            NodeKind::Element(element) => blocks += usize::from(!element.is_inline()),
            NodeKind::Raw | NodeKind::Document => {}
        }
    }
    texts >= 3 && blocks >= 3 && bytes >= 40
}

/// Minimum pictures of a gallery.
const MIN_PICTURES: usize = 3;

/// The element of pictures that follows a heading within `scope`: the heading introduces only
/// them, as "Our clients" over a row of logos.
fn gallery(dom: &Dom<'_>, heading: NodeId, scope: NodeId) -> Option<NodeId> {
    let inner = dom.ancestors(heading).take(8).take_while(|id| *id != scope);
    inner.into_iter().find(|above| {
        let after = dom.descendants(*above).take(MAX_FOLDED).filter(|id| *id > heading);
        after.filter(|id| dom.is(*id, Element::Image)).take(MIN_PICTURES).count() == MIN_PICTURES
    })
}

fn is_cell(element: Element) -> bool {
    matches!(element, Element::Td | Element::Dd)
}

/// Whether a `span` is a separate line within `address`, as common style sheets display it.
fn is_line_of_address(dom: &Dom<'_>, at: NodeId, element: Element) -> bool {
    let named = ["itemprop", "property"].iter().any(|name| dom.raw_attribute(at, name).is_some());
    let class = dom.raw_attribute(at, "class").unwrap_or_default();
    let is_marked = ["locality", "postal-code", "region", "street-address"]
        .iter()
        .any(|part| class.contains(part));
    element == Element::Span
        && !named
        && !is_marked
        && dom.parent(at).is_some_and(|above| dom.is(above, Element::Address))
}

static HEADING_CLASSES: TermSet = word_set!("visible_text/heading_classes.txt");

/// Whether a style or a class makes an element bold or a heading.
fn is_bold_by_style(dom: &Dom<'_>, at: NodeId) -> bool {
    let style = dom.raw_attribute(at, "style").unwrap_or_default();
    let is_heavy = style::declarations(style).any(|(name, value)| {
        let weights = ["bold", "bolder", "600", "700", "800", "900"];
        name.eq_ignore_ascii_case("font-weight") && weights.contains(&value)
    });
    let class = dom.raw_attribute(at, "class").unwrap_or_default();
    is_heavy
        || dom.raw_attribute(at, "role") == Some("heading")
        || class.split_ascii_whitespace().take(20).any(|word| {
            let word = word.to_ascii_lowercase();
            let last = word.rsplit(['-', '_']).next().unwrap_or_default();
            HEADING_CLASSES.contains(last)
        })
}

/// Characters without width.
pub(super) fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{202a}'..='\u{202e}')
}

/// The nearest common ancestor.
fn shared(dom: &Dom<'_>, one: NodeId, other: NodeId) -> NodeId {
    dom.ancestors(one).find(|id| dom.contains(*id, other)).unwrap_or(NodeId::ROOT)
}

/// The text of a link, of its images, or of its label.
fn link_text(dom: &Dom<'_>, at: NodeId) -> String {
    let mut text = html::text::Collapsed::new(200);
    for id in dom.descendants(at).take(200) {
        match dom.kind(id) {
            NodeKind::Text => text.push(&dom.text(id)),
            NodeKind::Element(element) => {
                if !element.is_inline() {
                    text.gap();
                }
                if element == Element::Image
                    && let Some(alt) = dom.attribute(id, "alt")
                {
                    text.gap();
                    text.push(&alt);
                }
            }
            NodeKind::Raw | NodeKind::Document => {}
        }
    }
    let shown = text.take();
    if !shown.is_empty() {
        return shown;
    }
    let said = ["aria-label", "title"].iter().find_map(|name| dom.attribute(at, name));
    said.map(|said| said.trim().to_owned()).unwrap_or_default()
}
