//! The limit of open files of this process and its distribution.
//!
//! Every connection is a file. Systems start processes with a low limit that they may raise. The
//! limit is divided between clients, requests and idle connections, so that runs cannot exhaust
//! the files that the API and the database need.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Target for the limit. Some programs that inherit it loop over all descriptors, so it is not
/// higher.
const TARGET: u64 = 65_536;

/// A limit that every system grants, if the target is rejected.
const FALLBACK: u64 = 10_240;

/// The number of files that this process may open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFiles(u64);

impl OpenFiles {
    /// The current limit of this process.
    #[must_use]
    pub fn allowed() -> Self {
        Self(getrlimit(Resource::Nofile).current.unwrap_or(TARGET))
    }

    /// The limit as the system reports it.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// Raises the limit as far as the system permits.
    pub fn raise() {
        let Rlimit { current: Some(current), maximum } = getrlimit(Resource::Nofile) else {
            return;
        };
        let highest = maximum.unwrap_or(TARGET).min(TARGET);
        for wanted in [highest, highest.min(FALLBACK)] {
            let raised = Rlimit { current: Some(wanted), maximum };
            if wanted > current && setrlimit(Resource::Nofile, raised).is_ok() {
                return;
            }
        }
    }

    /// The share for connections of API clients.
    #[must_use]
    pub fn for_clients(self) -> usize {
        self.part(4)
    }

    /// The share for concurrent requests to sites.
    #[must_use]
    pub fn for_requests(self) -> usize {
        self.part(4)
    }

    /// The share for idle connections to sites.
    #[must_use]
    pub fn for_idle_connections(self) -> usize {
        self.part(8)
    }

    fn part(self, parts: u64) -> usize {
        usize::try_from(self.0 / parts).unwrap_or(usize::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_leave_a_third_of_the_files() {
        for files in [64, 256, 1024, 4096, TARGET] {
            let files = OpenFiles(files);
            let shared = files.for_clients() + files.for_requests() + files.for_idle_connections();
            assert!(shared as u64 <= files.0 * 2 / 3, "{files:?}");
        }
        assert_eq!(OpenFiles(1).for_requests(), 1, "every share is at least one");
    }
}
