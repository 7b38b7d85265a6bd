//! Parsing of the attributes of a tag.
//!
//! They are [read](read) with the tag, or [skipped](tag_end) and parsed on demand ([`Attributes`]).

use crate::byte_block::{ByteBlock, find_near};

/// Maximum number of attributes of one tag; further ones are skipped.
const MAX_KEPT: usize = 128;

/// An attribute with its unresolved value.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'a> {
    pub name: &'a str,
    pub value: &'a str,
}

/// The attributes of a tag in their order, parsed on demand.
#[derive(Debug, Clone)]
pub(super) struct Attributes<'a> {
    text: &'a str,
    at: usize,
    left: usize,
}

impl<'a> Attributes<'a> {
    /// The attributes of a tag whose name ends at `from`. The tag must be complete.
    #[inline]
    pub(super) fn new(text: &'a str, from: usize) -> Self {
        Self { text, at: from, left: MAX_KEPT }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Attribute<'a>;

    #[inline]
    fn next(&mut self) -> Option<Attribute<'a>> {
        self.left = self.left.checked_sub(1)?;
        match step(self.text.as_bytes(), self.at)? {
            TagPart::Attribute { name, value, next } => {
                self.at = next;
                Some(Attribute {
                    name: self.text.get(name.0..name.1)?,
                    value: self.text.get(value.0..value.1)?,
                })
            }
            TagPart::End(_) => {
                self.left = 0;
                None
            }
        }
    }
}

/// The rest of a tag after its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    /// Byte offset just after the `>`.
    pub(super) end: usize,
    pub(super) self_closing: bool,
}

/// The next part of a tag; names and values are byte ranges.
enum TagPart {
    Attribute { name: (usize, usize), value: (usize, usize), next: usize },
    End(Tag),
}

/// Reads all attributes of the tag whose name ends at `from`. `None` if the text ends first.
pub(super) fn read<'a>(text: &'a str, from: usize, kept: &mut Vec<Attribute<'a>>) -> Option<Tag> {
    let mut at = from;
    kept.clear();
    loop {
        match step(text.as_bytes(), at)? {
            TagPart::Attribute { name, value, next } => {
                at = next;
                if kept.len() < MAX_KEPT {
                    let (name, value) = (text.get(name.0..name.1)?, text.get(value.0..value.1)?);
                    kept.push(Attribute { name, value });
                }
            }
            TagPart::End(tag) => return Some(tag),
        }
    }
}

/// The end of the tag whose name ends at `from`. `None` if the text ends first.
#[inline]
pub(super) fn tag_end(bytes: &[u8], from: usize) -> Option<Tag> {
    usual_tag_end(bytes, from).or_else(|| any_tag_end(bytes, from))
}

/// [`tag_end`] by the grammar of the standard, part by part.
#[cold]
pub(super) fn any_tag_end(bytes: &[u8], from: usize) -> Option<Tag> {
    let mut at = from;
    loop {
        match step(bytes, at)? {
            TagPart::Attribute { next, .. } => at = next,
            TagPart::End(tag) => return Some(tag),
        }
    }
}

/// [`tag_end`] if all values follow their names without white space around the `=`, found in
/// blocks of bytes. `None` for other tags, and near the end of the text.
#[inline]
fn usual_tag_end(bytes: &[u8], from: usize) -> Option<Tag> {
    // A slash before this offset is part of a value.
    let (mut start, mut at, mut value_end) = (from, from, from);
    let mut quote = None;
    loop {
        let block = ByteBlock::at(bytes, start)?;
        let stops = block.equal_either(b'=', b'>');
        let (double, single) = (block.equal(b'"'), block.equal(b'\''));
        while at - start < ByteBlock::SIZE {
            let rest = u64::MAX << (at - start);
            if let Some(byte) = quote {
                let found = rest & if byte == b'"' { double } else { single };
                if found == 0 {
                    break;
                }
                at = start + found.trailing_zeros() as usize + 1;
                value_end = at;
                quote = None;
                continue;
            }
            let found = rest & stops;
            if found == 0 {
                break;
            }
            let stop = start + found.trailing_zeros() as usize;
            if bytes[stop] == b'>' {
                let self_closing = stop > value_end && bytes[stop - 1] == b'/';
                return Some(Tag { end: stop + 1, self_closing });
            }
            // At the beginning of a name, `=` is a part of it.
            if is_space(bytes[stop - 1]) || matches!(bytes[stop - 1], b'/' | b'"' | b'\'') {
                return None;
            }
            match *bytes.get(stop + 1)? {
                byte @ (b'"' | b'\'') => {
                    quote = Some(byte);
                    at = stop + 2;
                }
                byte if is_space(byte) => return None,
                _ => {
                    at = stop + 1 + length_until(&bytes[stop + 1..], ends_value);
                    value_end = at;
                }
            }
        }
        // Without a stop in the block, the search continues after it.
        start = at.max(start + ByteBlock::SIZE);
        at = start;
    }
}

/// Reads the part of a tag at `from`: an attribute or the end. `None` if the text ends first.
#[inline]
fn step(bytes: &[u8], from: usize) -> Option<TagPart> {
    let mut at = from;
    let mut slash = false;
    loop {
        match *bytes.get(at)? {
            b'>' => return Some(TagPart::End(Tag { end: at + 1, self_closing: slash })),
            byte if byte == b'/' || is_space(byte) => {
                slash = byte == b'/';
                at += 1;
            }
            _ => break,
        }
    }
    let name = at;
    // The first character belongs to the name even if it is `=`.
    at += 1 + length_until(bytes.get(at + 1..)?, |byte| {
        is_space(byte) || matches!(byte, b'=' | b'/' | b'>')
    });
    let name = (name, at);
    let gap = length_until(bytes.get(at..)?, |byte| !is_space(byte));
    if bytes.get(at + gap) != Some(&b'=') {
        return Some(TagPart::Attribute { name, value: (at, at), next: at });
    }
    let (value, next) = value(bytes, at + gap + 1)?;
    Some(TagPart::Attribute { name, value, next })
}

/// The range of a value, and the offset to continue at.
#[inline]
fn value(bytes: &[u8], from: usize) -> Option<((usize, usize), usize)> {
    let start = from + length_until(bytes.get(from..)?, |byte| !is_space(byte));
    match bytes.get(start)? {
        quote @ (b'"' | b'\'') => {
            let end = start + 1 + find_near(*quote, bytes.get(start + 1..)?)?;
            Some(((start + 1, end), end + 1))
        }
        _ => {
            let end = start + length_until(bytes.get(start..)?, ends_value);
            Some(((start, end), end))
        }
    }
}

#[inline]
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

/// Whether a value without quotes ends before this byte.
#[inline]
fn ends_value(byte: u8) -> bool {
    is_space(byte) || byte == b'>'
}

#[inline]
fn length_until(bytes: &[u8], ends: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| ends(*byte)).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_searches_find_the_same_tag_end(
            tag in "( |\n|/|=|>|\"|'|a|bc|[d-h]{1,80}|=\"|=\"[^\"]{0,70}\"|ü| [a-z]{1,5}='[a-z >]{0,9}'){0,40}",
        ) {
            let text = format!(" {tag}{}", " ".repeat(ByteBlock::SIZE));
            let known = usual_tag_end(text.as_bytes(), 0);
            let expected = any_tag_end(text.as_bytes(), 0);
            prop_assert!(known.is_none() || known == expected, "{known:?} {expected:?}");
        }
    }

    #[test]
    fn usual_tags_are_read_in_blocks() {
        for tag in [">", "/>", " a>", " a=b/>", " a=\"b\">", " a='>' b=\"/\"/>", " a=b c=\"=\">"] {
            let text = format!("{tag}{}", "x".repeat(ByteBlock::SIZE));
            let expected = any_tag_end(text.as_bytes(), 0);
            assert!(expected.is_some() && usual_tag_end(text.as_bytes(), 0) == expected, "{tag}");
        }
    }
}
