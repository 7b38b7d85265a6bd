//! One walk over the tree of a page that notes where everything stands: scripts, images,
//! headings, buttons, rows, and what the elements around a node hint at.

use hashbrown::HashMap;

use super::class_words::{ClassWords, Hints};
use super::subject::{Likeness, Subject};
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::prose;

/// How many elements of one kind are looked at.
const MAX_NOTED: usize = 20_000;

/// How many headings are compared with the title.
const MAX_HEADINGS: usize = 40;

/// How far above a link to another page its card is looked for.
const CARD_HEIGHT: usize = 8;

/// A card of a product has fewer nodes than this.
const CARD_NODES: u32 = 120;

/// Where things stand on a page.
#[derive(Debug)]
pub(super) struct Survey<'d, 'a> {
    pub dom: &'d Dom<'a>,
    /// What the elements hint at themselves, and with all that is above them.
    own: Vec<Hints>,
    all: Vec<Hints>,
    /// The heading of the page.
    pub heading: Option<NodeId>,
    pub heading_text: String,
    pub scripts: Vec<NodeId>,
    pub scopes: Vec<NodeId>,
    pub typed: Vec<NodeId>,
    /// Attributes that may hold JSON.
    pub data: Vec<(&'a str, &'a str)>,
    pub images: Vec<NodeId>,
    pub headings: Vec<NodeId>,
    pub links: Vec<NodeId>,
    pub buttons: Vec<NodeId>,
    pub tables: Vec<NodeId>,
    pub lists: Vec<NodeId>,
    pub selects: Vec<NodeId>,
    /// Elements with a hint of their own.
    pub hinted: Vec<NodeId>,
    /// Texts with a digit.
    pub numbers: Vec<NodeId>,
    pub base: Option<&'a str>,
    /// How many links to other pages with an image stand before each node.
    foreign: Vec<u32>,
    /// How many siblings of the same kind that lead to other pages an element has.
    repeated: HashMap<NodeId, u32>,
    /// How many cards there are.
    pub cards: usize,
}

impl<'d, 'a> Survey<'d, 'a> {
    pub fn of(dom: &'d Dom<'a>, subject: &Subject) -> Self {
        let (heading, heading_text) = heading(dom, subject);
        let mut survey = Self {
            dom,
            own: vec![Hints::NONE; dom.len()],
            all: vec![Hints::NONE; dom.len()],
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
            foreign: vec![0; dom.len() + 1],
            repeated: HashMap::new(),
            cards: 0,
        };
        survey.walk(subject);
        survey
    }

    fn walk(&mut self, subject: &Subject) {
        let dom = self.dom;
        let mut classes = ClassWords::default();
        // The link to another page that we are in, where it ends, whether it counted.
        let mut link: Option<(NodeId, NodeId, bool)> = None;
        let mut counted: Vec<NodeId> = Vec::new();
        let mut at = NodeId(1);
        while at.index() < dom.len() {
            let mut next = NodeId(at.0 + 1);
            let parent = dom.parent(at).unwrap_or(NodeId::ROOT);
            let above = self.all[parent.index()];
            match dom.kind(at) {
                NodeKind::Element(element) => {
                    let mut own = self.hints(at, element, &mut classes);
                    if self.holds_heading(at) {
                        let zones = Hints::FRAME | Hints::TEASER | Hints::REVIEW | Hints::HIDDEN;
                        own = own.without(zones);
                    }
                    self.own[at.index()] = own;
                    self.all[at.index()] = own | above;
                    if own != Hints::NONE {
                        self.hinted.push(at);
                    }
                    self.note(at, element);
                    if matches!(element, Element::Script | Element::Style | Element::Template) {
                        next = dom.end(at);
                        self.all[at.index()..next.index()].fill(own | above | Hints::HIDDEN);
                    }
                    if element == Element::A && self.leads_away(at, subject) {
                        link = Some((at, dom.end(at), false));
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
                    if self.numbers.len() < MAX_NOTED
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

    /// What an element's own attributes hint at.
    fn hints(&self, at: NodeId, element: Element, classes: &mut ClassWords<'a>) -> Hints {
        let mut hints = match element {
            Element::Nav | Element::Footer | Element::Dialog => Hints::FRAME,
            Element::Header if !self.is_in_article(at) => Hints::FRAME,
            Element::Del | Element::S | Element::Strike => Hints::STRUCK,
            Element::Template | Element::Noscript => Hints::HIDDEN,
            _ => Hints::NONE,
        };
        for attribute in self.dom.attributes(at) {
            match attribute.name {
                "class" | "id" | "aria-label" | "itemprop" | "data-testid" | "data-test"
                | "data-role" => {
                    let mut read = classes.read(attribute.value);
                    // The body's classes name the page, not a part of it.
                    if matches!(element, Element::Body | Element::Html) {
                        read = Hints::NONE;
                    }
                    hints |= read;
                }
                "hidden" => hints |= Hints::HIDDEN,
                "style" if hides(attribute.value) => hints |= Hints::HIDDEN,
                "style" if attribute.value.contains("line-through") => hints |= Hints::STRUCK,
                "role"
                    if matches!(
                        attribute.value,
                        "navigation" | "contentinfo" | "banner" | "dialog" | "search"
                    ) =>
                {
                    hints |= Hints::FRAME;
                }
                _ => {}
            }
        }
        // A trail is often a navigation.
        if hints.has(Hints::TRAIL) { hints.without(Hints::FRAME) } else { hints }
    }

    fn is_in_article(&self, at: NodeId) -> bool {
        let is_article = |id| {
            use Element as E;
            matches!(self.dom.element(id), Some(E::Main | E::Article | E::Section))
        };
        self.dom.ancestors(at).take(12).any(is_article)
    }

    fn note(&mut self, at: NodeId, element: Element) {
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
        if list.len() < MAX_NOTED {
            list.push(at);
        }
        for attribute in self.dom.attributes(at) {
            match attribute.name {
                "itemscope" => self.scopes.push(at),
                "typeof" => self.typed.push(at),
                name if name.starts_with("data-") && holds_json(attribute.value) => {
                    self.data.push((name, attribute.value));
                }
                _ => {}
            }
        }
    }

    /// Whether a link leads to another page.
    fn leads_away(&self, at: NodeId, subject: &Subject) -> bool {
        let Some(href) = self.dom.raw_attribute(at, "href").map(str::trim) else { return false };
        !href.is_empty()
            && !href.starts_with('#')
            && !href.starts_with('?')
            && (href.starts_with("http") || !href.contains(':'))
            && !html::image::is_image(href)
            && subject.is_at(href) == Likeness::Other
            && !self.holds_heading(at)
    }

    fn count_cards(&mut self, counted: &[NodeId]) {
        let mut starts = counted.iter().peekable();
        let mut sum = 0;
        for index in 0..=self.dom.len() {
            self.foreign[index] = sum;
            if starts.peek().is_some_and(|start| start.index() == index) {
                starts.next();
                sum += 1;
            }
        }
        let mut siblings: HashMap<(NodeId, Element, &str), Vec<NodeId>> = HashMap::new();
        for link in counted.iter().take(MAX_NOTED) {
            let chain = std::iter::once(*link).chain(self.dom.ancestors(*link));
            for id in chain.take(CARD_HEIGHT) {
                if self.holds_heading(id) {
                    break;
                }
                let (Some(parent), Some(element)) = (self.dom.parent(id), self.dom.element(id))
                else {
                    break;
                };
                let class = self.dom.raw_attribute(id, "class").unwrap_or_default();
                // The first class names the kind; the others its state.
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

    pub fn own(&self, id: NodeId) -> Hints {
        self.own[id.index()]
    }

    pub fn all(&self, id: NodeId) -> Hints {
        self.all[id.index()]
    }

    /// How many nodes are below it.
    pub fn size(&self, id: NodeId) -> u32 {
        self.dom.end(id).0 - id.0
    }

    /// Whether the heading of the page stands in it.
    pub fn holds_heading(&self, id: NodeId) -> bool {
        self.heading.is_some_and(|heading| id <= heading && heading < self.dom.end(id))
    }

    /// Whether links to other pages, with an image or a heading, stand in it.
    pub fn leads_elsewhere(&self, id: NodeId) -> u32 {
        self.foreign[self.dom.end(id).index()] - self.foreign[id.index()]
    }

    /// Whether it belongs to another product: a card in a row of cards, or a small one alone.
    pub fn is_teaser(&self, id: NodeId) -> bool {
        let mut leads = false;
        for above in std::iter::once(id).chain(self.dom.ancestors(id)) {
            if self.holds_heading(above) || above == NodeId::ROOT {
                break;
            }
            leads = leads || self.leads_elsewhere(above) > 0;
            if !leads {
                continue;
            }
            if self.repeated.get(&above).is_some_and(|count| *count > 1) {
                return true;
            }
            // One card alone names its product before its price.
            let before = self.foreign[id.index() + 1] - self.foreign[above.index()];
            if before > 0 && self.size(above) < CARD_NODES {
                return true;
            }
        }
        false
    }

    /// Whether it is part of what the page shows of its own.
    pub fn is_main(&self, id: NodeId) -> bool {
        let aside = Hints::FRAME | Hints::TEASER | Hints::REVIEW | Hints::HIDDEN;
        !self.all(id).has(aside) && !self.is_teaser(id)
    }
}

/// Whether a style keeps an element from being seen.
fn hides(style: &str) -> bool {
    let mut squeezed = style.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let squeezed: Vec<u8> =
        squeezed.by_ref().take(200).map(|byte| byte.to_ascii_lowercase()).collect();
    memchr::memmem::find(&squeezed, b"display:none").is_some()
        || memchr::memmem::find(&squeezed, b"visibility:hidden").is_some()
}

fn holds_json(value: &str) -> bool {
    let value = value.trim_start();
    value.len() > 30
        && (value.starts_with("{\"")
            || value.starts_with("[{")
            || value.starts_with("{&quot;")
            || value.starts_with("{&#34;")
            || value.starts_with("{&#x22;"))
}

/// What the links to the home page say, before anything else on the page.
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

/// The heading of the page: of those of the first rank the one that its titles name, else one
/// of a lower rank that they name.
fn heading(dom: &Dom<'_>, subject: &Subject) -> (Option<NodeId>, String) {
    let site_names = site_names(dom);
    let mut best: Option<(u32, NodeId, String)> = None;
    let mut looked = 0;
    for id in dom.descendants(NodeId::ROOT) {
        let Some(level) =
            dom.element(id).and_then(Element::heading_level).filter(|level| *level < 4)
        else {
            continue;
        };
        looked += 1;
        if looked > MAX_HEADINGS {
            break;
        }
        let text = prose::line(dom, id, 512);
        if text.is_empty() {
            continue;
        }
        let is_site = site_names.contains(&text) || subject.is_site(&text);
        let named = match subject.names_it(&text) {
            _ if is_site => 0,
            Likeness::Same => 8,
            Likeness::Akin => 2,
            Likeness::Open => 1,
            Likeness::Other => 0,
        };
        let rank = match level {
            1 => 4,
            // Without a title that names it, a lower heading is the heading of a part.
            _ if named < 8 => continue,
            2 => 2,
            _ => 1,
        };
        // A heading that leads elsewhere names that.
        let links = dom
            .find(id, Element::A)
            .or_else(|| dom.ancestors(id).take(3).find(|id| dom.is(*id, Element::A)));
        let away = links.and_then(|link| dom.raw_attribute(link, "href"));
        let away = away
            .is_some_and(|href| !href.starts_with('#') && subject.is_at(href) == Likeness::Other);
        let score = (rank + named) * if away { 1 } else { 2 };
        if best.as_ref().is_none_or(|(known, _, _)| score > *known) {
            best = Some((score, id, text));
        }
    }
    best.map_or((None, String::new()), |(_, id, text)| (Some(id), text))
}
