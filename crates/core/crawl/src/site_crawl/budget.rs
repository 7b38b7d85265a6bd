//! The budgets of a run: batch, units, sample, pages, and fetches that deliver nothing.

use crate::site_crawl::SiteCrawl;

impl SiteCrawl {
    /// Whether one more page may be fetched. Every page in flight counts as delivered, so that no
    /// limit is exceeded. A challenged page may still be reported as failed; it is never a unit.
    pub(super) fn has_budget(&self) -> bool {
        self.has_budget_beside(self.challenge_window.undecided() as u64)
    }

    /// The same, with this number of challenged pages.
    pub(crate) fn has_budget_beside(&self, challenged: u64) -> bool {
        let in_flight = self.fetch_queue.in_flight() as u64;
        let below = |limit: Option<u64>, so_far: u64| {
            limit.is_none_or(|limit| so_far.saturating_add(in_flight) < limit)
        };
        self.has_fetch_allowance()
            && below(self.batch_ends_at(), self.state.units)
            && below(self.plan.max_units, self.state.units)
            && below(self.plan.options.sample_size, self.state.results() + challenged)
            && below(self.plan.max_pages, self.state.outcome_counts.requested + challenged)
    }

    /// The units after which the current batch is full. The unused units of a batch that ended
    /// early are not added to the next one.
    pub(super) fn batch_ends_at(&self) -> Option<u64> {
        let end = self.plan.batch_ends_at?;
        let size = end / u64::from(self.plan.batch.max(1));
        Some(end.min(self.state.tail.0.batch.units.saturating_add(size)))
    }

    /// Whether the batch has allowance left for fetches that deliver nothing.
    pub(super) fn has_fetch_allowance(&self) -> bool {
        let Some(allowance) = self.plan.ceilings.fetches else { return true };
        let tail = &self.state.tail.0;
        let start = &tail.batch;
        let units = self.state.units - start.units;
        let granted = allowance.base.saturating_add(allowance.per_unit.saturating_mul(units));
        tail.fetch_points - start.fetch_points < granted
    }
}
