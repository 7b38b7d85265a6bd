//! Many results at once, for what no single page of them tells: an order, a tree, a chart.

use serde::de::DeserializeOwned;

use super::Run;
use crate::{ConsoleState, Failure};

/// More are not looked at for a page: whoever needs them takes the export.
const MOST: usize = 10_000;

/// The first results of a run, as far as a page looks.
#[derive(Debug)]
pub(super) struct Survey<T> {
    pub items: Vec<T>,
    /// All that there are.
    pub total: u64,
}

impl<T: DeserializeOwned> Survey<T> {
    pub async fn of(run: &Run, state: &ConsoleState) -> Result<Self, Failure> {
        let size = state.settings().page_size_max.clamp(1, 1_000);
        let mut survey = Self { items: Vec::new(), total: 0 };
        for page in 1.. {
            let found = run.results::<T>(state, page, size).await?;
            survey.total = found.total;
            survey.items.extend(found.items);
            if !found.has_more || survey.items.len() >= MOST {
                break;
            }
        }
        survey.items.truncate(MOST);
        Ok(survey)
    }
}

impl<T> Survey<T> {
    /// Whether there is more than was looked at.
    pub fn is_partial(&self) -> bool {
        (self.items.len() as u64) < self.total
    }
}

/// Says that there is more than was looked at.
pub(super) fn partial(run: &Run, seen: usize) -> maud::Markup {
    maud::html! {
        p.hint {
            "This looks at the first " (crate::words::number(seen as u64)) " results. "
            a href=(run.path("/exports")) { "Take an export" } " for all of them."
        }
    }
}
