//! An outline of a suspicious body: title, visible text up to a limit, and the elements that rules
//! ask for.

use std::borrow::Cow;

use super::LITTLE_TEXT;
use html::charset;
use html::entity::{EntityContext, resolve};
use html::text::Collapsed;
use html::tokenizer::{Element, HtmlToken, Tokenizer};

/// Maximum bytes of the title.
const TITLE_BYTES: usize = 200;

/// Classes of elements that scripts turn into a CAPTCHA.
const WIDGETS: [&str; 3] = ["g-recaptcha", "h-captcha", "cf-turnstile"];

/// The parts of a page that rules ask for.
#[derive(Debug, Default)]
pub(super) struct PageOutline {
    /// The content of the `title` element.
    pub title: String,
    /// The visible text up to `LITTLE_TEXT` characters.
    pub text: String,
    /// Characters of the text; at least `LITTLE_TEXT` if it was truncated.
    pub chars: u64,
    /// The page has a CAPTCHA element.
    pub widget: bool,
    /// A link, form, heading or script outside of `/TSPD/`, which a page has and an F5 challenge
    /// has not.
    pub own_content: bool,
}

impl PageOutline {
    pub(super) fn of(body: &[u8]) -> Self {
        let html: Cow<'_, str> = charset::decode(body, None);
        let mut outline = Self::default();
        let mut visible = Collapsed::new(usize::MAX);
        let mut templates = 0_usize;
        let mut titled = false;
        let mut tokenizer = Tokenizer::new(&html);
        while let Some(token) = tokenizer.next_token() {
            match token {
                HtmlToken::Start(Element::Template) => templates += 1,
                HtmlToken::End(Element::Template) => templates = templates.saturating_sub(1),
                _ if templates > 0 => {}
                HtmlToken::Text(text) => {
                    visible.push(&resolve(text, EntityContext::Text));
                    if is_long(visible.as_str()) {
                        break;
                    }
                }
                HtmlToken::Start(element) => {
                    if !element.is_inline() {
                        visible.gap();
                    }
                    outline.element(element, &tokenizer);
                }
                HtmlToken::End(element) if !element.is_inline() => visible.gap(),
                HtmlToken::Raw(Element::Title, text) if !titled && !tokenizer.is_foreign() => {
                    outline.title = Collapsed::of(&resolve(text, EntityContext::Text), TITLE_BYTES);
                    titled = true;
                }
                HtmlToken::Raw(Element::Plaintext | Element::Xmp, text) => visible.push(text),
                HtmlToken::End(_) | HtmlToken::Raw(..) => {}
            }
        }
        outline.text = visible.take();
        outline.chars = outline.text.chars().count() as u64;
        outline
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
            // Arkose mounts its CAPTCHA on an element of any name.
            self.widget |= source.contains("arkoselabs.com/") || source.contains("funcaptcha.com/");
        }
    }
}

/// Whether a text is longer than any rule asks for.
fn is_long(text: &str) -> bool {
    text.len() as u64 >= LITTLE_TEXT && text.chars().count() as u64 >= LITTLE_TEXT
}
