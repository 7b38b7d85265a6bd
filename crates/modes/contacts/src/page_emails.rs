//! The mailboxes of a page, each with its position.

use contract::ContactMethod;

use crate::email;
use crate::visible_text::VisibleText;
use html::dom::{Element, NodeId};

/// Maximum mailboxes per page.
const MAX_EMAILS: usize = 400;

/// A mailbox with its position on the page.
#[derive(Debug, Clone)]
pub(crate) struct EmailOccurrence {
    /// The address in lower case.
    pub value: String,
    pub method: ContactMethod,
    /// Line number, and byte offset in the line.
    pub line: usize,
    pub at: usize,
    pub node: NodeId,
    /// Text before the mailbox, or text of its link.
    pub label: Option<String>,
}

/// The mailboxes of a page, in reading order.
pub(crate) fn read(page: &VisibleText<'_, '_>, host: &str) -> Vec<EmailOccurrence> {
    let mut mails: Vec<EmailOccurrence> = Vec::new();
    for hidden in page.embedded.iter().filter(|value| value.method != ContactMethod::Tel) {
        if mails.len() >= MAX_EMAILS {
            break;
        }
        let Some(value) = email::normalize(&hidden.text, host) else { continue };
        let text = page.lines.get(hidden.line).map_or("", |line| line.text.as_str());
        if email::placeholder::is_trap_line(text) {
            continue;
        }
        mails.push(EmailOccurrence {
            value,
            method: hidden.method,
            line: hidden.line,
            at: hidden.at,
            node: hidden.node,
            label: None,
        });
    }
    for (number, line) in page.lines.iter().enumerate() {
        if mails.len() >= 2 * MAX_EMAILS || email::placeholder::is_trap_line(&line.text) {
            continue;
        }
        for found in email::mailboxes(&line.text, host) {
            let node = line.node_at(found.part.start);
            if email::is_placeholder(&found.value, host) || mails.len() >= 2 * MAX_EMAILS {
                continue;
            }
            // "@anna@muster.test" is a handle on a federated network.
            let is_handle =
                line.text.get(..found.part.start).is_some_and(|head| head.ends_with('@'));
            if is_handle || is_sample(page, node, &found.value, host) {
                continue;
            }
            // A link text that repeats the address of its link adds nothing.
            let linked = |mail: &EmailOccurrence| {
                mail.value == found.value
                    && page.dom.parent(node).is_some()
                    && page.dom.contains(mail.node, node)
            };
            if mails.iter().any(linked) {
                continue;
            }
            let is_obfuscated = found.is_obfuscated || line.is_obfuscated(&found.part);
            mails.push(EmailOccurrence {
                value: found.value,
                method: if is_obfuscated {
                    ContactMethod::Deobfuscated
                } else {
                    ContactMethod::Text
                },
                line: number,
                at: found.part.start,
                node,
                label: None,
            });
        }
    }
    mails.sort_by_key(|mail| (mail.line, mail.at));
    mails.truncate(MAX_EMAILS);
    for mail in &mut mails {
        mail.label = label(page, mail);
    }
    mails
}

/// Whether a mailbox is in source code, and not at the domain of the site.
fn is_sample(page: &VisibleText<'_, '_>, node: NodeId, mailbox: &str, host: &str) -> bool {
    let domain = mailbox.split_once('@').map_or("", |(_, domain)| domain);
    !email::is_own_domain(domain, host)
        && page.nearest(node, &[Element::Pre, Element::Code]).is_some()
}

/// The label before a mailbox or in the cell beside it.
fn label(page: &VisibleText<'_, '_>, mail: &EmailOccurrence) -> Option<String> {
    let text = page.label_before(mail.line, mail.at);
    let text = text.rsplit(['|', '·', '•', ';']).next().unwrap_or_default();
    // Text before another mailbox does not label this one.
    let text = match text.rfind('@') {
        Some(at) => text.get(at..)?.split_once(' ').map_or("", |(_, rest)| rest),
        None => text,
    };
    let text = text.trim().trim_end_matches([':', '-', '–', '>', '»']).trim();
    (!text.is_empty() && text.len() <= 80).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
