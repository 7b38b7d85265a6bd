//! The record of a domain.

use contract::ContactItem;
use crawl::RecordContext;

use crate::Contacts;

/// The record of a domain whose pages were read.
#[must_use]
pub fn contact_record(of: RecordContext, contacts: Contacts) -> ContactItem {
    ContactItem {
        domain: of.domain,
        status: contacts.status,
        redirected_to: of.redirected_to,
        company: contacts.company,
        emails: contacts.emails,
        phones: contacts.phones,
        addresses: contacts.addresses,
        socials: contacts.socials,
        contact_page_url: contacts.contact_page_url,
        people: contacts.people,
        pages_checked: of.pages_checked,
        language: contacts.language,
        fetched_at: of.now,
        input: of.input,
    }
}
