//! Many results at once, for what no single page of them tells: an order, a tree, a chart.

use serde::de::DeserializeOwned;

use super::RunPage;
use crate::{ConsoleState, PageError};

/// More are not looked at for a page: whoever needs them takes the export.
const MAX_ITEMS: usize = 10_000;

/// The first results of a run, as far as a page looks.
#[derive(Debug)]
pub(super) struct ResultSample<T> {
    pub items: Vec<T>,
    /// All that there are.
    pub total: u64,
}

impl<T: DeserializeOwned> ResultSample<T> {
    pub async fn of(run: &RunPage, state: &ConsoleState) -> Result<Self, PageError> {
        let size = state.settings().page_size_max.clamp(1, 1_000);
        let mut sample = Self { items: Vec::new(), total: 0 };
        for page in 1.. {
            let found = run.results::<T>(state, page, size).await?;
            sample.total = found.total;
            sample.items.extend(found.items);
            if !found.has_more || sample.items.len() >= MAX_ITEMS {
                break;
            }
        }
        sample.items.truncate(MAX_ITEMS);
        Ok(sample)
    }
}

impl<T> ResultSample<T> {
    /// Whether there is more than was looked at.
    pub fn is_partial(&self) -> bool {
        (self.items.len() as u64) < self.total
    }
}

/// Says that there is more than was looked at.
pub(super) fn partial(run: &RunPage, seen: usize) -> maud::Markup {
    maud::html! {
        p.hint {
            "This looks at the first " (crate::number_format::number(seen as u64)) " results. "
            a href=(run.path("/exports")) { "Take an export" } " for all of them."
        }
    }
}
