//! Where each URL of a run is, from its discovery to its outcome.
//!
//! Queues and holds contain ids; this table has the state of each id. A change that is not allowed,
//! or an unknown id, is a bug of the engine: the table keeps the first one, and the run ends with it.
//! Nothing of it is durable: after a crash every URL that is not finished is queued again.

use std::collections::{BTreeSet, HashMap};

use journal::UrlId;
use thiserror::Error;

use crate::Frontier;

/// The state of a URL within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlState {
    /// Waits in the fetch queue.
    Queued,
    Fetching,
    Waiting(WaitReason),
    /// Answered, but not finished.
    Held(HoldReason),
    /// Finished; the frontier knows whether it was delivered.
    Done,
}

/// What a URL waits for before it is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitReason {
    /// The robots.txt of its origin.
    Robots,
    /// All sitemaps of the site.
    Sitemaps,
    StartPage,
    /// The folder whose index file it may be.
    Folder,
    /// All other pages, because it is a print view.
    OtherPages,
    /// The time of its next attempt.
    Retry,
    /// A redirect or sitemap that leads to it; links are recorded but not followed.
    Discovery,
}

/// Why the response of a URL is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// Its canonical page is not finished.
    Canonical,
    /// Bot protection challenged it, and it is open whether the site is protected.
    Challenge,
    /// It is the start page, empty without JavaScript.
    Shell,
}

/// A list of URLs that wait for the same event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WaitList {
    Sitemaps,
    StartPage,
    /// The URLs that wait for this folder.
    Folder(UrlId),
    OtherPages,
}

impl WaitList {
    fn reason(self) -> WaitReason {
        match self {
            Self::Sitemaps => WaitReason::Sitemaps,
            Self::StartPage => WaitReason::StartPage,
            Self::Folder(_) => WaitReason::Folder,
            Self::OtherPages => WaitReason::OtherPages,
        }
    }
}

/// A change of a URL's state that is a bug of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UrlStateError {
    #[error("the run has no URL with id {0}")]
    UnknownId(UrlId),
    #[error("URL {id} is {from:?} and cannot become {to:?}")]
    NotAllowed { id: UrlId, from: UrlState, to: UrlState },
    #[error("URL {id} is {state:?} instead of {expected:?}")]
    Unexpected { id: UrlId, state: UrlState, expected: UrlState },
}

/// The state of every URL, by id.
#[derive(Debug, Default)]
pub(crate) struct UrlTable {
    states: Vec<UrlState>,
    lists: HashMap<WaitList, Vec<UrlId>>,
    /// The URLs that wait for [`WaitReason::Discovery`].
    recorded: BTreeSet<UrlId>,
    error: Option<UrlStateError>,
}

impl UrlTable {
    /// The table of a run that starts or continues: what is not finished is queued.
    pub fn of(frontier: &Frontier) -> Self {
        let state = |id| if frontier.is_finished(id) { UrlState::Done } else { UrlState::Queued };
        let states = UrlId::START.until(frontier.next_id()).map(state).collect();
        Self { states, ..Self::default() }
    }

    /// Adds the URLs before `end` that are not in the table, as queued.
    pub fn extend_to(&mut self, end: UrlId) {
        self.states.resize(end.index(), UrlState::Queued);
    }

    /// Changes the state of a URL. Returns whether that is allowed.
    pub fn set(&mut self, id: UrlId, to: UrlState) -> bool {
        let Some(state) = self.states.get_mut(id.index()) else {
            self.error.get_or_insert(UrlStateError::UnknownId(id));
            return false;
        };
        let from = *state;
        if !is_allowed(from, to) {
            self.error.get_or_insert(UrlStateError::NotAllowed { id, from, to });
            return false;
        }
        *state = to;
        true
    }

    /// Whether a URL is in the state that the caller expects.
    pub fn check(&mut self, id: UrlId, expected: UrlState) -> bool {
        match self.states.get(id.index()) {
            None => self.error.get_or_insert(UrlStateError::UnknownId(id)),
            Some(state) if *state == expected => return true,
            Some(state) => {
                self.error.get_or_insert(UrlStateError::Unexpected { id, state: *state, expected })
            }
        };
        false
    }

    /// Makes a URL wait, until the list is taken.
    pub fn wait(&mut self, id: UrlId, list: WaitList) {
        if self.set(id, UrlState::Waiting(list.reason())) {
            self.lists.entry(list).or_default().push(id);
        }
    }

    /// Takes the URLs of a list, in their order. The caller queues them.
    pub fn take(&mut self, list: WaitList) -> Vec<UrlId> {
        self.lists.remove(&list).unwrap_or_default()
    }

    /// Records a link that is not followed.
    pub fn record(&mut self, id: UrlId) {
        if self.set(id, UrlState::Waiting(WaitReason::Discovery)) {
            self.recorded.insert(id);
        }
    }

    /// Queues a recorded link, because a redirect or sitemap leads to it. Returns false if it is
    /// not one.
    pub fn follow_recorded(&mut self, id: UrlId) -> bool {
        self.recorded.remove(&id) && self.set(id, UrlState::Queued)
    }

    /// Takes the first recorded link. The caller finishes it.
    pub fn pop_recorded(&mut self) -> Option<UrlId> {
        self.recorded.pop_first()
    }

    /// Number of recorded links that are not finished.
    pub fn recorded_count(&self) -> usize {
        self.recorded.len()
    }

    /// The first invalid transition, if there was one.
    pub fn error(&self) -> Option<UrlStateError> {
        self.error
    }

    /// Approximate memory of the states, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.states.capacity() * size_of::<UrlState>()
    }
}

fn is_allowed(from: UrlState, to: UrlState) -> bool {
    use UrlState::{Done, Fetching, Held, Queued, Waiting};
    match (from, to) {
        (Queued, Fetching | Waiting(_) | Done) => true,
        (Fetching, Queued | Waiting(WaitReason::Retry) | Held(_) | Done) => true,
        (Waiting(_), Queued | Done) => true,
        (Held(_), Queued | Held(_) | Done) => true,
        (Queued | Fetching | Waiting(_) | Held(_) | Done, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(urls: u32) -> UrlTable {
        let mut table = UrlTable::default();
        table.extend_to(UrlId(urls));
        table
    }

    #[test]
    fn waiting_urls_are_taken_in_their_order() {
        let mut table = table(4);
        table.wait(UrlId(2), WaitList::StartPage);
        table.wait(UrlId(1), WaitList::StartPage);
        table.wait(UrlId(3), WaitList::Folder(UrlId(0)));
        assert_eq!(table.take(WaitList::StartPage), [UrlId(2), UrlId(1)]);
        assert_eq!(table.take(WaitList::StartPage), []);
        assert_eq!(table.take(WaitList::Folder(UrlId(0))), [UrlId(3)]);
        assert_eq!(table.error(), None);
    }

    #[test]
    fn recorded_link_is_followed_once() {
        let mut table = table(2);
        table.record(UrlId(1));
        assert!(table.follow_recorded(UrlId(1)) && !table.follow_recorded(UrlId(1)));
        assert_eq!((table.recorded_count(), table.error()), (0, None));
    }

    #[test]
    fn unknown_id_is_an_error() {
        let mut table = table(1);
        assert!(!table.set(UrlId(1), UrlState::Done));
        assert_eq!(table.error(), Some(UrlStateError::UnknownId(UrlId(1))));
    }

    #[test]
    fn finished_url_does_not_change_and_the_first_error_is_kept() {
        let mut table = table(1);
        assert!(table.set(UrlId(0), UrlState::Done));
        let (id, from) = (UrlId(0), UrlState::Done);
        for to in [UrlState::Queued, UrlState::Fetching, UrlState::Done] {
            assert!(!table.set(id, to), "{to:?}");
        }
        let first = UrlStateError::NotAllowed { id, from, to: UrlState::Queued };
        assert_eq!(table.error(), Some(first));
        assert!(!table.check(id, UrlState::Queued));
    }
}
