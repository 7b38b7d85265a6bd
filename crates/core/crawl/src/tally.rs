//! How the URLs of a run ended, counted as finely as the run's own end needs.

use journal::{Cause, Outcome};
use serde::{Deserialize, Serialize};

/// The count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Asked for, whatever came of it. Redirects are steps on the way and not counted.
    pub asked: u64,
    pub success: u64,
    pub not_found: u64,
    /// 401, 403, 451.
    pub refused: u64,
    pub rate_limited: u64,
    pub server_error: u64,
    /// Time-outs, resets, no connection.
    pub transport: u64,
    pub name_not_found: u64,
    pub address_refused: u64,
    pub blacklisted: u64,
    pub robots: u64,
    pub robots_unavailable: u64,
    pub bug: u64,
    /// Bot protection answered.
    pub protected: u64,
    /// A provider that pages are fetched through failed, or the way out of the service did:
    /// `PageEnds::egress` counts the latter.
    pub provider_down: u64,
    pub needs_rendering: u64,
    /// Answers and failures of any other kind. `PageEnds` counts some of them by kind: this count
    /// has the layout of the first release.
    pub other: u64,
}

impl Tally {
    pub fn count(&mut self, outcome: &Outcome) {
        let slot = match outcome {
            Outcome::Redirected { .. } | Outcome::Unasked | Outcome::Skipped(_) => return,
            Outcome::Answered(status) => match status {
                200..300 => &mut self.success,
                404 | 410 => &mut self.not_found,
                401 | 403 | 451 => &mut self.refused,
                429 => &mut self.rate_limited,
                500..600 => &mut self.server_error,
                _ => &mut self.other,
            },
            Outcome::Failed(cause) => match cause {
                Cause::NameNotFound => &mut self.name_not_found,
                Cause::AddressRefused => &mut self.address_refused,
                Cause::Blacklisted => &mut self.blacklisted,
                Cause::Robots => &mut self.robots,
                Cause::RobotsUnavailable => &mut self.robots_unavailable,
                Cause::RateLimited => &mut self.rate_limited,
                Cause::NameServer
                | Cause::Connect
                | Cause::Tls
                | Cause::Timeout
                | Cause::Protocol => &mut self.transport,
                Cause::Bug | Cause::Renderer | Cause::Busy => &mut self.bug,
                Cause::Protected => &mut self.protected,
                Cause::ProviderDown | Cause::Egress => &mut self.provider_down,
                Cause::NeedsRendering => &mut self.needs_rendering,
                Cause::TooLarge | Cause::BadEncoding | Cause::RedirectLoop | Cause::TooComplex => {
                    &mut self.other
                }
            },
        };
        *slot += 1;
        self.asked += u64::from(!matches!(
            outcome,
            Outcome::Failed(Cause::Robots | Cause::RobotsUnavailable)
        ));
    }

    /// Pages that failed on the site's side or were refused.
    pub fn failed(&self) -> u64 {
        self.refused
            + self.protected
            + self.rate_limited
            + self.server_error
            + self.transport
            + self.provider_down
    }

    /// Whether so many failed that a client has to know: 5 % of the fetched pages, and three.
    pub fn is_partial(&self) -> bool {
        let failed = self.failed();
        failed >= 3 && failed * 20 >= self.asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lack_of_memory_is_our_own_fault() {
        let mut tally = Tally::default();
        for _ in 0..10 {
            tally.count(&Outcome::Answered(200));
            tally.count(&Outcome::Failed(Cause::Busy));
        }
        assert_eq!((tally.bug, tally.failed(), tally.is_partial()), (10, 0, false));
    }
}
