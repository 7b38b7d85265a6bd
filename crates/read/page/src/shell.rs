//! Detection of JavaScript shells: pages without content until their scripts run.
//!
//! Decided by what a shell lacks and what it contains instead, never by the name of a framework. In
//! doubt it is a page, because rendering costs a hundred times as much as reading. A challenge is
//! often a shell as well, so that `detect_protection` is called first.

use document::{LinkKind, Outlink, Page};
use html::charset;
use html::element_set;
use html::entity::{EntityContext, resolve};
use html::style;
use html::text::Collapsed;
use html::tokenizer::{Element, HtmlToken, Tokenizer};
use urls::CanonicalUrl;

/// A page with this many characters of text, `noscript` included, is no shell.
const MAX_TEXT_CHARS: u64 = 600;
/// A page with more links is no shell.
const MAX_LINKS: usize = 5;
/// A page with more links to its own host shows its links: fewer are often the legal notice and the
/// privacy notice of an application whose menu is built by scripts.
const MAX_HIDDEN_LINKS: usize = 2;
/// A page with more images is a gallery.
const MAX_IMAGES: u32 = 2;
/// Maximum length of a name or loading message.
const MAX_SPLASH_CHARS: usize = 50;
/// Maximum length of a longer loading message with a footer.
const MAX_LONG_SPLASH_CHARS: usize = 200;

/// The signals that show that a page is a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shell {
    /// Characters of text outside of mount elements.
    pub text_chars: usize,
    /// There is a mount element: it has an `id` or a custom name, and is empty except for a loading
    /// message.
    pub empty_mount: bool,
    /// A `noscript` asks the visitor to enable JavaScript.
    pub asks_for_scripts: bool,
    /// The page loads or preloads modules.
    pub modules: bool,
    /// Executable scripts are at least half of the bytes.
    pub mostly_script: bool,
}

impl Shell {
    /// The shell that a page is; `None` for a page with content.
    ///
    /// The counts of `page` decide for all but nearly empty pages; only those are read again.
    #[must_use]
    pub fn of(page: &Page, body: &[u8]) -> Option<Self> {
        if page.text_chars >= MAX_TEXT_CHARS {
            return None;
        }
        let links = page.links.iter().filter(|link| leads_on(link)).count();
        if links > MAX_LINKS || page.links.iter().any(|link| link.kind == LinkKind::Refresh) {
            return None;
        }
        let html = charset::decode(body, None);
        Inventory::of(&html).shell(html.len())
    }

    /// Whether a page at `url` links to its own host without scripts. Such a shell is rendered only
    /// if its text is needed.
    #[must_use]
    pub fn shows_links(page: &Page, url: &CanonicalUrl) -> bool {
        let is_own =
            |link: &&Outlink| leads_on(link) && link.url.host() == url.host() && link.url != *url;
        page.links.iter().filter(is_own).count() > MAX_HIDDEN_LINKS
    }
}

fn leads_on(link: &Outlink) -> bool {
    matches!(link.kind, LinkKind::Anchor | LinkKind::Area | LinkKind::Frame)
}

/// The content of a nearly empty page.
#[derive(Debug, Default)]
struct Inventory {
    /// Text that is visible with scripts enabled.
    text: Collapsed,
    /// Text that is visible with scripts disabled.
    without_scripts: Collapsed,
    images: u32,
    /// The page has a form, video, frame or heading.
    content: bool,
    mount: bool,
    /// Characters of text inside of mount elements.
    splash: usize,
    scripts: u32,
    inline_bytes: usize,
    modules: bool,
    /// Length of `text` at the start of a possible mount element.
    open_mount: Option<usize>,
    /// Length of `text` at the start of a heading.
    open_heading: Option<usize>,
    /// The current form is hidden and is submitted by a script.
    in_hidden_form: bool,
    noscripts: usize,
    templates: usize,
    /// The current script is executable.
    runs: bool,
}

impl Inventory {
    fn of(html: &str) -> Self {
        let mut inventory = Self::default();
        let mut tokenizer = Tokenizer::new(html);
        while let Some(token) = tokenizer.next_token() {
            inventory.take(token, &tokenizer);
        }
        inventory
    }

    fn take(&mut self, token: HtmlToken<'_>, tag: &Tokenizer<'_>) {
        match token {
            HtmlToken::Start(Element::Template) => self.templates += 1,
            HtmlToken::End(Element::Template) => self.templates = self.templates.saturating_sub(1),
            _ if self.templates > 0 => {}
            HtmlToken::Start(Element::Noscript) => self.noscripts += 1,
            HtmlToken::End(Element::Noscript) => {
                self.noscripts = self.noscripts.saturating_sub(1);
            }
            HtmlToken::Text(text) if self.noscripts > 0 => {
                self.without_scripts.push(&resolve(text, EntityContext::Text));
            }
            _ if self.noscripts > 0 => self.without_scripts.gap(),
            HtmlToken::Text(text) => self.text.push(&resolve(text, EntityContext::Text)),
            HtmlToken::Start(element) => {
                if !element.is_inline() {
                    self.text.gap();
                }
                self.begin(element, tag);
            }
            HtmlToken::End(element) => {
                if !element.is_inline() {
                    self.text.gap();
                }
                self.end(element);
            }
            HtmlToken::Raw(Element::Script, code) if self.runs => self.inline_bytes += code.len(),
            HtmlToken::Raw(Element::Plaintext | Element::Xmp, text) => self.text.push(text),
            HtmlToken::Raw(..) => {}
        }
    }

    fn begin(&mut self, element: Element, tag: &Tokenizer<'_>) {
        match element {
            Element::Script => self.script(tag),
            Element::Link => self.modules |= preloads_script(tag),
            Element::Image => self.images += 1,
            Element::H1 => self.open_heading = Some(self.text.as_str().len()),
            Element::Form => {
                self.in_hidden_form = is_hidden(tag);
                self.content |= !self.in_hidden_form;
            }
            Element::Input => {
                let hidden = tag.attribute("type").is_some_and(|kind| kind == "hidden");
                self.content |= !hidden && !self.in_hidden_form;
            }
            Element::Audio
            | Element::Embed
            | Element::Frame
            | Element::Iframe
            | Element::Object
            | Element::Textarea
            | Element::Video => self.content = true,
            _ if is_mount_candidate(element) => {
                let own_name = element == Element::Custom;
                if own_name || tag.attribute("id").is_some_and(|id| !id.is_empty()) {
                    self.open_mount = Some(self.text.as_str().len());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, element: Element) {
        let text = self.text.as_str();
        if element == Element::H1 {
            self.content |= self.open_heading.take().is_some_and(|before| text.len() > before);
        } else if element == Element::Form {
            self.in_hidden_form = false;
        } else if is_mount_candidate(element)
            && let Some(before) = self.open_mount.take()
        {
            let inside = text.get(before..).unwrap_or_default().chars().count();
            if inside <= MAX_SPLASH_CHARS {
                self.mount = true;
                self.splash += inside;
            }
        }
    }

    fn script(&mut self, tag: &Tokenizer<'_>) {
        let kind = tag.attribute("type").unwrap_or_default().to_ascii_lowercase();
        let inert = ["json", "importmap", "speculationrules", "template", "html", "text/plain"];
        self.runs = !inert.iter().any(|known| kind.contains(known));
        if self.runs {
            self.scripts += 1;
            self.modules |= kind == "module";
        }
    }

    /// The shell that a page of `bytes` bytes with this content is.
    fn shell(&self, bytes: usize) -> Option<Shell> {
        let notice = self.without_scripts.as_str().to_ascii_lowercase();
        let shell = Shell {
            text_chars: self.text.as_str().chars().count().saturating_sub(self.splash),
            empty_mount: self.mount,
            asks_for_scripts: notice.contains("javascript") || notice.contains("java script"),
            modules: self.modules,
            mostly_script: self.inline_bytes * 2 >= bytes,
        };
        let nothing_else =
            (self.scripts > 0 || self.modules) && !self.content && self.images <= MAX_IMAGES;
        (nothing_else && shell.is_sufficient()).then_some(shell)
    }
}

impl Shell {
    /// Whether the signals suffice; more text requires more signals.
    fn is_sufficient(&self) -> bool {
        let Self { empty_mount, asks_for_scripts, modules, mostly_script, text_chars } = *self;
        if text_chars == 0 {
            empty_mount || asks_for_scripts || modules || mostly_script
        } else if text_chars <= MAX_SPLASH_CHARS {
            asks_for_scripts || (empty_mount && modules)
        } else {
            text_chars <= MAX_LONG_SPLASH_CHARS && empty_mount && asks_for_scripts
        }
    }
}

/// Whether scripts may mount an application in it: any block without another purpose.
fn is_mount_candidate(element: Element) -> bool {
    let has_other_purpose = element_set!(
        Area Audio Base Button Embed Form Frame H1 Html Iframe Image Input Link Math Meta Noembed
        Noframes Object Plaintext Script Source Style Svg Template Textarea Title Track Video Xmp
    )
    .contains(element);
    !element.is_inline() && !has_other_purpose
}

/// Whether the attributes of an element hide it.
fn is_hidden(tag: &Tokenizer<'_>) -> bool {
    let [hidden, style] = tag.attribute_values(["hidden", "style"]);
    style::hides(hidden, style)
}

/// Whether a link preloads a script.
fn preloads_script(tag: &Tokenizer<'_>) -> bool {
    let is = |name: &str, value: &str| {
        tag.attribute(name).is_some_and(|known| known.eq_ignore_ascii_case(value))
    };
    is("rel", "modulepreload") || (is("rel", "preload") && is("as", "script"))
}

#[cfg(test)]
mod tests;
