//! What a run over domains knows and must not forget. It changes by [`Step`]s alone, live and
//! in replay by the same code.

use std::collections::{BTreeMap, BTreeSet};

use journal::{Commit, Step};
use serde::{Deserialize, Serialize};

/// The lasting state of a run over domains.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VisitsState {
    visited: BTreeSet<u32>,
    /// Domains that wait until the others are done, and what protects each.
    set_aside: BTreeMap<u32, String>,
    pages: u64,
    units: u64,
    /// Domains that were visited twice: a fault.
    visited_twice: u32,
}

impl VisitsState {
    /// Takes a step: the only way in which anything here changes.
    pub(crate) fn take(&mut self, step: &Step) {
        match step {
            Step::Visited(visited) => {
                self.set_aside.remove(&visited.place);
                self.visited_twice += u32::from(!self.visited.insert(visited.place));
                self.pages += u64::from(visited.pages);
                self.units += u64::from(visited.units);
            }
            Step::SetAside { place, marker } => {
                self.set_aside.insert(*place, marker.clone());
            }
            // Those stand in the logs of crawls.
            Step::Learned(_) | Step::Seeded(_) | Step::Finished(_) => {}
        }
    }

    /// Takes every step of a commit.
    pub fn replay(&mut self, commit: &Commit) {
        commit.steps.iter().for_each(|step| self.take(step));
    }

    /// How many domains are done with: each has its record.
    #[must_use]
    pub fn visited(&self) -> u64 {
        self.visited.len() as u64
    }

    /// The pages of all domains that became known.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// The units delivered.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    /// How many domains were visited twice. None, unless there is a fault.
    #[must_use]
    pub fn visited_twice(&self) -> u32 {
        self.visited_twice
    }

    pub(crate) fn is_visited(&self, place: u32) -> bool {
        self.visited.contains(&place)
    }

    pub(crate) fn is_set_aside(&self, place: u32) -> bool {
        self.set_aside.contains_key(&place)
    }

    /// What protects the first of the domains that were set aside.
    pub(crate) fn protected_by(&self) -> Option<&str> {
        self.set_aside.values().next().map(String::as_str)
    }
}
