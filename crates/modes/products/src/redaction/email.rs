//! Detects e-mail addresses, plain and obfuscated. The words of obfuscated addresses are in
//! `data/email_words.tsv`.

use std::ops::Range;
use std::sync::LazyLock;

use hashbrown::HashSet;

use super::contact_phrases::{ContactMatcher, matcher, matches};
use super::line::ScannedLine;
use crate::vocabulary;

struct EmailWords {
    /// Words for `@` in brackets.
    at: HashSet<&'static str>,
    /// Words for `@` that have no everyday meaning: they need no brackets.
    at_unambiguous: HashSet<&'static str>,
    /// Words that replace a dot.
    dot: HashSet<&'static str>,
    /// Usual names of shared mailboxes.
    mailboxes: HashSet<&'static str>,
    /// Domain endings that are accepted after a hidden dot.
    domain_endings: HashSet<&'static str>,
    /// Names of free mail providers.
    providers: HashSet<&'static str>,
}

const FILE: &str = include_str!("../../data/email_words.tsv");

static WORDS: LazyLock<EmailWords> = LazyLock::new(|| EmailWords {
    at: vocabulary::set(FILE, "at"),
    at_unambiguous: vocabulary::set(FILE, "at_unambiguous"),
    dot: vocabulary::set(FILE, "dot"),
    mailboxes: vocabulary::set(FILE, "mailbox"),
    domain_endings: vocabulary::set(FILE, "domain_ending"),
    providers: vocabulary::set(FILE, "provider"),
});

const MAX_NAME: usize = 64;

static MATCHER: ContactMatcher = LazyLock::new(|| {
    let plain = ["@", "＠", " at ", "\u{a0}at\u{a0}", "_at_", "-at-", "*at*"].map(str::to_owned);
    let bracketed = vocabulary::group(FILE, "at")
        .flat_map(|word| ["[", "(", "{", "<", "[ ", "( "].map(|open| format!("{open}{word}")));
    let unambiguous = vocabulary::group(FILE, "at_unambiguous").map(str::to_owned);
    let all: Vec<String> = plain.into_iter().chain(bracketed).chain(unambiguous).collect();
    matcher(&all)
});

/// Whether a text in lower case can have an address: a cheap check before `addresses`.
pub(super) fn may_occur_in(text: &str) -> bool {
    matches(&MATCHER, text)
}

/// The positions of the e-mail addresses in a line.
pub(super) fn addresses(line: &ScannedLine) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < line.lower.len() {
        match at_sign(line, at).and_then(|sign| address(line, &sign)) {
            Some(part) => {
                at = part.end.max(at + 1);
                found.push(part);
            }
            None => at += 1,
        }
    }
    found
}

/// The `@` of an address, or what replaces it.
#[derive(Debug, Clone)]
struct AtSign {
    part: Range<usize>,
    strength: AtSignStrength,
}

/// How strongly the at sign alone indicates an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtSignStrength {
    /// `@`, or a word for it in brackets.
    Certain,
    /// A word without another meaning, or "AT" in upper case.
    Strong,
    /// An everyday word such as "at".
    Weak,
}

/// The at sign at this position.
fn at_sign(line: &ScannedLine, at: usize) -> Option<AtSign> {
    let c = *line.lower.get(at)?;
    match c {
        '@' | '＠' => Some(AtSign { part: at..at + 1, strength: AtSignStrength::Certain }),
        '[' | '(' | '{' | '<' | '_' | '-' | '*' => {
            let (word, end) = bracketed(&line.lower, at)?;
            WORDS
                .at
                .contains(word.as_str())
                .then_some(AtSign { part: at..end, strength: AtSignStrength::Certain })
        }
        _ if c.is_whitespace() => {
            let begin = at + spaces(&line.lower, at);
            let length = letters(&line.lower, begin).min(13);
            let end = begin + length;
            let word: String = line.lower.get(begin..end)?.iter().collect();
            let is_parted = line.lower.get(end).is_some_and(|c| c.is_whitespace());
            let is_strong = WORDS.at_unambiguous.contains(word.as_str())
                || (word == "at" && line.chars.get(begin) == Some(&'A'));
            let strength = if is_strong { AtSignStrength::Strong } else { AtSignStrength::Weak };
            (is_parted && (is_strong || word == "at")).then_some(AtSign { part: at..end, strength })
        }
        _ => None,
    }
}

/// The address around an at sign.
fn address(line: &ScannedLine, sign: &AtSign) -> Option<Range<usize>> {
    let start = name(&line.lower, sign.part.start)?;
    let DomainSpan { end, is_hidden, ending, first } = domain(&line.lower, sign.part.end)?;
    let name: String =
        line.lower.get(start..sign.part.start)?.iter().filter(|c| !c.is_whitespace()).collect();
    let known = WORDS.domain_endings.contains(ending.as_str());
    let is_address = match sign.strength {
        AtSignStrength::Certain => known || !is_hidden,
        AtSignStrength::Strong => known,
        // "Look at example.com" is not an address.
        AtSignStrength::Weak => {
            known
                && (is_hidden
                    || WORDS.mailboxes.contains(name.as_str())
                    || WORDS.providers.contains(first.as_str()))
        }
    };
    is_address.then_some(start..end)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '.' | '_' | '%' | '+' | '-')
        || (c.is_alphabetic() && c < '\u{250}')
}

/// Where the local part that ends at `end` begins. Its letters may be spaced out.
fn name(lower: &[char], end: usize) -> Option<usize> {
    let mut at = end;
    while at > 0 && end - at < 3 && lower.get(at - 1).is_some_and(|c| c.is_whitespace()) {
        at -= 1;
    }
    let length = |end: usize| {
        lower
            .get(..end)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(MAX_NAME)
            .take_while(|c| is_name(**c))
            .count()
    };
    let first = length(at);
    (first > 0).then_some(())?;
    let mut start = at - first;
    // Spaced letters: i n f o @ …
    while let Some(before) = start.checked_sub(2).filter(|_| end - start < MAX_NAME && first == 1) {
        let is_letter = lower.get(before).is_some_and(|c| is_name(*c));
        let is_alone = before == 0 || lower.get(before - 1).is_some_and(|c| c.is_whitespace());
        if !(is_letter && is_alone && lower.get(before + 1).is_some_and(|c| c.is_whitespace())) {
            break;
        }
        start = before;
    }
    lower.get(start..at)?.iter().any(|c| c.is_alphanumeric()).then_some(start)
}

struct DomainSpan {
    end: usize,
    /// Whether a dot is written as a word or surrounded by spaces.
    is_hidden: bool,
    ending: String,
    first: String,
}

/// The domain after this position: labels with dots between them, written or hidden.
fn domain(lower: &[char], from: usize) -> Option<DomainSpan> {
    let mut at = from + spaces(lower, from).min(3);
    let (first, mut end) = label(lower, at)?;
    let (mut ending, mut is_hidden, mut count) = (first.clone(), false, 1);
    while count < 8 {
        let Some((behind, hidden)) = dot(lower, end) else { break };
        let Some((next, next_end)) = label(lower, behind) else { break };
        // A dot followed by a space may also end the sentence.
        let is_loose = hidden || behind != end + 1;
        if is_loose
            && !WORDS.domain_endings.contains(next.as_str())
            && dot(lower, next_end).is_none()
        {
            break;
        }
        is_hidden |= is_loose;
        (at, ending, end, count) = (behind, next, next_end, count + 1);
    }
    let is_ending = ending.chars().count() >= 2 && ending.chars().all(|c| c.is_alphabetic());
    (count > 1 && is_ending && at > from).then_some(DomainSpan { end, is_hidden, ending, first })
}

/// A label of a domain and where it ends. Its letters may be spaced out.
fn label(lower: &[char], from: usize) -> Option<(String, usize)> {
    let is_label = |c: &char| c.is_alphanumeric() || *c == '-';
    let length = lower.get(from..)?.iter().take(MAX_NAME).take_while(|c| is_label(c)).count();
    let mut text: String = lower.get(from..from + length)?.iter().collect();
    let mut end = from + length;
    if length == 1 {
        // Spaced letters: s h o p . d e
        while let [gap, letter, rest @ ..] = lower.get(end..).unwrap_or_default() {
            let is_alone = rest.first().is_none_or(|c| !is_label(c));
            if !(gap.is_whitespace() && is_label(letter) && is_alone) || text.len() > MAX_NAME {
                break;
            }
            text.push(*letter);
            end += 2;
        }
    }
    (length > 0).then_some((text, end))
}

/// The dot at this position, written or hidden: where it ends, and whether it is hidden.
fn dot(lower: &[char], at: usize) -> Option<(usize, bool)> {
    if lower.get(at) == Some(&'.') {
        return Some((at + 1, false));
    }
    if let Some((word, end)) = bracketed(lower, at + spaces(lower, at).min(2)) {
        return WORDS.dot.contains(word.as_str()).then(|| (end + spaces(lower, end).min(2), true));
    }
    let gap = spaces(lower, at);
    if !(1..=2).contains(&gap) {
        return None;
    }
    if lower.get(at + gap) == Some(&'.') {
        let behind = at + gap + 1;
        return Some((behind + spaces(lower, behind).min(2), true));
    }
    let length = letters(lower, at + gap).min(8);
    let word: String = lower.get(at + gap..at + gap + length)?.iter().collect();
    let end = at + gap + length;
    let behind = spaces(lower, end);
    (WORDS.dot.contains(word.as_str()) && behind > 0).then_some((end + behind.min(2), true))
}

/// The word in brackets or between two equal marks, and where the closing one ends.
fn bracketed(lower: &[char], at: usize) -> Option<(String, usize)> {
    let close = match lower.get(at)? {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        '<' => '>',
        mark @ ('_' | '-' | '*') => *mark,
        _ => return None,
    };
    let inside = lower.get(at + 1..)?.iter().take(16).position(|c| *c == close)?;
    let word: String = lower.get(at + 1..at + 1 + inside)?.iter().collect();
    Some((word.trim().to_owned(), at + inside + 2))
}

fn spaces(lower: &[char], at: usize) -> usize {
    lower.get(at..).unwrap_or_default().iter().take(4).take_while(|c| c.is_whitespace()).count()
}

fn letters(lower: &[char], at: usize) -> usize {
    lower.get(at..).unwrap_or_default().iter().take(20).take_while(|c| c.is_alphabetic()).count()
}
