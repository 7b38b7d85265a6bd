//! Finds mailboxes in a text, plain or with words for "@" and dot.
//!
//! The scanner visits each possible "@" once and reads a bounded number of characters around
//! it: the time is linear in the length of the text.

use std::ops::Range;

use super::tld;
use crate::vocabulary::TermSet;

static AT_WORDS: TermSet = word_set!("email/at_words.txt");
static UNAMBIGUOUS_AT: TermSet = word_set!("email/at_words_unambiguous.txt");
static DOT_WORDS: TermSet = word_set!("email/dot_words.txt");
static EVERYDAY_AT: TermSet = word_set!("email/at_words_everyday.txt");

/// Maximum length of a local part and of a domain label, in characters.
const MAX_PART: usize = 64;

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
    if !may_hold(text) {
        return Vec::new();
    }
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let lower: Vec<char> =
        chars.iter().map(|(_, c)| c.to_lowercase().next().unwrap_or(*c)).collect();
    let scan = MailboxScanner { lower: &lower, chars: &chars };
    let mut found: Vec<ScannedMailbox> = Vec::new();
    let mut at = 0;
    while at < lower.len() {
        let written = scan.sign(at).and_then(|sign| scan.mailbox(&sign, host));
        match written {
            Some((written, end)) => {
                at = end.max(at + 1);
                if found.last().is_none_or(|last| last.part.end <= written.part.start) {
                    found.push(written);
                }
            }
            None => at += 1,
        }
    }
    found
}

fn may_hold(text: &str) -> bool {
    if text.contains(['@', '＠', '[', '(', '{', '<', '_', '*', '|']) {
        return true;
    }
    let lower = text.to_lowercase();
    [" at ", " chez ", "-at-"].iter().chain(UNAMBIGUOUS_AT.iter()).any(|word| lower.contains(word))
}

/// How a text writes "@".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtSignKind {
    /// The character `@` itself.
    Plain,
    /// A word within brackets: "[at]".
    Bracketed,
    /// A word without another meaning.
    Unambiguous,
    /// An everyday word such as "at".
    Everyday,
}

struct EmailAtSign {
    part: Range<usize>,
    kind: AtSignKind,
}

struct MailboxScanner<'t> {
    lower: &'t [char],
    chars: &'t [(usize, char)],
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '.' | '_' | '%' | '+' | '-' | '\'' | '&' | '’')
        || (c.is_alphabetic() && c < '\u{250}')
}

fn is_label(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || (c.is_alphabetic() && c < '\u{250}')
}

impl MailboxScanner<'_> {
    fn get(&self, at: usize) -> Option<char> {
        self.lower.get(at).copied()
    }

    fn spaces(&self, from: usize) -> usize {
        self.lower.iter().skip(from).take(3).take_while(|c| c.is_whitespace()).count()
    }

    /// The word in brackets at a position, and where the brackets end.
    fn bracketed(&self, at: usize) -> Option<(String, usize)> {
        let close: &[char] = match self.get(at)? {
            '[' => &[']'],
            '(' => &[')'],
            '{' => &['}'],
            '<' => &['>'],
            '«' => &['»'],
            '|' => &['|'],
            '_' => &['_'],
            '*' => &['*'],
            '-' => &['-'],
            _ => return None,
        };
        let mut from = at + 1;
        // ((at)), [[at]], -=at=-
        while self.get(from).is_some_and(|c| matches!(c, '[' | '(' | '=' | ' ' | '-'))
            && from < at + 4
        {
            from += 1;
        }
        let rest = self.lower.get(from..)?;
        let length = rest.iter().take(14).position(|c| {
            close.contains(c) || c.is_whitespace() || matches!(c, ']' | ')' | '}' | '=')
        })?;
        let word: String = rest.get(..length)?.iter().collect();
        let mut end = from + length;
        while self.get(end).is_some_and(|c| matches!(c, ' ' | '=')) && end < from + length + 2 {
            end += 1;
        }
        let mut is_closed = false;
        while self.get(end).is_some_and(|c| close.contains(&c)) && end < from + length + 4 {
            end += 1;
            is_closed = true;
            if matches!(close, ['_' | '*' | '|' | '-']) {
                break;
            }
        }
        is_closed.then_some((word, end))
    }

    /// The word between spaces after a position.
    fn spaced(&self, at: usize) -> Option<(String, usize)> {
        let begin = at + self.spaces(at);
        (begin > at).then_some(())?;
        let rest = self.lower.get(begin..)?;
        let length = rest.iter().take(14).take_while(|c| c.is_alphanumeric()).count();
        let end = begin + length;
        let is_parted = self.get(end).is_some_and(char::is_whitespace);
        (length > 0 && is_parted).then(|| (rest.iter().take(length).collect(), end))
    }

    fn sign(&self, at: usize) -> Option<EmailAtSign> {
        let c = self.get(at)?;
        match c {
            '@' | '＠' => Some(EmailAtSign { part: at..at + 1, kind: AtSignKind::Plain }),
            '[' | '(' | '{' | '<' | '«' | '|' | '_' | '*' | '-' => {
                let (word, end) = self.bracketed(at)?;
                let is_word = if matches!(c, '|' | '_' | '*' | '-') {
                    word == "at" || word == "ät" || UNAMBIGUOUS_AT.contains(word.as_str())
                } else {
                    let is_short =
                        matches!(word.as_str(), "a" | "em" | "ad" | "et" | "bij" | "chez");
                    let is_near = at > 0 && self.get(at - 1).is_some_and(is_name);
                    AT_WORDS.contains(word.as_str()) && (!is_short || is_near)
                };
                is_word.then_some(EmailAtSign { part: at..end, kind: AtSignKind::Bracketed })
            }
            _ if c.is_whitespace() => {
                let (word, end) = self.spaced(at)?;
                let kind = if UNAMBIGUOUS_AT.contains(word.as_str()) {
                    AtSignKind::Unambiguous
                } else if EVERYDAY_AT.contains(word.as_str()) {
                    AtSignKind::Everyday
                } else {
                    return None;
                };
                Some(EmailAtSign { part: at..end, kind })
            }
            _ => None,
        }
    }

    /// The mailbox around an "@", and where it ends.
    fn mailbox(&self, sign: &EmailAtSign, host: &str) -> Option<(ScannedMailbox, usize)> {
        let (name, start, near_before, is_name_obfuscated) = self.name(sign)?;
        let domain = self.domain(sign)?;
        let is_obfuscated =
            sign.kind != AtSignKind::Plain || domain.is_obfuscated || is_name_obfuscated;
        let is_loose = sign.kind == AtSignKind::Plain && (!near_before || !domain.is_near);
        let last = domain.text.rsplit('.').next().unwrap_or_default();
        let is_known = tld::is_known(last);
        let is_own = super::placeholder::is_own_domain(&domain.text, host);
        let is_mailbox = match sign.kind {
            AtSignKind::Plain if is_loose => is_known && is_own,
            AtSignKind::Plain => {
                is_known
                    || (!domain.is_obfuscated
                        && (2..=18).contains(&last.len())
                        && last.chars().all(|c| c.is_ascii_alphabetic())
                        && !tld::is_file(last))
            }
            AtSignKind::Bracketed | AtSignKind::Unambiguous => is_known,
            AtSignKind::Everyday => is_known && domain.is_obfuscated,
        };
        let bytes = |at: usize| self.chars.get(at).map(|(byte, _)| *byte);
        let from = bytes(start)?;
        let to =
            bytes(domain.end).or_else(|| self.chars.last().map(|(byte, c)| byte + c.len_utf8()))?;
        let value = format!("{name}@{}", domain.text);
        let fits = is_mailbox && value.len() <= 254 && !domain.text.contains("..");
        fits.then_some((
            ScannedMailbox { value, part: from..to, is_obfuscated, is_loose },
            domain.end,
        ))
    }

    /// The local part before an "@": text, start, whether it is adjacent, whether it is
    /// obfuscated.
    fn name(&self, sign: &EmailAtSign) -> Option<(String, usize, bool, bool)> {
        let mut end = sign.part.start;
        while end > 0
            && sign.part.start - end < 3
            && self.get(end - 1).is_some_and(char::is_whitespace)
        {
            end -= 1;
        }
        let is_near = end == sign.part.start;
        let mut start = self.name_start(end);
        let mut parts = vec![self.trimmed(start, end)?];
        let mut is_obfuscated = false;
        // max (dot) muster (at) …
        while parts.len() < 4 && sign.kind != AtSignKind::Plain {
            let Some((before, stop)) = self.dot_before(start) else { break };
            let first = self.name_start(before);
            let Some(part) = self.trimmed(first, before) else { break };
            is_obfuscated |= stop;
            parts.insert(0, part);
            start = first;
        }
        let name = parts.join(".");
        let name = name.trim_start_matches(['\'', '’', '&', '-', '.', '%', '+']).to_owned();
        (!name.is_empty() && name.chars().any(char::is_alphanumeric) && !name.contains(".."))
            .then_some((name, start, is_near, is_obfuscated))
    }

    fn name_start(&self, end: usize) -> usize {
        let before = self.lower.get(..end).unwrap_or_default();
        let length = before.iter().rev().take(MAX_PART).take_while(|c| is_name(**c)).count();
        end - length
    }

    fn trimmed(&self, start: usize, end: usize) -> Option<String> {
        let text: String = self.lower.get(start..end)?.iter().collect();
        let text = text.trim_end_matches(['.', '-', '\'', '’']);
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A dot as a word that ends at a position: where it begins.
    fn dot_before(&self, end: usize) -> Option<(usize, bool)> {
        let mut at = end;
        while at > 0 && end - at < 3 && self.get(at - 1).is_some_and(char::is_whitespace) {
            at -= 1;
        }
        let from = at.saturating_sub(10);
        (from..at).rev().find_map(|begin| {
            let (word, stop) = self.bracketed(begin)?;
            let mut before = begin;
            while before > 0
                && begin - before < 3
                && self.get(before - 1).is_some_and(char::is_whitespace)
            {
                before -= 1;
            }
            (stop == at && DOT_WORDS.contains(word.as_str())).then_some((before, true))
        })
    }

    /// A dot at a position, plain or as a word: where it ends, and whether it is obfuscated.
    fn dot(&self, at: usize) -> Option<(usize, bool)> {
        if self.get(at) == Some('.') {
            return Some((at + 1, false));
        }
        let begin = at + self.spaces(at);
        if let Some((word, end)) = self.bracketed(begin)
            && DOT_WORDS.contains(word.as_str())
        {
            return Some((end + self.spaces(end), true));
        }
        let (word, end) = self.spaced(at)?;
        (DOT_WORDS.contains(word.as_str()) && word != ".").then(|| (end + self.spaces(end), true))
    }

    fn domain(&self, sign: &EmailAtSign) -> Option<ScannedDomain> {
        let gap = self.spaces(sign.part.end);
        let mut at = sign.part.end + gap;
        let (mut text, mut end) = self.label(at)?;
        let (mut is_obfuscated, mut count) = (false, 1);
        while count < 8 {
            let Some((after, hidden)) = self.dot(end) else { break };
            let Some((next, next_end)) = self.label(after) else { break };
            let ends_known = tld::is_known(&next);
            if hidden && !ends_known && self.dot(next_end).is_none() {
                break;
            }
            is_obfuscated |= hidden;
            text.push('.');
            text.push_str(&next);
            (at, end, count) = (after, next_end, count + 1);
        }
        (count > 1 && at > sign.part.end).then_some(ScannedDomain {
            text,
            end,
            is_obfuscated,
            is_near: gap == 0,
        })
    }

    /// A domain label and where it ends.
    fn label(&self, from: usize) -> Option<(String, usize)> {
        let rest = self.lower.get(from..)?;
        let length = rest.iter().take(MAX_PART).take_while(|c| is_label(**c)).count();
        let mut text: String = rest.get(..length)?.iter().collect();
        let mut end = from + length;
        // "firm.deTel": two texts without a space between them.
        if !tld::is_known(&text) {
            let turn = (1..length).find(|at| {
                let upper =
                    |at: usize| self.chars.get(from + at).is_some_and(|(_, c)| c.is_uppercase());
                upper(*at) && !upper(at - 1)
            });
            if let Some(turn) = turn {
                let head: String = rest.get(..turn)?.iter().collect();
                if tld::is_known(&head) && self.get(end) != Some('.') {
                    (text, end) = (head, from + turn);
                }
            }
        }
        let text = text.trim_end_matches('-');
        (!text.is_empty() && !text.starts_with('-')).then(|| (text.to_owned(), end))
    }
}

struct ScannedDomain {
    text: String,
    end: usize,
    is_obfuscated: bool,
    is_near: bool,
}
