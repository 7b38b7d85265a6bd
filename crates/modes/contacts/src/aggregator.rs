//! What the pages of one domain say together: the record.
//!
//! First the whole is judged: which company it is, which country it is at home in. Then each
//! value is taken or left by whose it is, spellings of one value are folded, and sources
//! gathered. The order is that of the pages; bounds are those of the constants here.

use contract::{ContactCompany, ContactPerson, ContactSource, ContactStatus, ContactsKnown};
use urls::CanonicalUrl;

use super::facts::{Extracted, PageFacts, ValueContext};
use super::{ContactPage, Contacts, LeadTopic, people, phone};

mod channels;
mod company;
mod identity;

pub(crate) use identity::CompanyIdentity;

/// How many pages of a domain are kept.
const MAX_PAGES: usize = 100;
/// How many mailboxes, numbers, addresses and profiles a record has at most.
pub(crate) const MAX_VALUES: usize = 200;
/// How many sources a value has at most.
const MAX_SOURCES: usize = 30;

/// What is known of one domain. It keeps at most a hundred pages; the record has at most two
/// hundred mailboxes, numbers, addresses and profiles.
#[derive(Debug, Default)]
pub struct ContactAggregator {
    domain: String,
    pages: Vec<(CanonicalUrl, ContactPage)>,
}

/// A page with its address, as the parts of the record are made from it.
#[derive(Clone, Copy)]
pub(crate) struct AggregatedPage<'p> {
    pub url: &'p CanonicalUrl,
    pub facts: &'p PageFacts,
}

impl AggregatedPage<'_> {
    /// Whether the page is one that companies speak of themselves on. What stands only where
    /// data protection is explained is somebody's, and one cannot tell whose.
    pub fn is_trusted(&self) -> bool {
        self.facts.topic != Some(LeadTopic::Privacy)
    }
}

impl ContactAggregator {
    /// An empty one for the domain that answered.
    #[must_use]
    pub fn new(domain: &str) -> Self {
        Self { domain: domain.to_owned(), pages: Vec::new() }
    }

    /// Adds what a page tells.
    pub fn add(&mut self, url: CanonicalUrl, page: ContactPage) {
        if self.pages.len() < MAX_PAGES {
            self.pages.push((url, page));
        }
    }

    /// Whether a further page on this topic could still tell something new: none is worth a
    /// visit once the imprint, the contacts and the people are known.
    #[must_use]
    pub fn wants(&self, topic: LeadTopic) -> bool {
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
            // Who answers for data often has a mailbox of its own.
            LeadTopic::Privacy => read(topic) < 1,
        }
    }

    /// The record.
    #[must_use]
    pub fn close(self) -> Contacts {
        let pages: Vec<AggregatedPage<'_>> = self
            .pages
            .iter()
            .map(|(url, page)| AggregatedPage { url, facts: &page.facts })
            .collect();
        let identity = CompanyIdentity::of(&self.domain, &pages);
        let people = self.people(&identity);
        let mut emails = channels::emails(&pages, &identity);
        channels::mark_personal(&mut emails, &people);
        let phones = channels::phones(&pages, &identity);
        let addresses = channels::addresses(&pages, &identity);
        let socials = channels::socials(&pages, &identity);
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

    /// Who works there, with their numbers as the company's are dialled.
    fn people(&self, identity: &CompanyIdentity) -> Vec<ContactPerson> {
        let found = self.pages.iter().flat_map(|(url, page)| {
            page.people.iter().map(|person| (url.as_str().to_owned(), person.clone()))
        });
        people::fold(found.collect(), |phone| {
            let spelled = phone.dialled.as_deref().unwrap_or(&phone.raw);
            let country = identity.home.as_deref();
            let number =
                phone::dialled(spelled, country).or_else(|| phone::dialled(&phone.raw, country));
            number.map_or_else(|| phone.raw.clone(), |number| number.e164)
        })
    }

    /// The page for making contact: one that was read, else one that was linked to.
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
        // The first link is the one that the site shows most plainly.
        let first = linked.clone().find(|url| known.contains(url));
        let part = self.pages.iter().find(|(_, page)| page.facts.has_contact_part);
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

/// Adds a source, each once.
pub(crate) fn add_source<T>(
    sources: &mut Vec<ContactSource>,
    page: AggregatedPage<'_>,
    found: &Extracted<T>,
) {
    let source = ContactSource { url: page.url.as_str().to_owned(), method: found.method };
    if sources.len() < MAX_SOURCES && !sources.contains(&source) {
        sources.push(source);
    }
}

impl ValueContext {
    /// Whether a value that stands here is the company's.
    pub(crate) fn is_ours(&self, identity: &CompanyIdentity) -> bool {
        !self.is_third_party
            && self.named.as_deref().is_none_or(|named| identity.is_company(named))
            && self.beside.as_deref().is_none_or(|domain| identity.is_mail_domain(domain))
    }
}
