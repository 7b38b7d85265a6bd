//! Which faults a run has to live with.

/// A set of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    pub name: &'static str,
    /// Workers die at any instant.
    pub crashes: bool,
    /// A shard changes hands while its old holder goes on.
    pub lost_leases: bool,
    /// Appends whose outcome the worker does not learn.
    pub unknown_appends: bool,
    /// The purse holds less than the site costs, and is filled in drops.
    pub poor_purse: bool,
    /// Batches of a few pages.
    pub small_batches: bool,
    /// The owner may stop the run.
    pub aborts: bool,
    /// The site may turn out to be protected, at any page.
    pub escalations: bool,
    /// A rule that the driver breaks: the simulator must notice.
    pub flaw: Option<Flaw>,
}

/// A broken rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// The log takes an append of whoever knows its head, whatever the epoch.
    EpochForgotten,
    /// A request starts whenever there is one.
    NoPace,
    /// The log charges nothing for what an append delivers.
    NothingCharged,
    /// What the purse does not cover is delivered all the same.
    DeliveredUnpaid,
    /// The engine is told of no boundary.
    NoBoundary,
    /// A worker that takes over misses the last commit.
    LastCommitMissed,
    /// A worker takes an append of unknown outcome for done.
    UnknownIsDone,
    /// When a commit is cut, what it leaves out is not.
    SkippedNotTrimmed,
    /// The first line of what a commit leaves out is lost.
    SkippedLost,
    /// What is only to be looked at is read.
    ChecksAreRead,
    /// Sitemaps are fetched twice.
    SitemapsTwice,
    /// The engine is told of more room at each host than there is.
    WideLanes,
    /// What the protected tier delivers is charged at the normal rate.
    OldRate,
}

impl Profile {
    /// No fault but those of the web.
    pub const CALM: Self = Self {
        name: "calm",
        crashes: false,
        lost_leases: false,
        unknown_appends: false,
        poor_purse: false,
        small_batches: false,
        aborts: false,
        escalations: false,
        flaw: None,
    };
    pub const CRASHES: Self = Self { name: "crashes", crashes: true, ..Self::CALM };
    pub const LOST_LEASES: Self =
        Self { name: "lost leases", lost_leases: true, unknown_appends: true, ..Self::CALM };
    pub const POOR_PURSE: Self =
        Self { name: "poor purse", poor_purse: true, escalations: true, ..Self::CALM };
    pub const SMALL_BATCHES: Self =
        Self { name: "small batches", small_batches: true, ..Self::CALM };
    pub const ESCALATIONS: Self =
        Self { name: "escalations", escalations: true, crashes: true, ..Self::CALM };
    pub const ABORTS: Self =
        Self { name: "aborts", aborts: true, small_batches: true, ..Self::CALM };
    pub const EVERYTHING: Self = Self {
        name: "everything",
        crashes: true,
        lost_leases: true,
        unknown_appends: true,
        poor_purse: true,
        small_batches: true,
        aborts: true,
        escalations: true,
        flaw: None,
    };

    /// Whether a page that was read may have to be read again: what was not committed
    /// is lost with its worker, cut off for want of credits, or behind a wall.
    pub(crate) fn reads_twice(&self) -> bool {
        self.crashes
            || self.lost_leases
            || self.unknown_appends
            || self.poor_purse
            || self.aborts
            || self.escalations
    }
}
