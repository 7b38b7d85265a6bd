//! What became of the URLs of a list. Each shard of the list has one; that of the job is their sum,
//! from which its end follows.

use contract::{ErrorCode, JobError};
use job::RunEnding;
use serde::{Deserialize, Serialize};

use crate::RunState;
use crate::outcome_counts::OutcomeCounts;
use crate::page_failure_counts::PageFailureCounts;
use crate::run_ending::{main_cause, partial};

/// The outcomes of the URLs of a list, or of one of its shards. Stored as JSON until the last shard
/// ends: a new field needs a default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ListOutcome {
    results: u64,
    counts: OutcomeCounts,
    failures: PageFailureCounts,
    /// The first protection that blocked a page.
    protected_by: Option<String>,
    /// Whether the service has a protected tier.
    has_tier: bool,
}

impl ListOutcome {
    pub(crate) fn of(state: &RunState, has_tier: bool) -> Self {
        Self {
            results: state.results(),
            counts: state.outcome_counts,
            failures: state.tail.0.failures.clone(),
            protected_by: state.protected_by.clone(),
            has_tier,
        }
    }

    /// Adds the outcome of another shard of the same list.
    pub fn add(&mut self, shard: &Self) {
        self.results += shard.results;
        self.counts.add(&shard.counts);
        self.failures.add(&shard.failures);
        if self.protected_by.is_none() {
            self.protected_by.clone_from(&shard.protected_by);
        }
        self.has_tier |= shard.has_tier;
    }

    /// The end of a run with this outcome.
    #[must_use]
    pub fn ending(&self) -> RunEnding {
        let marker = self.protected_by.as_deref().unwrap_or("unknown");
        if self.results > 0 {
            return match self.counts.is_partial() {
                true => RunEnding::Partial {
                    message: partial(&self.counts, self.failures.egress, marker),
                },
                false => RunEnding::Complete,
            };
        }
        let cause = main_cause(&self.counts, &self.failures, marker, self.has_tier);
        let error = cause.unwrap_or_else(|| JobError {
            cause: self.failures.only_cause(),
            ..JobError::new(ErrorCode::NoData, self.no_data())
        });
        let message = format!(
            "no URL of the list was delivered: {}; the skipped URLs have the reason of each",
            error.message
        );
        RunEnding::Nothing(JobError { message, ..error })
    }

    /// Why nothing was delivered although no request failed.
    fn no_data(&self) -> String {
        let statuses = self.failures.statuses.iter();
        let statuses = statuses.map(|(status, count)| format!("{count} answered {status}"));
        let counted = [
            (self.failures.redirect_loops, "ended in a redirect loop"),
            (self.failures.too_large, "exceeded the size limit for one page"),
            (self.failures.bad_encoding, "had a body that cannot be decoded"),
        ];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        let counted = counted.map(|(count, what)| format!("{count} {what}"));
        let skipped = self.failures.skip_reasons.iter();
        let skipped = skipped.map(|reason| format!("pages were skipped with reason {reason}"));
        let parts: Vec<_> = statuses.chain(counted).chain(skipped).collect();
        match parts.is_empty() {
            true => "no page answered with content".to_owned(),
            false => parts.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use journal::{Cause, Outcome};

    use super::*;

    fn shard(results: u64, outcomes: &[Outcome]) -> ListOutcome {
        let mut outcome = ListOutcome { results, ..ListOutcome::default() };
        for one in outcomes {
            outcome.counts.count(one);
            outcome.failures.count(one);
        }
        outcome
    }

    #[test]
    fn end_of_a_list_follows_from_all_its_shards() {
        let mut sum = shard(0, &[Outcome::Answered(404), Outcome::Failed(Cause::Robots)]);
        let RunEnding::Nothing(JobError { code, message, .. }) = sum.ending() else {
            panic!("no result")
        };
        assert_eq!(code, ErrorCode::TargetBlocked, "{message}");
        sum.add(&shard(1, &[Outcome::Answered(200)]));
        assert_eq!(sum.ending(), RunEnding::Complete);
        sum.add(&shard(0, &[const { Outcome::Failed(Cause::Timeout) }; 3]));
        let RunEnding::Partial { message } = sum.ending() else { panic!("{:?}", sum.ending()) };
        assert!(message.starts_with("3 of 5 fetched pages failed"), "{message}");
        let stored = serde_json::to_string(&sum).expect("JSON");
        assert_eq!(serde_json::from_str::<ListOutcome>(&stored).expect("readable"), sum);
    }
}
