//! Counts of failed pages by kind, which the message of an empty run names.

use std::collections::{BTreeMap, BTreeSet};

use contract::{FailureCause, SkipReason};
use journal::{Cause, OptionalTail, Outcome};
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
    /// Pages without a response by cause, as `OutcomeCounts::transport` counts them, and pages in which
    /// an action failed. Last field: snapshots of the first release end before it.
    #[serde(default)]
    pub unreachable: OptionalTail<BTreeMap<FailureCause, u64>>,
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
            Outcome::Failed(
                cause @ (Cause::NameServer
                | Cause::Connect
                | Cause::ConnectionRefused
                | Cause::Tls
                | Cause::Timeout
                | Cause::Protocol
                | Cause::ActionFailed),
            ) => *self.unreachable.0.entry(cause.failure()).or_default() += 1,
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
        for (cause, count) in &other.unreachable.0 {
            *self.unreachable.0.entry(*cause).or_default() += count;
        }
    }

    /// The cause of most pages without a response.
    pub fn main_unreachable(&self) -> Option<FailureCause> {
        let causes = self.unreachable.0.iter();
        let causes = causes.filter(|(cause, _)| **cause != FailureCause::ActionFailed);
        causes.max_by_key(|(_, count)| **count).map(|(cause, _)| *cause)
    }

    /// Number of pages in which an action failed.
    pub fn failed_actions(&self) -> u64 {
        self.unreachable.0.get(&FailureCause::ActionFailed).copied().unwrap_or_default()
    }

    /// The cause of all failures, if no page answered with an error status and all failed alike.
    pub fn only_cause(&self) -> Option<FailureCause> {
        let counted = [
            (self.statuses.values().sum(), FailureCause::HttpStatus),
            (self.redirect_loops, FailureCause::RedirectLoop),
            (self.too_large, FailureCause::TooLarge),
            (self.bad_encoding, FailureCause::BadEncoding),
            (self.too_complex, FailureCause::TooComplex),
        ];
        let mut found = counted.into_iter().filter(|(count, _)| *count > 0);
        match (found.next(), found.next()) {
            (Some((_, cause)), None) if self.skip_reasons.is_empty() => Some(cause),
            _ => None,
        }
    }
}
