//! Buttons that ask before they act, also without script.

use maud::{Markup, html};

use crate::ConsoleUser;

/// An action that cannot be undone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConfirmedAction<'a> {
    /// Where the form is posted.
    pub path: &'a str,
    /// The button that opens the question, and what it is about, for screen readers.
    pub opener: &'a str,
    pub about: &'a str,
    /// What the action does, and whether it can be undone.
    pub question: &'a str,
    /// The label of the button that acts.
    pub button: &'a str,
}

impl ConfirmedAction<'_> {
    /// The button, with further fields of its form.
    pub fn show(&self, user: &ConsoleUser, fields: &Markup) -> Markup {
        let label = (!self.about.is_empty()).then(|| format!("{} {}…", self.opener, self.about));
        html! {
            details.abort {
                summary.button.danger aria-label=[label] { (self.opener) "…" }
                form method="post" action=(self.path) {
                    (user.form_token())
                    p { (self.question) }
                    (fields)
                    button.danger type="submit" { (self.button) }
                }
            }
        }
    }
}
