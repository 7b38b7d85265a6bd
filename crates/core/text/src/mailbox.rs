//! Finds e-mail addresses in a text, plain or with words for "@" and dot.
//!
//! The scanner visits each possible "@" once and reads a bounded number of characters around it: the
//! time is linear in the length of the text.

use std::ops::Range;

mod candidate;
mod words;

pub use candidate::{AtSign, MailboxCandidate, is_top_level_domain};
pub use words::may_occur_in;
use words::{
    AT_WORDS, DOT_WORDS, EVERYDAY_AT_WORDS, EVERYDAY_DOT_WORDS, MARKED_AT_WORDS, MAX_WORD,
    NOUN_AT_WORDS, SHORT_AT_WORDS, UNAMBIGUOUS_AT_WORDS, is_in,
};

/// Maximum length of a local part and of a domain label, in characters.
const MAX_PART: usize = 64;

/// Maximum number of labels of a domain, and of parts of a local part with words for dots.
const MAX_LABELS: usize = 8;
const MAX_NAME_PARTS: usize = 4;

/// Maximum white space between two parts of an address.
const MAX_GAP: usize = 3;

/// Finds the e-mail addresses of one text.
#[derive(Debug)]
pub struct MailboxScanner {
    chars: Vec<char>,
    /// The characters in lower case, one for one.
    lower: Vec<char>,
}

/// The local part before an "@".
struct ScannedLocalPart {
    text: String,
    start: usize,
    /// No white space is between it and the "@".
    is_near: bool,
    is_obfuscated: bool,
    follows_dots: bool,
}

/// The domain after an "@".
struct DomainPart {
    text: String,
    end: usize,
    is_near: bool,
    has_word_dot: bool,
    has_everyday_dot: bool,
    has_spaced_dot: bool,
    /// White space parts its letters.
    is_spaced: bool,
}

/// How a text writes a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DotSign {
    Plain,
    /// The character with white space before it.
    Spaced,
    /// A word, with or without brackets.
    Word,
    /// A word without brackets that also occurs in sentences.
    EverydayWord,
}

/// A domain label and where it ends.
struct DomainLabel {
    text: String,
    end: usize,
    /// White space parts its letters.
    is_spaced: bool,
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '.' | '_' | '%' | '+' | '-' | '\'' | '&' | '’')
        || (c.is_alphabetic() && is_latin(c))
}

fn is_latin(c: char) -> bool {
    c < '\u{250}'
}

fn is_label(c: char) -> bool {
    c.is_alphanumeric() || c == '-'
}

impl MailboxScanner {
    pub fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let lower = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
        Self { chars, lower }
    }

    /// The addresses that `accept` accepts, in their order and without overlaps.
    pub fn mailboxes(&self, accept: impl Fn(&MailboxCandidate) -> bool) -> Vec<MailboxCandidate> {
        let mut found: Vec<MailboxCandidate> = Vec::new();
        let mut at = 0;
        while at < self.lower.len() {
            let candidate = self.at_sign(at).and_then(|(kind, sign)| self.candidate(kind, &sign));
            match candidate.filter(&accept) {
                Some(mailbox) => {
                    at = mailbox.span.end.max(at + 1);
                    if found.last().is_none_or(|last| last.span.end <= mailbox.span.start) {
                        found.push(mailbox);
                    }
                }
                None => at += 1,
            }
        }
        found
    }

    fn get(&self, at: usize) -> Option<char> {
        self.lower.get(at).copied()
    }

    fn slice(&self, part: Range<usize>) -> &[char] {
        self.lower.get(part).unwrap_or_default()
    }

    /// The length of the white space at a position.
    fn spaces(&self, from: usize) -> usize {
        self.lower.iter().skip(from).take(MAX_GAP).take_while(|c| c.is_whitespace()).count()
    }

    /// Where the white space that ends at a position begins.
    fn before_spaces(&self, end: usize) -> usize {
        let before = self.slice(0..end).iter().rev();
        end - before.take(MAX_GAP).take_while(|c| c.is_whitespace()).count()
    }

    /// The word in brackets at a position, and where the brackets end.
    fn bracketed(&self, at: usize) -> Option<(&[char], usize)> {
        let close = match self.get(at)? {
            '[' => ']',
            '(' => ')',
            '{' => '}',
            '<' => '>',
            '«' => '»',
            mark @ ('|' | '_' | '*' | '-') => mark,
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
        let length = rest
            .iter()
            .take(MAX_WORD)
            .position(|c| *c == close || c.is_whitespace() || matches!(c, ']' | ')' | '}' | '='))?;
        let word = rest.get(..length)?;
        let mut end = from + length;
        while self.get(end).is_some_and(|c| matches!(c, ' ' | '=')) && end < from + length + 2 {
            end += 1;
        }
        // Marks close once, brackets as often as they open.
        let most = if matches!(close, '|' | '_' | '*' | '-') { 1 } else { 4 };
        let closing = self.lower.iter().skip(end).take(most).take_while(|c| **c == close).count();
        (closing > 0).then_some((word, end + closing))
    }

    /// The word between spaces after a position, and where it begins and ends.
    fn spaced(&self, at: usize) -> Option<(&[char], Range<usize>)> {
        let begin = at + self.spaces(at);
        let rest = self.lower.get(begin..).filter(|_| begin > at)?;
        let length = rest.iter().take(MAX_WORD).take_while(|c| c.is_alphanumeric()).count();
        let end = begin + length;
        let is_parted = self.get(end).is_some_and(char::is_whitespace);
        (length > 0 && is_parted).then(|| (&rest[..length], begin..end))
    }

    /// The "@" at a position, and where it is.
    fn at_sign(&self, at: usize) -> Option<(AtSign, Range<usize>)> {
        let c = self.get(at)?;
        match c {
            '@' | '＠' => Some((AtSign::Plain, at..at + 1)),
            '[' | '(' | '{' | '<' | '«' | '|' | '_' | '*' | '-' => {
                let (word, end) = self.bracketed(at)?;
                let is_sure = if matches!(c, '|' | '_' | '*' | '-') {
                    *word == ['a', 't'] || is_in(&UNAMBIGUOUS_AT_WORDS, word)
                } else {
                    let is_near = at > 0 && self.get(at - 1).is_some_and(is_name);
                    is_in(&AT_WORDS, word) && (is_near || !is_in(&SHORT_AT_WORDS, word))
                };
                let kind = if is_sure { AtSign::Bracketed } else { AtSign::Marked };
                (is_sure || is_in(&MARKED_AT_WORDS, word)).then_some((kind, at..end))
            }
            _ if c.is_whitespace() => {
                let (word, part) = self.spaced(at)?;
                let is_upper = self.chars.get(part.start).is_some_and(|c| c.is_uppercase());
                let kind = if is_in(&UNAMBIGUOUS_AT_WORDS, word) {
                    AtSign::Unambiguous
                } else if is_in(&NOUN_AT_WORDS, word) {
                    AtSign::Noun
                } else if is_upper && *word == ['a', 't'] {
                    AtSign::UpperCase
                } else if is_in(&EVERYDAY_AT_WORDS, word) {
                    AtSign::Everyday
                } else {
                    return None;
                };
                Some((kind, at..part.end))
            }
            _ => None,
        }
    }

    /// The address around an "@".
    fn candidate(&self, at_sign: AtSign, sign: &Range<usize>) -> Option<MailboxCandidate> {
        let name = self.local_part(at_sign, sign.start)?;
        let domain = self.domain(sign.end)?;
        let value = format!("{}@{}", name.text, domain.text);
        let is_obfuscated = at_sign != AtSign::Plain
            || name.is_obfuscated
            || domain.is_spaced
            || domain.has_word_dot
            || domain.has_spaced_dot;
        let is_tight = name.is_near && domain.is_near && !domain.has_spaced_dot;
        (value.len() <= 254).then_some(MailboxCandidate {
            value,
            span: name.start..domain.end,
            at_sign,
            has_word_dot: domain.has_word_dot,
            has_everyday_dot: domain.has_everyday_dot,
            has_spaced_dot: domain.has_spaced_dot,
            follows_dots: name.follows_dots,
            is_obfuscated,
            is_loose: at_sign == AtSign::Plain && !is_tight,
        })
    }

    fn local_part(&self, at_sign: AtSign, sign: usize) -> Option<ScannedLocalPart> {
        let end = self.before_spaces(sign);
        let mut start = self.name_start(end);
        let mut text = self.trimmed_name(start..end)?;
        let mut is_obfuscated = false;
        if end - start == 1 {
            // Letters with spaces between them: i n f o @ …
            let first = self.first_spaced_letter(start);
            if start - first >= 4 {
                (start, is_obfuscated) = (first, true);
                text = self.slice(first..end).iter().filter(|c| !c.is_whitespace()).collect();
            }
        }
        // max (dot) muster (at) …
        let mut count = 1;
        while count < MAX_NAME_PARTS && at_sign != AtSign::Plain {
            let Some(before) = self.dot_before(start) else { break };
            let first = self.name_start(before);
            let Some(part) = self.trimmed_name(first..before) else { break };
            text = format!("{part}.{text}");
            (start, is_obfuscated, count) = (first, true, count + 1);
        }
        let text = text.trim_start_matches(['\'', '’', '&', '-', '.', '%', '+']);
        // "Write to us...max@firma.de"
        let (text, follows_dots) = match text.rsplit_once("..") {
            Some((_, behind)) => (behind, true),
            None => (text, false),
        };
        text.chars().any(char::is_alphanumeric).then(|| ScannedLocalPart {
            text: text.to_owned(),
            start,
            is_near: end == sign,
            is_obfuscated,
            follows_dots,
        })
    }

    fn name_start(&self, end: usize) -> usize {
        let before = self.slice(0..end).iter().rev();
        end - before.take(MAX_PART).take_while(|c| is_name(**c)).count()
    }

    fn trimmed_name(&self, part: Range<usize>) -> Option<String> {
        let text: String = self.slice(part).iter().collect();
        let text = text.trim_end_matches(['.', '-', '\'', '’']);
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The first of the letters before a position that stand alone between spaces.
    fn first_spaced_letter(&self, start: usize) -> usize {
        let mut first = start;
        while let Some(before) = first.checked_sub(2).filter(|_| start - first < MAX_PART) {
            let is_letter = self.get(before).is_some_and(is_name);
            let is_space = |at: usize| self.get(at).is_some_and(char::is_whitespace);
            if !(is_letter && is_space(before + 1) && (before == 0 || is_space(before - 1))) {
                break;
            }
            first = before;
        }
        first
    }

    /// Where the word for a dot that ends at a position begins, with the space before it.
    fn dot_before(&self, end: usize) -> Option<usize> {
        let at = self.before_spaces(end);
        (at.saturating_sub(10)..at).rev().find_map(|begin| {
            let (word, stop) = self.bracketed(begin)?;
            let is_dot = stop == at && is_in(&DOT_WORDS, word);
            is_dot.then(|| self.before_spaces(begin))
        })
    }

    /// The dot at a position, and where it ends with the space after it.
    fn dot(&self, at: usize) -> Option<(DotSign, usize)> {
        let begin = at + self.spaces(at);
        let after_spaces = |end: usize| end + self.spaces(end);
        if self.get(begin) == Some('.') {
            return Some(match begin > at {
                true => (DotSign::Spaced, after_spaces(begin + 1)),
                false => (DotSign::Plain, at + 1),
            });
        }
        if let Some((word, end)) = self.bracketed(begin)
            && is_in(&DOT_WORDS, word)
        {
            return Some((DotSign::Word, after_spaces(end)));
        }
        let (word, part) = self.spaced(at).filter(|(word, _)| is_in(&DOT_WORDS, word))?;
        let is_everyday = is_in(&EVERYDAY_DOT_WORDS, word);
        let dot = if is_everyday { DotSign::EverydayWord } else { DotSign::Word };
        Some((dot, after_spaces(part.end)))
    }

    fn domain(&self, sign_end: usize) -> Option<DomainPart> {
        let gap = self.spaces(sign_end);
        let DomainLabel { mut text, mut end, mut is_spaced } = self.label(sign_end + gap)?;
        let (mut has_word_dot, mut has_everyday_dot) = (false, false);
        let (mut has_spaced_dot, mut count) = (false, 1);
        let mut last = text.clone();
        while count < MAX_LABELS {
            let Some((dot, after)) = self.dot(end) else { break };
            if dot != DotSign::Plain {
                // "info@firm.de . It is …": a domain with plain dots is complete.
                let has_plain_dots = count > 1 && !has_word_dot && !has_spaced_dot;
                if has_plain_dots && is_top_level_domain(&last) {
                    break;
                }
            }
            let Some(next) = self.label(after) else { break };
            let may_end = is_top_level_domain(&next.text) || self.dot(next.end).is_some();
            if dot != DotSign::Plain && !may_end {
                break;
            }
            text.push('.');
            text.push_str(&next.text);
            has_word_dot |= matches!(dot, DotSign::Word | DotSign::EverydayWord);
            has_everyday_dot |= dot == DotSign::EverydayWord;
            has_spaced_dot |= dot == DotSign::Spaced;
            is_spaced |= next.is_spaced;
            (end, last, count) = (next.end, next.text, count + 1);
        }
        let is_near = gap == 0;
        (count > 1).then_some(DomainPart {
            text,
            end,
            is_near,
            has_word_dot,
            has_everyday_dot,
            has_spaced_dot,
            is_spaced,
        })
    }

    /// The domain label at a position.
    fn label(&self, from: usize) -> Option<DomainLabel> {
        let rest = self.lower.get(from..)?;
        let is_latin_label = rest.first().copied().is_some_and(is_latin);
        let whole = rest.iter().take(MAX_PART).take_while(|c| is_label(**c)).count();
        let is_same_script = |c: &&char| is_latin(**c) == is_latin_label;
        let head = rest.iter().take(whole).take_while(is_same_script).count();
        // "firm.test電話" is two words, "firmд.test" has a label of two scripts.
        let is_mixed = head < whole
            && rest.get(whole) == Some(&'.')
            && !is_top_level_domain(&String::from_iter(&rest[..head]));
        let length = if is_mixed { whole } else { head };
        let mut text: String = rest.iter().take(length).collect();
        let mut end = from + length;
        let mut is_spaced = false;
        if length == 1 {
            // Letters with spaces between them: s h o p . d e
            while let [gap, letter, rest @ ..] = self.lower.get(end..).unwrap_or_default() {
                let is_alone = rest.first().is_none_or(|c| !is_label(*c));
                if !(gap.is_whitespace() && is_label(*letter) && is_alone) || end - from > MAX_PART
                {
                    break;
                }
                text.push(*letter);
                (end, is_spaced) = (end + 2, true);
            }
        } else if let Some(turn) = self.camel_case_turn(from..end)
            && !is_top_level_domain(&text)
            && self.get(end) != Some('.')
        {
            // "firm.deTel": two texts without a space between them.
            let head: String = rest.iter().take(turn).collect();
            if is_top_level_domain(&head) {
                (text, end) = (head, from + turn);
            }
        }
        let text = text.trim_end_matches('-');
        let is_valid = !text.is_empty() && !text.starts_with('-');
        is_valid.then(|| DomainLabel { text: text.to_owned(), end, is_spaced })
    }

    /// The offset of the first upper-case letter after a lower-case one.
    fn camel_case_turn(&self, part: Range<usize>) -> Option<usize> {
        let mut pairs = self.chars.get(part)?.windows(2);
        pairs.position(|pair| pair[1].is_uppercase() && !pair[0].is_uppercase()).map(|at| at + 1)
    }
}

#[cfg(test)]
mod tests;
