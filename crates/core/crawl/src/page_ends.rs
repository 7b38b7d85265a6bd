//! How pages ended that no other count tells apart: what a run without results names.

use std::collections::{BTreeMap, BTreeSet};

use contract::SkipReason;
use journal::{Cause, Outcome};
use serde::{Deserialize, Serialize};

/// Counts of pages by their end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct PageEnds {
    /// By the status of the answer, where it is neither a success nor a redirect that leads on.
    pub statuses: BTreeMap<u16, u64>,
    /// Redirects in a circle, or in a chain that is too long.
    pub redirect_loops: u64,
    pub too_large: u64,
    pub bad_encoding: u64,
    /// Reading the page exceeded its CPU or memory budget.
    pub too_complex: u64,
    /// The service itself had no way to the internet.
    pub egress: u64,
    /// Why pages that answered were left out.
    pub left_out: BTreeSet<SkipReason>,
}

impl PageEnds {
    pub fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Answered(200..300)
            | Outcome::Redirected { .. }
            | Outcome::Unasked
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
}
