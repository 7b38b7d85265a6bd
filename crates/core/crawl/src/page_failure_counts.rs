//! Counts of failed pages by kind, which the message of an empty run names.

use std::collections::{BTreeMap, BTreeSet};

use contract::SkipReason;
use journal::{Cause, Outcome};
use serde::{Deserialize, Serialize};

/// Number of pages by failure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct PageFailureCounts {
    /// By status, except successes and redirects with a target.
    pub statuses: BTreeMap<u16, u64>,
    /// Redirect loops, and chains that are too long.
    pub redirect_loops: u64,
    pub too_large: u64,
    pub bad_encoding: u64,
    /// Reading the page exceeded its CPU or memory budget.
    pub too_complex: u64,
    /// The service had no connection to the internet.
    pub egress: u64,
    /// Why pages with a good response were skipped.
    pub skip_reasons: BTreeSet<SkipReason>,
}

impl PageFailureCounts {
    pub fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Answered(200..300)
            | Outcome::Redirected { .. }
            | Outcome::NotRequested
            | Outcome::Skipped(_) => {}
            Outcome::Answered(status) => *self.statuses.entry(*status).or_default() += 1,
            Outcome::Failed(Cause::RedirectLoop) => self.redirect_loops += 1,
            Outcome::Failed(Cause::TooLarge) => self.too_large += 1,
            Outcome::Failed(Cause::BadEncoding) => self.bad_encoding += 1,
            Outcome::Failed(Cause::TooComplex) => self.too_complex += 1,
            Outcome::Failed(Cause::Egress) => self.egress += 1,
            Outcome::Failed(_) => {}
        }
    }

    /// Adds the counts of another shard of the same run.
    pub fn add(&mut self, other: &Self) {
        for (status, count) in &other.statuses {
            *self.statuses.entry(*status).or_default() += count;
        }
        self.redirect_loops += other.redirect_loops;
        self.too_large += other.too_large;
        self.bad_encoding += other.bad_encoding;
        self.too_complex += other.too_complex;
        self.egress += other.egress;
        self.skip_reasons.extend(&other.skip_reasons);
    }
}
