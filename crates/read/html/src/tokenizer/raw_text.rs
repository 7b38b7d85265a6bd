//! Finds the end of raw text: scripts, styles, titles.

use memchr::{memchr, memchr2, memmem};

use super::Element;

/// Where the end tag of `element` begins; the end of the text if there is none.
pub(super) fn end(text: &[u8], from: usize, element: Element) -> usize {
    let found = match element.raw_name() {
        None => None,
        Some(_) if element == Element::Script => script_end(text, from),
        Some(name) => plain_end(text, from, name),
    };
    found.unwrap_or(text.len())
}

/// Where the next `</noscript>` begins; the end of the text if there is none.
pub(super) fn noscript_end(text: &[u8], from: usize) -> usize {
    plain_end(text, from, b"noscript").unwrap_or(text.len())
}

fn plain_end(text: &[u8], from: usize, name: &[u8]) -> Option<usize> {
    let mut at = from;
    loop {
        at += memmem::find(text.get(at..)?, b"</")?;
        if is_tag(&text[at + 2..], name) {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether `text` begins with this tag name, after `<` or `</`.
fn is_tag(text: &[u8], name: &[u8]) -> bool {
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && text
            .get(name.len())
            .is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
}

/// The "script data escaped" states of the standard: in a comment inside of a script, a whole
/// `<script>…</script>` is content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptEscape {
    No,
    Comment,
    ScriptInComment,
}

fn script_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    let mut hiding = ScriptEscape::No;
    loop {
        let rest = text.get(at..)?;
        at += match hiding {
            ScriptEscape::No => memchr(b'<', rest)?,
            ScriptEscape::Comment | ScriptEscape::ScriptInComment => memchr2(b'<', b'-', rest)?,
        };
        let rest = &text[at..];
        let closes = rest.starts_with(b"</") && is_tag(&rest[2..], b"script");
        match hiding {
            ScriptEscape::No | ScriptEscape::Comment if closes => return Some(at),
            ScriptEscape::No if rest.starts_with(b"<!--") => {
                hiding = ScriptEscape::Comment;
                // The dashes of the opening may also close it: `<!-->`.
                at += 1;
            }
            ScriptEscape::Comment | ScriptEscape::ScriptInComment if rest.starts_with(b"-->") => {
                hiding = ScriptEscape::No;
            }
            ScriptEscape::Comment if rest[0] == b'<' && is_tag(&rest[1..], b"script") => {
                hiding = ScriptEscape::ScriptInComment;
            }
            ScriptEscape::ScriptInComment if closes => hiding = ScriptEscape::Comment,
            ScriptEscape::No | ScriptEscape::Comment | ScriptEscape::ScriptInComment => {}
        }
        at += 1;
    }
}
