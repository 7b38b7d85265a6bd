//! Failures of the entry URLs of a domain. They tell a domain that blocks the crawler from one
//! without a page and from one that is unreachable.

use contract::ContactStatus;
use journal::Cause;

/// The failures of a visit's entry URLs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EntryFailures {
    /// The host answered and refused access.
    blocked: bool,
    answered: bool,
}

impl EntryFailures {
    /// Records a status that is not a success.
    pub fn note_status(&mut self, status: u16) {
        match status {
            401 | 403 | 429 | 451 => self.blocked = true,
            500.. => {}
            _ => self.answered = true,
        }
    }

    /// Records a request without a usable response.
    pub fn note_cause(&mut self, cause: Cause) {
        match cause {
            Cause::Blacklisted
            | Cause::Robots
            | Cause::RateLimited
            | Cause::Protected
            | Cause::ProviderDown => self.blocked = true,
            Cause::TooLarge
            | Cause::BadEncoding
            | Cause::Bug
            | Cause::NeedsRendering
            | Cause::Renderer
            | Cause::TooComplex
            | Cause::Busy => self.answered = true,
            Cause::NameNotFound
            | Cause::NameServer
            | Cause::AddressRefused
            | Cause::Connect
            | Cause::Egress
            | Cause::Tls
            | Cause::Timeout
            | Cause::RedirectLoop
            | Cause::RobotsUnavailable
            | Cause::Protocol => {}
        }
    }

    /// The status of the record that follows from the failures.
    pub fn status(self) -> ContactStatus {
        match self {
            Self { blocked: true, .. } => ContactStatus::Blocked,
            Self { answered: true, .. } => ContactStatus::None,
            Self { .. } => ContactStatus::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_entry_outweighs_unreachable_entries() {
        let status = |statuses: &[u16], causes: &[Cause]| {
            let mut entry_failures = EntryFailures::default();
            statuses.iter().for_each(|status| entry_failures.note_status(*status));
            causes.iter().for_each(|cause| entry_failures.note_cause(*cause));
            entry_failures.status()
        };
        assert_eq!(status(&[], &[Cause::Tls, Cause::Connect]), ContactStatus::Unreachable);
        assert_eq!(status(&[503, 500], &[]), ContactStatus::Unreachable);
        assert_eq!(status(&[], &[Cause::AddressRefused]), ContactStatus::Unreachable);
        assert_eq!(status(&[404], &[Cause::Tls]), ContactStatus::None);
        assert_eq!(status(&[403, 404], &[Cause::Timeout]), ContactStatus::Blocked);
        assert_eq!(status(&[], &[Cause::Blacklisted]), ContactStatus::Blocked);
    }
}
