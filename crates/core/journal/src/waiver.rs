//! Units that are not charged after all.

use crate::{Commit, Step};

impl Commit {
    /// Makes some of its items free, told by their places among what it delivers.
    pub fn waive(&mut self, is_free: impl Fn(usize) -> bool) {
        let mut place = 0;
        for step in &mut self.steps {
            match step {
                Step::Learned(_) | Step::Seeded(_) | Step::SetAside { .. } => {}
                Step::Visited(visited) => {
                    if is_free(place) {
                        visited.units = 0;
                    }
                    place += 1;
                }
                Step::Finished(finished) => {
                    if finished.delivered && is_free(place) {
                        finished.units = 0;
                    }
                    place += usize::from(finished.delivered);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Commit, Finished, Outcome, Step};

    #[test]
    fn what_is_waived_is_delivered_and_costs_nothing() {
        let page = |ordinal, delivered: bool| {
            Step::Finished(Finished {
                delivered,
                units: u32::from(delivered),
                ..Finished::bare(ordinal, Outcome::Answered(200))
            })
        };
        let mut commit = Commit { steps: vec![page(0, true), page(1, false), page(2, true)] };
        commit.waive(|place| place == 1);
        let totals = commit.totals();
        assert_eq!((totals.delivered, totals.units), (2, 1));
        assert_eq!(commit.steps[0], page(0, true));
    }
}
