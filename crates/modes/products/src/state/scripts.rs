//! The values that stand in a script: all of it where it is data, else what is assigned or
//! handed over.

use memchr::memmem;
use serde_json::Value;

use html::budget;
use html::dom::{Dom, NodeId};
use html::json::{self, is_json_ld};

/// A larger script is a program.
const MAX_PROGRAM: usize = 1024 * 1024;
const MAX_DATA: usize = 4 * 1024 * 1024;

/// A value that is shorter than this tells nothing.
const MIN_VALUE: usize = 40;

const FUNCTION: &[u8] = b"(function(";

/// How long the names are that a function is given.
const MAX_NAMES: usize = 16 * 1024;

/// How many times the length of a script is read in vain, looking for values.
const MAX_REREAD: usize = 8;

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

/// The values that a program assigns or hands over.
fn each_assigned(text: &str, left: &mut usize, take: &mut impl FnMut(Value)) {
    let bytes = text.as_bytes();
    let mut functions = Functions { text, last: None, searched: 0 };
    let mut failed = FailedReads { left: MAX_REREAD * text.len() };
    let mut at = 0;
    while *left > 0 {
        let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'{', b'[', rest)) else {
            return;
        };
        let start = at + found;
        at = start + 1;
        if !budget::steps(4) {
            return;
        }
        if let Some(function) = functions.with_body(start) {
            match json::evaluate_call(&text[function..]) {
                Ok(value) => {
                    *left -= 1;
                    take(value);
                    return;
                }
                Err(read) => at = failed.resume(start, function + read),
            }
        }
        if at > start + 1 {
            continue;
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
        let (value, end) = match json::try_value_at(text, start) {
            Ok(read) => read,
            Err(read) => {
                at = failed.resume(start, read);
                continue;
            }
        };
        at = end.max(at);
        if end - start >= MIN_VALUE && may_tell(text.get(start..end).unwrap_or_default()) {
            *left -= 1;
            take(value);
        }
    }
}

/// What was read of a script without finding a value in it.
struct FailedReads {
    left: usize,
}

impl FailedReads {
    /// Where to go on after a value that should begin at `start` was read up to `end` in vain:
    /// right behind its bracket, or behind all that was read once too much was read twice.
    fn resume(&mut self, start: usize, end: usize) -> usize {
        match self.left.checked_sub(end.saturating_sub(start)) {
            Some(left) => {
                self.left = left;
                start + 1
            }
            None => end.max(start + 1),
        }
    }
}

/// Finds functions that may do nothing but fill in values, from the front to the back.
struct Functions<'t> {
    text: &'t str,
    /// Where the last one begins before `searched`.
    last: Option<usize>,
    searched: usize,
}

impl Functions<'_> {
    /// Where the function begins whose body begins at a bracket and gives a value at once.
    fn with_body(&mut self, body: usize) -> Option<usize> {
        let before = self.text.get(..body)?.trim_end();
        if !before.ends_with(')') || !self.text.get(body + 1..)?.trim_start().starts_with("return")
        {
            return None;
        }
        let new = self.text.as_bytes().get(self.searched..before.len()).unwrap_or_default();
        if let Some(found) = memmem::rfind(new, FUNCTION) {
            self.last = Some(self.searched + found);
        }
        self.searched = self.searched.max(before.len().saturating_sub(FUNCTION.len() - 1));
        // Names of one letter or two, and nothing else.
        self.last.filter(|last| before.len() - last < MAX_NAMES)
    }
}
