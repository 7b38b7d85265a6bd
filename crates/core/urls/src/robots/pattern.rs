//! A path pattern: `*` stands for anything, `$` at the end for the end.
//!
//! Pattern and address are compared in one spelling of percent-encoding, in
//! which a literal `*` or `$` is always encoded and so is never a sign.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::percent::{PATH, QUERY, push_normalised};

/// How many members of a query are tried in another order: no address in earnest
/// has more, and hostile rules must not take long.
const MAX_MEMBERS: usize = 16;

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
    pub(super) fn matches(&self, path: &str) -> bool {
        let (pattern, anchored) = match self.0.strip_suffix('$') {
            Some(pattern) => (pattern, true),
            None => (self.0.as_str(), false),
        };
        fits(pattern, anchored, path) || fits_in_another_order(pattern, anchored, path)
    }
}

/// Whether a pattern fits the beginning of a text, or all of it.
///
/// Each part between two `*` is sought once, as far left as it can be: if any
/// choice fits, that one does, so there is no way back and no blow-up.
fn fits(pattern: &str, anchored: bool, text: &str) -> bool {
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

/// Whether a pattern that names several members of a query fits them in any order.
/// Ours is not the one in which the site wrote the address, and a rule must not be
/// got round by putting them straight.
fn fits_in_another_order(pattern: &str, anchored: bool, path: &str) -> bool {
    let Some((first, others)) = pattern.split_once('&') else { return false };
    let Some((place, query)) = path.split_once('?') else { return false };
    let count = query.split('&').count();
    if !(2..=MAX_MEMBERS).contains(&count) {
        return false;
    }
    let mut taken = 0_u32;
    let mut take = |fits: &dyn Fn(&str) -> bool| {
        let free = |at: usize| taken & (1 << at) == 0;
        let found = query.split('&').enumerate().find(|(at, member)| free(*at) && fits(member));
        found.map(|(at, _)| taken |= 1 << at).is_some()
    };
    // All but the last stand for whole members.
    let mut pieces = others.split('&').peekable();
    while let Some(piece) = pieces.next() {
        let whole = anchored || pieces.peek().is_some();
        if !take(&|member| fits(piece, whole, member)) {
            return false;
        }
    }
    // The first may be no more than `/*`: it takes what is left.
    take(&|member| fits(first, true, &format!("{place}?{member}")))
}

/// Path and query in the spelling that patterns are compared in.
pub(super) fn matchable(path: &str) -> Cow<'_, str> {
    if path.contains(['*', '$']) {
        Cow::Owned(path.replace('*', "%2A").replace('$', "%24"))
    } else {
        Cow::Borrowed(path)
    }
}
