//! Aggregates the facts of all pages of a domain into one contact record.
//!
//! The aggregator first resolves the identity of the company: its legal name and its home
//! country. It then keeps the values that belong to this company, merges spellings of one value
//! and collects their sources. Values keep the order of the pages.

use contract::{
    ContactCompany, ContactMethod, ContactPerson, ContactSource, ContactStatus, ContactsKnown,
};
use urls::CanonicalUrl;

use super::facts::{PageFacts, ValueContext};
use super::{ContactPage, Contacts, LeadTopic, people, phone};

mod channels;
mod company;
mod identity;

pub(crate) use identity::CompanyIdentity;

/// Maximum pages per domain; further pages are dropped.
const MAX_PAGES: usize = 100;
/// Maximum mailboxes, phone numbers, addresses and profiles per record, each.
pub(crate) const MAX_VALUES: usize = 200;
/// Maximum sources per value.
const MAX_SOURCES: usize = 30;

/// Collects the pages of one domain and merges them into a contact record. Keeps at most 100
/// pages; the record has at most 200 mailboxes, phone numbers, addresses and profiles, each.
#[derive(Debug, Default)]
pub struct ContactAggregator {
    domain: String,
    pages: Vec<(CanonicalUrl, ContactPage)>,
}

/// A page with its URL, as input of the record.
#[derive(Clone, Copy)]
pub(crate) struct AggregatedPage<'p> {
    pub url: &'p CanonicalUrl,
    pub facts: &'p PageFacts,
}

impl AggregatedPage<'_> {
    /// Whether values of this page are attributed to the company. Privacy policies name many
    /// third parties.
    pub fn is_trusted(&self) -> bool {
        self.facts.topic != Some(LeadTopic::Privacy)
    }
}

impl ContactAggregator {
    /// Creates an empty aggregator for the domain that answered.
    #[must_use]
    pub fn new(domain: &str) -> Self {
        Self { domain: domain.to_owned(), pages: Vec::new() }
    }

    /// Adds the facts of a page.
    pub fn add(&mut self, url: CanonicalUrl, page: ContactPage) {
        if self.pages.len() < MAX_PAGES {
            self.pages.push((url, page));
        }
    }

    /// Whether a further page on this topic can still add values to the record.
    #[must_use]
    pub fn needs(&self, topic: LeadTopic) -> bool {
        let read = |topic: LeadTopic| {
            self.pages.iter().filter(|(_, page)| page.facts.topic == Some(topic)).count()
        };
        match topic {
            LeadTopic::Imprint => read(topic) < 2,
            LeadTopic::Contact => read(topic) < 3,
            LeadTopic::Card => true,
            LeadTopic::Management | LeadTopic::Team => read(topic) < 8,
            LeadTopic::About => read(topic) < 2,
            LeadTopic::Locations => read(topic) < 4,
            LeadTopic::Press => read(topic) < 2,
            // A privacy policy often names a separate mailbox.
            LeadTopic::Privacy => read(topic) < 1,
        }
    }

    /// Merges all pages into the record.
    #[must_use]
    pub fn finish(self) -> Contacts {
        let pages: Vec<AggregatedPage<'_>> = self
            .pages
            .iter()
            .map(|(url, page)| AggregatedPage { url, facts: &page.facts })
            .collect();
        let identity = CompanyIdentity::resolve(&self.domain, &pages);
        let people = self.people(&identity);
        let mut emails = channels::emails(&pages, &identity);
        channels::mark_personal(&mut emails, &people);
        let phones = channels::phones(&pages, &identity);
        let addresses = channels::addresses(&pages, &identity);
        let socials = channels::socials(&pages, &identity, &people);
        let company = company::company(&pages, &identity);
        let is_parked = self.pages.iter().any(|(_, page)| page.is_parked) && addresses.is_empty();
        let known = ContactsKnown {
            can_reach: !emails.is_empty() || !phones.is_empty(),
            has_address: !addresses.is_empty(),
            has_more: !socials.is_empty() || !people.is_empty(),
        };
        if is_parked {
            return Contacts {
                status: ContactStatus::Parked,
                company: ContactCompany::default(),
                emails: Vec::new(),
                phones: Vec::new(),
                addresses: Vec::new(),
                socials: Vec::new(),
                contact_page_url: None,
                people: Vec::new(),
                language: None,
            };
        }
        Contacts {
            status: known.status(),
            company,
            emails,
            phones,
            addresses,
            socials,
            contact_page_url: self.contact_page(),
            people,
            language: language(&pages),
        }
    }

    /// The people of all pages, with phone numbers in E.164 where the home country allows it.
    fn people(&self, identity: &CompanyIdentity) -> Vec<ContactPerson> {
        let found = self.pages.iter().flat_map(|(url, page)| {
            page.people.iter().map(|person| (url.as_str().to_owned(), person.clone()))
        });
        people::merge_people(found.collect(), |phone| {
            let spelled = phone.dialled.as_deref().unwrap_or(&phone.raw);
            let number = phone::resolve_number(&[spelled, &phone.raw], &identity.countries);
            number.map_or_else(|| phone.raw.clone(), |number| number.e164)
        })
    }

    /// URL of the contact page: one that was read, else one that was linked.
    fn contact_page(&self) -> Option<String> {
        let read = self
            .pages
            .iter()
            .filter(|(_, page)| page.facts.topic == Some(LeadTopic::Contact))
            .map(|(url, _)| url.as_str());
        let linked = self
            .pages
            .iter()
            .flat_map(|(_, page)| &page.leads)
            .filter(|lead| lead.topic == LeadTopic::Contact)
            .map(|lead| lead.url.as_str());
        let known: Vec<&str> = read.collect();
        // The first link is the most prominent one.
        let first = linked.clone().find(|url| known.contains(url));
        let part = self.pages.iter().find(|(_, page)| page.facts.has_contact_section);
        first
            .or_else(|| known.first().copied())
            .or_else(|| linked.clone().next())
            .or(part.map(|(url, _)| url.as_str()))
            .map(str::to_owned)
    }
}

fn language(pages: &[AggregatedPage<'_>]) -> Option<String> {
    let home = pages.iter().find(|page| page.facts.is_home);
    let said = home.into_iter().chain(pages).find_map(|page| page.facts.language.as_deref())?;
    let tongue = said.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    (2..=3).contains(&tongue.len()).then_some(tongue)
}

/// Adds a source unless it is present or the limit is reached.
pub(crate) fn add_source(
    sources: &mut Vec<ContactSource>,
    page: AggregatedPage<'_>,
    method: ContactMethod,
) {
    let source = ContactSource { url: page.url.as_str().to_owned(), method };
    if sources.len() < MAX_SOURCES && !sources.contains(&source) {
        sources.push(source);
    }
}

impl ValueContext {
    /// Whether a value in this context belongs to the company.
    pub(crate) fn is_own_value(&self, identity: &CompanyIdentity) -> bool {
        !self.is_third_party
            && self.named.as_deref().is_none_or(|named| identity.is_company(named))
            && self.section_domain.as_deref().is_none_or(|domain| identity.is_mail_domain(domain))
    }
}
