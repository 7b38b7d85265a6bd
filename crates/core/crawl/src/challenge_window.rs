//! Decides when challenged pages make a protected site: if the start page is challenged, or three
//! of the last fifty pages. Other challenged pages are blocked one by one. Domain visits use the
//! same rule.

use journal::UrlId;
use std::collections::VecDeque;

/// Number of recent pages that are considered.
const WINDOW: usize = 50;

/// Number of challenges within the window that make a protected site.
const CHALLENGES: usize = 3;

/// The most recent responses of pages. Not durable: after a crash challenged pages are fetched
/// again.
#[derive(Debug, Default)]
pub(crate) struct ChallengeWindow {
    /// The id of each challenged page; `None` for a page that passed.
    recent: VecDeque<Option<UrlId>>,
    challenged: usize,
}

/// What a challenge means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChallengeVerdict {
    Site,
    /// Only this page may be protected. The id is a challenged page that left the window and is
    /// blocked for good.
    Page(Option<UrlId>),
}

impl ChallengeWindow {
    /// Records a page that passed. Returns a challenged page that left the window.
    pub fn record_pass(&mut self) -> Option<UrlId> {
        self.push(None)
    }

    /// Records a challenged page.
    pub fn challenge(&mut self, id: UrlId, is_start: bool) -> ChallengeVerdict {
        let expired = self.push(Some(id));
        if is_start || self.challenged >= CHALLENGES {
            ChallengeVerdict::Site
        } else {
            ChallengeVerdict::Page(expired)
        }
    }

    /// Removes and returns the challenged pages in the window.
    pub fn drain(&mut self) -> Vec<UrlId> {
        self.challenged = 0;
        self.recent.drain(..).flatten().collect()
    }

    /// Number of challenged pages in the window.
    pub fn undecided(&self) -> usize {
        self.challenged
    }

    fn push(&mut self, page: Option<UrlId>) -> Option<UrlId> {
        self.recent.push_back(page);
        self.challenged += usize::from(page.is_some());
        if self.recent.len() <= WINDOW {
            return None;
        }
        let expired = self.recent.pop_front().flatten();
        self.challenged -= usize::from(expired.is_some());
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_challenges_in_fifty_pages_make_a_protected_site() {
        let mut watch = ChallengeWindow::default();
        assert_eq!(watch.challenge(UrlId(1), false), ChallengeVerdict::Page(None));
        (0..47).for_each(|_| assert_eq!(watch.record_pass(), None));
        assert_eq!(watch.challenge(UrlId(2), false), ChallengeVerdict::Page(None));
        assert_eq!(watch.challenge(UrlId(3), false), ChallengeVerdict::Site, "the fiftieth");
        let mut watch = ChallengeWindow::default();
        watch.challenge(UrlId(1), false);
        (0..49).for_each(|_| assert_eq!(watch.record_pass(), None));
        assert_eq!(
            watch.challenge(UrlId(2), false),
            ChallengeVerdict::Page(Some(UrlId(1))),
            "the first is out of sight"
        );
        assert_eq!(watch.challenge(UrlId(3), false), ChallengeVerdict::Page(None));
        assert_eq!(watch.undecided(), 2);
        assert_eq!((watch.drain(), watch.undecided()), (vec![UrlId(2), UrlId(3)], 0));
    }

    #[test]
    fn challenged_start_page_makes_a_protected_site() {
        assert_eq!(ChallengeWindow::default().challenge(UrlId(0), true), ChallengeVerdict::Site);
    }
}
