//! A commit: what became known and what was finished since the last one.
//!
//! Steps stand in the order in which they happened, and a URL's ordinal is its
//! place in the order of discovery. So any prefix of a commit is a commit: that is
//! what makes it possible to deliver just what is paid for.

use contract::FetchFault;
use serde::{Deserialize, Serialize};
use site::Robots;

use crate::codec::{self, JournalError};

/// Speed matters more than size here: the log is read back only after a crash.
const LEVEL: i32 = 1;

/// One append to the log of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Commit {
    pub steps: Vec<Step>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// The run learned something about the site.
    Learned(Fact),
    /// URLs that no page brought: the start, later those of a sitemap. Each takes the
    /// next ordinal.
    Seeded(Vec<Found>),
    /// A URL is done with.
    Finished(Finished),
}

/// Something that a run learned and that replay must give back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    /// What robots.txt of a host allows.
    Robots {
        /// The host, with its port where that is not the default.
        authority: String,
        /// The rules that concern us.
        rules: Robots,
    },
    /// The start URL led to another site, which is crawled in its place.
    SiteMoved {
        /// The URL that it led to.
        to: String,
    },
}

/// A URL that is done with, and what it brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    pub ordinal: u32,
    pub outcome: Outcome,
    /// URLs that nobody had seen before; each takes the next ordinal.
    pub found: Vec<Found>,
    /// The URLs that the page links to, each once, by ordinal.
    pub linked: Vec<u32>,
    /// The hash of its content, by which a later page is known as a duplicate.
    pub content: Option<u64>,
    /// Whether an item was made of it.
    pub delivered: bool,
    /// What the item is charged as.
    pub units: u32,
}

/// How a URL ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It answered with this status.
    Answered(u16),
    /// It pointed elsewhere.
    Redirected {
        /// The status that said so.
        status: u16,
        /// The ordinal of the URL that it pointed to; none when that is out of scope.
        to: Option<u32>,
    },
    /// No usable answer.
    Failed(Cause),
}

/// Why there was no usable answer, as finely as the end of a run needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// There is no such name.
    NameNotFound,
    /// The name servers did not answer.
    NameServer,
    /// An address behind the name may not be reached from here.
    AddressRefused,
    /// The operator does not crawl this domain.
    Blacklisted,
    /// No connection.
    Connect,
    /// The handshake or the certificate failed.
    Tls,
    /// Too slow.
    Timeout,
    /// Too large.
    TooLarge,
    /// Undecodable.
    BadEncoding,
    /// Redirects that lead nowhere.
    RedirectLoop,
    /// robots.txt forbids it.
    Robots,
    /// robots.txt could not be read, so that nothing may be fetched.
    RobotsUnavailable,
    /// Nothing but "too many requests", for as long as we wait.
    RateLimited,
    /// Not HTTP, or cut off.
    Protocol,
    /// Our own fault in reading it.
    Bug,
}

impl Cause {
    /// The word that the item's `error` has for it.
    #[must_use]
    pub fn fault(self) -> FetchFault {
        match self {
            Self::NameNotFound | Self::NameServer | Self::AddressRefused => FetchFault::Dns,
            Self::Connect => FetchFault::Connect,
            Self::Tls => FetchFault::Tls,
            Self::Timeout => FetchFault::Timeout,
            Self::TooLarge => FetchFault::TooLarge,
            Self::BadEncoding => FetchFault::BadEncoding,
            Self::RedirectLoop => FetchFault::RedirectLoop,
            Self::Robots | Self::RobotsUnavailable => FetchFault::Robots,
            Self::Blacklisted | Self::RateLimited => FetchFault::Blocked,
            Self::Protocol | Self::Bug => FetchFault::Http,
        }
    }
}

/// A URL seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub url: String,
    pub via: Via,
    pub anchor: Option<Box<str>>,
}

/// How a URL was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Via {
    /// It is where the run begins.
    Start,
    /// A link of the page.
    Link,
    /// The page redirects there.
    Redirect,
    /// The page calls it canonical.
    Canonical,
    /// A translation of the page.
    Hreflang,
    /// A sitemap.
    Sitemap,
}

/// What a commit adds up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub found: u64,
    pub finished: u64,
    pub delivered: u64,
    pub units: u64,
}

impl Commit {
    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What it adds up to.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for step in &self.steps {
            let finished = match step {
                Step::Learned(_) => continue,
                Step::Seeded(found) => {
                    totals.found += found.len() as u64;
                    continue;
                }
                Step::Finished(finished) => finished,
            };
            totals.found += finished.found.len() as u64;
            totals.finished += 1;
            totals.delivered += u64::from(finished.delivered);
            totals.units += u64::from(finished.units);
        }
        totals
    }

    /// Cuts it before the first step that would bring it over `units`, and tells
    /// how many items are left. What was cut is fetched again by whoever replays.
    pub fn trim_to(&mut self, units: u64) -> usize {
        let (mut spent, mut delivered) = (0, 0);
        let keep = self.steps.iter().position(|step| match step {
            Step::Learned(_) | Step::Seeded(_) => false,
            Step::Finished(finished) => {
                spent += u64::from(finished.units);
                delivered += usize::from(finished.delivered && spent <= units);
                spent > units
            }
        });
        self.steps.truncate(keep.unwrap_or(self.steps.len()));
        delivered
    }

    /// The commit, ready to be stored.
    ///
    /// # Errors
    /// [`JournalError`] when it cannot be compressed.
    pub fn encode(&self) -> Result<Vec<u8>, JournalError> {
        codec::encode(self, LEVEL)
    }

    /// The commit that was stored.
    ///
    /// # Errors
    /// [`JournalError`] when the bytes are damaged or of an unknown format.
    pub fn decode(bytes: &[u8]) -> Result<Self, JournalError> {
        codec::decode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(ordinal: u32, units: u32) -> Step {
        Step::Finished(Finished {
            ordinal,
            outcome: Outcome::Answered(200),
            found: vec![Found {
                url: format!("https://example.com/{ordinal}"),
                via: Via::Link,
                anchor: Some("next".into()),
            }],
            linked: vec![ordinal + 1],
            content: Some(u64::from(ordinal)),
            delivered: units > 0,
            units,
        })
    }

    #[test]
    fn what_is_stored_comes_back() {
        let commit = Commit {
            steps: vec![
                Step::Learned(Fact::SiteMoved { to: "https://example.org/".to_owned() }),
                page(0, 1),
            ],
        };
        let bytes = commit.encode().expect("it encodes");
        assert_eq!(Commit::decode(&bytes).expect("it decodes"), commit);
        assert_eq!(commit.totals(), Totals { found: 1, finished: 1, delivered: 1, units: 1 });
    }

    #[test]
    fn damage_and_other_formats_are_told_apart() {
        let mut bytes = Commit { steps: vec![page(0, 1)] }.encode().expect("it encodes");
        assert!(matches!(Commit::decode(&[]), Err(JournalError::Damaged(_))));
        assert!(matches!(Commit::decode(&bytes[..bytes.len() - 1]), Err(JournalError::Damaged(_))));
        bytes[0] = 9;
        assert!(matches!(Commit::decode(&bytes), Err(JournalError::UnknownVersion(9))));
    }

    #[test]
    fn a_trimmed_commit_is_the_longest_prefix_that_is_paid_for() {
        let whole =
            Commit { steps: vec![page(0, 1), page(1, 0), page(2, 1), page(3, 0), page(4, 1)] };
        for (units, steps, items) in [(0, 0, 0), (1, 2, 1), (2, 4, 2), (3, 5, 3), (9, 5, 3)] {
            let mut commit = whole.clone();
            assert_eq!(commit.trim_to(units), items, "items left at {units} units");
            assert_eq!(commit.steps, whole.steps[..steps], "steps left at {units} units");
        }
    }
}
