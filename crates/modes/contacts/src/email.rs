//! The mailboxes of a page, each with the place it stands in.
//!
//! A mailbox is taken as it is written, or as readers see what was hidden from harvesters.
//! Nothing is put together that the page does not put together itself. Examples, traps and
//! the content of form fields are no mailboxes.

use contract::ContactMethod;

use super::sheet::{MAX_SEEN, Sealed, Sheet};
use html::dom::NodeId;

mod cipher;
mod provider;
mod refused;
pub(super) mod role;
mod scan;
mod script;
mod tld;
pub(super) mod veil;

pub(crate) use provider::is_free_provider;
pub(crate) use refused::{is_of, is_refused};
pub(crate) use scan::mailboxes;

/// A mailbox in its place.
#[derive(Debug, Clone)]
pub(crate) struct SeenMail {
    /// Small letters.
    pub value: String,
    pub method: ContactMethod,
    /// The line it stands in, and where in its text.
    pub line: usize,
    pub at: usize,
    pub node: NodeId,
    /// What stands before it, or the text of its link.
    pub label: Option<String>,
}

/// Reads a mailbox as it stands in an attribute, in a card, in a description.
pub(crate) fn checked(text: &str, host: &str) -> Option<String> {
    let text = text.trim();
    let small = text.get(..7).map(str::to_ascii_lowercase);
    let text = if small.as_deref() == Some("mailto:") { &text[7..] } else { text };
    let text = text.split(['?', ',', ';']).next().unwrap_or_default().trim();
    let plain = crate::decoded(text);
    let found = mailboxes(&plain, host).into_iter().next()?;
    (!found.is_loose && !is_refused(&found.value, host)).then_some(found.value)
}

/// The mailboxes of a page, in reading order.
pub(crate) fn read(sheet: &Sheet<'_, '_>, sealed: &[Sealed], host: &str) -> Vec<SeenMail> {
    let mut mails: Vec<SeenMail> = Vec::new();
    for seal in sealed.iter().filter(|seal| seal.method != ContactMethod::Tel) {
        if mails.len() >= MAX_SEEN {
            break;
        }
        let Some(value) = checked(&seal.text, host) else { continue };
        let text = sheet.lines.get(seal.line).map_or("", |line| line.text.as_str());
        if refused::is_trap_line(text) {
            continue;
        }
        mails.push(SeenMail {
            value,
            method: seal.method,
            line: seal.line,
            at: seal.at,
            node: seal.node,
            label: None,
        });
    }
    for (number, line) in sheet.lines.iter().enumerate() {
        if mails.len() >= 2 * MAX_SEEN || refused::is_trap_line(&line.text) {
            continue;
        }
        for found in mailboxes(&line.text, host) {
            let node = line.node_at(found.part.start);
            if is_refused(&found.value, host) || mails.len() >= 2 * MAX_SEEN {
                continue;
            }
            // The text of a link that says the same gives nothing of its own.
            let linked = |mail: &SeenMail| {
                mail.value == found.value
                    && sheet.dom.parent(node).is_some()
                    && mail.node <= node
                    && node < sheet.dom.end(mail.node)
            };
            if mails.iter().any(linked) {
                continue;
            }
            let is_hidden = found.is_hidden || line.is_veiled(&found.part);
            mails.push(SeenMail {
                value: found.value,
                method: if is_hidden { ContactMethod::Deobfuscated } else { ContactMethod::Text },
                line: number,
                at: found.part.start,
                node,
                label: None,
            });
        }
    }
    mails.sort_by_key(|mail| (mail.line, mail.at));
    mails.truncate(MAX_SEEN);
    for mail in &mut mails {
        mail.label = label(sheet, mail);
    }
    mails
}

/// What stands before a mailbox in its line, or beside it.
fn label(sheet: &Sheet<'_, '_>, mail: &SeenMail) -> Option<String> {
    let text = sheet.label_before(mail.line, mail.at);
    let text = text.rsplit(['|', '·', '•', ';']).next().unwrap_or_default();
    // What belongs to the value before is no label of this one.
    let text = match text.rfind('@') {
        Some(at) => text.get(at..)?.split_once(' ').map_or("", |(_, rest)| rest),
        None => text,
    };
    let text = text.trim().trim_end_matches([':', '-', '–', '>', '»']).trim();
    (!text.is_empty() && text.len() <= 80).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
