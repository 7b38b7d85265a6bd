//! Parsing of the attributes of a tag.

use memchr::memchr;

/// Maximum number of attributes of one tag; further ones are skipped.
const MAX_KEPT: usize = 128;

/// An attribute with its unresolved value.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'a> {
    pub name: &'a str,
    pub value: &'a str,
}

/// The rest of a tag after its name.
pub(super) struct Tag {
    /// Byte offset just after the `>`.
    pub(super) end: usize,
    pub(super) self_closing: bool,
}

/// Reads attributes from the end of the tag name to the end of the tag. `None` if the text ends
/// first.
pub(super) fn read<'a>(text: &'a str, from: usize, kept: &mut Vec<Attribute<'a>>) -> Option<Tag> {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut slash = false;
    kept.clear();
    loop {
        match *bytes.get(at)? {
            b'>' => return Some(Tag { end: at + 1, self_closing: slash }),
            byte if byte == b'/' || byte.is_ascii_whitespace() => {
                slash = byte == b'/';
                at += 1;
                continue;
            }
            _ => slash = false,
        }
        let name = at;
        // The first character belongs to the name even if it is `=`.
        at += 1 + length_until(bytes.get(at + 1..)?, |byte| {
            byte.is_ascii_whitespace() || matches!(byte, b'=' | b'/' | b'>')
        });
        let name = text.get(name..at)?;
        let gap = length_until(bytes.get(at..)?, |byte| !byte.is_ascii_whitespace());
        let value = if bytes.get(at + gap) == Some(&b'=') {
            at += gap + 1;
            let (start, end, next) = value(bytes, at)?;
            at = next;
            text.get(start..end)?
        } else {
            ""
        };
        if kept.len() < MAX_KEPT {
            kept.push(Attribute { name, value });
        }
    }
}

/// Start and end of a value, and the offset to continue at.
fn value(bytes: &[u8], from: usize) -> Option<(usize, usize, usize)> {
    let start = from + length_until(bytes.get(from..)?, |byte| !byte.is_ascii_whitespace());
    match bytes.get(start)? {
        quote @ (b'"' | b'\'') => {
            let end = start + 1 + memchr(*quote, bytes.get(start + 1..)?)?;
            Some((start + 1, end, end + 1))
        }
        _ => {
            let ends = |byte: u8| byte.is_ascii_whitespace() || byte == b'>';
            let end = start + length_until(bytes.get(start..)?, ends);
            Some((start, end, end))
        }
    }
}

fn length_until(bytes: &[u8], ends: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| ends(*byte)).unwrap_or(bytes.len())
}
