//! The record of a domain.

use contract::{ContactItem, ContactStatus};
use crawl::{RecordContext, VisitOutcome};

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

/// The record of a visit. `contacts` returns those of the pages that were read.
pub(crate) fn visit_record(
    of: RecordContext,
    outcome: VisitOutcome,
    contacts: impl FnOnce() -> Contacts,
) -> ContactItem {
    let status = match outcome {
        VisitOutcome::Read { blocked } => {
            let record = contact_record(of, contacts());
            return match record.status {
                ContactStatus::None if blocked => {
                    ContactItem { status: ContactStatus::Blocked, ..record }
                }
                _ => record,
            };
        }
        VisitOutcome::Blocked => ContactStatus::Blocked,
        VisitOutcome::NoPage => ContactStatus::None,
        VisitOutcome::Unreachable => ContactStatus::Unreachable,
    };
    ContactItem {
        redirected_to: of.redirected_to,
        pages_checked: of.pages_checked,
        input: of.input,
        ..ContactItem::empty(of.domain, status, of.now)
    }
}
