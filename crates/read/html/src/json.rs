//! JSON as pages write it: strict where it is, mended where its meaning is plain.
//!
//! A text is read by the strict reader first. What that refuses goes through the lenient
//! one, which forgives what browsers of search engines forgive, and also reads the object
//! literals of scripts. Time is linear, depth bounded, and no input makes either panic.

use serde_json::Value;

use crate::entity::{Place, resolve};

mod devalue;
mod lenient;

pub use devalue::revive;
use lenient::value_at;
pub use lenient::{called, try_value_at};
pub use lenient::{length, object_length};

/// The longest text that is read.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// How many values that stand one after the other in a text are read.
const MAX_VALUES: usize = 64;

/// The values of a text that should be JSON.
pub fn values(text: &str) -> Vec<Value> {
    if text.len() > MAX_BYTES {
        return Vec::new();
    }
    let text = unwrapped(text);
    match serde_json::from_str(text) {
        Ok(value) => vec![value],
        // Escaped as if it were markup: not one quote is its own.
        Err(_) if text.contains("&quot;") && !text.contains('"') => {
            lenient_values(&resolve(text, Place::Attribute))
        }
        Err(_) => lenient_values(text),
    }
}

/// The values of several texts, which are held at once: further texts than [`MAX_BYTES`] together
/// are left out.
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
        // Only what is in brackets: a word between two objects says nothing.
        let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '['])) else { break };
        let Some((value, end)) = value_at(text, at + start) else { break };
        values.push(value);
        at = end;
    }
    values
}

/// A text without what hides it from old browsers and from XML.
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

/// Whether a script of that type describes the page.
pub fn is_json_ld(kind: &str) -> bool {
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json")
}

#[cfg(test)]
mod tests;
