//! Detects handles and links of messengers. Their names are in `data/messengers.tsv`.

use std::ops::Range;
use std::sync::LazyLock;

use text::vocabulary::{TermList, TermSet};

use super::contact_phrases::{ContactMatcher, matcher, matches};
use super::line::ScannedLine;
use crate::vocabulary;

/// Beginnings of links that open a conversation.
static LINKS: TermList = term_group!("messengers.tsv", "link");
/// Names without another meaning.
static MESSENGERS: TermSet = term_group!("messengers.tsv", "messenger");
/// Names with other meanings, accepted only before a colon or in upper case.
static AMBIGUOUS: TermSet = term_group!("messengers.tsv", "ambiguous");
/// Words between the name of a messenger and a handle: "WhatsApp App", "WeChat ID".
static WORDS_BETWEEN: TermSet = word_set!("messenger_words_between.txt");

static MATCHER: ContactMatcher = LazyLock::new(|| {
    let names = vocabulary::keyed(term_file!("messengers.tsv")).map(|(_, name)| name);
    matcher(&names.chain(["@"]).collect::<Vec<_>>())
});

/// Whether a text in lower case can have a messenger: a cheap check before `handles`.
pub(super) fn may_occur_in(text: &str) -> bool {
    matches(&MATCHER, text)
}

/// The positions of handles and links in a line.
pub(super) fn handles(line: &ScannedLine) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.lower.len() {
        let begins = at == 0 || line.lower.get(at - 1).is_some_and(|c| !c.is_alphanumeric());
        if !begins {
            at += 1;
            continue;
        }
        let handle = link(line, at).or_else(|| named(line, at)).or_else(|| bare(line, at));
        match handle {
            Some(part) => {
                at = part.end.max(at + 1);
                found.push(part);
            }
            None => at += 1,
        }
    }
    found
}

/// The link that begins at this position, with its scheme.
fn link(line: &ScannedLine, at: usize) -> Option<Range<usize>> {
    let rest = line.lower.get(at..)?;
    let starts = |prefix: &str| {
        let mut rest = rest.iter();
        prefix.chars().all(|c| rest.next() == Some(&c))
    };
    LINKS.iter().find(|link| starts(link))?;
    let length =
        rest.iter().take_while(|c| !c.is_whitespace() && !matches!(c, '"' | '<' | '>')).count();
    // The scheme and the host before the match are part of the link.
    let before = line.lower.get(..at)?.iter().rev().take(16);
    let scheme =
        before.take_while(|c| matches!(c, ':' | '/' | '.') || c.is_ascii_lowercase()).count();
    let has_scheme = line.lower.get(at - scheme..at)?.starts_with(&['h', 't', 't', 'p']);
    let start = if has_scheme { at - scheme } else { at };
    let end = at + length;
    let trailing = line
        .lower
        .get(start..end)?
        .iter()
        .rev()
        .take_while(|c| matches!(c, '.' | ',' | ')'))
        .count();
    Some(start..end - trailing)
}

/// The name of a messenger with the handle after it.
fn named(line: &ScannedLine, at: usize) -> Option<Range<usize>> {
    let length = line.lower.get(at..)?.iter().take(12).take_while(|c| c.is_alphanumeric()).count();
    let word: String = line.lower.get(at..at + length)?.iter().collect();
    let is_messenger = MESSENGERS.contains(word.as_str());
    let is_capital = line.chars.get(at..at + length)?.iter().all(|c| c.is_uppercase());
    if !is_messenger && !AMBIGUOUS.contains(word.as_str()) {
        return None;
    }
    let mut end = at + length;
    let (mut colon, mut id) = (false, false);
    // WhatsApp App, WeChat ID, LINE-ID, Telegram-Kanal: …
    while let Some(&c) = line.lower.get(end).filter(|_| end < at + length + 24) {
        if matches!(c, ':' | '：' | '=') {
            colon = true;
        } else if c.is_alphabetic() {
            let word: String =
                line.lower.get(end..)?.iter().take(10).take_while(|c| c.is_alphabetic()).collect();
            if colon || !WORDS_BETWEEN.contains(word.as_str()) {
                break;
            }
            id |= word == "id" || word == "nick" || word == "username";
            end += word.chars().count() - 1;
        } else if !(c.is_whitespace() || matches!(c, '-' | '.' | '(' | '–')) {
            break;
        }
        end += 1;
    }
    let rest = line.lower.get(end..)?;
    let is_handle = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '-');
    let handle = rest.iter().take(40).take_while(|c| is_handle(c)).count();
    let name = rest.get(..handle)?;
    let trailing = name.iter().rev().take_while(|c| matches!(c, '.' | '-')).count();
    let letters = name.iter().filter(|c| c.is_ascii_alphanumeric()).count();
    let has_sign = name.first() == Some(&'@');
    let is_labelled = has_sign || id || (colon && (is_messenger || is_capital || has_sign));
    (letters >= 3 && is_labelled).then_some(at..end + handle - trailing)
}

/// A handle of the form `@name`.
fn bare(line: &ScannedLine, at: usize) -> Option<Range<usize>> {
    (line.lower.get(at) == Some(&'@')).then_some(())?;
    let name = line.lower.get(at + 1..)?.iter().take(32);
    let length = name.take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count();
    let is_name = line.lower.get(at + 1).is_some_and(|c| c.is_ascii_alphabetic());
    (length >= 4 && is_name).then_some(at..at + 1 + length)
}
