//! Facets: filters with an endless number of combinations.
//!
//! A combination counts only if all of its parameters were seen before with the same path:
//! `?forum=2&topic=977` has a new topic and is a separate page, `?colour=red&size=m` after both were
//! seen alone is only a combination.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{SkipReason, TrapRule};
use crate::CanonicalUrl;

/// Pagination parameters, which are no filters.
const PAGING: &[&str] = &[
    "cursor", "from", "limit", "offset", "p", "page", "paged", "pagina", "pg", "pn", "seite",
    "skip", "start",
];

/// Maximum number of remembered parameters and combinations.
const MAX_SEEN: usize = 100_000;

/// Seen parameters and the number of combinations.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Facets {
    /// Hashes of parameters and combinations, each with its path.
    seen: BTreeSet<u64>,
    /// Number of combinations by path.
    combinations: BTreeMap<u64, usize>,
}

/// The parameters of a query as hashes.
struct Filters {
    path: u64,
    members: Vec<u64>,
    combination: u64,
}

impl Facets {
    pub(super) fn judge(&self, url: &CanonicalUrl, rule: &TrapRule) -> Result<(), SkipReason> {
        let Some(filters) = Filters::of(url) else { return Ok(()) };
        let count = self.combinations.get(&filters.path).copied().unwrap_or_default();
        if count >= rule.facets && self.is_new_combination(&filters) {
            Err(SkipReason::Facets)
        } else {
            Ok(())
        }
    }

    pub(super) fn admit(&mut self, url: &CanonicalUrl, rule: &TrapRule) {
        let Some(filters) = Filters::of(url) else { return };
        if self.is_new_combination(&filters) {
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

    /// Whether the combination is new and all of its parameters are known.
    fn is_new_combination(&self, filters: &Filters) -> bool {
        filters.members.len() > 1
            // Further pages of a list are no further combinations.
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
        // The order of filters does not matter.
        members.sort_unstable();
        let bytes: Vec<u8> = members.iter().flat_map(|member| member.to_le_bytes()).collect();
        Some(Self { path, combination: xxh3_64(&bytes), members })
    }
}
