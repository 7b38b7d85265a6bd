//! How many files this process may have open, and who may have how many of them.
//!
//! Every connection is one. Systems begin with a low limit that a process may raise by itself;
//! what is left is shared out, so that no run takes what answers, other runs and the database
//! need, and no site is called unreachable for want of a file.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than this service can use. Some programs that inherit the limit walk through all of it.
const ENOUGH: u64 = 65_536;

/// What every system grants, where it does not tell its own bound.
const MODEST: u64 = 10_240;

/// How many may be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFiles(u64);

impl OpenFiles {
    /// As many as the system grants to this process now.
    #[must_use]
    pub fn allowed() -> Self {
        Self(getrlimit(Resource::Nofile).current.unwrap_or(ENOUGH))
    }

    /// Raises what the system grants, as far as it lets us.
    pub fn raise() {
        let Rlimit { current: Some(current), maximum } = getrlimit(Resource::Nofile) else {
            return;
        };
        let highest = maximum.unwrap_or(ENOUGH).min(ENOUGH);
        for wanted in [highest, highest.min(MODEST)] {
            let raised = Rlimit { current: Some(wanted), maximum };
            if wanted > current && setrlimit(Resource::Nofile, raised).is_ok() {
                return;
            }
        }
    }

    /// For clients' connections.
    #[must_use]
    pub fn of_clients(self) -> usize {
        self.part(4)
    }

    /// For requests to sites.
    #[must_use]
    pub fn of_requests(self) -> usize {
        self.part(4)
    }

    /// For connections to sites that are kept for the next request.
    #[must_use]
    pub fn of_resting(self) -> usize {
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
    fn something_is_left_for_everything_else() {
        for files in [64, 256, 1024, 4096, ENOUGH] {
            let files = OpenFiles(files);
            let shared = files.of_clients() + files.of_requests() + files.of_resting();
            assert!(shared as u64 <= files.0 * 2 / 3, "{files:?}");
        }
        assert_eq!(OpenFiles(1).of_requests(), 1, "nobody gets nothing");
    }
}
