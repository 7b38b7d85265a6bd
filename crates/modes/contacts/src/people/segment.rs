//! Splits a short line into names, titles, departments and plain text.

use super::job_title::{self, JobTitle, department};
use super::name::{GivenNameMatch, PersonName, given_name_match, parse};
use crate::visible_text::TextLine;
use text::vocabulary::TermSet;

/// Maximum length of a line in bytes.
const MAX_BYTES: usize = 300;

/// What a segment of a line is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SegmentKind {
    Name(PersonName),
    Title(JobTitle),
    Department,
    Plain,
}

/// A segment of a line as a byte range.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineSegment {
    pub from: usize,
    pub to: usize,
    pub kind: SegmentKind,
}

/// The segments of a line, in order. A long line has none.
pub(super) fn segments(line: &TextLine) -> Vec<LineSegment> {
    let text = line.text.as_str();
    if text.len() > MAX_BYTES {
        return Vec::new();
    }
    let mut found = Vec::new();
    let is_split = is_mixed(line, 0, text.len()) || has_title_in_brackets(text);
    if is_split || !name_at(text, 0, text.len(), &mut found) {
        for (from, to) in chunks(text) {
            cut(line, from, to, &mut found);
        }
    }
    found
}

/// Whether inline elements separate a name from a title or a department.
fn is_mixed(line: &TextLine, from: usize, to: usize) -> bool {
    let borders = borders(line, from, to);
    borders.iter().skip(1).take(borders.len().saturating_sub(2)).any(|at| {
        let left = line.text.get(from..*at).unwrap_or_default().trim();
        let right = line.text.get(*at..to).unwrap_or_default().trim();
        let begins = right
            .split_whitespace()
            .next()
            .is_some_and(|word| given_name_match(word) == GivenNameMatch::Known);
        (is_office(left) && (begins || parse(right).is_some()))
            || (is_office(right) && parse(left).is_some())
    })
}

/// Whether a text is a title or a department.
fn is_office(text: &str) -> bool {
    job_title::parse(text).is_some() || department::named(text).is_some()
}

/// Whether brackets contain a title: "Anna Berg (Leiterin)". Other brackets contain nicknames.
fn has_title_in_brackets(text: &str) -> bool {
    let inner = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    inner.is_some_and(|(inner, _)| is_office(inner))
}

/// Whether brackets belong to a degree: "Dipl.-Ing. (FH)".
fn is_degree(text: &str, at: usize) -> bool {
    let rest = text.get(at + 1..).unwrap_or_default();
    let inner = rest.split(')').next().unwrap_or_default();
    static DEGREES: TermSet = word_set!("people/degrees_in_brackets.txt");
    DEGREES.contains(inner)
}

/// Parts between separators and brackets.
fn chunks(text: &str) -> Vec<(usize, usize)> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    let (mut before, mut in_degree) = (' ', false);
    while let Some((at, letter)) = letters.next() {
        let after = letters.peek().map_or(' ', |next| next.1);
        let spaced = before.is_whitespace() && after.is_whitespace();
        let parts = match letter {
            '|' | '•' | '·' | '—' | ';' | '►' | '»' => true,
            '(' if is_degree(text, at) => {
                in_degree = true;
                false
            }
            ')' if in_degree => {
                in_degree = false;
                false
            }
            '(' | ')' | '[' | ']' => true,
            '–' | '-' | '/' | '+' | '&' => spaced && letter != '&',
            ':' => after.is_whitespace(),
            _ => false,
        };
        if parts {
            chunks.push((start, at));
            start = at + letter.len_utf8();
        }
        before = letter;
    }
    chunks.push((start, text.len()));
    chunks
}

fn trimmed(text: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let part = text.get(from..to)?;
    let is_edge = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':');
    let start = from + (part.len() - part.trim_start_matches(is_edge).len());
    let kept = part.trim_matches(is_edge);
    (!kept.is_empty()).then(|| (start, start + kept.len()))
}

/// Adds a name segment if the whole part is a name.
fn name_at(text: &str, from: usize, to: usize, found: &mut Vec<LineSegment>) -> bool {
    let Some((from, to)) = trimmed(text, from, to) else { return false };
    let Some(part) = text.get(from..to) else { return false };
    let Some(name) = parse(part) else { return false };
    // "Technische Leiterin" and "Neue Leitung" have the shape of a name.
    if is_office(part) && name.given_name_match != GivenNameMatch::Known {
        return false;
    }
    found.push(LineSegment { from, to, kind: SegmentKind::Name(name) });
    true
}

fn cut(line: &TextLine, from: usize, to: usize, found: &mut Vec<LineSegment>) {
    let text = line.text.as_str();
    let Some((from, to)) = trimmed(text, from, to) else { return };
    if !is_mixed(line, from, to) && name_at(text, from, to, found) {
        return;
    }
    let part = text.get(from..to).unwrap_or_default();
    let runs = borders(line, from, to);
    if runs.len() > 2 {
        by_elements(line, &runs, found);
        return;
    }
    by_commas(text, from, to, part, found);
}

/// The borders of inline elements in a part of a line.
fn borders(line: &TextLine, from: usize, to: usize) -> Vec<usize> {
    // Markup within a lower-case word does not separate anything.
    let parts = |at: usize, has_space: bool| {
        let before = line.text.get(..at).and_then(|text| text.chars().next_back()).unwrap_or(' ');
        let after = line.text.get(at..).and_then(|text| text.chars().next()).unwrap_or(' ');
        before.is_whitespace()
            || after.is_whitespace()
            || has_space
            || (after.is_uppercase() && !before.is_uppercase())
    };
    let inner = line.runs.iter().filter(|piece| from < piece.from && piece.from < to);
    let inner = inner
        .filter(|piece| {
            let text = line.text.get(piece.from..piece.to).unwrap_or_default();
            parts(piece.from, text.trim().contains(' '))
        })
        .map(|piece| piece.from);
    let mut borders: Vec<usize> = [from].into_iter().chain(inner.take(24)).chain([to]).collect();
    borders.dedup();
    borders
}

/// Splits a line at inline elements; a name may span several of them.
fn by_elements(line: &TextLine, borders: &[usize], found: &mut Vec<LineSegment>) {
    let text = line.text.as_str();
    let mut at = 0;
    while at + 1 < borders.len() {
        let furthest = (borders.len() - 1).min(at + 6);
        let name = (at + 1..=furthest).rev().find(|end| {
            !is_mixed(line, borders[at], borders[*end])
                && name_at(text, borders[at], borders[*end], found)
        });
        if let Some(end) = name {
            at = end;
            continue;
        }
        if let Some((from, to)) = trimmed(text, borders[at], borders[at + 1]) {
            let part = text.get(from..to).unwrap_or_default();
            by_commas(text, from, to, part, found);
        }
        at += 1;
    }
}

/// Splits "Berg, Anna, Vertrieb": the longest name at the beginning, then the rest.
fn by_commas(text: &str, from: usize, to: usize, part: &str, found: &mut Vec<LineSegment>) {
    let commas: Vec<usize> = part.match_indices(',').map(|(at, _)| from + at).take(6).collect();
    for end in commas.iter().rev() {
        if name_at(text, from, *end, found) {
            rest(text, end + 1, to, found);
            return;
        }
    }
    if job_title::parse(part).is_none() && commas.is_empty() && beside_title(text, from, to, found)
    {
        return;
    }
    // A title may precede the comma, and the name follow it.
    for start in &commas {
        let mut names = Vec::new();
        if name_at(text, start + 1, to, &mut names) {
            rest(text, from, *start, found);
            found.append(&mut names);
            return;
        }
    }
    rest(text, from, to, found);
}

/// Adds a title, a department or plain text.
fn rest(text: &str, from: usize, to: usize, found: &mut Vec<LineSegment>) {
    let Some((from, to)) = trimmed(text, from, to) else { return };
    let part = text.get(from..to).unwrap_or_default();
    let kind = kind_of(part);
    // "Directora médica. Col. 2345": a remark follows the title.
    if kind == SegmentKind::Plain
        && let Some((title, _)) = part.split_once(". ")
        && let Some(role) = job_title::parse(title).filter(|_| title.contains(' '))
    {
        found.push(LineSegment { from, to: from + title.len(), kind: SegmentKind::Title(role) });
        return;
    }
    if kind == SegmentKind::Plain && part.contains(',') {
        let mut start = from;
        for (at, _) in part.match_indices(',').take(8).chain([(part.len(), ",")]) {
            if let Some((from, to)) = trimmed(text, start, from + at) {
                let kind = kind_of(text.get(from..to).unwrap_or_default());
                found.push(LineSegment { from, to, kind });
            }
            start = from + at + 1;
        }
        return;
    }
    found.push(LineSegment { from, to, kind });
}

fn kind_of(part: &str) -> SegmentKind {
    if department::named(part).is_some() {
        return SegmentKind::Department;
    }
    match job_title::parse(part) {
        Some(role) => SegmentKind::Title(role),
        None => SegmentKind::Plain,
    }
}

/// Splits "Geschäftsführer Anna Berg" and "Anna Berg Vertriebsleiterin", which have no
/// separator.
fn beside_title(text: &str, from: usize, to: usize, found: &mut Vec<LineSegment>) -> bool {
    let part = text.get(from..to).unwrap_or_default();
    let spaces: Vec<usize> = part.match_indices(' ').map(|(at, _)| from + at).take(9).collect();
    if spaces.len() > 8 || spaces.len() < 2 {
        return false;
    }
    for at in &spaces {
        let (before, after) =
            (text.get(from..*at).unwrap_or_default(), text.get(at + 1..to).unwrap_or_default());
        for (role_part, name_part, name_first) in [(before, after, false), (after, before, true)] {
            let Some(role) = job_title::parse(role_part) else { continue };
            let Some(name) =
                parse(name_part).filter(|name| name.given_name_match == GivenNameMatch::Known)
            else {
                continue;
            };
            let (name, title) = (SegmentKind::Name(name), SegmentKind::Title(role));
            let (first, second) = if name_first { (name, title) } else { (title, name) };
            found.push(LineSegment { from, to: *at, kind: first });
            found.push(LineSegment { from: at + 1, to, kind: second });
            return true;
        }
    }
    false
}
