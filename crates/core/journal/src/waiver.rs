//! Waives the charge of items.

use crate::{Commit, Step};

impl Commit {
    /// Makes items free. `is_free` is asked with the index of each delivered item.
    pub fn waive(&mut self, is_free: impl Fn(usize) -> bool) {
        let mut index = 0;
        for step in &mut self.steps {
            match step {
                Step::Learned(_) | Step::Seeded(_) | Step::SetAside { .. } => {}
                Step::Visited(visited) => {
                    if is_free(index) {
                        visited.units = 0;
                    }
                    index += 1;
                }
                Step::Finished(finished) => {
                    if finished.delivered && is_free(index) {
                        finished.units = 0;
                    }
                    index += usize::from(finished.delivered);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Commit, Finished, Outcome, Step, UrlId};

    #[test]
    fn waived_item_is_delivered_without_charge() {
        let page = |id, delivered: bool| {
            Step::Finished(Finished {
                delivered,
                units: u32::from(delivered),
                ..Finished::bare(UrlId(id), Outcome::Answered(200))
            })
        };
        let mut commit = Commit { steps: vec![page(0, true), page(1, false), page(2, true)] };
        commit.waive(|index| index == 1);
        let totals = commit.totals();
        assert_eq!((totals.delivered, totals.units), (2, 1));
        assert_eq!(commit.steps[0], page(0, true));
    }
}
