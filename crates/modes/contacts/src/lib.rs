//! Contact data of companies: reads pages, and merges the pages of a domain into one record.
//!
//! [`ContactPage`] holds what one page states: mailboxes, phone numbers, addresses, ids, names,
//! people and profiles with their positions, and links to further pages ([`ContactLead`]).
//! [`ContactAggregator`] collects the pages of one domain. It resolves the company and its home
//! country, drops values of third parties, merges spellings and returns [`Contacts`]. In a domain
//! crawl [`ContactsMode`] decides which pages are requested, and builds the record.
//!
//! Vocabularies (titles, street words, labels, legal forms, …) are text files under `data/`, one
//! per topic. To teach the readers a new word, add it to the file of its topic. To add a field,
//! read it in `facts.rs`, and merge it in `aggregator.rs`.
//!
//! ```
//! use contacts::{ContactAggregator, ContactPage};
//! use page::{PageHead, PageLimits};
//! use urls::CanonicalUrl;
//!
//! let html = "<html lang=de><h1>Impressum</h1><p>Muster Werkzeugbau GmbH<br>Lindenallee 12a<br>\
//!             10115 Berlin</p><p>Tel. 030 1234567<br>info [at] muster-werkzeugbau.de</p>\
//!             <p>Geschäftsführerin: Anna Berg</p></html>";
//! let url = CanonicalUrl::parse("https://muster-werkzeugbau.de/impressum")?;
//! let head = PageHead { content_type: Some("text/html"), ..PageHead::default() };
//! let (_, page) = ContactPage::read(html.as_bytes(), &head, &url, &PageLimits::default());
//!
//! let mut aggregator = ContactAggregator::new("muster-werkzeugbau.de");
//! aggregator.add(url, page);
//! let contacts = aggregator.finish();
//! println!("{:?}: {:?}", contacts.company.legal_name, contacts.emails);
//!
//! assert_eq!(contacts.company.legal_name.as_deref(), Some("Muster Werkzeugbau GmbH"));
//! assert_eq!(contacts.emails[0].value, "info@muster-werkzeugbau.de");
//! assert_eq!(contacts.addresses[0].city.as_deref(), Some("Berlin"));
//! assert_eq!(contacts.people[0].name, "Anna Berg");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
extern crate text;

use std::borrow::Cow;

use contract::{
    ContactAddress, ContactCompany, ContactEmail, ContactPerson, ContactPhone, ContactSocial,
    ContactStatus,
};
use urls::CanonicalUrl;

use html::dom::{Builder, Element, NodeId};
use html::{budget, charset};
use page::{Page, PageHead, PageLimits};

mod address;
mod aggregator;
mod company_id;
mod contacts_mode;
mod country;
mod email;
mod extractor;
mod facts;
mod founded;
mod host_label;
mod item_schema;
mod lead_queue;
mod leads;
mod legal;
mod page_emails;
mod page_view;
mod parked;
mod people;
mod phone;
mod record;
mod social;
mod structured_data;
mod third_party;
#[cfg(feature = "training")]
pub mod training;
mod vcard;
mod visible_text;
mod words;

pub use aggregator::ContactAggregator;
pub use contacts_mode::ContactsMode;
pub use extractor::{ContactExtractor, is_vcard};
use facts::PageFacts;
pub use item_schema::CONTACTS_SCHEMA;
use page_view::PageView;
pub use record::contact_record;

/// Decodes percent escapes as lossy UTF-8.
fn decoded(text: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy()
}

/// What a page is likely to contain. The order is the order of fetching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeadTopic {
    /// Legal notice of the site.
    Imprint,
    /// Contact page of the company.
    Contact,
    /// A vCard file, not a page.
    Card,
    /// Management and boards.
    Management,
    /// Staff and contact persons.
    Team,
    /// Description of the company.
    About,
    /// Offices, branches and shops.
    Locations,
    /// Press contacts and news.
    Press,
    /// Privacy policy of the site.
    Privacy,
}

/// A page of the site that is worth fetching for contact data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactLead {
    pub url: CanonicalUrl,
    pub topic: LeadTopic,
}

impl ContactLead {
    /// The lead for a URL without link text, such as a sitemap entry.
    #[must_use]
    pub fn by_address(url: &CanonicalUrl) -> Option<Self> {
        leads::topic_of_path(url).map(|topic| Self { url: url.clone(), topic })
    }
}

/// The contact data of one page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactPage {
    /// Links to further pages with contact data, each URL once.
    pub leads: Vec<ContactLead>,
    /// Whether the domain is parked or shows a default page.
    pub is_parked: bool,
    pub(crate) facts: PageFacts,
    pub(crate) people: Vec<people::FoundPerson>,
}

impl ContactPage {
    /// Reads an HTML page: the general page data as in `links` mode, and its contact data.
    #[must_use]
    pub fn read(
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
    ) -> (Page, Self) {
        budget::ensure(body.len(), || {
            let html = charset::decode(body, head.content_type);
            let mut builder = Builder::new(&html);
            let page = page::read_page_text(&html, head, url, limits, &mut builder);
            let dom = builder.finish();
            let host = url.bare_host();
            let view = PageView::read(&dom, host);
            let base = dom.find(NodeId::ROOT, Element::Base);
            let base = base.and_then(|id| dom.attribute(id, "href"));
            let base = base.and_then(|href| url.join(&href).ok()).unwrap_or_else(|| url.clone());
            let title = page.title.clone().unwrap_or_default();
            let contact = Self {
                leads: leads::find_leads(&view, url, &base),
                is_parked: parked::is_parked(&view, &title),
                facts: facts::read(&view, url, &base),
                people: people::read(&view, host, url.path()),
            };
            (page, contact)
        })
    }

    /// Reads the people and the company of a vCard file.
    #[must_use]
    pub fn read_card(body: &[u8], content_type: Option<&str>, url: &CanonicalUrl) -> Self {
        budget::ensure(body.len(), || {
            let text = charset::decode(body, content_type);
            let host = url.bare_host();
            let cards = vcard::parse_vcards(&text);
            let people = people::from_vcards(&cards, host);
            Self { facts: facts::from_vcards(cards, host), people, ..Self::default() }
        })
    }
}

/// The contact record of a domain, without the fields that only the run knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts {
    /// `Found`, `Partial`, `None` or `Parked`.
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
