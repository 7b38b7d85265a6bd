//! Reads the tokens of a page into a [`Page`].

use urls::{CanonicalUrl, Robots};

use super::alternates::AlternateCollector;
use super::hash;
use super::link::LinkCollector;
use super::meta::{language, refresh_target};
use super::relation::has_word;
use crate::link_header;
use document::{LinkKind, Page, PageHead, PageLimits, RobotsDirectives};
use html::entity::{EntityContext, resolve};
use html::text::Collapsed;
use html::tokenizer::{Element, HtmlToken, TokenSink, Tokenizer};
use html::url_budget::UrlBudget;

mod forms;
mod images;
mod relations;

/// Initial capacity for visible text.
const INITIAL_TEXT_BYTES: usize = 64 * 1_024;

/// Characters of longer texts are not counted exactly: rules only ask whether a text is short.
const LONG_TEXT: usize = 16 * 1_024;

/// The state of reading a page.
#[derive(Debug)]
pub(super) struct PageTokenReader<'p> {
    /// The URL of the page, which is the base URL until a `<base>` is read.
    url: &'p CanonicalUrl,
    base: Option<CanonicalUrl>,
    /// A URL was resolved before the `<base>` was read.
    resolved_early: bool,
    url_budget: UrlBudget,
    limits: &'p PageLimits,
    title: Option<String>,
    description: Option<String>,
    canonical: Option<CanonicalUrl>,
    /// Canonical URL of the headers, used if the document has none.
    header_canonical: Option<CanonicalUrl>,
    alternates: AlternateCollector,
    language: Option<String>,
    directives: RobotsDirectives,
    links: LinkCollector,
    visible: Collapsed,
    h1: Option<String>,
    heading: Option<Collapsed>,
    anchor: Collapsed,
    /// Index of the link that the current text belongs to.
    open_link: Option<usize>,
    /// Whether the current form uses GET.
    open_form: Option<bool>,
    /// Number of open `template` elements, whose content is not part of the page.
    templates: usize,
}

impl<'p> PageTokenReader<'p> {
    pub(super) fn new(
        url: &'p CanonicalUrl,
        base: Option<CanonicalUrl>,
        limits: &'p PageLimits,
    ) -> Self {
        Self {
            url,
            base,
            resolved_early: false,
            url_budget: UrlBudget::for_page(0),
            limits,
            title: None,
            description: None,
            canonical: None,
            header_canonical: None,
            alternates: AlternateCollector::default(),
            language: None,
            directives: RobotsDirectives::default(),
            links: LinkCollector::new(limits.links),
            visible: Collapsed::new(limits.text_bytes),
            h1: None,
            heading: None,
            anchor: Collapsed::new(limits.anchor_bytes),
            open_link: None,
            open_form: None,
            templates: 0,
        }
    }

    /// Reads a page; `beside` receives the tokens in the same pass.
    pub(super) fn read<'h>(
        &mut self,
        head: &PageHead<'_>,
        html: &'h str,
        beside: &mut impl TokenSink<'h>,
    ) {
        head.robots.iter().for_each(|value| self.directives.add_x_robots_tag(value));
        for link in head.links.iter().flat_map(|value| link_header::links(value)) {
            self.header_link(&link);
        }
        self.body(html, beside);
        if self.language.is_none() {
            self.language = head.only_language().and_then(language);
        }
    }

    fn body<'h, S: TokenSink<'h>>(&mut self, html: &'h str, beside: &mut S) {
        // Most of a small page may be text; the buffer grows for a large one.
        self.visible.expect(html.len().min(INITIAL_TEXT_BYTES));
        self.url_budget = UrlBudget::for_page(html.len());
        let mut tokenizer = if S::READS_ATTRIBUTES {
            Tokenizer::new(html)
        } else {
            Tokenizer::with_attributes_on_demand(html)
        };
        while let Some(token) = tokenizer.next_token() {
            self.token(token, &tokenizer);
            beside.token(token, &tokenizer);
        }
        self.end(Element::A);
        self.end(Element::H1);
    }

    fn token(&mut self, token: HtmlToken<'_>, tokenizer: &Tokenizer<'_>) {
        match token {
            HtmlToken::Start(Element::Template) => self.templates += 1,
            HtmlToken::End(Element::Template) => self.templates = self.templates.saturating_sub(1),
            _ if self.templates > 0 => {}
            HtmlToken::Text(text) => self.text(&resolve(text, EntityContext::Text)),
            HtmlToken::Start(element) => {
                self.gap_around(element);
                self.start(element, tokenizer);
            }
            HtmlToken::End(element) => {
                self.gap_around(element);
                self.end(element);
            }
            HtmlToken::Raw(Element::Title, text) if !tokenizer.is_foreign() => self.title(text),
            HtmlToken::Raw(Element::Plaintext | Element::Xmp, text) => self.text(text),
            HtmlToken::Raw(..) => {}
        }
    }

    /// The `<base>` that was read after a URL had been resolved without it.
    pub(super) fn late_base(&self) -> Option<CanonicalUrl> {
        self.base.clone().filter(|base| self.resolved_early && base != self.url)
    }

    pub(super) fn into_page(self) -> Page {
        let (links, anchors, links_truncated) = self.links.into_parts();
        Page {
            title: self.title,
            description: self.description,
            h1: self.h1,
            canonical: self.canonical.or(self.header_canonical),
            alternates: self.alternates.into_list(),
            language: self.language,
            noindex: self.directives.noindex,
            nofollow: self.directives.nofollow,
            links,
            anchors,
            links_truncated,
            word_count: self.visible.words(),
            text_chars: chars_at_least(self.visible.as_str()),
            content_hash: hash(self.visible.as_str()),
        }
    }

    fn text(&mut self, text: &str) {
        self.visible.push(text);
        if self.open_link.is_some() {
            self.anchor.push(text);
        }
        if let Some(heading) = &mut self.heading {
            heading.push(text);
        }
    }

    fn gap_around(&mut self, element: Element) {
        if !element.is_inline() {
            self.visible.gap();
            self.anchor.gap();
            if let Some(heading) = &mut self.heading {
                heading.gap();
            }
        }
    }

    fn title(&mut self, text: &str) {
        if self.title.is_none() {
            let text = Collapsed::of(&resolve(text, EntityContext::Text), self.limits.title_bytes);
            self.title = Some(text).filter(|text| !text.is_empty());
        }
    }

    fn start(&mut self, element: Element, tag: &Tokenizer<'_>) {
        match element {
            Element::A => self.anchor_start(tag),
            Element::Area => {
                let index = self.link_from(tag, "href", LinkKind::Area);
                if let (Some(index), Some(alt)) = (index, tag.attribute("alt")) {
                    let alt = resolve(alt, EntityContext::Attribute);
                    self.links.name(index, &Collapsed::of(&alt, self.limits.anchor_bytes));
                }
            }
            Element::Frame | Element::Iframe => {
                self.link_from(tag, "src", LinkKind::Frame);
            }
            Element::Form => self.form(tag),
            Element::Button => self.button(tag),
            Element::Input => self.input(tag),
            Element::Image => self.image(tag),
            Element::Source => self.source(tag),
            Element::Audio | Element::Embed | Element::Track => self.media(tag, "src"),
            Element::Video => {
                self.media(tag, "src");
                self.poster(tag);
            }
            Element::Object => self.media(tag, "data"),
            Element::Base => self.base(tag),
            Element::Html if self.language.is_none() => {
                let lang = tag.attribute("lang").or_else(|| tag.attribute("xml:lang"));
                self.language = lang.and_then(language);
            }
            Element::Link => self.link_element(tag),
            Element::Meta => self.meta(tag),
            Element::H1 => {
                self.end(Element::H1);
                if self.h1.is_none() {
                    self.heading = Some(Collapsed::new(self.limits.title_bytes));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, element: Element) {
        if element == Element::A {
            if let Some(index) = self.open_link.take() {
                self.links.name(index, self.anchor.as_str());
                self.anchor.clear();
            }
        } else if element == Element::Form {
            self.open_form = None;
        } else if element == Element::H1
            && let Some(mut heading) = self.heading.take()
        {
            self.h1 = Some(heading.take()).filter(|text| !text.is_empty());
        }
    }

    fn anchor_start(&mut self, tag: &Tokenizer<'_>) {
        // A nested link ends the outer one.
        self.end(Element::A);
        let name =
            if tag.is_foreign() && tag.attribute("href").is_none() { "xlink:href" } else { "href" };
        self.open_link = self.link_from(tag, name, LinkKind::Anchor);
    }

    fn link_from(&mut self, tag: &Tokenizer<'_>, name: &str, kind: LinkKind) -> Option<usize> {
        let [address, rel] = tag.attribute_values([name, "rel"]);
        let address = address?;
        let nofollow = rel.is_some_and(|rel| has_word(rel, "nofollow"));
        self.link(&resolve(address, EntityContext::Attribute), kind, nofollow)
    }

    fn link(&mut self, address: &str, kind: LinkKind, nofollow: bool) -> Option<usize> {
        let address = address.trim();
        // A fragment of the same page is no link.
        if address.is_empty() || address.starts_with('#') {
            return None;
        }
        let url = self.resolve(address)?;
        self.links.add(url, kind, nofollow)
    }

    fn resolve(&mut self, address: &str) -> Option<CanonicalUrl> {
        self.resolved_early |= self.base.is_none();
        let base = self.base.as_ref().unwrap_or(self.url);
        if self.url_budget.spend(base.as_str(), address).is_none() {
            self.links.truncate();
            return None;
        }
        base.join(address).ok()
    }

    fn base(&mut self, tag: &Tokenizer<'_>) {
        if self.base.is_none()
            && let Some(href) = tag.attribute("href")
        {
            // An invalid `<base>` still prevents a second one from being used.
            let base = self.url.join(&resolve(href, EntityContext::Attribute));
            self.base = Some(base.unwrap_or_else(|_| self.url.clone()));
        }
    }

    fn meta(&mut self, tag: &Tokenizer<'_>) {
        let [content, name, header] = tag.attribute_values(["content", "name", "http-equiv"]);
        let Some(content) = content else { return };
        let content = resolve(content, EntityContext::Attribute);
        let name = name.unwrap_or_default().trim();
        if name.eq_ignore_ascii_case("description") {
            if self.description.is_none() {
                let text = Collapsed::of(&content, self.limits.description_bytes);
                self.description = Some(text).filter(|text| !text.is_empty());
            }
        } else if name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(Robots::AGENT) {
            self.directives.add_meta(&content);
        }
        let Some(header) = header.map(str::trim) else { return };
        if header.eq_ignore_ascii_case("refresh") {
            if let Some(target) = refresh_target(&content) {
                self.link(target, LinkKind::Refresh, false);
            }
        } else if header.eq_ignore_ascii_case("content-language") && self.language.is_none() {
            self.language = language(&content);
        }
    }
}

/// The number of characters; a lower bound for a long text.
fn chars_at_least(text: &str) -> u64 {
    let chars = if text.len() > LONG_TEXT { text.len() / 4 } else { text.chars().count() };
    chars as u64
}
