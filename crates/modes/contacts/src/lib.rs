//! A page as `contacts` mode reads it, and what the pages of a company say together.
//!
//! A [`ContactPage`] is what one page tells: values with the place they stand in, as they are
//! spelled, and where to look further. A [`ContactAggregator`] gathers the pages of one domain; it knows
//! the country, tells whose values they are, folds what is one, and gives the record.

use std::borrow::Cow;

use contract::{
    ContactAddress, ContactCompany, ContactEmail, ContactPerson, ContactPhone, ContactSocial,
    ContactStatus,
};
use urls::CanonicalUrl;

use html::dom::{Builder, Element, NodeId};
use html::{budget, charset};
use page::{Page, PageHead, PageLimits};

#[macro_use]
mod vocabulary;

mod address;
mod aggregator;
mod company_id;
mod country;
mod email;
mod facts;
mod founded;
mod leads;
mod legal;
mod page_emails;
mod page_view;
mod parked;
mod people;
mod phone;
mod social;
mod structured_data;
mod third_party;
mod vcard;
mod visible_text;

pub use aggregator::ContactAggregator;
use facts::PageFacts;
use page_view::PageView;

/// A text with its percent signs read, as far as they are UTF-8.
fn decoded(text: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy()
}

/// What a page is likely to tell, by the words of a link to it. In the order in which they
/// are worth a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeadTopic {
    /// Who answers for the site by law.
    Imprint,
    /// How to reach the company.
    Contact,
    /// A vCard file.
    Card,
    /// Who runs it.
    Management,
    /// Who works there.
    Team,
    /// What it is.
    About,
    /// Where it is.
    Locations,
    /// Whom journalists ask.
    Press,
    /// Who answers for data.
    Privacy,
}

/// A page of the site that is worth a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactLead {
    pub url: CanonicalUrl,
    pub topic: LeadTopic,
}

impl ContactLead {
    /// The page, where its address alone promises something: what a sitemap lists has no
    /// link text.
    #[must_use]
    pub fn by_address(url: &CanonicalUrl) -> Option<Self> {
        leads::topic_of_path(url).map(|topic| Self { url: url.clone(), topic })
    }
}

/// What one page tells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactPage {
    /// Where to look further, each address once.
    pub leads: Vec<ContactLead>,
    /// Whether it is the page of a domain that nobody lives at.
    pub is_parked: bool,
    /// What it says of the company.
    pub(crate) facts: PageFacts,
    /// Who is shown to work there.
    pub(crate) people: Vec<people::FoundPerson>,
}

impl ContactPage {
    /// Reads the page that was found at `url`: what a `links` run would know of it, and what
    /// it says of a company and its people.
    #[must_use]
    pub fn read(
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
    ) -> (Page, Self) {
        budget::ensure(body.len(), || Self::read_within_budget(body, head, url, limits))
    }

    fn read_within_budget(
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
    ) -> (Page, Self) {
        let html = charset::decode(body, head.content_type);
        let mut builder = Builder::new(&html);
        let page = Page::read_text(&html, head, url, limits, &mut builder);
        let dom = builder.finish();
        let host = url.bare_host();
        let view = PageView::read(&dom, host);
        let base = dom.find(NodeId::ROOT, Element::Base);
        let base = base.and_then(|id| dom.attribute(id, "href"));
        let base = base.and_then(|href| url.join(&href).ok()).unwrap_or_else(|| url.clone());
        let title = page.title.clone().unwrap_or_default();
        let contact = Self {
            leads: leads::leads(&view, url, &base),
            is_parked: parked::is_parked(&view, &title),
            facts: facts::read(&view, url, &base),
            people: people::read(&view, host, url.path()),
        };
        (page, contact)
    }

    /// Reads a vCard file.
    #[must_use]
    pub fn read_card(body: &[u8], content_type: Option<&str>, url: &CanonicalUrl) -> Self {
        budget::ensure(body.len(), || {
            let text = charset::decode(body, content_type);
            let host = url.bare_host();
            let cards = vcard::cards(&text);
            let people = people::of_cards(&cards, host);
            Self { facts: facts::of_cards(cards, host), people, ..Self::default() }
        })
    }
}

/// The record of a domain, apart from what only the run knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts {
    /// `Extracted`, `Partial`, `None` or `Parked`.
    pub status: ContactStatus,
    pub company: ContactCompany,
    pub emails: Vec<ContactEmail>,
    pub phones: Vec<ContactPhone>,
    pub addresses: Vec<ContactAddress>,
    pub socials: Vec<ContactSocial>,
    pub contact_page_url: Option<String>,
    pub people: Vec<ContactPerson>,
    pub language: Option<String>,
}
