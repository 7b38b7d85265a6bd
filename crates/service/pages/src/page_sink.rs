//! The sink of a page that is read at once: keeps the item and why the page was skipped, in memory.

use async_trait::async_trait;
use contract::{Item, SkipReason, SkippedUrl};
use crawl::Pending;
use journal::Snapshot;
use runner::{CommitOutcome, Sink};

/// Maximum kept rows of skipped URLs: the page and the URLs that redirect to it.
const MAX_SKIPPED: usize = 12;

#[derive(Debug, Default)]
pub(crate) struct PageSink {
    item: Option<Item>,
    units: u64,
    skipped: Vec<SkippedUrl>,
}

impl PageSink {
    /// The item with its units, and the row of the page if it was skipped.
    pub fn into_parts(mut self) -> (Option<Item>, u64, Option<SkippedUrl>) {
        let last = self.skipped.iter().rposition(|row| row.reason != SkipReason::Redirect);
        let row = last.map(|at| self.skipped.swap_remove(at)).or_else(|| self.skipped.pop());
        (self.item, self.units, row)
    }
}

/// Whether the row is about a URL that the run requested or wanted to, not about a link.
fn is_of_page(row: &SkippedUrl) -> bool {
    row.found_on.is_none() || row.status_code.is_some() || row.cause.is_some()
}

#[async_trait]
impl Sink for PageSink {
    async fn commit(&mut self, pending: Pending, _: Option<Snapshot>) -> CommitOutcome {
        let Pending { commit, items, skipped, .. } = pending;
        if let (None, Some(item)) = (&self.item, items.into_iter().next()) {
            self.item = Some(item);
            // One item is delivered, and charged as one unit at most.
            self.units = commit.totals().units.min(1);
        }
        let room = MAX_SKIPPED.saturating_sub(self.skipped.len());
        self.skipped.extend(skipped.into_iter().filter(is_of_page).take(room));
        CommitOutcome::Stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(url: &str, reason: SkipReason, status_code: Option<u16>) -> SkippedUrl {
        let found_on = (url != "start").then(|| "start".to_owned());
        SkippedUrl { status_code, ..SkippedUrl::unfetched(url.to_owned(), reason, found_on) }
    }

    #[tokio::test]
    async fn skipped_page_is_found_behind_its_redirect_and_among_its_links() {
        let mut sink = PageSink::default();
        let skipped = vec![
            row("start", SkipReason::Redirect, Some(301)),
            row("target", SkipReason::NoText, Some(200)),
            row("link", SkipReason::NotFollowed, None),
        ];
        let pending = Pending { skipped, ..Pending::default() };
        assert_eq!(sink.commit(pending, None).await, CommitOutcome::Stored);
        let (item, units, skipped) = sink.into_parts();
        assert_eq!((item, units), (None, 0));
        assert_eq!(skipped.map(|row| row.reason), Some(SkipReason::NoText));
    }
}
