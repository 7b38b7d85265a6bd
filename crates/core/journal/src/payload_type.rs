//! The types of stored payloads, and the version of each.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadType {
    /// One append to the log of a run: [`crate::Commit`].
    Commit,
    /// The state of a site crawl: [`crate::Snapshot`].
    SiteSnapshot,
    /// The state of a domain crawl: [`crate::Snapshot`].
    DomainSnapshot,
    /// Items or skipped URLs: [`crate::Segment`].
    Segment,
    /// Later values of items: [`crate::Overlay`].
    Overlay,
}

impl PayloadType {
    const ALL: [Self; 5] =
        [Self::Commit, Self::SiteSnapshot, Self::DomainSnapshot, Self::Segment, Self::Overlay];

    /// The version that this release writes. Raise it one release after [`Self::newest`], so that
    /// nodes of two successive releases read the payloads of each other.
    #[must_use]
    pub const fn version(self) -> u8 {
        match self {
            Self::Commit
            | Self::SiteSnapshot
            | Self::DomainSnapshot
            | Self::Segment
            | Self::Overlay => 2,
        }
    }

    /// The newest version that this release reads. It reads all versions before it as well.
    #[must_use]
    pub const fn newest(self) -> u8 {
        self.version()
    }

    /// The first byte of a payload of this type: a letter that no other type has or had.
    pub(crate) const fn tag(self) -> u8 {
        match self {
            Self::Commit => b'C',
            Self::SiteSnapshot => b'S',
            Self::DomainSnapshot => b'D',
            Self::Segment => b'I',
            Self::Overlay => b'O',
        }
    }

    pub(crate) fn of_tag(tag: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|payload| payload.tag() == tag)
    }
}

impl fmt::Display for PayloadType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Commit => "commit",
            Self::SiteSnapshot => "site snapshot",
            Self::DomainSnapshot => "domain snapshot",
            Self::Segment => "segment",
            Self::Overlay => "overlay",
        })
    }
}
