//! What a run came to.

use std::collections::{BTreeMap, BTreeSet};

use contract::{ErrorCode, FetchFault, Status};

use crate::books::Books;

/// The account of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub steps: u64,
    pub requests: u64,
    pub commits: u64,
    pub snapshots: u64,
    pub claims: u64,
    pub crashes: u64,
    pub lost_appends: u64,
    pub parked: u64,
    pub results: u64,
    pub sampled: bool,
    pub status: Option<Status>,
    pub error: Option<ErrorCode>,
    pub(crate) delivered: BTreeMap<String, Sight>,
}

/// What of a result depends on the site alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sight {
    status_code: Option<u16>,
    content_hash: Option<String>,
    inlinks: u32,
}

impl Report {
    pub(crate) fn read(&mut self, books: &Books) -> Result<(), String> {
        self.status = Some(books.job.status);
        self.error = books.job.error.as_ref().map(|error| error.code);
        self.results = books.job.counts.results;
        self.sampled = books.job.options.sample_size.is_some();
        let overlay = books.state.overlay();
        if overlay.revisions.len() != books.items.len() {
            return Err("the overlay does not fit the items".to_owned());
        }
        for (item, revision) in books.items.iter().zip(&overlay.revisions) {
            let link = item.link();
            // Which URL of a loop closes it depends on which was asked first.
            if link.error == Some(FetchFault::RedirectLoop) {
                continue;
            }
            let sight = Sight {
                status_code: link.status_code,
                content_hash: link.content_hash.clone(),
                inlinks: revision.inlinks,
            };
            // So does the spelling by which a page became known.
            let key = site::page_key(&link.url).to_owned();
            if self.delivered.insert(key, sight).is_some() {
                return Err(format!("{} was delivered twice", link.url));
            }
        }
        Ok(())
    }

    /// Whether the run found what there is to find.
    pub(crate) fn compare_with_truth(&self, truth: &BTreeSet<String>) -> Result<(), String> {
        let found = self.delivered.iter().filter(|(_, sight)| sight.status_code == Some(200));
        let found: BTreeSet<String> = found.map(|(key, _)| key.clone()).collect();
        if let Some(key) = found.difference(truth).next() {
            return Err(format!("{key} was delivered, which is not to be had"));
        }
        match truth.difference(&found).next() {
            Some(key) if !self.sampled => Err(format!("{key} is to be had and was not delivered")),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether faults of ours changed what the run came to.
    pub(crate) fn compare(&self, calm: &Self) -> Result<(), String> {
        if self.status == Some(Status::Aborted) {
            return Ok(());
        }
        if (self.status, self.error) != (calm.status, calm.error) {
            return Err(format!(
                "it ended as {:?} {:?}, and the calm run as {:?} {:?}",
                self.status, self.error, calm.status, calm.error
            ));
        }
        if self.sampled {
            // Which pages a sample holds is left to chance; how many, is not.
            return match self.results == calm.results {
                true => Ok(()),
                false => Err(format!("a sample of {}, not {}", self.results, calm.results)),
            };
        }
        for (key, sight) in &self.delivered {
            if calm.delivered.get(key) != Some(sight) {
                let other = calm.delivered.get(key);
                return Err(format!("{key} is {sight:?}, in the calm run {other:?}"));
            }
        }
        match calm.delivered.keys().find(|key| !self.delivered.contains_key(*key)) {
            Some(missing) => Err(format!("{missing} was not delivered")),
            None => Ok(()),
        }
    }
}
