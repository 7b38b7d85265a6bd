//! Facets: filters that can be combined without end.
//!
//! A combination counts only when all of its members were seen before under the
//! same path: `?forum=2&topic=977` brings a topic and is a page of its own,
//! `?colour=red&size=m` after both were seen alone is only a combination.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{SkipReason, TrapRule};
use crate::CanonicalUrl;

/// Names that lead through one list: they part its pages and combine nothing.
const PAGING: &[&str] = &[
    "cursor", "from", "limit", "offset", "p", "page", "paged", "pagina", "pg", "pn", "seite",
    "skip", "start",
];

/// How many members and combinations are remembered in all.
const MAX_SEEN: usize = 100_000;

/// What was seen, and how much of it was only combined.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Facets {
    /// Members and whole combinations, each together with its path.
    seen: BTreeSet<u64>,
    /// Mere combinations by path.
    combinations: BTreeMap<u64, usize>,
}

/// A query, taken apart.
struct Filters {
    path: u64,
    members: Vec<u64>,
    combination: u64,
}

impl Facets {
    pub(super) fn judge(&self, url: &CanonicalUrl, rule: &TrapRule) -> Result<(), SkipReason> {
        let Some(filters) = Filters::of(url) else { return Ok(()) };
        let count = self.combinations.get(&filters.path).copied().unwrap_or_default();
        if count >= rule.facets && self.only_combines(&filters) {
            Err(SkipReason::Facets)
        } else {
            Ok(())
        }
    }

    pub(super) fn admit(&mut self, url: &CanonicalUrl, rule: &TrapRule) {
        let Some(filters) = Filters::of(url) else { return };
        if self.only_combines(&filters) {
            let room = self.combinations.len() < rule.patterns;
            if room || self.combinations.contains_key(&filters.path) {
                let count = self.combinations.entry(filters.path).or_default();
                *count = count.saturating_add(1);
            }
        }
        for hash in filters.members.into_iter().chain([filters.combination]) {
            if self.seen.len() < MAX_SEEN {
                self.seen.insert(hash);
            }
        }
    }

    /// Whether it is new, and nothing in it is.
    fn only_combines(&self, filters: &Filters) -> bool {
        filters.members.len() > 1
            // The further pages of a list are no further combinations.
            && !self.seen.contains(&filters.combination)
            && filters.members.iter().all(|member| self.seen.contains(member))
    }
}

impl Filters {
    fn of(url: &CanonicalUrl) -> Option<Self> {
        let path = xxh3_64(url.without_query().page_key().as_bytes());
        let mut members: Vec<u64> = url
            .query()?
            .split('&')
            .filter(|member| {
                let name = member.split_once('=').map_or(*member, |(name, _)| name);
                !PAGING.iter().any(|known| known.eq_ignore_ascii_case(name))
            })
            .map(|member| path.rotate_left(17) ^ xxh3_64(member.as_bytes()))
            .collect();
        // The order of filters of one name is no new page.
        members.sort_unstable();
        let bytes: Vec<u8> = members.iter().flat_map(|member| member.to_le_bytes()).collect();
        Some(Self { path, combination: xxh3_64(&bytes), members })
    }
}
