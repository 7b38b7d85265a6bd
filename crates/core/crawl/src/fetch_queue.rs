//! The fetch queue of a run: one queue per host, served in rotation, so that a slow host does not
//! block the others. Within a host linked URLs come before URLs that only a sitemap lists, so that
//! the path from the start to a page is found before the page is fetched, and the rest are orphans.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use journal::{UrlId, Via};

use crate::Frontier;

#[derive(Debug, Default)]
struct HostQueue {
    linked: VecDeque<UrlId>,
    /// URLs known from sitemaps only, in the order of discovery.
    listed: BTreeSet<UrlId>,
    in_flight: usize,
    in_rotation: bool,
}

impl HostQueue {
    fn has_work(&self) -> bool {
        !self.linked.is_empty() || !self.listed.is_empty()
    }
}

/// The URLs that are ready to fetch, and those in flight. Not durable: it is rebuilt from the
/// frontier.
#[derive(Debug)]
pub(crate) struct FetchQueue {
    host_concurrency: usize,
    hosts: HashMap<Box<str>, usize>,
    host_queues: Vec<HostQueue>,
    /// Host queues with URLs and with a free slot, in the order of their turns.
    rotation: VecDeque<usize>,
    /// Sitemap files; everything else waits for them.
    sitemaps: VecDeque<UrlId>,
    in_flight: BTreeMap<UrlId, usize>,
}

impl FetchQueue {
    pub fn new(host_concurrency: usize) -> Self {
        Self {
            host_concurrency: host_concurrency.max(1),
            hosts: HashMap::new(),
            host_queues: Vec::new(),
            rotation: VecDeque::new(),
            sitemaps: VecDeque::new(),
            in_flight: BTreeMap::new(),
        }
    }

    /// Adds a URL that became known.
    pub fn add(&mut self, frontier: &Frontier, id: UrlId) {
        if frontier.role(id).is_sitemap() {
            self.sitemaps.push_back(id);
            return;
        }
        let number = self.host_queue(frontier, id);
        let Some(host_queue) = self.host_queues.get_mut(number) else { return };
        if frontier.via(id) == Via::Sitemap && !frontier.ways(id).has(Via::Link) {
            host_queue.listed.insert(id);
        } else {
            host_queue.linked.push_back(id);
        }
        self.rotate_in(number);
    }

    /// Puts a URL before all others of its host, because it has waited already.
    pub fn add_first(&mut self, frontier: &Frontier, id: UrlId) {
        if frontier.role(id).is_sitemap() {
            self.sitemaps.push_front(id);
            return;
        }
        let number = self.host_queue(frontier, id);
        if let Some(host_queue) = self.host_queues.get_mut(number) {
            host_queue.linked.push_front(id);
            self.rotate_in(number);
        }
    }

    /// Moves a URL that was only listed to the linked ones.
    pub fn promote(&mut self, frontier: &Frontier, id: UrlId) {
        let number = self.host_queue(frontier, id);
        if let Some(host_queue) = self.host_queues.get_mut(number)
            && host_queue.listed.remove(&id)
        {
            host_queue.linked.push_back(id);
        }
    }

    /// The next URL, if a host has a free slot.
    pub fn pop(&mut self) -> Option<UrlId> {
        if let Some(id) = self.sitemaps.pop_front() {
            return Some(id);
        }
        while let Some(number) = self.rotation.pop_front() {
            let Some(host_queue) = self.host_queues.get_mut(number) else { continue };
            host_queue.in_rotation = false;
            if host_queue.in_flight >= self.host_concurrency {
                continue;
            }
            let next = host_queue.linked.pop_front().or_else(|| host_queue.listed.pop_first());
            self.rotate_in(number);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// Whether a URL may be ready: a host with a free slot is in rotation.
    pub fn has_ready(&self) -> bool {
        !self.sitemaps.is_empty() || !self.rotation.is_empty()
    }

    /// Marks a URL as being fetched.
    pub fn begin(&mut self, frontier: &Frontier, id: UrlId) {
        let number = self.host_queue(frontier, id);
        self.in_flight.insert(id, number);
        if let Some(host_queue) = self.host_queues.get_mut(number) {
            host_queue.in_flight += 1;
        }
    }

    /// Marks a URL as not being fetched any more.
    pub fn end(&mut self, id: UrlId) {
        let Some(number) = self.in_flight.remove(&id) else { return };
        if let Some(host_queue) = self.host_queues.get_mut(number) {
            host_queue.in_flight = host_queue.in_flight.saturating_sub(1);
            self.rotate_in(number);
        }
    }

    /// Number of URLs being fetched.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The URLs that are being fetched.
    pub fn fetching(&self) -> impl Iterator<Item = UrlId> {
        self.in_flight.keys().copied()
    }

    fn rotate_in(&mut self, number: usize) {
        if let Some(host_queue) = self.host_queues.get_mut(number)
            && !host_queue.in_rotation
            && host_queue.has_work()
            && host_queue.in_flight < self.host_concurrency
        {
            host_queue.in_rotation = true;
            self.rotation.push_back(number);
        }
    }

    fn host_queue(&mut self, frontier: &Frontier, id: UrlId) -> usize {
        let key = urls::page_key(frontier.text(id));
        let host = key.split('/').next().unwrap_or_default();
        if let Some(number) = self.hosts.get(host) {
            return *number;
        }
        let number = self.host_queues.len();
        self.host_queues.push(HostQueue::default());
        self.hosts.insert(host.into(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use journal::{DiscoveredUrl, Rediscovery};
    use urls::CanonicalUrl;

    use super::*;

    /// A frontier with these URLs, each found in this way.
    fn frontier(urls: &[(&str, Via)]) -> Frontier {
        let mut frontier = Frontier::default();
        for (url, via) in urls {
            let found = DiscoveredUrl::page((*url).to_owned(), *via, None);
            frontier.offer(&CanonicalUrl::parse(url).expect("a URL"), &found, None);
        }
        frontier
    }

    fn order(fetch_queue: &mut FetchQueue) -> Vec<u32> {
        std::iter::from_fn(|| fetch_queue.pop()).map(|id| id.0).collect()
    }

    #[test]
    fn linked_urls_come_before_listed_urls() {
        let mut frontier = frontier(&[
            ("https://a.test/1", Via::Sitemap),
            ("https://a.test/2", Via::Link),
            ("https://a.test/3", Via::Sitemap),
            ("https://a.test/4", Via::Link),
        ]);
        let mut fetch_queue = FetchQueue::new(4);
        (0..4).for_each(|id| fetch_queue.add(&frontier, UrlId(id)));
        frontier.rediscover(&Rediscovery { id: UrlId(2), via: Via::Link, anchor: None }, UrlId(1));
        fetch_queue.promote(&frontier, UrlId(2));
        fetch_queue.promote(&frontier, UrlId(2));
        assert_eq!(order(&mut fetch_queue), [1, 3, 2, 0], "each once");
    }

    #[test]
    fn host_without_free_slot_does_not_block_others() {
        let frontier = frontier(&[
            ("https://slow.test/1", Via::Link),
            ("https://slow.test/2", Via::Link),
            ("https://slow.test/3", Via::Link),
            ("https://quick.test/1", Via::Link),
            ("https://quick.test/2", Via::Link),
        ]);
        let mut fetch_queue = FetchQueue::new(1);
        (0..5).for_each(|id| fetch_queue.add(&frontier, UrlId(id)));
        let first = fetch_queue.pop().expect("a URL");
        fetch_queue.begin(&frontier, first);
        assert_eq!(first, UrlId(0));
        let second = fetch_queue.pop().expect("another host has a free slot");
        fetch_queue.begin(&frontier, second);
        assert_eq!((second, fetch_queue.pop()), (UrlId(3), None));
        fetch_queue.end(UrlId(3));
        assert_eq!(
            (fetch_queue.pop(), fetch_queue.in_flight()),
            (Some(UrlId(4)), 1),
            "the slow host waits"
        );
        assert_eq!(fetch_queue.pop(), None);
        fetch_queue.end(UrlId(0));
        assert_eq!(fetch_queue.pop(), Some(UrlId(1)));
    }
}
