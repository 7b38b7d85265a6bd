//! Decides which candidates of a text are mailboxes.

use std::ops::Range;

use text::mailbox::{AtSign, MailboxCandidate, MailboxScanner, may_occur_in};

use super::placeholder::is_own_domain;
use text::vocabulary::TermSet;

/// File extensions that look like a domain after "@": `logo@2x.png`.
static FILE_ENDINGS: TermSet = word_set!("email/file_endings.txt");

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScannedMailbox {
    /// The address in lower case.
    pub value: String,
    /// Byte range in the text.
    pub part: Range<usize>,
    /// Words or spaces replace "@" or a dot.
    pub is_obfuscated: bool,
    /// Spaces surround the "@": the text may be a sentence.
    pub is_loose: bool,
}

/// Finds the mailboxes of a text. A loose spelling is accepted only for the domain of `host`.
pub(crate) fn mailboxes(text: &str, host: &str) -> Vec<ScannedMailbox> {
    if !may_occur_in(&text.to_lowercase()) {
        return Vec::new();
    }
    let found = MailboxScanner::new(text).mailboxes(|candidate| is_mailbox(candidate, host));
    if found.is_empty() {
        return Vec::new();
    }
    let offsets: Vec<usize> = text.char_indices().map(|(byte, _)| byte).collect();
    let byte = |at: usize| offsets.get(at).copied().unwrap_or(text.len());
    let scanned = found.into_iter().map(|mailbox| ScannedMailbox {
        value: mailbox.value,
        part: byte(mailbox.span.start)..byte(mailbox.span.end),
        is_obfuscated: mailbox.is_obfuscated,
        is_loose: mailbox.is_loose,
    });
    scanned.collect()
}

/// Whether a candidate is surely a mailbox.
pub(super) fn is_mailbox(candidate: &MailboxCandidate, host: &str) -> bool {
    let is_known = candidate.has_known_ending();
    match candidate.at_sign {
        // "joh...n@firma.de" is masked.
        _ if candidate.follows_dots => false,
        AtSign::Plain if candidate.is_loose => is_known && is_own_domain(candidate.parts().1, host),
        AtSign::Plain => {
            let ending = candidate.ending();
            let may_end = (2..=18).contains(&ending.len())
                && ending.chars().all(|c| c.is_ascii_alphabetic())
                && !candidate.has_word_dot;
            // A longer unknown ending is a word: "write to info@firm.com.Anna will answer".
            let is_short = ending.len() <= 4 || is_own_domain(candidate.parts().1, host);
            !FILE_ENDINGS.contains(ending) && (is_known || may_end && is_short)
        }
        AtSign::Bracketed | AtSign::Unambiguous => is_known,
        AtSign::Marked => false,
        // "Look at this point in time" is a sentence.
        AtSign::Noun | AtSign::UpperCase | AtSign::Everyday => {
            is_known && candidate.has_word_dot && !candidate.is_sentence()
        }
    }
}
