//! The faults that a simulated run has to survive.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultProfile {
    pub name: &'static str,
    /// Workers crash at any time.
    pub crashes: bool,
    /// A shard gets a new holder while its old holder continues.
    pub lost_leases: bool,
    /// Appends whose result the worker does not learn.
    pub unknown_appends: bool,
    /// The balance is below the cost of the site and is topped up in small amounts.
    pub low_credits: bool,
    /// Batches of a few pages.
    pub small_batches: bool,
    /// The owner may abort the run.
    pub aborts: bool,
    /// Bot protection may start at any page.
    pub escalations: bool,
    /// The job has a list of URLs instead of a start URL.
    pub list: bool,
    /// A bug of the driver that the simulator must detect.
    pub bug: Option<InjectedBug>,
}

/// A bug that the simulator injects to prove that its invariants detect it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InjectedBug {
    /// Appends are accepted from any worker that knows the head of the log, whatever its epoch.
    EpochUnchecked,
    /// Requests start without waiting for the host's pace.
    NoPace,
    /// Appends are stored without a charge.
    NothingCharged,
    /// Units beyond the balance are delivered.
    DeliveredUnpaid,
    /// The engine gets no batch boundary.
    NoBoundary,
    /// A worker that takes over misses the last commit.
    LastCommitMissed,
    /// A worker takes an append with an unknown result for stored.
    UnknownTakenAsStored,
    /// When a commit is trimmed, its skipped URLs are not.
    SkippedNotTrimmed,
    /// The first skipped URL of a commit is not stored.
    SkippedRowLost,
    /// URLs that are only checked are read.
    ChecksReadBodies,
    SitemapsTwice,
    /// The engine gets more slots per host than the limit.
    ExtraHostSlots,
    /// Units of the protected tier are charged at the normal rate.
    NormalRateCharged,
}

impl FaultProfile {
    /// No faults except those of the web.
    pub const CALM: Self = Self {
        name: "calm",
        crashes: false,
        lost_leases: false,
        unknown_appends: false,
        low_credits: false,
        small_batches: false,
        aborts: false,
        escalations: false,
        list: false,
        bug: None,
    };
    pub const CRASHES: Self = Self { name: "crashes", crashes: true, ..Self::CALM };
    pub const LOST_LEASES: Self =
        Self { name: "lost leases", lost_leases: true, unknown_appends: true, ..Self::CALM };
    pub const LOW_CREDITS: Self =
        Self { name: "low credits", low_credits: true, escalations: true, ..Self::CALM };
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
        low_credits: true,
        small_batches: true,
        aborts: true,
        escalations: true,
        list: false,
        bug: None,
    };

    /// A list of URLs without faults, and with all of them.
    pub const LIST: Self = Self { name: "list", list: true, ..Self::CALM };
    pub const LIST_WITH_FAULTS: Self =
        Self { name: "list with faults", list: true, ..Self::EVERYTHING };

    /// Whether a page may be read twice: uncommitted pages are lost by a crash, trimmed for lack of
    /// credits, or blocked by protection.
    pub(crate) fn reads_twice(&self) -> bool {
        self.crashes
            || self.lost_leases
            || self.unknown_appends
            || self.low_credits
            || self.aborts
            || self.escalations
            // A URL of the list may redirect to another one.
            || self.list
    }
}
