//! Failures of the entry URLs of a domain. They tell a domain that blocks the crawler from one
//! without a page and from one that is unreachable.

use journal::Cause;

use super::record_context::VisitOutcome;

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
            | Cause::ActionFailed
            | Cause::TooComplex
            | Cause::Busy => self.answered = true,
            Cause::NameNotFound
            | Cause::NameServer
            | Cause::AddressRefused
            | Cause::Connect
            | Cause::ConnectionRefused
            | Cause::Egress
            | Cause::Tls
            | Cause::Timeout
            | Cause::RedirectLoop
            | Cause::RobotsUnavailable
            | Cause::Protocol => {}
        }
    }

    /// The outcome of a visit without a home page.
    pub fn outcome(self) -> VisitOutcome {
        match self {
            Self { blocked: true, .. } => VisitOutcome::Blocked,
            Self { answered: true, .. } => VisitOutcome::NoPage,
            Self { .. } => VisitOutcome::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_entry_outweighs_unreachable_entries() {
        let outcome = |statuses: &[u16], causes: &[Cause]| {
            let mut entry_failures = EntryFailures::default();
            statuses.iter().for_each(|status| entry_failures.note_status(*status));
            causes.iter().for_each(|cause| entry_failures.note_cause(*cause));
            entry_failures.outcome()
        };
        assert_eq!(outcome(&[], &[Cause::Tls, Cause::Connect]), VisitOutcome::Unreachable);
        assert_eq!(outcome(&[503, 500], &[]), VisitOutcome::Unreachable);
        assert_eq!(outcome(&[], &[Cause::AddressRefused]), VisitOutcome::Unreachable);
        assert_eq!(outcome(&[404], &[Cause::Tls]), VisitOutcome::NoPage);
        assert_eq!(outcome(&[403, 404], &[Cause::Timeout]), VisitOutcome::Blocked);
        assert_eq!(outcome(&[], &[Cause::Blacklisted]), VisitOutcome::Blocked);
    }
}
