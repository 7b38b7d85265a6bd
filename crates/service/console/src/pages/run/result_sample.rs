//! The first results of a run and the total.

use serde::de::DeserializeOwned;

use super::RunPage;
use crate::PageResult;

/// Maximum results that a page reads; the export has all.
const MAX_ITEMS: usize = 10_000;

/// The first results of a run and the total.
#[derive(Debug)]
pub(super) struct ResultSample<T> {
    pub items: Vec<T>,
    /// Number of all results of the run.
    pub total: u64,
}

impl<T: DeserializeOwned> ResultSample<T> {
    pub async fn of(run: &RunPage) -> PageResult<Self> {
        let size = run.user.state.settings.page_size_max.clamp(1, 1_000);
        let mut sample = Self { items: Vec::new(), total: 0 };
        for page in 1.. {
            let found = run.results::<T>(page, size).await?;
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
    /// Whether the run has more results than were read.
    pub fn is_partial(&self) -> bool {
        (self.items.len() as u64) < self.total
    }
}

/// A note that the run has more results than were read.
pub(super) fn partial(run: &RunPage, seen: usize) -> maud::Markup {
    maud::html! {
        p.hint {
            "This page shows the first " (crate::number_format::number(seen as u64)) " results. "
            a href=(run.path("/exports")) { "Export" } " all results."
        }
    }
}
