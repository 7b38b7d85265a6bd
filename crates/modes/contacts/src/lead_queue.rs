//! The pages that a visit may request: the first page of each topic before the second of any, so
//! that no topic uses up the page limit.

use std::collections::{BTreeMap, HashMap, HashSet};

use urls::{CanonicalUrl, Fingerprint};

use crate::{ContactLead, LeadTopic};

/// Maximum number of kept pages; a visit reads far fewer.
const KEPT: usize = 200;

#[derive(Debug, Default)]
pub(crate) struct LeadQueue {
    /// By the number of earlier pages on the topic, then by topic.
    queue: BTreeMap<(u32, LeadTopic), CanonicalUrl>,
    met: HashMap<LeadTopic, u32>,
    /// Pages that were offered or requested.
    seen: HashSet<Fingerprint>,
}

impl LeadQueue {
    /// Records a page. Returns false if it was known.
    pub fn see(&mut self, url: &CanonicalUrl) -> bool {
        self.seen.insert(Fingerprint::of(url))
    }

    pub fn offer(&mut self, lead: ContactLead) {
        if self.queue.len() >= KEPT || !self.see(&lead.url) {
            return;
        }
        let met = self.met.entry(lead.topic).or_default();
        self.queue.insert((*met, lead.topic), lead.url);
        *met += 1;
    }

    /// The next page on a wanted topic. Pages before it on other topics are dropped.
    pub fn pop(&mut self, wants: impl Fn(LeadTopic) -> bool) -> Option<ContactLead> {
        while let Some(((_, topic), url)) = self.queue.pop_first() {
            if wants(topic) {
                return Some(ContactLead { url, topic });
            }
        }
        None
    }

    /// Whether a page on this topic was ever offered.
    pub fn has_met(&self, topic: LeadTopic) -> bool {
        self.met.contains_key(&topic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_take_turns() {
        let mut leads = LeadQueue::default();
        let lead = |path: &str, topic| ContactLead {
            url: CanonicalUrl::parse(&format!("https://firm.test/{path}")).expect("a URL"),
            topic,
        };
        for n in 0..3 {
            leads.offer(lead(&format!("card{n}"), LeadTopic::Card));
        }
        leads.offer(lead("team", LeadTopic::Team));
        leads.offer(lead("imprint", LeadTopic::Imprint));
        leads.offer(lead("team", LeadTopic::About));
        leads.offer(lead("privacy", LeadTopic::Privacy));
        let not_private = |topic| topic != LeadTopic::Privacy;
        let order: Vec<_> = std::iter::from_fn(|| leads.pop(not_private))
            .map(|lead| lead.url.path().to_owned())
            .collect();
        assert_eq!(order, ["/imprint", "/card0", "/team", "/card1", "/card2"]);
        assert!(leads.has_met(LeadTopic::Privacy) && !leads.has_met(LeadTopic::About));
    }
}
