//! Mailboxes in texts, attributes and scripts, plain or obfuscated.
//!
//! The scanner returns mailboxes as the page writes them or as a browser shows them. It never
//! guesses an address. Examples, spam traps and the content of form fields are excluded.

mod cipher;
pub(crate) mod obfuscation;
pub(crate) mod placeholder;
mod provider;
pub(crate) mod role;
mod scan;
mod script;

pub(crate) use placeholder::{is_own_domain, is_placeholder};
pub(crate) use provider::is_free_provider;
pub(crate) use scan::mailboxes;

/// Validates a mailbox from an attribute, a vCard or structured data. Returns it in lower case.
pub(crate) fn normalize(text: &str, host: &str) -> Option<String> {
    let text = text.trim();
    let lower = text.get(..7).map(str::to_ascii_lowercase);
    let text = if lower.as_deref() == Some("mailto:") { &text[7..] } else { text };
    let text = text.split(['?', ',', ';']).next().unwrap_or_default().trim();
    let plain = crate::decoded(text);
    let found = mailboxes(&plain, host).into_iter().next()?;
    (!found.is_loose && !is_placeholder(&found.value, host)).then_some(found.value)
}
