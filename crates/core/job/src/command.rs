//! What can be asked of a job.

use contract::{
    AccountId, Creator, Credits, ErrorCode, External, JobId, Mode, OnProtected, Options, Scope,
};

use crate::{Ending, Tier};

/// A checked request for a new job.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub id: JobId,
    pub account: AccountId,
    pub source: String,
    /// The credential whose budget it is charged to; none for a person's own job.
    pub creator: Option<Creator>,
    /// A job over built-in sample sites, which costs nothing.
    pub free: bool,
    pub mode: Mode,
    pub url: Option<String>,
    pub domains: Vec<String>,
    /// `contacts`: what was given for each of `domains`, or for the URL, as it was written.
    pub inputs: Vec<String>,
    pub site_key: Option<String>,
    pub scope: Scope,
    pub options: Options,
    pub on_protected: Option<OnProtected>,
    pub ceiling: Option<Credits>,
    pub external: Option<External>,
    pub batch_size: u64,
}

/// A command to a job. Whatever it depends on besides the job comes with it.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A client asks for a run.
    Create {
        /// What it asks for.
        draft: Box<Draft>,
        /// What the account has to spend.
        available: Credits,
    },
    /// A clock asks for a run that cannot be: it is written down as failed.
    CreateFailed {
        /// What it asks for.
        draft: Box<Draft>,
        /// The cause.
        code: ErrorCode,
        /// The cause in words.
        message: String,
    },
    /// A worker has taken it up, for the first time or again.
    Start,
    /// The run learned how the site is reached.
    LearnTier(Tier),
    /// Some of its domains are protected: they wait until the others are done.
    SetAside {
        /// What gave the first of them away, as `cloudflare_challenge`.
        marker: String,
    },
    /// The batch is full and known URLs wait.
    ReachBoundary,
    /// A result could not be paid for.
    ExhaustCredits,
    /// A result is not within the budget of the credential that started the job.
    ExhaustBudget,
    /// Its owner answers what it waits for.
    Confirm {
        /// Whether the next batch may start.
        continue_batch: bool,
        /// A new ceiling.
        ceiling: Option<Credits>,
        /// What the account has to spend.
        available: Credits,
    },
    /// Its owner stops it.
    Abort,
    /// The engine has come to an end.
    Finish(Ending),
    /// The run cannot go on.
    Fail {
        /// The cause.
        code: ErrorCode,
        /// The cause in words.
        message: String,
    },
    /// It may have been parked for too long.
    PurgeStale,
}
