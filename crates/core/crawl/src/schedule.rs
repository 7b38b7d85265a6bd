//! What is fetched next. Each host has its lane, so that a slow one never holds up another;
//! within a lane what is linked comes before what only a sitemap lists: so the way from the
//! start to a page is found before the page is fetched, and what is left is an orphan.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use journal::Via;

use crate::Frontier;

#[derive(Debug, Default)]
struct Lane {
    linked: VecDeque<u32>,
    /// Known from sitemaps alone, in their order.
    listed: BTreeSet<u32>,
    under_way: usize,
    /// Whether it stands in the rotation.
    in_turn: bool,
}

impl Lane {
    fn has_work(&self) -> bool {
        !self.linked.is_empty() || !self.listed.is_empty()
    }
}

/// The URLs that can be fetched, and those that are being fetched. Not lasting: it follows
/// from the frontier.
#[derive(Debug)]
pub(crate) struct Schedule {
    host_concurrency: usize,
    hosts: HashMap<Box<str>, usize>,
    lanes: Vec<Lane>,
    /// Lanes with work and with room, in the order of their turns.
    rotation: VecDeque<usize>,
    /// Sitemap files: everything else waits for them.
    sitemaps: VecDeque<u32>,
    under_way: BTreeMap<u32, usize>,
}

impl Schedule {
    pub fn new(host_concurrency: usize) -> Self {
        Self {
            host_concurrency: host_concurrency.max(1),
            hosts: HashMap::new(),
            lanes: Vec::new(),
            rotation: VecDeque::new(),
            sitemaps: VecDeque::new(),
            under_way: BTreeMap::new(),
        }
    }

    /// A URL that became known.
    pub fn add(&mut self, frontier: &Frontier, ordinal: u32) {
        if frontier.role(ordinal).is_sitemap() {
            self.sitemaps.push_back(ordinal);
            return;
        }
        let number = self.lane(frontier, ordinal);
        let Some(lane) = self.lanes.get_mut(number) else { return };
        if frontier.via(ordinal) == Via::Sitemap && !frontier.ways(ordinal).has(Via::Link) {
            lane.listed.insert(ordinal);
        } else {
            lane.linked.push_back(ordinal);
        }
        self.give_turn(number);
    }

    /// A URL that comes before all others of its host: it has waited already.
    pub fn add_first(&mut self, frontier: &Frontier, ordinal: u32) {
        if frontier.role(ordinal).is_sitemap() {
            self.sitemaps.push_front(ordinal);
            return;
        }
        let number = self.lane(frontier, ordinal);
        if let Some(lane) = self.lanes.get_mut(number) {
            lane.linked.push_front(ordinal);
            self.give_turn(number);
        }
    }

    /// A URL that was only listed is linked now.
    pub fn promote(&mut self, frontier: &Frontier, ordinal: u32) {
        let number = self.lane(frontier, ordinal);
        if let Some(lane) = self.lanes.get_mut(number)
            && lane.listed.remove(&ordinal)
        {
            lane.linked.push_back(ordinal);
        }
    }

    /// The next URL, if a host has room for one.
    pub fn pop(&mut self) -> Option<u32> {
        if let Some(ordinal) = self.sitemaps.pop_front() {
            return Some(ordinal);
        }
        while let Some(number) = self.rotation.pop_front() {
            let Some(lane) = self.lanes.get_mut(number) else { continue };
            lane.in_turn = false;
            if lane.under_way >= self.host_concurrency {
                continue;
            }
            let next = lane.linked.pop_front().or_else(|| lane.listed.pop_first());
            self.give_turn(number);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// A URL is being fetched.
    pub fn begin(&mut self, frontier: &Frontier, ordinal: u32) {
        let number = self.lane(frontier, ordinal);
        self.under_way.insert(ordinal, number);
        if let Some(lane) = self.lanes.get_mut(number) {
            lane.under_way += 1;
        }
    }

    /// A URL is not being fetched any more.
    pub fn end(&mut self, ordinal: u32) {
        let Some(number) = self.under_way.remove(&ordinal) else { return };
        if let Some(lane) = self.lanes.get_mut(number) {
            lane.under_way = lane.under_way.saturating_sub(1);
            self.give_turn(number);
        }
    }

    /// How many are being fetched.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// What is being fetched.
    pub fn fetching(&self) -> impl Iterator<Item = u32> {
        self.under_way.keys().copied()
    }

    fn give_turn(&mut self, number: usize) {
        if let Some(lane) = self.lanes.get_mut(number)
            && !lane.in_turn
            && lane.has_work()
            && lane.under_way < self.host_concurrency
        {
            lane.in_turn = true;
            self.rotation.push_back(number);
        }
    }

    fn lane(&mut self, frontier: &Frontier, ordinal: u32) -> usize {
        let key = urls::page_key(frontier.text(ordinal));
        let host = key.split('/').next().unwrap_or_default();
        if let Some(number) = self.hosts.get(host) {
            return *number;
        }
        let number = self.lanes.len();
        self.lanes.push(Lane::default());
        self.hosts.insert(host.into(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use journal::{Found, Way};
    use urls::CanonicalUrl;

    use super::*;

    /// A frontier with these URLs, each found in this way.
    fn frontier(urls: &[(&str, Via)]) -> Frontier {
        let mut frontier = Frontier::default();
        for (url, via) in urls {
            let found = Found::page((*url).to_owned(), *via, None);
            frontier.offer(&CanonicalUrl::parse(url).expect("a URL"), &found, None);
        }
        frontier
    }

    fn order(schedule: &mut Schedule) -> Vec<u32> {
        std::iter::from_fn(|| schedule.pop()).collect()
    }

    #[test]
    fn what_is_linked_comes_before_what_is_listed() {
        let mut frontier = frontier(&[
            ("https://a.test/1", Via::Sitemap),
            ("https://a.test/2", Via::Link),
            ("https://a.test/3", Via::Sitemap),
            ("https://a.test/4", Via::Link),
        ]);
        let mut schedule = Schedule::new(4);
        (0..4).for_each(|ordinal| schedule.add(&frontier, ordinal));
        frontier.note(&Way { ordinal: 2, via: Via::Link, anchor: None }, 1);
        schedule.promote(&frontier, 2);
        schedule.promote(&frontier, 2);
        assert_eq!(order(&mut schedule), [1, 3, 2, 0], "each once");
    }

    #[test]
    fn a_host_without_room_leaves_the_turn_to_others() {
        let frontier = frontier(&[
            ("https://slow.test/1", Via::Link),
            ("https://slow.test/2", Via::Link),
            ("https://slow.test/3", Via::Link),
            ("https://quick.test/1", Via::Link),
            ("https://quick.test/2", Via::Link),
        ]);
        let mut schedule = Schedule::new(1);
        (0..5).for_each(|ordinal| schedule.add(&frontier, ordinal));
        let first = schedule.pop().expect("a URL");
        schedule.begin(&frontier, first);
        assert_eq!(first, 0);
        let second = schedule.pop().expect("another host has room");
        schedule.begin(&frontier, second);
        assert_eq!((second, schedule.pop()), (3, None));
        schedule.end(3);
        assert_eq!((schedule.pop(), schedule.under_way()), (Some(4), 1), "the slow one waits");
        assert_eq!(schedule.pop(), None);
        schedule.end(0);
        assert_eq!(schedule.pop(), Some(1));
    }
}
