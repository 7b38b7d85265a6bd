//! Whether a page is a shell: next to nothing until its scripts have run.
//!
//! Told by what a shell lacks and by what it holds instead, never by the name of a
//! framework. When in doubt it is a page: to render one that has its content costs a
//! hundred times as much and brings nothing. A wall is often a shell as well, so
//! `ProtectionMarker` is asked first.

use crate::page::{LinkKind, Page};
use html::charset;
use html::entity::{EntityContext, resolve};
use html::tokenizer::{Element, Tokenizer, HtmlToken};
use html::text::Collapsed;

/// With so many characters of text, messages to readers without scripts included, a page
/// is not looked at again.
const TEXT_OF_A_PAGE: u64 = 600;
/// With more links than these it leads on, whatever else it lacks.
const LINKS_OF_A_PAGE: usize = 5;
/// More images than these are a gallery.
const IMAGES_OF_A_PAGE: u32 = 2;
/// A name, or that something is being loaded.
const SPLASH_CHARS: usize = 50;
/// A whole sentence of that, and a footer.
const LONG_SPLASH_CHARS: usize = 200;

/// A page that is nothing without its scripts, and the signals that show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shell {
    /// Characters that stand in it outside of what waits to be filled.
    pub text_chars: usize,
    /// An element waits to be filled: it has an `id` or a name of its own, and nothing in
    /// it but perhaps a word that it is being loaded.
    pub empty_mount: bool,
    /// It asks readers without scripts to turn them on.
    pub asks_for_scripts: bool,
    /// It loads or announces modules.
    pub modules: bool,
    /// Scripts that run are at least half of its bytes.
    pub mostly_script: bool,
}

impl Shell {
    /// The shell that a page is; none for a page with content of its own.
    ///
    /// What `page` counted settles all but nearly empty pages; only those are read again.
    #[must_use]
    pub fn of(page: &Page, body: &[u8]) -> Option<Self> {
        if page.text_chars >= TEXT_OF_A_PAGE {
            return None;
        }
        let leads_on = |kind| matches!(kind, LinkKind::Anchor | LinkKind::Area | LinkKind::Frame);
        let links = page.links.iter().filter(|link| leads_on(link.kind)).count();
        if links > LINKS_OF_A_PAGE || page.links.iter().any(|link| link.kind == LinkKind::Refresh) {
            return None;
        }
        let html = charset::decode(body, None);
        Inventory::of(&html).shell(html.len())
    }
}

/// What stands in a nearly empty page.
#[derive(Debug)]
struct Inventory {
    /// What is shown when scripts may run.
    text: Collapsed,
    /// What is shown when they may not.
    without_scripts: Collapsed,
    images: u32,
    /// A form, a film, a frame, a heading: something is there.
    content: bool,
    mount: bool,
    /// Characters that stand in mounts.
    splash: usize,
    scripts: u32,
    inline_bytes: usize,
    modules: bool,
    /// An element began that may be a mount; how much text there was then.
    open_mount: Option<usize>,
    /// A heading began; how much text there was then.
    open_heading: Option<usize>,
    /// The form that we are in waits for a script to fill and send it.
    in_hidden_form: bool,
    noscripts: usize,
    templates: usize,
    /// The script at hand is one that runs.
    runs: bool,
}

impl Inventory {
    fn of(html: &str) -> Self {
        let mut inventory = Self {
            text: Collapsed::new(usize::MAX),
            without_scripts: Collapsed::new(usize::MAX),
            images: 0,
            content: false,
            mount: false,
            splash: 0,
            scripts: 0,
            inline_bytes: 0,
            modules: false,
            open_mount: None,
            open_heading: None,
            in_hidden_form: false,
            noscripts: 0,
            templates: 0,
            runs: false,
        };
        let mut tokenizer = Tokenizer::new(html);
        while let Some(token) = tokenizer.next() {
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
            Element::Link => self.modules |= announces_script(tag),
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
            _ if may_be_mount(element) => {
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
        } else if may_be_mount(element)
            && let Some(before) = self.open_mount.take()
        {
            let inside = text.get(before..).unwrap_or_default().chars().count();
            if inside <= SPLASH_CHARS {
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

    /// The shell that a page of so many bytes with all this is.
    fn shell(&self, bytes: usize) -> Option<Shell> {
        let asked = self.without_scripts.as_str().to_ascii_lowercase();
        let shell = Shell {
            text_chars: self.text.as_str().chars().count().saturating_sub(self.splash),
            empty_mount: self.mount,
            asks_for_scripts: asked.contains("javascript") || asked.contains("java script"),
            modules: self.modules,
            mostly_script: self.inline_bytes * 2 >= bytes,
        };
        let nothing_else =
            (self.scripts > 0 || self.modules) && !self.content && self.images <= IMAGES_OF_A_PAGE;
        (nothing_else && shell.is_convincing()).then_some(shell)
    }
}

impl Shell {
    /// The more there is to read, the more else it takes.
    fn is_convincing(&self) -> bool {
        let Self { empty_mount, asks_for_scripts, modules, mostly_script, text_chars } = *self;
        if text_chars == 0 {
            empty_mount || asks_for_scripts || modules || mostly_script
        } else if text_chars <= SPLASH_CHARS {
            asks_for_scripts || (empty_mount && modules)
        } else {
            text_chars <= LONG_SPLASH_CHARS && empty_mount && asks_for_scripts
        }
    }
}

/// Whether scripts may fill it with a page: any block that is not made for something else.
fn may_be_mount(element: Element) -> bool {
    let made_for_else = matches!(
        element,
        Element::Area
            | Element::Audio
            | Element::Base
            | Element::Button
            | Element::Embed
            | Element::Form
            | Element::Frame
            | Element::H1
            | Element::Html
            | Element::Iframe
            | Element::Image
            | Element::Input
            | Element::Link
            | Element::Math
            | Element::Meta
            | Element::Noembed
            | Element::Noframes
            | Element::Object
            | Element::Plaintext
            | Element::Script
            | Element::Source
            | Element::Style
            | Element::Svg
            | Element::Template
            | Element::Textarea
            | Element::Title
            | Element::Track
            | Element::Video
            | Element::Xmp
    );
    !element.is_inline() && !made_for_else
}

/// An element that is there, but not to be seen.
fn is_hidden(tag: &Tokenizer<'_>) -> bool {
    let style = tag.attribute("style").unwrap_or_default();
    tag.attribute("hidden").is_some()
        || style.contains("display:none")
        || style.contains("display: none")
}

/// A link that has a script fetched ahead of its use.
fn announces_script(tag: &Tokenizer<'_>) -> bool {
    let is = |name: &str, value: &str| {
        tag.attribute(name).is_some_and(|known| known.eq_ignore_ascii_case(value))
    };
    is("rel", "modulepreload") || (is("rel", "preload") && is("as", "script"))
}

#[cfg(test)]
mod tests;
