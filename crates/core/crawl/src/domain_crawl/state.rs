//! The durable state of a domain crawl. It changes only by [`Step`]s, with the same code live and
//! in replay.

use std::collections::{BTreeMap, BTreeSet};

use journal::{Commit, JournalError, PayloadType, Snapshot, Step};
use serde::{Deserialize, Serialize};

/// The durable state of a domain crawl. Fields are stored in this order and without names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DomainCrawlState {
    visited: BTreeSet<u32>,
    /// Protected domains that wait for the decision of the owner, with their markers.
    set_aside: BTreeMap<u32, String>,
    pages: u64,
    units: u64,
    /// Domains that were visited twice. Always 0 unless there is a bug.
    visited_twice: u32,
}

impl DomainCrawlState {
    /// Decodes a snapshot.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged or of an unknown version.
    pub fn restore(snapshot: &Snapshot) -> Result<Self, JournalError> {
        let stored = snapshot.open(PayloadType::DomainSnapshot)?;
        match stored.version() {
            1 | 2 => stored.decode(),
            _ => Err(stored.unknown_version()),
        }
    }

    /// Applies a step. Nothing else changes the state.
    pub(crate) fn apply(&mut self, step: &Step) {
        match step {
            Step::Visited(visited) => {
                self.set_aside.remove(&visited.domain_index);
                self.visited_twice += u32::from(!self.visited.insert(visited.domain_index));
                self.pages += u64::from(visited.pages);
                self.units += u64::from(visited.units);
            }
            Step::SetAside { domain_index, marker } => {
                self.set_aside.insert(*domain_index, marker.clone());
            }
            // Steps of site crawls only.
            Step::Learned(_) | Step::Seeded(_) | Step::Finished(_) => {}
        }
    }

    /// Applies all steps of a commit.
    pub fn replay(&mut self, commit: &Commit) {
        commit.steps.iter().for_each(|step| self.apply(step));
    }

    /// Number of domains with a record.
    #[must_use]
    pub fn visited(&self) -> u64 {
        self.visited.len() as u64
    }

    /// Number of known pages of all domains.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Number of domains that were visited twice. Always 0 unless there is a bug.
    #[must_use]
    pub fn visited_twice(&self) -> u32 {
        self.visited_twice
    }

    pub(crate) fn is_visited(&self, domain_index: u32) -> bool {
        self.visited.contains(&domain_index)
    }

    pub(crate) fn is_set_aside(&self, domain_index: u32) -> bool {
        self.set_aside.contains_key(&domain_index)
    }

    /// The marker of the first domain that was set aside.
    pub(crate) fn protected_by(&self) -> Option<&str> {
        self.set_aside.values().next().map(String::as_str)
    }
}
