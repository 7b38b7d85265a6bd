//! URL patterns that yield only duplicates.
//!
//! A URL belongs to two patterns: its shape, with numbers and random tokens replaced, and its folder. The
//! first copy of a page is no duplicate, so that even an exhausted pattern has one new page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{SkipReason, TrapRule};
use crate::CanonicalUrl;
use crate::session::is_token;

/// An exhausted pattern has at most this many new pages.
const MAX_NEW_PAGES: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct PatternYield {
    new: u32,
    duplicates: u32,
}

/// New pages and duplicates by pattern hash.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Patterns(BTreeMap<u64, PatternYield>);

impl Patterns {
    pub(super) fn judge(&self, url: &CanonicalUrl, rule: &TrapRule) -> Result<(), SkipReason> {
        if self.0.is_empty() {
            return Ok(());
        }
        let is_exhausted = |pattern: u64, limit: u32| {
            self.0
                .get(&pattern)
                .is_some_and(|got| got.new <= MAX_NEW_PAGES && got.duplicates >= limit)
        };
        if is_exhausted(shape(url), rule.duplicates)
            || is_exhausted(folder(url), rule.folder_duplicates)
        {
            Err(SkipReason::PatternExhausted)
        } else {
            Ok(())
        }
    }

    pub(super) fn learn(&mut self, url: &CanonicalUrl, duplicate: bool, rule: &TrapRule) {
        for pattern in [shape(url), folder(url)] {
            if self.0.len() >= rule.patterns && !self.0.contains_key(&pattern) {
                continue;
            }
            let got = self.0.entry(pattern).or_default();
            let count = if duplicate { &mut got.duplicates } else { &mut got.new };
            *count = count.saturating_add(1);
        }
    }
}

/// Hash of the URL with numbers and tokens replaced, and the query without values.
fn shape(url: &CanonicalUrl) -> u64 {
    let mut shape = String::with_capacity(url.as_str().len());
    shape.push_str(url.bare_host());
    for segment in url.path().split('/').skip(1) {
        shape.push('/');
        push_blank(&mut shape, segment);
    }
    for member in url.query().unwrap_or_default().split('&') {
        shape.push('&');
        shape.push_str(member.split_once('=').map_or(member, |(name, _)| name));
    }
    xxh3_64(shape.as_bytes())
}

fn push_blank(shape: &mut String, segment: &str) {
    if segment.split(['-', '_', '.', '=']).any(is_token) {
        shape.push('*');
        return;
    }
    let mut in_number = false;
    for letter in segment.chars() {
        let digit = letter.is_ascii_digit();
        if !digit {
            shape.push(letter);
        } else if !in_number {
            shape.push('#');
        }
        in_number = digit;
    }
}

/// Hash of the folder of the URL.
fn folder(url: &CanonicalUrl) -> u64 {
    let path = url.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    xxh3_64(format!("{}{path}/\n", url.bare_host()).as_bytes())
}
