//! Path patterns: `*` matches any text, `$` at the end anchors the pattern.
//!
//! Pattern and URL are compared in canonical percent-encoding, where a literal `*` or `$` is always
//! encoded.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::percent::{PATH, QUERY, push_normalised};

/// Maximum query parameters that are matched in any order, to limit the cost of hostile rules.
const MAX_MEMBERS: usize = 16;

/// A pattern in canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Pattern(String);

impl Pattern {
    /// Parses a pattern; `None` if it can match nothing.
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

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The length, which is the precedence of the pattern.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The pattern of the folder if this one is its index file.
    pub(super) fn folder_of_index(&self) -> Option<Self> {
        let (folder, name) = self.0.rsplit_once('/')?;
        name.starts_with("index.htm").then(|| Self(format!("{folder}/$")))
    }

    /// Whether the pattern matches a path of [`matchable`].
    pub(super) fn matches(&self, path: &str) -> bool {
        let (pattern, anchored) = match self.0.strip_suffix('$') {
            Some(pattern) => (pattern, true),
            None => (self.0.as_str(), false),
        };
        matches_text(pattern, anchored, path) || matches_in_any_order(pattern, anchored, path)
    }
}

/// Whether a pattern matches the beginning of a text, or all of it if anchored.
///
/// Each part between two `*` is searched once from the left. If any position matches, the leftmost does,
/// so there is no backtracking.
fn matches_text(pattern: &str, anchored: bool, text: &str) -> bool {
    let (first, wild) = match pattern.split_once('*') {
        Some((first, wild)) => (first, Some(wild)),
        None => (pattern, None),
    };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
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

/// Whether a pattern with several query parameters matches them in any order. Canonical URLs have sorted
/// parameters; sorting must not bypass a rule of the site.
fn matches_in_any_order(pattern: &str, anchored: bool, path: &str) -> bool {
    let Some((first, others)) = pattern.split_once('&') else { return false };
    let Some((place, query)) = path.split_once('?') else { return false };
    let count = query.split('&').count();
    if !(2..=MAX_MEMBERS).contains(&count) {
        return false;
    }
    let mut taken = 0_u32;
    let mut take = |matches_text: &dyn Fn(&str) -> bool| {
        let free = |at: usize| taken & (1 << at) == 0;
        let found =
            query.split('&').enumerate().find(|(at, member)| free(*at) && matches_text(member));
        found.map(|(at, _)| taken |= 1 << at).is_some()
    };
    // All but the last match whole parameters.
    let mut pieces = others.split('&').peekable();
    while let Some(piece) = pieces.next() {
        let whole = anchored || pieces.peek().is_some();
        if !take(&|member| matches_text(piece, whole, member)) {
            return false;
        }
    }
    // The first may be only `/*`: it matches a remaining parameter.
    take(&|member| matches_text(first, true, &format!("{place}?{member}")))
}

/// Path and query in the spelling that patterns are matched against.
pub(super) fn matchable(path: &str) -> Cow<'_, str> {
    if path.contains(['*', '$']) {
        Cow::Owned(path.replace('*', "%2A").replace('$', "%24"))
    } else {
        Cow::Borrowed(path)
    }
}
