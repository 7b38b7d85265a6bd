//! Links from forms: the actions of those that use GET.

use document::LinkKind;

use super::PageTokenReader;
use html::tokenizer::Tokenizer;

impl PageTokenReader<'_> {
    pub(super) fn form(&mut self, tag: &Tokenizer<'_>) {
        let asks = is_get(tag.attribute("method").unwrap_or_default());
        self.open_form = Some(asks);
        if asks {
            self.link_from(tag, "action", LinkKind::Form);
        }
    }

    /// A submit button may override the action and method of its form.
    pub(super) fn button(&mut self, tag: &Tokenizer<'_>) {
        let kind = tag.attribute("type").unwrap_or_default().trim();
        let sends = !["button", "reset", "menu"].iter().any(|no| no.eq_ignore_ascii_case(kind));
        if sends {
            self.submit(tag);
        }
    }

    pub(super) fn input(&mut self, tag: &Tokenizer<'_>) {
        let kind = tag.attribute("type").unwrap_or_default().trim();
        if kind.eq_ignore_ascii_case("submit") {
            self.submit(tag);
        } else if kind.eq_ignore_ascii_case("image") {
            self.submit(tag);
            self.image(tag);
        }
    }

    fn submit(&mut self, tag: &Tokenizer<'_>) {
        if tag.attribute("formaction").is_none() {
            return;
        }
        // The `form` attribute refers to another form, whose method is not known here.
        let of_form = self.open_form.filter(|_| tag.attribute("form").is_none());
        if tag.attribute("formmethod").map(is_get).or(of_form) == Some(true) {
            self.link_from(tag, "formaction", LinkKind::Form);
        }
    }
}

/// Whether a method is GET, which is the default for unknown values.
fn is_get(method: &str) -> bool {
    let method = method.trim();
    !method.eq_ignore_ascii_case("post") && !method.eq_ignore_ascii_case("dialog")
}
