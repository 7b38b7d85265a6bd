//! Commands to a job.

use contract::{
    AccountId, Creator, Credits, ErrorCode, External, JobId, JobWebhook, ListId, Mode, OnProtected,
    Options, Scope, SiteAccess,
};

use crate::{RunEnding, Tier};

/// A validated request for a new job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobDraft {
    pub id: JobId,
    pub account: AccountId,
    pub source: String,
    /// The credential whose budget the job is charged to; none for a session.
    pub creator: Option<Creator>,
    /// Whether the job is over built-in sample sites, which cost nothing.
    pub free: bool,
    pub mode: Mode,
    pub url: Option<String>,
    pub domains: Vec<String>,
    /// `contacts`: the client's spelling of each domain, or of the URL.
    pub inputs: Vec<String>,
    /// Number of URLs of the list; 0 without a list.
    pub listed_urls: u64,
    /// The uploaded list, if the URLs are those of one.
    pub list: Option<ListId>,
    pub site_key: Option<String>,
    pub scope: Scope,
    pub options: Options,
    pub on_protected: Option<OnProtected>,
    pub ceiling: Option<Credits>,
    pub external: Option<External>,
    /// Where the events of this job are sent.
    pub webhook: Option<JobWebhook>,
    /// How pages are requested, without secrets.
    pub access: SiteAccess,
    pub batch_size: u64,
}

/// A command to a job, with everything else that the decision depends on.
#[derive(Debug, Clone, PartialEq)]
pub enum JobCommand {
    /// A client creates the job.
    Create {
        draft: Box<JobDraft>,
        /// Credits that the account can spend.
        available: Credits,
    },
    /// The scheduler creates a failed job for a slot that cannot start.
    CreateFailed { draft: Box<JobDraft>, code: ErrorCode, message: String },
    /// A worker has claimed a shard, for the first time or again.
    Start,
    /// The run learned whether the site is protected.
    LearnTier(Tier),
    /// Some domains are protected and wait until the others are done. `marker` is the protection
    /// marker of the first one, as `cloudflare_challenge`.
    SetAside { marker: String },
    /// The batch is full and URLs remain.
    ReachBoundary,
    /// The balance does not cover the next result.
    ExhaustCredits,
    /// The budget of the credential that created the job does not cover the next result.
    ExhaustBudget,
    /// The owner confirms what the job waits for.
    Confirm {
        /// Whether the next batch may start.
        continue_batch: bool,
        /// A new `max_credit_per_unit`.
        ceiling: Option<Credits>,
        /// A new `max_credits` of the job.
        max_credits: Option<Credits>,
        /// Credits that the account can spend.
        available: Credits,
    },
    /// The owner aborts the job.
    Abort,
    /// The engine has finished.
    Finish(RunEnding),
    /// The run cannot continue.
    Fail { code: ErrorCode, message: String },
    /// Fails the job if it was parked for longer than [`crate::STALE_AFTER`].
    PurgeStale,
}
