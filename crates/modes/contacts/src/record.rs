//! The record of a domain.

use contract::ContactItem;
use crawl::RecordContext;

use crate::Contacts;

/// The record of a domain whose pages were read.
#[must_use]
pub fn contact_record(of: RecordContext, contacts: Contacts) -> ContactItem {
    let Contacts {
        status,
        company,
        emails,
        phones,
        addresses,
        socials,
        contact_page_url,
        people,
        language,
    } = contacts;
    ContactItem {
        domain: of.domain,
        status,
        redirected_to: of.redirected_to,
        company,
        emails,
        phones,
        addresses,
        socials,
        contact_page_url,
        people,
        pages_checked: of.pages_checked,
        language,
        fetched_at: of.now,
        input: of.input,
    }
}
