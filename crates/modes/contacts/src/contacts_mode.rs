//! Mode `contacts` in a domain crawl: which pages of a domain are requested, and its record.

use std::sync::Arc;

use contract::{ContactStatus, Item};
use crawl::{
    AnyContent, LeadsOfPage, PageExtractor, RecordContext, VisitCollector, VisitMode, VisitOutcome,
};
use page::SitemapEntry;
use urls::CanonicalUrl;

use crate::extractor::{ContactExtractor, contacts_of};
use crate::lead_queue::LeadQueue;
use crate::record::visit_record;
use crate::{ContactAggregator, ContactLead, LeadTopic};

/// Maximum number of pages that a sitemap adds.
const LISTED_LEADS: usize = 10;

/// Mode `contacts`: one record per domain.
#[derive(Debug, Default)]
pub struct ContactsMode;

impl VisitMode for ContactsMode {
    fn extractor(&self) -> Arc<dyn PageExtractor> {
        Arc::new(ContactExtractor)
    }

    fn collector(&self) -> Box<dyn VisitCollector> {
        Box::new(ContactCollector::default())
    }

    fn is_blocked(&self, record: &Item) -> bool {
        matches!(record, Item::Contact(record) if record.status == ContactStatus::Blocked)
    }

    fn units(&self, record: &Item) -> u32 {
        let Item::Contact(record) = record else { return 0 };
        match record.status {
            ContactStatus::Found | ContactStatus::Partial => 1,
            ContactStatus::None
            | ContactStatus::Blocked
            | ContactStatus::Unreachable
            | ContactStatus::Parked => 0,
        }
    }
}

/// The contact data and the leads of one domain.
#[derive(Debug, Default)]
struct ContactCollector {
    aggregator: ContactAggregator,
    leads: LeadQueue,
}

impl ContactCollector {
    /// Queues the leads that belong to the site, and returns their URLs.
    fn offer(
        &mut self,
        leads: impl IntoIterator<Item = ContactLead>,
        admits: &dyn Fn(&CanonicalUrl) -> bool,
    ) -> Vec<CanonicalUrl> {
        let admitted = leads.into_iter().filter(|lead| admits(&lead.url));
        let offered = admitted.map(|lead| {
            let url = lead.url.clone();
            self.leads.offer(lead);
            url
        });
        offered.collect()
    }
}

impl VisitCollector for ContactCollector {
    fn see(&mut self, url: &CanonicalUrl) -> bool {
        self.leads.see(url)
    }

    fn set_home(&mut self, url: &CanonicalUrl) {
        self.aggregator = ContactAggregator::new(url.bare_host());
    }

    fn add(
        &mut self,
        url: CanonicalUrl,
        content: Box<AnyContent>,
        admits: &dyn Fn(&CanonicalUrl) -> bool,
    ) -> LeadsOfPage {
        let Some(contacts) = contacts_of(content) else { return LeadsOfPage::default() };
        let is_parked = contacts.is_parked;
        let found = self.offer(contacts.leads.iter().cloned(), admits);
        self.aggregator.add(url, *contacts);
        LeadsOfPage { found, is_parked }
    }

    fn add_listed(
        &mut self,
        entries: &[SitemapEntry],
        admits: &dyn Fn(&CanonicalUrl) -> bool,
    ) -> Vec<CanonicalUrl> {
        let leads = entries.iter().filter_map(|entry| ContactLead::by_address(&entry.url));
        self.offer(leads.take(LISTED_LEADS), admits)
    }

    fn next_page(&mut self) -> Option<CanonicalUrl> {
        self.leads.pop(|topic| self.aggregator.needs(topic)).map(|lead| lead.url)
    }

    /// No page leads to an imprint or contact page, and such a page is still needed.
    fn needs_sitemap(&self) -> bool {
        [LeadTopic::Imprint, LeadTopic::Contact]
            .into_iter()
            .all(|topic| !self.leads.has_met(topic) && self.aggregator.needs(topic))
    }

    fn record(&mut self, of: RecordContext, outcome: VisitOutcome) -> Item {
        let contacts = || std::mem::take(&mut self.aggregator).finish();
        Item::Contact(Box::new(visit_record(of, outcome, contacts)))
    }
}
