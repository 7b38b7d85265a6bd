//! A quick look at a body that came under suspicion: its title, its visible text as far
//! as that could be little, and the elements that rules ask for.

use std::borrow::Cow;

use super::LITTLE_TEXT;
use html::charset;
use html::entity::{EntityContext, resolve};
use html::tokenizer::{Element, Tokenizer, HtmlToken};
use html::text::Collapsed;

/// The title is not read further.
const TITLE_BYTES: usize = 200;

/// The classes of elements that become a CAPTCHA.
const WIDGETS: [&str; 3] = ["g-recaptcha", "h-captcha", "cf-turnstile"];

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    /// The title of the document.
    pub title: String,
    /// The visible text, cut where it ceased to be little.
    pub text: String,
    /// Its characters; at the cut there are at least `LITTLE_TEXT`.
    pub chars: u64,
    /// An element that becomes a CAPTCHA.
    pub widget: bool,
    /// A link, a form, a heading or a script of its own: something that a page has and
    /// a wall that is nothing but a script below `/TSPD/` has not.
    pub own_content: bool,
}

impl Sketch {
    pub(super) fn of(body: &[u8]) -> Self {
        let html: Cow<'_, str> = charset::decode(body, None);
        let mut sketch = Self::default();
        let mut visible = Collapsed::new(usize::MAX);
        let mut templates = 0_usize;
        let mut titled = false;
        let mut tokenizer = Tokenizer::new(&html);
        while let Some(token) = tokenizer.next() {
            match token {
                HtmlToken::Start(Element::Template) => templates += 1,
                HtmlToken::End(Element::Template) => templates = templates.saturating_sub(1),
                _ if templates > 0 => {}
                HtmlToken::Text(text) => {
                    visible.push(&resolve(text, EntityContext::Text));
                    if is_much(visible.as_str()) {
                        break;
                    }
                }
                HtmlToken::Start(element) => {
                    if !element.is_inline() {
                        visible.gap();
                    }
                    sketch.element(element, &tokenizer);
                }
                HtmlToken::End(element) if !element.is_inline() => visible.gap(),
                HtmlToken::Raw(Element::Title, text) if !titled && !tokenizer.is_foreign() => {
                    sketch.title = Collapsed::of(&resolve(text, EntityContext::Text), TITLE_BYTES);
                    titled = true;
                }
                HtmlToken::Raw(Element::Plaintext | Element::Xmp, text) => visible.push(text),
                HtmlToken::End(_) | HtmlToken::Raw(..) => {}
            }
        }
        sketch.text = visible.take();
        sketch.chars = sketch.text.chars().count() as u64;
        sketch
    }

    fn element(&mut self, element: Element, tag: &Tokenizer<'_>) {
        if let Some(classes) = tag.attribute("class") {
            self.widget |= classes.split_ascii_whitespace().any(|class| WIDGETS.contains(&class));
        }
        let own = [Element::A, Element::Form, Element::H1, Element::Image];
        self.own_content |= own.contains(&element);
        if element == Element::Script
            && let Some(source) = tag.attribute("src")
        {
            self.own_content |= !source.contains("/TSPD/");
            // Arkose is mounted by its script on an element of any name.
            self.widget |= source.contains("arkoselabs.com/") || source.contains("funcaptcha.com/");
        }
    }
}

/// Whether a text has so many characters that no rule calls it little.
fn is_much(text: &str) -> bool {
    text.len() as u64 >= LITTLE_TEXT && text.chars().count() as u64 >= LITTLE_TEXT
}
