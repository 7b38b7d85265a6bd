//! Counts the outcomes of URLs, in the detail that the end of a run needs.

use journal::{Cause, Outcome};
use serde::{Deserialize, Serialize};

/// Number of pages of the site by outcome; images, files and external links are not counted. The
/// layout is that of the first release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct OutcomeCounts {
    /// Requested pages with any result, which `max_pages` limits. Redirects are not counted.
    pub requested: u64,
    pub success: u64,
    pub not_found: u64,
    pub refused: u64,
    pub rate_limited: u64,
    pub server_error: u64,
    /// Timeouts, resets, refused connections.
    pub transport: u64,
    pub name_not_found: u64,
    pub address_refused: u64,
    pub blacklisted: u64,
    pub robots: u64,
    pub robots_unavailable: u64,
    pub bug: u64,
    pub protected: u64,
    /// A provider or the egress of the service failed; `PageFailureCounts::egress` counts the
    /// latter.
    pub provider_down: u64,
    pub needs_rendering: u64,
    /// All other responses and failures; `PageFailureCounts` has some of them by kind.
    pub other: u64,
}

impl OutcomeCounts {
    pub fn count(&mut self, outcome: &Outcome) {
        let slot = match outcome {
            Outcome::Redirected { .. } | Outcome::NotRequested | Outcome::Skipped(_) => return,
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
                | Cause::ConnectionRefused
                | Cause::Tls
                | Cause::Timeout
                | Cause::Protocol => &mut self.transport,
                Cause::Bug | Cause::Renderer | Cause::Busy => &mut self.bug,
                Cause::Protected => &mut self.protected,
                Cause::ProviderDown | Cause::Egress => &mut self.provider_down,
                Cause::NeedsRendering => &mut self.needs_rendering,
                Cause::TooLarge
                | Cause::BadEncoding
                | Cause::RedirectLoop
                | Cause::TooComplex
                | Cause::ActionFailed => &mut self.other,
            },
        };
        *slot += 1;
        self.requested += u64::from(!matches!(
            outcome,
            Outcome::Failed(Cause::Robots | Cause::RobotsUnavailable)
        ));
    }

    /// Adds the counts of another shard of the same run.
    pub fn add(&mut self, other: &Self) {
        let Self {
            requested,
            success,
            not_found,
            refused,
            rate_limited,
            server_error,
            transport,
            name_not_found,
            address_refused,
            blacklisted,
            robots,
            robots_unavailable,
            bug,
            protected,
            provider_down,
            needs_rendering,
            other: others,
        } = other;
        for (sum, count) in [
            (&mut self.requested, requested),
            (&mut self.success, success),
            (&mut self.not_found, not_found),
            (&mut self.refused, refused),
            (&mut self.rate_limited, rate_limited),
            (&mut self.server_error, server_error),
            (&mut self.transport, transport),
            (&mut self.name_not_found, name_not_found),
            (&mut self.address_refused, address_refused),
            (&mut self.blacklisted, blacklisted),
            (&mut self.robots, robots),
            (&mut self.robots_unavailable, robots_unavailable),
            (&mut self.bug, bug),
            (&mut self.protected, protected),
            (&mut self.provider_down, provider_down),
            (&mut self.needs_rendering, needs_rendering),
            (&mut self.other, others),
        ] {
            *sum += count;
        }
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

    /// Whether the run is reported as partial: at least 5 % of the fetched pages and at least three
    /// pages failed.
    pub fn is_partial(&self) -> bool {
        let failed = self.failed();
        failed >= 3 && failed * 20 >= self.requested
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lack_of_memory_counts_as_bug_not_as_site_failure() {
        let mut outcome_counts = OutcomeCounts::default();
        for _ in 0..10 {
            outcome_counts.count(&Outcome::Answered(200));
            outcome_counts.count(&Outcome::Failed(Cause::Busy));
        }
        assert_eq!(
            (outcome_counts.bug, outcome_counts.failed(), outcome_counts.is_partial()),
            (10, 0, false)
        );
    }
}
