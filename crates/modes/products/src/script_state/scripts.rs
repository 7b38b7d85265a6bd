//! The JSON values of a script: the whole script if it is data, else the values that it assigns or
//! passes to functions.

use memchr::memmem;
use serde_json::Value;

use html::budget;
use html::dom::{Dom, NodeId};
use html::json::{self, is_json_ld};

/// The maximum size of a program and of a data script, in bytes.
const MAX_PROGRAM: usize = 1024 * 1024;
const MAX_DATA: usize = 4 * 1024 * 1024;

/// Shorter values are skipped, in bytes.
const MIN_VALUE: usize = 40;

const FUNCTION: &[u8] = b"(function(";

/// The maximum length of the parameter list of a function, in bytes.
const MAX_PARAMETERS: usize = 16 * 1024;

/// The budget for failed reads, in multiples of the length of the script.
const MAX_REREAD: usize = 8;

/// Whether a text may contain a product: a cheap check before parsing.
pub(super) fn may_have_product(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |word: &[u8]| memmem::find(bytes, word).is_some();
    (has(b"rice") || has(b"sku") || has(b"ariant") || has(b"\"full\"") || has(b"ean"))
        && (has(b"\"") || has(b"'"))
}

/// Passes every value of a script that may contain a product to `take`.
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
        if text.len() <= MAX_DATA && may_have_product(text) {
            *left -= 1;
            json::values(text).into_iter().take(4).for_each(take);
        }
        return;
    }
    let is_program = kind.is_empty() || kind.contains("javascript") || kind == "module";
    if !is_program || text.len() > MAX_PROGRAM || !may_have_product(text) {
        return;
    }
    each_assigned(text, left, &mut take);
}

/// The values that a program assigns or passes to functions.
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
        // An object must begin with a name, a list with an object.
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
        if end - start >= MIN_VALUE && may_have_product(text.get(start..end).unwrap_or_default()) {
            *left -= 1;
            take(value);
        }
    }
}

/// The remaining budget for reads of a script that found no value.
struct FailedReads {
    left: usize,
}

impl FailedReads {
    /// Where to continue after a failed read from `start` to `end`: right after the bracket, or
    /// after all that was read once the budget is exhausted.
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

/// Finds functions that only return a value with their arguments filled in (Nuxt), front to back.
struct Functions<'t> {
    text: &'t str,
    /// The start of the last function before `searched`.
    last: Option<usize>,
    searched: usize,
}

impl Functions<'_> {
    /// The start of the function whose body begins at `body` and returns a value at once.
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
        // Parameter names are one or two letters long.
        self.last.filter(|last| before.len() - last < MAX_PARAMETERS)
    }
}
