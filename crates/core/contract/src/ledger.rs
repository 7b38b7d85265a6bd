//! The ledger of an account: every credit that came or went.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::words;
use crate::{Credits, JobId, LedgerId, Millis, Mode, Units};

words! {
    /// Why a balance changed.
    pub enum LedgerKind {
        /// Credits came in: granted or bought.
        Grant = "grant",
        /// A job delivered something.
        Debit = "debit",
    }
}

/// A line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerLine {
    pub id: LedgerId,
    pub kind: LedgerKind,
    /// What the balance changed by: negative where credits went.
    pub amount: Credits,
    /// What was delivered for it.
    pub units: Units,
    /// The job that delivered it; null when credits came in.
    #[schema(required = true)]
    pub job_id: Option<JobId>,
    #[schema(required = true)]
    pub mode: Option<Mode>,
    /// The channel of whoever started the job.
    #[schema(required = true)]
    pub source: Option<String>,
    pub at: Millis,
}

/// A page of the ledger, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerPage {
    pub items: Vec<LedgerLine>,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
