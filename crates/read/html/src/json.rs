//! JSON in pages: strict parsing with a lenient fallback.
//!
//! A text is parsed by `serde_json` first. If that fails, the lenient parser repairs the mistakes
//! that search engines tolerate, and also reads object literals of scripts. Both take linear time
//! with bounded depth and never panic.

use serde_json::Value;

use crate::entity::{EntityContext, resolve};

mod devalue;
mod lenient;

pub use devalue::revive;
use lenient::value_at;
pub use lenient::{evaluate_call, try_value_at};
pub use lenient::{length, object_length};

/// Longer texts are not parsed.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of values that are read from one text.
const MAX_VALUES: usize = 64;

/// The values of a text that should be JSON.
pub fn values(text: &str) -> Vec<Value> {
    if text.len() > MAX_BYTES {
        return Vec::new();
    }
    let text = unwrapped(text);
    match serde_json::from_str(text) {
        Ok(value) => vec![value],
        // HTML-escaped JSON: it contains no unescaped quote.
        Err(_) if text.contains("&quot;") && !text.contains('"') => {
            lenient_values(&resolve(text, EntityContext::Attribute))
        }
        Err(_) => lenient_values(text),
    }
}

/// The values of several texts. All of them are held in memory, so that texts beyond a total of
/// `MAX_BYTES` are skipped.
pub fn values_of_all(texts: impl Iterator<Item = impl AsRef<str>>) -> Vec<Value> {
    let mut left = MAX_BYTES;
    let mut all = Vec::new();
    for text in texts {
        if let Some(rest) = left.checked_sub(text.as_ref().len()) {
            left = rest;
            all.extend(values(text.as_ref()));
        }
    }
    all
}

/// The first value of a text that should be JSON.
pub fn value(text: &str) -> Option<Value> {
    values(text).into_iter().next()
}

fn lenient_values(text: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let mut at = 0;
    while values.len() < MAX_VALUES {
        // Only objects and arrays: words between them are noise.
        let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '['])) else { break };
        let Some((value, end)) = value_at(text, at + start) else { break };
        values.push(value);
        at = end;
    }
    values
}

/// A text without the comments and CDATA sections that hide it from old browsers and XML parsers.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim().trim_start_matches('\u{feff}');
    loop {
        let before = text.len();
        for open in ["<!--", "//<![CDATA[", "/*<![CDATA[*/", "<![CDATA["] {
            text = text.strip_prefix(open).unwrap_or(text).trim_start();
        }
        for close in ["//-->", "-->", "//]]>", "/*]]>*/", "]]>", ";"] {
            text = text.strip_suffix(close).unwrap_or(text).trim_end();
        }
        if text.len() == before {
            return text;
        }
    }
}

/// Whether `kind` is the media type of JSON-LD.
pub fn is_json_ld(kind: &str) -> bool {
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json")
}

#[cfg(test)]
mod tests;
