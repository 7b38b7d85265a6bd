//! An index of the DOM of a page, built in one walk: elements by kind (scripts, images, headings,
//! buttons, tables), the hints around each node, and cards of other products.

use hashbrown::HashMap;

use crate::class_hints::{ClassHintCache, ElementHints};
use crate::heading;
use crate::page_subject::{PageSubject, SubjectMatch};
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::{prose, style};

/// How many elements of one kind are indexed.
const MAX_ELEMENTS: usize = 20_000;

/// How many headings are compared with the title.
const MAX_HEADINGS: usize = 40;

/// How many ancestors of a link may be its card.
const MAX_CARD_DEPTH: usize = 8;

/// A product card has fewer nodes than this.
const MAX_CARD_NODES: u32 = 120;

/// The nodes of a page by kind, and the hints of each node.
#[derive(Debug)]
pub(super) struct DomIndex<'d, 'a> {
    pub dom: &'d Dom<'a>,
    /// The hints of each element itself.
    own: Vec<ElementHints>,
    /// The hints of each node and all its ancestors.
    all: Vec<ElementHints>,
    /// The main heading of the page.
    pub heading: Option<NodeId>,
    pub heading_text: String,
    pub scripts: Vec<NodeId>,
    /// Elements with `itemscope` (microdata).
    pub scopes: Vec<NodeId>,
    /// Elements with `typeof` (RDFa).
    pub typed: Vec<NodeId>,
    /// Names and values of `data-` attributes that may contain JSON.
    pub data: Vec<(&'a str, &'a str)>,
    pub images: Vec<NodeId>,
    pub headings: Vec<NodeId>,
    pub links: Vec<NodeId>,
    pub buttons: Vec<NodeId>,
    pub tables: Vec<NodeId>,
    pub lists: Vec<NodeId>,
    pub selects: Vec<NodeId>,
    /// Elements that have hints themselves.
    pub hinted: Vec<NodeId>,
    /// Text nodes with a digit.
    pub numbers: Vec<NodeId>,
    pub base: Option<&'a str>,
    /// Links to other pages, in document order.
    links_elsewhere: Vec<NodeId>,
    /// By node, how many links to other pages with an image or heading precede it.
    links_before: Vec<u32>,
    /// By element, how many siblings of the same kind link to other pages.
    repeated: HashMap<NodeId, u32>,
    /// The size of the largest group of cards.
    pub cards: usize,
}

impl<'d, 'a> DomIndex<'d, 'a> {
    pub fn of(dom: &'d Dom<'a>, subject: &PageSubject) -> Self {
        let (heading, heading_text) = main_heading(dom, subject);
        let mut index = Self {
            dom,
            own: vec![ElementHints::empty(); dom.node_count()],
            all: vec![ElementHints::empty(); dom.node_count()],
            heading,
            heading_text,
            scripts: Vec::new(),
            scopes: Vec::new(),
            typed: Vec::new(),
            data: Vec::new(),
            images: Vec::new(),
            headings: Vec::new(),
            links: Vec::new(),
            buttons: Vec::new(),
            tables: Vec::new(),
            lists: Vec::new(),
            selects: Vec::new(),
            hinted: Vec::new(),
            numbers: Vec::new(),
            base: None,
            links_elsewhere: Vec::new(),
            links_before: vec![0; dom.node_count() + 1],
            repeated: HashMap::new(),
            cards: 0,
        };
        index.walk(subject);
        index
    }

    fn walk(&mut self, subject: &PageSubject) {
        let dom = self.dom;
        let mut classes = ClassHintCache::default();
        // The current link to another page, where it ends, and whether it is counted.
        let mut link: Option<(NodeId, NodeId, bool)> = None;
        let mut counted: Vec<NodeId> = Vec::new();
        let mut at = NodeId(1);
        while at.index() < dom.node_count() {
            let mut next = NodeId(at.0 + 1);
            let parent = dom.parent(at).unwrap_or(NodeId::ROOT);
            let above = self.all[parent.index()];
            match dom.kind(at) {
                NodeKind::Element(element) => {
                    let mut own = self.hints(at, element, &mut classes);
                    if self.has_heading(at) {
                        own = own.difference(ElementHints::NOT_MAIN);
                    }
                    self.own[at.index()] = own;
                    self.all[at.index()] = own | above;
                    if own != ElementHints::empty() {
                        self.hinted.push(at);
                    }
                    self.add(at, element);
                    if matches!(element, Element::Script | Element::Style | Element::Template) {
                        next = dom.end(at);
                        self.all[at.index()..next.index()].fill(own | above | ElementHints::HIDDEN);
                    }
                    if element == Element::A && self.points_elsewhere(at, subject) {
                        link = Some((at, dom.end(at), false));
                        self.links_elsewhere.push(at);
                    }
                    let in_link = link.filter(|(_, end, _)| at < *end);
                    if let Some((start, end, false)) = in_link
                        && (element == Element::Image || element.heading_level() > Some(1))
                    {
                        counted.push(start);
                        link = Some((start, end, true));
                    }
                }
                NodeKind::Text => {
                    self.all[at.index()] = above;
                    if self.numbers.len() < MAX_ELEMENTS
                        && dom
                            .raw_text(at)
                            .bytes()
                            .any(|byte| byte.is_ascii_digit() || byte == 0xef)
                    {
                        self.numbers.push(at);
                    }
                }
                NodeKind::Raw | NodeKind::Document => self.all[at.index()] = above,
            }
            at = next;
        }
        self.count_cards(&counted);
    }

    /// The hints of an element's tag and attributes.
    fn hints(
        &self,
        at: NodeId,
        element: Element,
        classes: &mut ClassHintCache<'a>,
    ) -> ElementHints {
        let mut hints = match element {
            Element::Nav | Element::Footer | Element::Dialog => ElementHints::SITE_FRAME,
            Element::Header if !self.is_in_article(at) => ElementHints::SITE_FRAME,
            Element::Del | Element::S | Element::Strike => ElementHints::FORMER_PRICE,
            Element::Template | Element::Noscript => ElementHints::HIDDEN,
            _ => ElementHints::empty(),
        };
        for attribute in self.dom.attributes(at) {
            match attribute.name {
                "class" | "id" | "aria-label" | "itemprop" | "data-testid" | "data-test"
                | "data-role" => {
                    let mut read = classes.read(attribute.value);
                    // The classes of the body describe the page, not a part of it.
                    if matches!(element, Element::Body | Element::Html) {
                        read = ElementHints::empty();
                    }
                    hints |= read;
                }
                "hidden" => hints |= ElementHints::HIDDEN,
                "style" if style::effect(attribute.value).hidden => hints |= ElementHints::HIDDEN,
                "style" if attribute.value.contains("line-through") => {
                    hints |= ElementHints::FORMER_PRICE
                }
                "role" => match attribute.value {
                    "navigation" | "contentinfo" | "banner" | "dialog" | "search" => {
                        hints |= ElementHints::SITE_FRAME;
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        // Breadcrumbs are often in a `nav` element.
        if hints.intersects(ElementHints::BREADCRUMBS) {
            hints.difference(ElementHints::SITE_FRAME)
        } else {
            hints
        }
    }

    fn is_in_article(&self, at: NodeId) -> bool {
        let is_article = |id| {
            use Element as E;
            matches!(self.dom.element(id), Some(E::Main | E::Article | E::Section))
        };
        self.dom.ancestors(at).take(12).any(is_article)
    }

    fn add(&mut self, at: NodeId, element: Element) {
        let list = match element {
            Element::Script => &mut self.scripts,
            Element::Image => &mut self.images,
            Element::A => &mut self.links,
            Element::Button | Element::Input => &mut self.buttons,
            Element::Table | Element::Dl => &mut self.tables,
            Element::Ul | Element::Ol => &mut self.lists,
            Element::Select => &mut self.selects,
            Element::Base if self.base.is_none() => {
                self.base = self.dom.raw_attribute(at, "href");
                return;
            }
            _ if element.heading_level().is_some() => &mut self.headings,
            _ => &mut Vec::new(),
        };
        if list.len() < MAX_ELEMENTS {
            list.push(at);
        }
        for attribute in self.dom.attributes(at) {
            match attribute.name {
                "itemscope" => self.scopes.push(at),
                "typeof" => self.typed.push(at),
                name if name.starts_with("data-") && may_be_json(attribute.value) => {
                    self.data.push((name, attribute.value));
                }
                _ => {}
            }
        }
    }

    /// Whether an element is a link to another page.
    pub fn is_link_elsewhere(&self, id: NodeId) -> bool {
        self.links_elsewhere.binary_search(&id).is_ok()
    }

    /// Whether a link points to another page.
    fn points_elsewhere(&self, at: NodeId, subject: &PageSubject) -> bool {
        let Some(href) = self.dom.raw_attribute(at, "href").map(str::trim) else { return false };
        !href.is_empty()
            && !href.starts_with('#')
            && !href.starts_with('?')
            && (href.starts_with("http") || !href.contains(':'))
            && !html::image::is_image(href)
            && subject.match_url(href) == SubjectMatch::Different
            && !self.has_heading(at)
    }

    fn count_cards(&mut self, counted: &[NodeId]) {
        let mut starts = counted.iter().peekable();
        let mut sum = 0;
        for index in 0..=self.dom.node_count() {
            self.links_before[index] = sum;
            if starts.peek().is_some_and(|start| start.index() == index) {
                starts.next();
                sum += 1;
            }
        }
        let mut siblings: HashMap<(NodeId, Element, &str), Vec<NodeId>> = HashMap::new();
        for link in counted.iter().take(MAX_ELEMENTS) {
            for id in self.dom.self_and_ancestors(*link).take(MAX_CARD_DEPTH) {
                if self.has_heading(id) {
                    break;
                }
                let (Some(parent), Some(element)) = (self.dom.parent(id), self.dom.element(id))
                else {
                    break;
                };
                let class = self.dom.raw_attribute(id, "class").unwrap_or_default();
                // The first class is the kind; the others are states.
                let class = class.split_ascii_whitespace().next().unwrap_or_default();
                let row = siblings.entry((parent, element, class)).or_default();
                if row.last() != Some(&id) {
                    row.push(id);
                } else {
                    break;
                }
            }
        }
        for row in siblings.values() {
            for id in row {
                self.repeated.insert(*id, u32::try_from(row.len()).unwrap_or(u32::MAX));
            }
            if row.len() > 1 && row.iter().all(|id| self.size(*id) > 2) {
                self.cards = self.cards.max(row.len());
            }
        }
    }

    pub fn own(&self, id: NodeId) -> ElementHints {
        self.own[id.index()]
    }

    pub fn all(&self, id: NodeId) -> ElementHints {
        self.all[id.index()]
    }

    /// The elements that have one of these hints themselves, in document order.
    pub fn hinted_as(&self, hints: ElementHints) -> impl Iterator<Item = NodeId> {
        self.hinted.iter().copied().filter(move |id| self.own(*id).intersects(hints))
    }

    /// The number of nodes of the subtree.
    pub fn size(&self, id: NodeId) -> u32 {
        self.dom.end(id).0 - id.0
    }

    /// Whether the subtree contains the main heading.
    pub fn has_heading(&self, id: NodeId) -> bool {
        self.heading.is_some_and(|heading| self.dom.contains(id, heading))
    }

    /// How many links to other pages with an image or heading the subtree has.
    pub fn links_to_others(&self, id: NodeId) -> u32 {
        self.links_before[self.dom.end(id).index()] - self.links_before[id.index()]
    }

    /// Whether it belongs to another product: a card in a group of cards, or a single small card.
    pub fn is_teaser(&self, id: NodeId) -> bool {
        let mut has_links = false;
        for above in self.dom.self_and_ancestors(id) {
            if self.has_heading(above) || above == NodeId::ROOT {
                break;
            }
            has_links = has_links || self.links_to_others(above) > 0;
            if !has_links {
                continue;
            }
            if self.repeated.get(&above).is_some_and(|count| *count > 1) {
                return true;
            }
            // A single card has the link to its product before its price.
            let before = self.links_before[id.index() + 1] - self.links_before[above.index()];
            if before > 0 && self.size(above) < MAX_CARD_NODES {
                return true;
            }
        }
        false
    }

    /// Whether it is visible and belongs to the product of the page.
    pub fn is_main(&self, id: NodeId) -> bool {
        !self.all(id).intersects(ElementHints::NOT_MAIN) && !self.is_teaser(id)
    }
}

fn may_be_json(value: &str) -> bool {
    let value = value.trim_start();
    let starts = ["{\"", "[{", "{&quot;", "{&#34;", "{&#x22;"];
    value.len() > 30 && starts.iter().any(|start| value.starts_with(start))
}

/// The texts of the first links to the home page.
fn site_names(dom: &Dom<'_>) -> Vec<String> {
    let links = dom.descendants(NodeId::ROOT).filter(|id| {
        dom.is(*id, Element::A)
            && dom.raw_attribute(*id, "href").is_some_and(|href| {
                let path = href
                    .split_once("://")
                    .map_or(href, |(_, rest)| rest.find('/').map_or("/", |at| &rest[at..]));
                matches!(path, "/" | "./" | "/index.html" | "/index.php")
            })
    });
    links.take(3).map(|id| prose::line(dom, id, 200)).filter(|text| !text.is_empty()).collect()
}

/// The main heading: the `h1` that matches the titles best, else an `h2` or `h3` that matches them.
fn main_heading(dom: &Dom<'_>, subject: &PageSubject) -> (Option<NodeId>, String) {
    let site_names = site_names(dom);
    let mut best: Option<(u32, NodeId, String)> = None;
    let mut compared = 0;
    for id in dom.descendants(NodeId::ROOT) {
        let Some(level) =
            dom.element(id).and_then(Element::heading_level).filter(|level| *level < 4)
        else {
            continue;
        };
        compared += 1;
        if compared > MAX_HEADINGS {
            break;
        }
        let text = heading::text(dom, id);
        if text.is_empty() || heading::is_trail(dom, id) {
            continue;
        }
        let is_site = site_names.contains(&text) || subject.is_site(&text);
        let match_score = match subject.match_name(&text) {
            _ if is_site => 0,
            SubjectMatch::Same => 8,
            SubjectMatch::Partial => 2,
            SubjectMatch::Unknown => 1,
            SubjectMatch::Different => 0,
        };
        let rank = match level {
            1 => 4,
            // Without a matching title, a lower heading belongs to a section.
            _ if match_score < 8 => continue,
            2 => 2,
            _ => 1,
        };
        // A heading that links to another page names that page.
        let links = dom
            .find(id, Element::A)
            .or_else(|| dom.ancestors(id).take(3).find(|id| dom.is(*id, Element::A)));
        let href = links.and_then(|link| dom.raw_attribute(link, "href"));
        let is_elsewhere = href.is_some_and(|href| {
            !href.starts_with('#') && subject.match_url(href) == SubjectMatch::Different
        });
        let score = (rank + match_score) * if is_elsewhere { 1 } else { 2 };
        if best.as_ref().is_none_or(|(known, _, _)| score > *known) {
            best = Some((score, id, text));
        }
    }
    best.map_or((None, String::new()), |(_, id, text)| (Some(id), text))
}
