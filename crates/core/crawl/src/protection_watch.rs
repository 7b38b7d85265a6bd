//! When challenged pages make a protected site: the start page alone, or three among the last
//! fifty. Fewer are pages of their own that nobody gets to see.

use std::collections::VecDeque;

/// How many pages are looked back upon.
const WINDOW: usize = 50;

/// So many challenges among them are no accident.
const CHALLENGES: usize = 3;

/// The last pages that answered. Not lasting: after a crash challenged pages are asked for
/// again.
#[derive(Debug, Default)]
pub(crate) struct ProtectionWatch {
    /// The challenged ones by their ordinals; none for those that answered as they should.
    recent: VecDeque<Option<u32>>,
    /// How many of them were challenged.
    challenged: usize,
}

/// What a challenge means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The site is protected.
    Site,
    /// Perhaps only this page is. A page that was challenged long ago is past hope.
    Page(Option<u32>),
}

impl ProtectionWatch {
    /// A page answered as it should. Gives a challenged page that has fallen out of sight.
    pub fn calm(&mut self) -> Option<u32> {
        self.push(None)
    }

    /// A page was challenged.
    pub fn challenge(&mut self, ordinal: u32, is_start: bool) -> Meaning {
        let out_of_sight = self.push(Some(ordinal));
        if is_start || self.challenged >= CHALLENGES {
            Meaning::Site
        } else {
            Meaning::Page(out_of_sight)
        }
    }

    /// The challenged pages in sight; nobody waits for more.
    pub fn drain(&mut self) -> Vec<u32> {
        self.challenged = 0;
        self.recent.drain(..).flatten().collect()
    }

    /// How many pages were challenged whose fate is open.
    pub fn open(&self) -> usize {
        self.challenged
    }

    fn push(&mut self, page: Option<u32>) -> Option<u32> {
        self.recent.push_back(page);
        self.challenged += usize::from(page.is_some());
        if self.recent.len() <= WINDOW {
            return None;
        }
        let out_of_sight = self.recent.pop_front().flatten();
        self.challenged -= usize::from(out_of_sight.is_some());
        out_of_sight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_among_fifty_are_a_protected_site() {
        let mut watch = ProtectionWatch::default();
        assert_eq!(watch.challenge(1, false), Meaning::Page(None));
        (0..47).for_each(|_| assert_eq!(watch.calm(), None));
        assert_eq!(watch.challenge(2, false), Meaning::Page(None));
        assert_eq!(watch.challenge(3, false), Meaning::Site, "the fiftieth");
        let mut watch = ProtectionWatch::default();
        watch.challenge(1, false);
        (0..49).for_each(|_| assert_eq!(watch.calm(), None));
        assert_eq!(watch.challenge(2, false), Meaning::Page(Some(1)), "the first is out of sight");
        assert_eq!(watch.challenge(3, false), Meaning::Page(None));
        assert_eq!(watch.open(), 2);
        assert_eq!((watch.drain(), watch.open()), (vec![2, 3], 0));
    }

    #[test]
    fn the_start_page_speaks_for_its_site() {
        assert_eq!(ProtectionWatch::default().challenge(0, true), Meaning::Site);
    }
}
