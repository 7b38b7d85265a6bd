//! The record of a domain whose pages could not be read, and what a record is charged as.

use contract::{ContactItem, ContactStatus, Millis};

/// What only the run knows about a domain.
#[derive(Debug)]
pub struct RecordContext {
    pub domain: String,
    /// The text that the client wrote for it.
    pub input: Option<String>,
    /// The domain that it redirected to.
    pub redirected_to: Option<String>,
    pub pages_checked: u32,
    pub now: Millis,
}

/// The record of a domain without a readable page.
pub(super) fn empty_record(of: RecordContext, status: ContactStatus) -> ContactItem {
    ContactItem {
        redirected_to: of.redirected_to,
        pages_checked: of.pages_checked,
        input: of.input,
        ..ContactItem::empty(of.domain, status, of.now)
    }
}

/// The units that a record is charged as.
pub(super) fn units(status: ContactStatus) -> u32 {
    match status {
        ContactStatus::Found | ContactStatus::Partial => 1,
        ContactStatus::None
        | ContactStatus::Blocked
        | ContactStatus::Unreachable
        | ContactStatus::Parked => 0,
    }
}
