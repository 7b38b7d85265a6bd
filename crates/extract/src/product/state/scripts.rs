//! The values that stand in a script: all of it where it is data, else what is assigned or
//! handed over.

use memchr::memmem;
use serde_json::Value;

use crate::dom::{Dom, NodeId};
use crate::json::{self, is_json_ld};

/// A larger script is a program.
const MAX_PROGRAM: usize = 1024 * 1024;
const MAX_DATA: usize = 4 * 1024 * 1024;

/// A value that is shorter than this tells nothing.
const MIN_VALUE: usize = 40;

/// Whether a text may tell of a product.
pub(super) fn may_tell(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |word: &[u8]| memmem::find(bytes, word).is_some();
    (has(b"rice") || has(b"sku") || has(b"ariant") || has(b"\"full\"") || has(b"ean"))
        && (has(b"\"") || has(b"'"))
}

/// Gives every value of a script that may tell of a product.
pub(super) fn each_value(
    dom: &Dom<'_>,
    script: NodeId,
    left: &mut usize,
    mut take: impl FnMut(Value),
) {
    let kind = dom.raw_attribute(script, "type").unwrap_or_default().trim();
    if is_json_ld(kind) || *left == 0 {
        return;
    }
    let Some(content) = dom.children(script).next() else { return };
    let text = dom.raw_text(content);
    let is_data = kind.to_ascii_lowercase().ends_with("json")
        || kind.eq_ignore_ascii_case("text/x-magento-init");
    if is_data {
        if text.len() <= MAX_DATA && may_tell(text) {
            *left -= 1;
            json::values(text).into_iter().take(4).for_each(take);
        }
        return;
    }
    let is_program = kind.is_empty() || kind.contains("javascript") || kind == "module";
    if !is_program || text.len() > MAX_PROGRAM || !may_tell(text) {
        return;
    }
    each_assigned(text, left, &mut take);
}

/// What a function gives whose body begins at a bracket, when it only fills in values.
fn filled_in(text: &str, body: usize) -> Option<Value> {
    let before = text.get(..body)?.trim_end();
    if !before.ends_with(')') || !text.get(body + 1..)?.trim_start().starts_with("return") {
        return None;
    }
    let start = before.rfind("(function(")?;
    // Names of one letter or two, and nothing else.
    (before.len() - start < 16 * 1024).then(|| json::called(&text[start..]))?
}

fn each_assigned(text: &str, left: &mut usize, take: &mut impl FnMut(Value)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while *left > 0 {
        let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'{', b'[', rest)) else {
            return;
        };
        let start = at + found;
        at = start + 1;
        if let Some(value) = filled_in(text, start) {
            *left -= 1;
            take(value);
            return;
        }
        let before = bytes[..start].iter().rposition(|byte| !byte.is_ascii_whitespace());
        if !before.is_some_and(|before| matches!(bytes[before], b'=' | b'(' | b',')) {
            continue;
        }
        // An object begins with a name, a list with an object.
        let next = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace());
        let begins = match (bytes[start], next) {
            (b'{', Some(b'"' | b'\'')) => true,
            (b'{', Some(byte)) => byte.is_ascii_alphabetic() || *byte == b'_',
            (b'[', Some(b'{')) => true,
            _ => false,
        };
        if !begins {
            continue;
        }
        let Some((value, end)) = json::value_at(text, start) else { continue };
        at = end.max(at);
        if end - start >= MIN_VALUE && may_tell(text.get(start..end).unwrap_or_default()) {
            *left -= 1;
            take(value);
        }
    }
}
