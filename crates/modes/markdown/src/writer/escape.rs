//! Escaping: backslashes only where Markdown would misread the text, because the output is also
//! read as plain text.

use html::byte_mask::BLOCK;

/// The surroundings of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct EscapeContext {
    pub in_cell: bool,
    pub in_link: bool,
    /// A link follows directly.
    pub link_follows: bool,
    /// The line contains strikethrough delimiters.
    pub tildes: bool,
    /// The page contains formulas, so that `$` may begin one.
    pub dollars: bool,
    /// The page has numbered references, so that a text in brackets may be one.
    pub references: bool,
}

/// Bytes that have a meaning in some position.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\\`*_[]<&|~$!";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};

/// 1 for every special byte and few others, without a branch.
#[inline(always)]
fn may_be_special(byte: u8) -> u8 {
    u8::from(byte.wrapping_sub(b'[') <= b'`' - b'[')
        | u8::from(byte & 0xfd == b'|')
        | u8::from(byte & 0xfd == b'$')
        | u8::from(byte == b'!')
        | u8::from(byte == b'*')
        | u8::from(byte == b'<')
}

/// The next special byte; most text has none for long.
fn next_special(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
        let any = block.iter().fold(0, |any, byte| any | may_be_special(*byte));
        let found = || block.iter().position(|byte| SPECIAL[usize::from(*byte)]);
        if any == 1
            && let Some(found) = found()
        {
            return Some(at + found);
        }
        at += BLOCK;
    }
    let found = bytes.get(at..)?.iter().position(|byte| SPECIAL[usize::from(*byte)])?;
    Some(at + found)
}

/// Appends a text to a line.
pub(super) fn push(out: &mut String, text: &str, context: EscapeContext) {
    let bytes = text.as_bytes();
    let (mut from, mut looked_at) = (0, 0);
    while let Some(at) = next_special(bytes, looked_at) {
        looked_at = at + 1;
        let byte = bytes[at];
        let next = bytes.get(at + 1).copied();
        let escaped = match byte {
            b'\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            b'`' => true,
            b'*' => !(is_space(before(out, text, from, at)) && next == Some(b' ')),
            b'_' => {
                let (before, after) = (before(out, text, from, at), text[at + 1..].chars().next());
                let alone = is_space(before) && after == Some(' ');
                let inside = is_letter(before) && is_letter(after);
                !alone && !inside
            }
            b'[' => context.in_link || context.references || next == Some(b'^'),
            b']' => context.in_link || next.is_none_or(|next| matches!(next, b'(' | b'[' | b':')),
            b'<' => next.is_some_and(|next| {
                next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?')
            }),
            b'&' => is_reference(&bytes[at + 1..]),
            b'|' => context.in_cell,
            b'~' => context.tildes,
            b'$' => context.dollars,
            b'!' => next.is_none() && context.link_follows,
            _ => false,
        };
        if escaped {
            out.push_str(&text[from..at]);
            out.push('\\');
            from = at;
        }
    }
    out.push_str(&text[from..]);
}

/// The character before an offset of a text, of which all up to `written` is in `out`.
fn before(out: &str, text: &str, written: usize, at: usize) -> Option<char> {
    text[written..at].chars().next_back().or_else(|| out.chars().next_back())
}

fn is_space(character: Option<char>) -> bool {
    character.is_none_or(char::is_whitespace)
}

fn is_letter(character: Option<char>) -> bool {
    character.is_some_and(char::is_alphanumeric)
}

/// Whether `rest` after an ampersand makes it a character reference.
pub(super) fn is_reference(rest: &[u8]) -> bool {
    let rest = rest.strip_prefix(b"#").unwrap_or(rest);
    let name = rest.iter().take(34).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    name > 0 && rest.get(name) == Some(&b';')
}

/// The position and beginning of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineStart {
    /// The first line of a paragraph cannot become the underline of a heading or table.
    pub is_first: bool,
    pub in_item: bool,
    /// It begins with the bracket of a link, which must not be escaped.
    pub with_link: bool,
}

/// The offset and text that must be inserted so that a line stays text.
pub(super) fn line_start_escape(line: &str, start: LineStart) -> Option<(usize, &'static str)> {
    if start.with_link {
        // A link reference definition contains no second bracket, not even in a comment.
        return (start.is_first && is_reference_definition(line)).then_some((1, "<!-- [ -->"));
    }
    backslash(line, start).map(|at| (at, "\\"))
}

/// Whether a line that begins with a bracket is a link reference definition, which is not shown.
fn is_reference_definition(line: &str) -> bool {
    let bytes = line.as_bytes();
    let end = (1..bytes.len()).find(|at| bytes[*at] == b']' && bytes[at - 1] != b'\\');
    end.is_some_and(|end| bytes.get(end + 1) == Some(&b':'))
}

fn backslash(line: &str, start: LineStart) -> Option<usize> {
    let LineStart { is_first, in_item, .. } = start;
    let bytes = line.as_bytes();
    let ends_at = |at: usize| bytes.get(at).is_none_or(|byte| *byte == b' ');
    let first = *bytes.first()?;
    let run = bytes.iter().take_while(|byte| **byte == first).count();
    let consists_of = |set: &[u8]| bytes.iter().all(|byte| set.contains(byte));
    let found = match first {
        b'#' => run <= 6 && ends_at(run),
        b'>' => true,
        b'+' => ends_at(1),
        b'-' => {
            // After an item marker, two more of them are a thematic break.
            ends_at(1)
                || (run >= 3 || in_item) && consists_of(b"- ")
                || !is_first && consists_of(b"-:| ")
        }
        b'*' => ends_at(1),
        b'_' => ends_at(1) && consists_of(b"_ "),
        b'=' => !is_first && consists_of(b"= "),
        b'~' => run >= 3,
        b'|' | b':' => !is_first && consists_of(b"-:| "),
        b'[' => {
            let task = matches!(bytes, [_, b' ' | b'x' | b'X', b']', ..]) && ends_at(3);
            if bytes.get(1) == Some(&b'^') {
                // A footnote reference followed by a colon would be a definition.
                let end = line.find(']')? + 1;
                return (bytes.get(end) == Some(&b':')).then_some(end);
            }
            in_item && task || is_first && is_reference_definition(line)
        }
        b'0'..=b'9' => {
            let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
            let numbered = digits <= 9 && matches!(bytes.get(digits), Some(b'.' | b')'));
            return (numbered && ends_at(digits + 1)).then_some(digits);
        }
        _ => false,
    };
    found.then_some(0)
}
