//! A path pattern: `*` stands for anything, `$` at the end for the end.
//!
//! Pattern and address are compared in one spelling of percent-encoding, in
//! which a literal `*` or `$` is always encoded and so is never a sign.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::percent::{PATH, QUERY, push_normalised};

/// A pattern in its one spelling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Pattern(String);

impl Pattern {
    /// Reads a pattern; `None` for one that can match nothing.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        if !matches!(text.first(), Some(b'/' | b'*')) {
            return None;
        }
        let mut pattern = String::with_capacity(text.len());
        let query = text.iter().position(|byte| *byte == b'?').unwrap_or(text.len());
        push_normalised(&mut pattern, &text[..query], PATH);
        push_normalised(&mut pattern, &text[query..], QUERY);
        // A `$` that is not at the end is an ordinary character.
        if let Some((start, end)) = pattern.rsplit_once('$') {
            let anchored = end.is_empty();
            let inner = if anchored { start } else { pattern.as_str() };
            if inner.contains('$') {
                let sign = if anchored { "$" } else { "" };
                pattern = format!("{}{sign}", inner.replace('$', "%24"));
            }
        }
        Some(Self(pattern))
    }

    /// How specific the pattern is.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The pattern of the folder alone, when this one names its index file.
    pub(super) fn folder_of_index(&self) -> Option<Self> {
        let (folder, name) = self.0.rsplit_once('/')?;
        name.starts_with("index.htm").then(|| Self(format!("{folder}/$")))
    }

    /// Whether an address, as `matchable` gives it, fits.
    ///
    /// Each part between two `*` is sought once, as far left as it can be: if any
    /// choice fits, that one does, so there is no way back and no blow-up.
    pub(super) fn matches(&self, path: &str) -> bool {
        let (pattern, anchored) = match self.0.strip_suffix('$') {
            Some(pattern) => (pattern, true),
            None => (self.0.as_str(), false),
        };
        let (first, wild) = match pattern.split_once('*') {
            Some((first, wild)) => (first, Some(wild)),
            None => (pattern, None),
        };
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let Some(wild) = wild else { return !anchored || rest.is_empty() };
        let mut parts = wild.split('*').peekable();
        while let Some(part) = parts.next() {
            if anchored && parts.peek().is_none() {
                return rest.ends_with(part);
            }
            match rest.find(part) {
                Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
                None => return false,
            }
        }
        true
    }
}

/// Path and query in the spelling that patterns are compared in.
pub(super) fn matchable(path: &str) -> Cow<'_, str> {
    if path.contains(['*', '$']) {
        Cow::Owned(path.replace('*', "%2A").replace('$', "%24"))
    } else {
        Cow::Borrowed(path)
    }
}
