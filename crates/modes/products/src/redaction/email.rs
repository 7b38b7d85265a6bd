//! Detects e-mail addresses, plain and obfuscated. Redaction must miss none: a certain "@" needs no
//! known domain, and an everyday word needs an obfuscated dot, a usual mailbox or a provider.

use std::ops::Range;

pub(super) use text::mailbox::may_occur_in;
use text::mailbox::{AtSign, MailboxCandidate, MailboxScanner};
use text::vocabulary::TermSet;

/// Usual names of shared mailboxes.
static MAILBOXES: TermSet = term_group!("email_words.tsv", "mailbox");
/// Names of free mail providers.
static PROVIDERS: TermSet = term_group!("email_words.tsv", "provider");

/// The positions of the e-mail addresses in a line, in characters.
pub(super) fn addresses(text: &str) -> Vec<Range<usize>> {
    let found = MailboxScanner::new(text).mailboxes(is_address);
    found.into_iter().map(|mailbox| mailbox.span).collect()
}

fn is_address(candidate: &MailboxCandidate) -> bool {
    let is_known = candidate.has_known_ending();
    let (name, domain) = candidate.parts();
    match candidate.at_sign {
        AtSign::Plain | AtSign::Bracketed | AtSign::Marked => {
            let ending = candidate.ending();
            let may_end = ending.chars().count() >= 2 && ending.chars().all(char::is_alphabetic);
            is_known || (may_end && !candidate.has_word_dot)
        }
        AtSign::Unambiguous | AtSign::Noun | AtSign::UpperCase => is_known,
        // "Look at example.com" is not an address.
        AtSign::Everyday => {
            let provider = domain.split('.').next().unwrap_or_default();
            let is_usual = MAILBOXES.contains(name) || PROVIDERS.contains(provider);
            let has_obfuscated_dot = (candidate.has_word_dot || candidate.has_spaced_dot)
                && candidate.has_common_ending()
                && !candidate.is_sentence();
            is_known && (has_obfuscated_dot || is_usual)
        }
    }
}
