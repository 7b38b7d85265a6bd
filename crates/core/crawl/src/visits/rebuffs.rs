//! What the doors of a domain said that did not open: they tell a domain that keeps us out
//! from one that has nothing to say and from one that is not there.

use contract::ContactStatus;
use journal::Cause;

/// The rebuffs of a visit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rebuffs {
    /// Somebody is there, and does not let us in.
    kept_out: bool,
    /// Somebody is there.
    answered: bool,
}

impl Rebuffs {
    /// A door answered with a status that is no page.
    pub fn note_status(&mut self, status: u16) {
        match status {
            401 | 403 | 429 | 451 => self.kept_out = true,
            500.. => {}
            _ => self.answered = true,
        }
    }

    /// A door gave no usable answer.
    pub fn note_cause(&mut self, cause: Cause) {
        match cause {
            Cause::Blacklisted
            | Cause::Robots
            | Cause::RateLimited
            | Cause::Protected
            | Cause::ProviderDown => self.kept_out = true,
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

    /// What they come to.
    pub fn status(self) -> ContactStatus {
        match self {
            Self { kept_out: true, .. } => ContactStatus::Blocked,
            Self { answered: true, .. } => ContactStatus::None,
            Self { .. } => ContactStatus::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_of_refusal_says_more_than_any_silence() {
        let status = |statuses: &[u16], causes: &[Cause]| {
            let mut rebuffs = Rebuffs::default();
            statuses.iter().for_each(|status| rebuffs.note_status(*status));
            causes.iter().for_each(|cause| rebuffs.note_cause(*cause));
            rebuffs.status()
        };
        assert_eq!(status(&[], &[Cause::Tls, Cause::Connect]), ContactStatus::Unreachable);
        assert_eq!(status(&[503, 500], &[]), ContactStatus::Unreachable);
        assert_eq!(status(&[], &[Cause::AddressRefused]), ContactStatus::Unreachable);
        assert_eq!(status(&[404], &[Cause::Tls]), ContactStatus::None);
        assert_eq!(status(&[403, 404], &[Cause::Timeout]), ContactStatus::Blocked);
        assert_eq!(status(&[], &[Cause::Blacklisted]), ContactStatus::Blocked);
    }
}
